cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run nope; status=$?; ls -A; exit $status
