cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --sweep n=1KiB:1MiB:x2; status=$?; ls -A; exit $status
