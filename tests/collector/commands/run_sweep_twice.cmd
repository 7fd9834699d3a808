cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --sweep n=1,2 --sweep n=4; status=$?; ls -A; exit $status
