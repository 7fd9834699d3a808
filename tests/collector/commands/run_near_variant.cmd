cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
for word in pipeline/snyc pipline/sync sync pipelin 'pipelin/*' pipeline; do cpprof run "$word"; done; status=$?; ls -A; exit $status
