cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run --variant a=true --kernels x --method single; status=$?; ls -A; exit $status
