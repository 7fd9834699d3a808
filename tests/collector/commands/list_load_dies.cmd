cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_VARIANTS_LIBRARY" libmine.so
LOADED_VARIANTS=dies cpprof list --load ./libmine.so
