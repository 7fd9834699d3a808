#!/usr/bin/env bash
# How fast is our attention beside PyTorch's cuDNN and Flash, in one process and by one timer? Some ten seconds.
#
#   tests/gpu/sdpa_beside.sh [INTO]     INTO: default examples/; the table goes to INTO/sdpa/beside.csv
#   VARIANTS='*'  all of ours, LENGTHS=32,512,2048,4x2048 (batches x length)
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
library=$test_programs/libsdpa_call.so
[ -e "$library" ] || skip "no libsdpa_call.so: install with -DCPPROF_INSTALL_TESTS=ON"
into=${1:-examples}/sdpa
mkdir -p "$into"
lengths=${LENGTHS:-32,512,2048}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

timeout 200 python3 tests/gpu/sdpa_beside.py "$(realpath "$library")" "$into/beside.csv" --lengths "$lengths" \
    ${VARIANTS:+--variants "$VARIANTS"} >"$said" 2>&1
expect "exit status" "$?" 0
tail -n 24 "$said" | cut -c 1-200
for arm in cudnn flash sdpa/; do
    expect_at_least "$arm at each length" "$(grep -c "^$arm" "$into/beside.csv")" "$(echo "$lengths" | tr , '\n' | wc -l)"
done
finish
