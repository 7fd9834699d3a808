cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --baseline pipeline/none; status=$?; ls -A; exit $status
