cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT; cp "$LOADED_VARIANTS_LIBRARY" libmine.so
cpprof run --load ./libmine.so --variant a=true --kernels x
