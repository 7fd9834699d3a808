cd "$(mktemp -d)" || exit 99; trap 'rm -rf "$PWD"' EXIT
# It knows the built-in variants, and a solution where one is loaded.
cat >runner <<'RUNNER'
#!/bin/sh
for word; do case $word in
--dir=*) folder=${word#*=} ;;
--load=v1=*) more=',{"name": "scale/v1", "summary": "one", "library": "libv1.so"}' ;;
esac; done
echo "[{\"name\": \"pipeline/sync\", \"summary\": \"plain loads\"}$more]" >"$folder/variants.json"
RUNNER
chmod +x runner
export CPPROF_RUNNER="$PWD/runner"
cpprof list --load ./libtask.so
echo "ended with $?"
cpprof list --task ./libtask.so --solution v1=./libv1.so
echo "ended with $?"
cpprof list --task ./libtask.so scale/v2
