cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_VARIANTS_LIBRARY" libmine.so
cpprof run --load ./libmine.so mine/v2 --baseline mine/v1; status=$?; ls -A; exit $status
