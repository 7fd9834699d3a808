cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_VARIANTS_LIBRARY" libmine.so
cpprof list --load ./libmine.so --metrics
