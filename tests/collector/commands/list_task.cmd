cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_TASK_LIBRARY" libtask.so; cp "$LOADED_SOLUTION_LIBRARY" libfast.so
cpprof list --load v1=./libfast.so --load ./libtask.so --load v2=./libfast.so; cpprof list --load ./libtask.so --load v1=./libfast.so double/v1
