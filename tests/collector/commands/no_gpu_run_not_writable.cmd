cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
cpprof run pipeline/sync -o is-not-there/x.cpprof; status=$?; ls -A; exit $status
