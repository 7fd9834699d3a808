#!/usr/bin/env bash
# Is every variant of the attention ladder right a thousand times: 16 inputs in turn at all its shapes and at odd ones, on
# four streams at once, with the GPU's memory full and being written? Some ten seconds.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
stress=$test_programs/variant_stress
need_program "$stress"
said=$(mktemp)
trap 'rm -f "$said" "$said".checks' EXIT
quiet() { "$@" >>"$said.checks"; }

variants=$("$CPPROF" list 2>/dev/null | grep -oE '\bsdpa/[a-z0-9-]+' | sort -u | wc -l)
began=$(date +%s)
timeout 120 "$stress" --shape small,mission,long,ragged-77,ragged-500,ragged-5,ragged-65,batches,one --shape B=3,H=5,S=191 \
    --shape B=1,H=7,S=1023 'sdpa/*' >"$said" 2>&1
quiet expect "exit status" "$?" 0
right=$(grep -cE ' 1[0-9]{3} launches of 16 inputs: right, and the same bits$|not supported: ' "$said")
quiet expect "variants that are right and of the same bits each time, or not supported" "$right" "$variants"
grep -h '^FAILED' "$said.checks"
grep -vE 'right, and the same bits$' "$said" | cut -c 1-300
echo "$right variants, $(($(date +%s) - began)) s"
finish
