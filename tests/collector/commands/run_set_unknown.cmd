cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --set foo=1; status=$?; ls -A; exit $status
