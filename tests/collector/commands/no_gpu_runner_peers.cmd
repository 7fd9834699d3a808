cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof-runner peers --dir . --variant pipeline/sync; status=$?; ls -A; exit $status
