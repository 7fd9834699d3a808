#!/usr/bin/env bash
# Is a launch on two GPUs counted on each of them, and does what came over NVLink
# hold the message, and little else, or nothing of what goes by way of the host? Two GPUs.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
devices=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
[ "$devices" -ge 2 ] || skip "two GPUs are needed, here: $devices"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
variants=(allreduce/naive allreduce/1stage allreduce/1stage-cpasync3 allreduce/2stage)
[ -z "$(ldconfig -p | grep libnccl.so.2)" ] || variants+=(allreduce/nccl)
message=$((16 << 20))

start=$(date +%s)
"$CPPROF" run "${variants[@]}" --baseline allreduce/1stage --shape mib16 --metrics nvlink --processes 3 --iters 4 \
    -o "$work/links.cpprof" >"$work/report" 2>&1
expect "exit status" "$?" 0
seconds=$(($(date +%s) - start))
expect "what could not be counted" "$(grep -o 'counters of [^"]*' "$work"/links.cpprof/manifest.json "$work/report" | head -n 3)" ""
for variant in "${variants[@]}"; do
    for gpu in 0 1; do
        received=$(awk -F, -v variant="$variant" -v gpu="gpu $gpu" \
            '$1 == variant && $3 == gpu && $5 == "nvlrx__bytes_data_user.sum" {printf "%.0f", $7}' "$work/links.cpprof/metrics.csv")
        echo "$variant, GPU $gpu: ${received:-nothing} of $message bytes"
        if [ "$variant" = allreduce/naive ]; then
            expect "$variant, GPU $gpu: bytes over NVLink" "$received" 0
            continue
        fi
        expect_at_least "$variant, GPU $gpu: bytes over NVLink" "${received:-0}" "$message"
        [ "$variant" = allreduce/nccl ] || expect_at_least "$variant, GPU $gpu: of at most 1% more than the message" $((message / 100)) $((${received:-0} - message))
    done
done
expect_match "the report has the links" "$(cat "$work/report")" 'NVLink, each launch'
echo "in $seconds s"
# What the current GPU alone could not be sampled for is said.
"$CPPROF" run allreduce/1stage --shape mib1 --metrics none --hotspots --processes 1 --iters 4 -o "$work/hot.cpprof" >"$work/report" 2>&1
expect_match "samples are missing" "$(cat "$work/report")" 'one GPU only is sampled'
[ "$failed" = 0 ] || tail -n 60 "$work/report"
finish
