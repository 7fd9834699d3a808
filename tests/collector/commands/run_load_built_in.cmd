cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_VARIANTS_LIBRARY" libmine.so
LOADED_VARIANTS=name_built_in cpprof run --load ./libmine.so pipeline/sync; status=$?; ls -A; exit $status
