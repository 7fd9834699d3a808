cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --set ctas_per_sm=900; cpprof run sdpa/stage3a sdpa/stage3b --shape S=99999999; cpprof run pipeline/sync --set ctas_per_sm=few; cpprof aa pipeline/sync --plant mission=2%; status=$?; ls -A; exit $status
