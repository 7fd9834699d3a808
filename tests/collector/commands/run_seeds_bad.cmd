cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --seeds 1,x; status=$?; ls -A; exit $status
