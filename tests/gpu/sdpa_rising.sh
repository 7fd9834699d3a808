#!/usr/bin/env bash
# Is every variant of the attention ladder right where scores rise by 3 to 20 powers of two from one tile of keys to the
# next? With the inputs of all other tests they rise by too little for a kernel that weighs a tile again (sdpa_late.cu). Ten
# seconds.
#
#   tests/gpu/sdpa_rising.sh
#   VARIANTS='*'
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
library=$test_programs/libsdpa_call.so
[ -e "$library" ] || skip "no libsdpa_call.so: install with -DCPPROF_INSTALL_TESTS=ON"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
timeout 200 python3 tests/gpu/sdpa_rising.py "$(realpath "$library")" --variants "${VARIANTS:-*}" >"$said" 2>&1
expect "exit status" "$?" 0
grep -v ' right: ' "$said" | tail -n 12 | cut -c 1-200
grep -c ' right: ' "$said" | sed 's/$/ variants are right/'
grep -o 'wgmma-[a-z]* right: .*' "$said"
expect "variants that are wrong" "$(grep -c ' WRONG: ' "$said")" 0
finish
