#!/usr/bin/env bash
# Does a capture say which work it does not show? Kernels and graphs that kernels launch, and pages of managed memory that
# move. What do records of migrations cost a kernel that waits for pages? One GPU, two minutes; PyTorch is asked, too,
# where it is installed.
#
#   tests/gpu/hidden_work.sh [INTO]     INTO: where captures and times go (default: nowhere)
#   TURNS=5
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
managed=$test_programs/managed_work
launches=$test_programs/device_launches
need_program "$managed"
need_program "$launches"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work}
mkdir -p "$into"

# captured NAME OPTION... -- PROGRAM...: its standard output, and what its bundle says in "fact"
captured() {
    local name=$1
    shift
    timeout 120 "$CPPROF" capture -q --force -o "$into/$name.cpprof" "$@" >"$work/said" 2>"$work/errors"
    load_facts "$into/$name.cpprof"
}

for mode in direct function pointer deep tail graph copy linked; do
    captured "launches-$mode" -- "$launches" "$mode"
    expect "$mode: the program says the same" "$(cat "$work/said")" "$("$launches" "$mode")"
    "$CPPROF" check "$into/launches-$mode.cpprof" --assert 'count(kernel) == 1' >/dev/null 2>&1
    status=$?
    if [ "$mode" = linked ]; then
        expect "$mode: what is missing" "${fact[missing]:-}" none
        expect "$mode: one kernel" "$status" 0
    else
        expect "$mode: what is missing" "${fact[missing]:-}" "device launches"
        expect "$mode: one kernel is inconclusive" "$status" 3
    fi
done
torch_work='
import torch
torch.cuda.nvtx.range_push("work")
x = torch.randn(1000, 1000, device="cuda")
torch.linalg.solve(x, torch.sort(x @ x).values.cumsum(0))
torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 8, 512, 64, device="cuda", dtype=torch.half)] * 3)
torch.fft.fft(x)
torch.unique(x)
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()'
if python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    captured torch -- python3 -c "$torch_work"
    expect "PyTorch: what is missing" "${fact[missing]:-}" none
    expect_at_least "PyTorch: kernels" "${fact[kernels]:-0}" 10
    captured torch-range --range work -- python3 -c "$torch_work" # each of its modules is looked at
    expect "PyTorch, a range: what is missing" "${fact[missing]:-}" none
fi

# times ARM TURN: of each kernel but the first, whose code is loaded
times() { sed -n 's/^kernel \(.*\) ms$/\1/p' "$work/said" | sed "1d;s/^/$1 $2 /" >>"$work/times"; }
for ((turn = 0; turn < ${TURNS:-5}; turn++)); do
    timeout 60 "$managed" plain 10 >"$work/said" && times bare "$turn"
    captured managed -- "$managed" plain 10 && times captured "$turn"
    expect "managed memory: what is missing" "${fact[missing]:-}" migrations
    captured managed-migrations --migrations -- "$managed" plain 10 && times migrations "$turn"
    expect_at_least "managed memory: migrations" "${fact[migrations]:-0}" 100
done
captured managed-prefetch --migrations -- "$managed" prefetch 10
"$CPPROF" check "$into/managed.cpprof" --assert 'count(migration) == 0' >/dev/null 2>&1
expect "managed memory: no migrations is inconclusive without their records" "$?" 3
[ -z "${1:-}" ] || cp "$work/times" "$into/managed-times"
python3 - "$work/times" >"$work/medians" <<'PYTHON'
import statistics
import sys

runs = {}
for line in open(sys.argv[1], encoding="utf-8"):
    arm, turn, ms = line.split()
    runs.setdefault(arm, {}).setdefault(turn, []).append(float(ms))
for arm, turns in runs.items():
    medians = [statistics.median(times) for times in turns.values()]
    print("%s %.3f ms a kernel (medians of runs: %s)" % (
        arm, statistics.median(medians), " ".join("%.3f" % ms for ms in medians)))
PYTHON
cat "$work/medians"
cost() { awk -v arm="$1" '{ms[$1] = $2} END {print int(100 * ms[arm] / ms["bare"])}' "$work/medians"; }
expect "a capture costs such a kernel less than 15%" "$(($(cost captured) < 115))" 1
finish
