cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync; status=$?; ls -A; exit $status
