cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync --shape mission,smlal; cpprof run sdpa/stage1 --shape mision; cpprof run sdpa/stage1 --shape s=512; status=$?; ls -A; exit $status
