#!/usr/bin/env bash
# Which work does a trace not show, and what does it cost to show it? Pages of managed memory that move, and kernels that
# kernels launch. One GPU, one minute.
#
#   tests/gpu/hidden_work.sh [INTO]     INTO: where captures and code go (default: nowhere)
#   TURNS=5 CPPROF=dist/bin/cpprof
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$test_programs/managed_work"
need_program "$test_programs/device_launches"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work}
mkdir -p "$into"
inject=$(find "$(dirname "$CPPROF")/.." -name 'libcpprof_inject*.so*' -o -name 'cpprof-inject*.so*' | head -n 1)

# captured BUNDLE VARIABLE...: the program as cpprof's guest, without cpprof around it
managed() {
    timeout 60 env "$@" "$test_programs/managed_work" plain 10 | sed -n "s/^kernel \(.*\) ms$/\1/p"
}

for ((turn = 0; turn < ${TURNS:-5}; turn++)); do
    mkdir -p "$work/on-$turn" "$work/off-$turn"
    guest="CUDA_INJECTION64_PATH=$(realpath "$inject")"
    managed | sed "s/^/bare $turn /" >>"$work/times"
    managed "$guest" CPPROF_CAPTURE_DIR="$work/on-$turn" CPPROF_CAPTURE_MIGRATIONS=on | sed "s/^/migrations $turn /" >>"$work/times"
    managed "$guest" CPPROF_CAPTURE_DIR="$work/off-$turn" CPPROF_CAPTURE_MIGRATIONS=off | sed "s/^/captured $turn /" >>"$work/times"
done
cp "$work/times" "$into/managed-times" 2>/dev/null
python3 - "$work/times" <<'PYTHON'
import statistics
import sys

runs = {}
for line in open(sys.argv[1], encoding="utf-8"):
    arm, turn, ms = line.split()
    runs.setdefault(arm, {}).setdefault(turn, []).append(float(ms))
for arm, turns in runs.items():
    medians = [statistics.median(times) for times in turns.values()]
    print("managed, %-10s %7.3f ms a kernel (medians of runs: %s)" % (
        arm, statistics.median(medians), " ".join("%.3f" % ms for ms in medians)))
PYTHON
ls -l "$work"/o*-0

if [ -e "$test_programs/libmodule_probe.so" ]; then
    probe=$(realpath "$test_programs/libmodule_probe.so")
    for mode in direct function pointer deep tail copy graph linked; do
        echo "== $mode: bare $(timeout 20 "$test_programs/device_launches" $mode)"
        mkdir -p "$into/$mode"
        PROBE_DUMP=$into/$mode CUDA_INJECTION64_PATH=$probe timeout 20 "$test_programs/device_launches" $mode
    done
    echo "== direct, eager loading, then each source alone"
    CUDA_MODULE_LOADING=EAGER CUDA_INJECTION64_PATH=$probe timeout 20 "$test_programs/device_launches" direct
    for only in callback record; do
        PROBE_ONLY=$only CUDA_INJECTION64_PATH=$probe timeout 20 "$test_programs/device_launches" direct
    done
    echo "== managed"
    CUDA_INJECTION64_PATH=$probe timeout 20 "$test_programs/managed_work" plain 1
    echo "== torch"
    CUDA_INJECTION64_PATH=$probe timeout 120 python3 -c '
import torch
x = torch.randn(1000, 1000, device="cuda")
y = torch.sort(x @ x).values.cumsum(0)
z = torch.linalg.solve(x, y)
w = torch.nn.functional.scaled_dot_product_attention(*[torch.randn(1, 8, 512, 64, device="cuda", dtype=torch.half)] * 3)
f = torch.fft.fft(x)
torch.unique(x)
torch.cuda.synchronize()
print("ran")' >"$work/torch" 2>&1
    cp "$work/torch" "$into/torch-modules" 2>/dev/null
    grep -c '^probe: callback' "$work/torch"
    grep -c '^probe: record' "$work/torch"
    grep '^probe: .*scan.*: .*[a-z]$' "$work/torch" | head -n 20
    grep -v '^probe: kernel' "$work/torch" | awk '/callback/ {for (i = 1; i < NF; i++) if ($i == "scan") us += $(i + 1)} END {print "callback scans", us, "us"}'
    tail -n 2 "$work/torch"
fi
finish
