cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --cache cold --method graphs; status=$?; ls -A; exit $status
