cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --processes 2; status=$?; ls -A; exit $status
