cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run sdpa/stage5; cpprof list sdpa/stage5; status=$?; ls -A; exit $status
