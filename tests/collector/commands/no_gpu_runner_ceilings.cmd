cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof-runner ceilings --dir . --variant pipeline/sync; status=$?; ls -A; exit $status
