cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/cpasync2 --baseline pipeline/snyc; cpprof run --variant new=true --variant old=true --baseline olf --kernels .; status=$?; ls -A; exit $status
