cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof init scale && ls scale && sed -n '/CPPROF_TASK/p' scale/task.c && grep -c '@' scale/*; cpprof init scale; cpprof init; cpprof init a b; cpprof init ../x; cpprof init -- -x; cpprof init 1x; : >file; cpprof init file
