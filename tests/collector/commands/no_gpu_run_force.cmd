cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
mkdir old.cpprof; echo precious >old.cpprof/manifest.json
cpprof run pipeline/sync -o old.cpprof --force; status=$?; ls -A; cat old.cpprof/manifest.json; exit $status
