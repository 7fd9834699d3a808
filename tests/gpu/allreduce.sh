#!/usr/bin/env bash
# Is every all-reduce right, for all types, ranks and sizes, a thousand times, on several streams; does a peer that never
# comes end in an error; is a dispatcher that launches something else found; are wrong kernels? Under two minutes.
# Where ranks outnumber GPUs they share one: all of this but the speed of links is shown there, too.
#
#   tests/gpu/allreduce.sh [INTO]     INTO: default examples/; the bundle goes to INTO/h200-allreduce/; OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/h200-allreduce
stress=$test_programs/variant_stress
need_program "$stress"
library=$(realpath "$test_programs/liballreduce_mutants.so" 2>/dev/null) || skip "no liballreduce_mutants.so: install with -DCPPROF_INSTALL_TESTS=ON"
work=$(mktemp -d)
trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT
mkdir -p "$into"
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
began=$(date +%s)
quiet() { "$@" >>"$work/checks"; }
# verified BUNDLE: how many comparisons with the reference there were, and how many of them failed
verified() {
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "pass") at = i; next} {all++; bad += $at != "yes"} END {print all + 0, bad + 0}' "$1/verify.csv"
}
said() { echo "$1, $(($(date +%s) - began)) s" >>"$work/told"; }

all=$("$CPPROF" list 2>/dev/null | grep -oE '\ballreduce/[a-z0-9-]+' | sort -u)
variants=$(echo "$all" | wc -l)
quiet expect "variants in the family" "$variants" 11

# ---- right: type x ranks x size, each once ----

shapes=()
for dtype in 0 1 2; do
    for ranks in 2 3 4 8; do
        for bytes in 8192 65556 1048580 9000004; do
            shapes+=(--shape "bytes=$bytes,gpus=$ranks,dtype=$dtype")
        done
    done
done
shapes+=(--shape "one,few,ragged-fp32,ragged-fp16,ragged-bf16,ragged-8,offset-8,offset-4,offset-2")
shapes+=(--shape "bytes=67108864,gpus=2" --shape "bytes=4194304,gpus=5,dtype=1")
timeout 100 "$stress" --iterations 0 "${shapes[@]}" 'allreduce/*' >"$work/table" 2>&1
quiet expect "table: exit status" "$?" 0
right=$(grep -cE 'right, and the same bits$|not supported: ' "$work/table")
quiet expect "table: variants that are right everywhere, or not supported" "$right" "$variants"
# What may be missing is known: NCCL where ranks share a GPU.
missing=$(awk '/not supported: / {print $1}' "$work/table" | tr '\n' ' ')
[ "$gpus" -ge 2 ] || quiet expect "table: not supported here" "$missing" \
    "allreduce/nccl "
said "table: $(grep -cE 'same bits$' "$work/table") variants right at $(grep -oE '[0-9]+ launches' "$work/table" | sort -n | tail -n 1) of different shapes"

# ---- right a thousand times: 16 inputs in turn, on four streams, with the memory full and being written ----

timeout 150 "$stress" --shape small,kib256,few,ragged-fp32,ragged-fp16,ragged-bf16,ragged-8,mib1 'allreduce/*' >"$work/stress" 2>&1
quiet expect "stress: exit status" "$?" 0
right=$(grep -cE ' 1[0-9]{3} launches of 16 inputs: right, and the same bits$|not supported: ' "$work/stress")
quiet expect "stress: variants that are right and of the same bits each time, or not supported" "$right" "$variants"
said "stress: $(grep -cE 'same bits$' "$work/stress") variants"

# ---- a peer that never comes ----

start=$SECONDS
CPPROF_ALLREDUCE_WAIT_MS=300 timeout 60 "$stress" --load "$library" --iterations 0 --shape small mutant/absent-peer >"$work/absent" 2>&1
quiet expect "absent peer: exit status" "$?" 4
quiet expect "absent peer: it ends within seconds" "$((SECONDS - start < 20))" 1
quiet expect_match "absent peer: who waited for whom" "$(grep '^allreduce:' "$work/absent")" \
    'block [0-9]+ of rank 0 waited 0\.3 s for rank 1, which did not come to meeting 1 '
CPPROF_ALLREDUCE_WAIT_MS=300 timeout 60 "$CPPROF" run --load "$library" mutant/absent-peer --shape small --processes 1 --iters 4 \
    --metrics none -o "$work/absent.cpprof" >"$work/absent.run" 2>&1
quiet expect "absent peer: exit status of run" "$?" 3
quiet expect_match "absent peer: run says so" "$(cat "$work/absent.run")" 'rank 0 waited|timed out'
said "absent peer"

# ---- wrong kernels ----

timeout 60 "$stress" --load "$library" --iterations 0 --shape mib1,ragged-fp32 'mutant/[!adn]*' mutant/next-slot mutant/no-last-value >"$work/wrong" 2>&1
quiet expect "mutants: exit status" "$?" 1
# Shared memory is what the launch before left, which had the same inputs: without a wait that is right again. So inputs change.
timeout 60 "$stress" --load "$library" --iterations 64 --leave 0 --shape mib1 mutant/no-wait >>"$work/wrong" 2>&1
quiet expect "mutant no-wait: exit status" "$?" 1
for mutant in lacks-a-rank no-last-value next-slot no-wait gathers-inputs; do
    quiet expect_match "mutant $mutant is found" "$(grep "^mutant/$mutant " "$work/wrong")" ' [1-9][0-9]* wrong'
done
quiet expect_match "hint for a rank that is left out" "$(grep '^mutant/lacks-a-rank ' "$work/wrong")" 'lack the input of rank 1'
said "mutants"

# ---- what ran: the dispatcher and its broken twin ----

one_gpu=(env CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}")
[ "$gpus" -lt 2 ] || one_gpu=(env CUDA_VISIBLE_DEVICES=0) # counters are read on one device
"${one_gpu[@]}" "$CPPROF" run allreduce/dispatch --shape small,mib1,mib16,mib64 --shape bytes=134217728,offset=0 --shape bytes=1048576,offset=8 \
    --processes 1 --iters 4 --metrics ldgsts -o "$work/dispatch.cpprof" >"$work/dispatch" 2>&1
quiet expect_match "dispatch: exit status" "$?" '^[03]$'
quiet expect "dispatch: shapes at which what ran is what was declared" "$(grep -cE '^\|.*allreduce/dispatch.*\| pass \| kernel_matches \|' "$work/dispatch.cpprof/report.md")" 6
for row in '8 KiB=1stage' '1 MiB=1stage-cpasync3' '16 MiB=2stage-cpasync' '128 MiB=2stage'; do
    name=${row#*=}
    quiet expect_match "dispatch of ${row%=*}: what ran" "$(grep -E "chosen for ${row%=*} on 2 ranks\)" "$work/dispatch.cpprof/report.md" | tail -n 1)" \
        "ran void allreduce_${name//-cpasync*/_cpasync}(<|&lt;).*\(meant: $name, chosen"
done
"${one_gpu[@]}" "$CPPROF" run --load "$library" mutant/dispatch-scope --shape mib16 --processes 1 --iters 4 --metrics ldgsts \
    -o "$work/scope.cpprof" >"$work/scope" 2>&1
quiet expect "broken dispatcher: exit status" "$?" 1
quiet expect_match "broken dispatcher: the first line names what ran" "$(head -n 1 "$work/scope.cpprof/report.md")" \
    'WRONG KERNEL.*allreduce.*1stage<.*meant'
CPPROF_FORCE=2stage "${one_gpu[@]}" "$CPPROF" run allreduce/dispatch --shape small --processes 1 --iters 4 --metrics none \
    -o "$work/forced.cpprof" >"$work/forced" 2>&1
quiet expect_match "CPPROF_FORCE=2stage: what ran" "$(cat "$work/forced.cpprof/report.md")" 'ran void allreduce_2stage'
CPPROF_FORCE=3stage "$CPPROF" run allreduce/dispatch --shape small --processes 1 --iters 4 --metrics none -o "$work/unknown.cpprof" \
    >"$work/unknown" 2>&1
quiet expect "CPPROF_FORCE=3stage: exit status" "$?" 3
quiet expect_match "CPPROF_FORCE=3stage: the error" "$(cat "$work/unknown")" "CPPROF_FORCE='3stage' names no kernel"
said "dispatch"

# ---- the A/B of the investigation, recorded ----

status=0
"${one_gpu[@]}" "$CPPROF" run 'allreduce/1stage*' allreduce/2stage allreduce/2stage-cpasync --baseline allreduce/1stage --shape kib256,mib1 \
    --processes 3 --iters 20 -o "$into/one-gpu.cpprof" --force >"$work/ab" 2>&1 || status=$?
quiet expect_match "A/B on one GPU: exit status" "$status" '^[03]$'
quiet expect_match "A/B on one GPU: verifications, of which failed" "$(verified "$into/one-gpu.cpprof")" '^[1-9][0-9]* 0$'
quiet expect "A/B on one GPU: wrong kernels" "$(grep -c 'WRONG KERNEL' "$into/one-gpu.cpprof/report.md")" 0
if [ "$gpus" -ge 2 ]; then # kernels that wait for each other are not counted: a counted one runs alone
    status=0
    "$CPPROF" run 'allreduce/1stage*' 'allreduce/2stage*' allreduce/naive allreduce/nccl --baseline allreduce/1stage \
        --sweep bytes=8KiB:64MiB:x8 --metrics none --processes 3 --iters 20 -o "$into/links.cpprof" --force >"$work/links" 2>&1 || status=$?
    quiet expect_match "on $gpus GPUs: exit status" "$status" '^[03]$'
    quiet expect_match "on $gpus GPUs: verifications, of which failed" "$(verified "$into/links.cpprof")" '^[1-9][0-9]* 0$'
fi
said "A/B"

grep -h '^FAILED' "$work/checks" | cut -c 1-300
for name in table stress; do grep -vE 'same bits$|not supported: ' "$work/$name" | head -n 6 | cut -c 1-300; done
cat "$work/told"
finish
