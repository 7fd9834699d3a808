#!/usr/bin/env bash
# Does capture see of a training loop what the PyTorch profiler sees, and how much
# does it slow the loop down? Eagerly, and as a CUDA graph node by node. About four
# minutes.
#
#   tests/gpu/pytorch_train.sh [MODE...]     eager, graph; both when none is given
#   ROUNDS=4 STEPS=100                       alternations of bare and captured; steps in each
#
# Where time is short: ROUNDS=2 is the least, in which each arm goes first once, and more STEPS make up for fewer rounds,
# as most of a run is the start of PyTorch. The counts need no more than one step. When the rounds do not agree on
# which side of 3 % the slowdown is, that is said: then only more rounds decide.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
rounds=${ROUNDS:-4}
steps=${STEPS:-100}
if [ "$rounds" -lt 2 ] || [ $((rounds % 2)) != 0 ]; then
    echo "ROUNDS=$rounds: as often as the bare program goes first the captured one does, so an even number, at least 2" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=(python3 examples/pytorch-train/train.py --steps "$steps")

# run NAME COMMAND...: its ms a step; nothing, and one more of failed_runs, when it failed
failed_runs=0
run() {
    local name=$1 ms
    shift
    if "$@" >"$work/out" 2>"$work/err"; then
        ms=$(sed -n 's/.*steps, \([0-9.]*\) ms a step, loss finite/\1/p' "$work/out")
        if [ -n "$ms" ]; then
            echo "$ms"
            return
        fi
    fi
    failed_runs=$((failed_runs + 1))
    echo "FAILED: $name" >&2
    tail -n 5 "$work/out" "$work/err" >&2
}

# middle FILE: the median of its lines
middle() {
    sort -n "$1" | awk '{v[NR] = $1} END {print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : "none"}'
}

same_work() { # MODE OPTION...
    local mode=$1 pairs=() i
    shift
    for i in 1 2; do
        run "torch $mode" "${program[@]}" "$@" --profiler torch --counts "$work/$mode-$i.json" >/dev/null
        run "scoped $mode" "$CPPROF" capture --graphs node --range train -o "$work/$mode-$i.cpprof" -- "${program[@]}" "$@" >/dev/null
        pairs+=("$work/$mode-$i.json" "$work/$mode-$i.cpprof")
    done
    python3 tests/gpu/against_pytorch.py "${pairs[@]}"
    expect "$mode: the work that the PyTorch profiler saw, kernel time within 1 %" "$?" 0
    load_facts "$work/$mode-1.cpprof"
    expect "$mode: dropped records" "${fact[dropped]}" 0
    expect "$mode: caveats" "${fact[caveats]}" 0
}

slowdown() { # MODE OPTION...
    local mode=$1 i
    shift
    for ((i = 0; i < rounds; i++)); do
        # Who goes first changes.
        for arm in $((i % 2)) $((1 - i % 2)); do
            if [ "$arm" = 0 ]; then
                run "bare $mode" "${program[@]}" "$@" >>"$work/$mode-bare.ms"
            else
                rm -rf "$work/$mode-all.cpprof"
                run "captured $mode" "$CPPROF" capture -o "$work/$mode-all.cpprof" -- "${program[@]}" "$@" >>"$work/$mode-captured.ms"
            fi
        done
    done
    local bare captured
    bare=$(middle "$work/$mode-bare.ms")
    captured=$(middle "$work/$mode-captured.ms")
    echo "$mode: $bare ms a step bare ($(tr '\n' ' ' <"$work/$mode-bare.ms")), $captured captured ($(tr '\n' ' ' <"$work/$mode-captured.ms"))"
    paste "$work/$mode-bare.ms" "$work/$mode-captured.ms" | awk -v mode="$mode" '
        {r = $1 > 0 ? $2 / $1 : 0; low = NR == 1 || r < low ? r : low; high = r > high ? r : high}
        END {printf "%s: slowdown %.2f %% to %.2f %% in %d rounds%s\n", mode, 100 * (low - 1), 100 * (high - 1), NR,
                    (low <= 1.03 && high > 1.03 ? ": UNDECIDED by so few, whatever the next line says" : "")}'
    expect "$mode: slowdown at most 3 %" "$(awk -v a="$captured" -v b="$bare" 'BEGIN {print (b > 0 && a / b <= 1.03)}')" 1
    load_facts "$work/$mode-all.cpprof"
    echo "$mode: ${fact[kernels]} kernels, ${fact[records]} records, ${fact[bytes]} bytes, collector $((fact[cpu_ns] / 1000000)) ms of processor time"
    expect "$mode: dropped records of the whole program" "${fact[dropped]}" 0
}

[ $# -gt 0 ] || set -- eager graph
for mode in "$@"; do
    options=()
    [ "$mode" = eager ] || options=("--$mode")
    failed_runs=0
    same_work "$mode" "${options[@]}"
    slowdown "$mode" "${options[@]}"
    expect "$mode: runs that failed" "$failed_runs" 0
done
finish
