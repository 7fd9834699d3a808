#!/usr/bin/env bash
# Is every all-reduce right, for all types, ranks and sizes, a thousand times; does a peer that never comes end in an error; is
# a dispatcher that launches something else found; are wrong kernels? First with all ranks on one GPU, then, where CUDA sees
# several, with a GPU for each: graphs over them, and whether ranks meet before they read and before they go.
#
#   tests/gpu/allreduce.sh [links]    links: the second half alone; OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
stress=$test_programs/variant_stress
meetings=$test_programs/allreduce_meetings
need_program "$stress"
need_program "$meetings"
library=$(realpath "$test_programs/liballreduce_mutants.so" 2>/dev/null) || skip "no liballreduce_mutants.so: install with -DCPPROF_INSTALL_TESTS=ON"
work=$(mktemp -d)
trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT
gpus=$(cuda_gpus)
visible=${CUDA_VISIBLE_DEVICES:-0}
one_gpu=(env CUDA_VISIBLE_DEVICES="${visible%%,*}")
began=$(date +%s)
quiet() { "$@" >>"$work/checks"; }
# verified BUNDLE: how many comparisons with the reference there were, and how many of them failed
verified() {
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "pass") at = i; next} {all++; bad += $at != "yes"} END {print all + 0, bad + 0}' "$1/verify.csv"
}
said() { echo "$1, $(($(date +%s) - began)) s" >>"$work/told"; }

variants=$("$CPPROF" list 2>/dev/null | grep -oE '\ballreduce/[a-z0-9-]+' | sort -u | wc -l)
quiet expect "variants in the family" "$variants" 15

# stressed NAME MISSING OPTIONS...: each variant of the family is right, with the same bits each time, or not supported: those of MISSING
stressed() {
    local name=$1 missing=$2 right
    shift 2
    timeout 150 "$@" 'allreduce/*' >"$work/$name" 2>&1
    quiet expect "$name: exit status" "$?" 0
    right=$(grep -cE 'right, and the same bits$|not supported: ' "$work/$name")
    quiet expect "$name: variants that are right, or not supported" "$right" "$variants"
    quiet expect "$name: not supported here" "$(awk '/not supported: / {print $1}' "$work/$name" | tr '\n' ' ')" "$missing"
    said "$name: $(grep -cE 'same bits$' "$work/$name") variants right at $(grep -oE '[0-9]+ launches' "$work/$name" | sort -n | tail -n 1) each"
}

# table RANKS...: options for each type x these ranks x sizes, ragged and unaligned ones among them
table() {
    local ranks dtype row
    for ranks in "$@"; do
        for dtype in 0 1 2; do
            for row in 8192,0 65556,0 1048580,0 9000004,0; do
                printf -- '--shape\nbytes=%s,gpus=%d,dtype=%d\n' "${row%,*}" "$ranks" "$dtype"
            done
        done
        printf -- '--shape\nbytes=%s\n' "4,gpus=$ranks" "20,gpus=$ranks" "300006,gpus=$ranks,dtype=1" "70008,gpus=$ranks,dtype=1,offset=8" \
            "70004,gpus=$ranks,offset=4" "70002,gpus=$ranks,dtype=2,offset=2"
    done
}

# absent NAME COMMAND...: the peer of rank 0 never comes
absent() {
    local name=$1 start=$SECONDS
    shift
    CPPROF_ALLREDUCE_WAIT_MS=300 timeout 60 "$@" "$stress" --load "$library" --iterations 0 --shape small mutant/absent-peer >"$work/$name" 2>&1
    quiet expect "$name: exit status" "$?" 4
    quiet expect "$name: it ends within seconds" "$((SECONDS - start < 20))" 1
    quiet expect_match "$name: who waited for whom" "$(grep '^allreduce:' "$work/$name")" \
        'block [0-9]+ of rank 0 waited 0\.3 s for rank 1, which did not come to meeting 1 '
}

# ---- all ranks on one GPU ----

on_one_gpu() {
    local shapes row name mutant
    mapfile -t shapes < <(table 2 3 4 8)
    stressed "table" "allreduce/nccl " "${one_gpu[@]}" "$stress" --iterations 0 "${shapes[@]}" --shape one --shape "bytes=67108864,gpus=2" \
        --shape "bytes=4194304,gpus=5,dtype=1"
    # 16 inputs in turn, on four streams, with the memory full and being written.
    stressed "stress" "allreduce/nccl " "${one_gpu[@]}" "$stress" --shape small,kib256,few,ragged-fp32,ragged-fp16,ragged-bf16,ragged-8,mib1
    # Launches that begin while the one in front ends.
    stressed "back to back" "allreduce/nccl " "${one_gpu[@]}" "$stress" --leave 0 --inputs 4 --back-to-back 50 --shape small,mib1,ragged-8

    # ---- a peer that never comes ----

    absent "absent peer" "${one_gpu[@]}"
    CPPROF_ALLREDUCE_WAIT_MS=300 timeout 60 "${one_gpu[@]}" "$CPPROF" run --load "$library" mutant/absent-peer --shape small --processes 1 --iters 4 \
        --metrics none -o "$work/absent.cpprof" >"$work/absent.run" 2>&1
    quiet expect "absent peer: exit status of run" "$?" 3
    quiet expect_match "absent peer: run says so" "$(cat "$work/absent.run")" 'rank 0 waited|timed out'
    said "absent peer"

    # ---- wrong kernels ----

    timeout 60 "${one_gpu[@]}" "$stress" --load "$library" --iterations 0 --shape mib4,ragged-fp32 mutant/lacks-a-rank mutant/no-last-value \
        mutant/next-slot mutant/gathers-inputs >"$work/wrong" 2>&1
    quiet expect "mutants: exit status" "$?" 1
    # Shared memory is what the launch before left, which had the same inputs: without a wait that is right again. So inputs change.
    timeout 60 "${one_gpu[@]}" "$stress" --load "$library" --iterations 64 --leave 0 --shape mib4 mutant/no-wait >>"$work/wrong" 2>&1
    quiet expect "mutant no-wait: exit status" "$?" 1
    for mutant in lacks-a-rank no-last-value next-slot no-wait gathers-inputs; do
        quiet expect_match "mutant $mutant is found" "$(grep "^mutant/$mutant " "$work/wrong")" ' [1-9][0-9]* wrong'
    done
    quiet expect_match "hint for a rank that is left out" "$(grep '^mutant/lacks-a-rank ' "$work/wrong")" 'lack the input of rank 1'
    said "mutants"

    # ---- what ran: the dispatcher and its broken twin ----

    "${one_gpu[@]}" "$CPPROF" run allreduce/dispatch --shape small,mib1,mib16,mib64 --shape bytes=134217728,offset=0 --shape bytes=1048576,offset=8 \
        --processes 1 --iters 4 --metrics ldgsts -o "$work/dispatch.cpprof" >"$work/dispatch" 2>&1
    quiet expect_match "dispatch: exit status" "$?" '^[03]$'
    quiet expect "dispatch: shapes at which what ran is what was declared" \
        "$(everything "$work/dispatch.cpprof" | grep -cE '^allreduce/dispatch .* pass +kernel_matches ')" 6
    for row in '8 KiB=1stage-ll' '1 MiB=1stage-push' '16 MiB=2stage-send' '128 MiB=2stage-send'; do # of compute capability 9.0
        name=${row#*=}
        quiet expect_match "dispatch of ${row%=*}: what ran" "$(everything "$work/dispatch.cpprof" | grep -E "chosen for ${row%=*} on 2 ranks\)" | tail -n 1)" \
            "ran void allreduce_${name//-/_}(<|&lt;).*\($name, chosen"
    done
    CPPROF_FORCE=1stage-cpasync3 "${one_gpu[@]}" "$CPPROF" run --load "$library" mutant/dispatch-scope --shape mib1 --processes 1 --iters 4 \
        --metrics ldgsts -o "$work/scope.cpprof" >"$work/scope" 2>&1
    quiet expect "broken dispatcher: exit status" "$?" 1
    quiet expect_match "broken dispatcher: the first line names what ran" "$(head -n 1 "$work/scope.cpprof/report.md")" \
        'WRONG KERNEL.*allreduce.*1stage<.*meant \(1stage-cpasync3, forced by CPPROF_FORCE for 1 MiB on 2 ranks\)'
    CPPROF_FORCE=2stage "${one_gpu[@]}" "$CPPROF" run allreduce/dispatch --shape small --processes 1 --iters 4 --metrics none \
        -o "$work/forced.cpprof" >"$work/forced" 2>&1
    quiet expect_match "CPPROF_FORCE=2stage: what ran" "$(everything "$work/forced.cpprof")" 'ran void allreduce_2stage.*2stage, forced by CPPROF_FORCE'
    CPPROF_FORCE=3stage "$CPPROF" run allreduce/dispatch --shape small --processes 1 --iters 4 --metrics none -o "$work/unknown.cpprof" \
        >"$work/unknown" 2>&1
    quiet expect "CPPROF_FORCE=3stage: exit status" "$?" 3
    quiet expect_match "CPPROF_FORCE=3stage: the error" "$(cat "$work/unknown")" "CPPROF_FORCE='3stage' names no kernel"
    said "dispatch"

    # ---- the A/B of the investigation, recorded: what ran and whether it is right, and nothing of links ----

    local status=0
    "${one_gpu[@]}" "$CPPROF" run 'allreduce/1stage*' 'allreduce/2stage*' --baseline allreduce/1stage --shape kib256,mib1 \
        --processes 3 --iters 20 -o "$work/one-gpu.cpprof" --force >"$work/ab" 2>&1 || status=$?
    quiet expect_match "A/B on one GPU: exit status" "$status" '^[03]$'
    quiet expect_match "A/B on one GPU: verifications, of which failed" "$(verified "$work/one-gpu.cpprof")" '^[1-9][0-9]* 0$'
    quiet expect "A/B on one GPU: its verdicts" "$(verdicts "$work/one-gpu.cpprof" | awk '{print $NF}' | sort -u)" inconclusive
    quiet expect "A/B on one GPU: wrong kernels" "$(grep -c 'WRONG KERNEL' "$work/one-gpu.cpprof/report.md")" 0
    said "A/B"
}
[ "${1:-}" = links ] || on_one_gpu

# ---- a GPU for each rank ----

if [ "$gpus" -ge 2 ]; then
    fitting=2
    for ranks in 3 4 5 6 7 8; do [ "$ranks" -gt "$gpus" ] || fitting+=" $ranks"; done
    # shellcheck disable=SC2086  # words
    mapfile -t shapes < <(table $fitting)
    none=$("$stress" --iterations 0 --shape small allreduce/nccl 2>&1 | grep -o '^allreduce/nccl .*not supported' | cut -d ' ' -f 1)
    none=${none:+$none }
    all=$((gpus < 8 ? gpus : 8)) # several steps of 2stage-send, so that its ring is used again
    many=(--shape "small,mib1,ragged-fp32" --shape "bytes=67108864,gpus=2" --shape "bytes=1048580,gpus=$all" --shape "bytes=67108864,gpus=$all")
    # One stream: two all-reduces at once over the same GPUs may wait for each other.
    stressed "table, $gpus GPUs" "$none" "$stress" --iterations 0 --streams 1 "${shapes[@]}" --shape "bytes=67108864,gpus=2"
    stressed "stress, $gpus GPUs" "$none" "$stress" --streams 1 --inputs 8 --leave 0 "${many[@]}" --shape offset-8
    stressed "back to back, $gpus GPUs" "$none" "$stress" --streams 1 --inputs 4 --leave 0 --back-to-back 50 "${many[@]}"
    stressed "graphs, $gpus GPUs" "$none" "$stress" --streams 1 --inputs 4 --leave 0 --back-to-back 10 --graph "${many[@]}"
    absent "absent peer, $gpus GPUs" env

    wide=()
    [ "$gpus" -lt 3 ] || wide=(--shape "bytes=67108864,gpus=$((gpus < 8 ? gpus : 8))")
    timeout 120 "$meetings" --shape bytes=67108864,gpus=2 "${wide[@]}" allreduce/naive 'allreduce/1stage*' 'allreduce/2stage*' allreduce/dispatch \
        >"$work/meetings" 2>&1
    quiet expect "meetings: exit status" "$?" 0
    quiet expect "meetings: variants and shapes that are right" \
        "$(grep -cE 'late writers 8 rounds, 0 wrong; early leavers 8 rounds, 0 wrong$' "$work/meetings")" $(((variants - 1) * (1 + ${#wide[@]} / 2)))
    timeout 120 "$meetings" --load "$library" --shape bytes=67108864,gpus=2 'mutant/no-begin-*' 'mutant/no-finish-*' >"$work/no-meetings" 2>&1
    quiet expect "mutants without meetings: exit status" "$?" 1
    for kernel in 1stage 1stage-cpasync3 2stage 1stage-tma 2stage-send naive; do
        quiet expect_match "mutant no-begin-$kernel is found" "$(grep "^mutant/no-begin-$kernel " "$work/no-meetings")" 'late writers [0-9]+ rounds, 1 wrong'
        [[ $kernel = naive || $kernel = 2stage-send ]] || # copies are the meetings of the one, the other reads nothing
            quiet expect_match "mutant no-finish-$kernel is found" "$(grep "^mutant/no-finish-$kernel " "$work/no-meetings")" 'early leavers [0-9]+ rounds, 1 wrong'
    done
    said "meetings"
fi

grep -h '^FAILED' "$work/checks" | cut -c 1-300
for name in "$work"/table* "$work"/stress* "$work"/back* "$work"/graphs* "$work"/meetings; do
    [ ! -e "$name" ] || grep -vE 'same bits$|not supported: | 0 wrong; .* 0 wrong$' "$name" | head -n 6 | cut -c 1-300
done
cat "$work/told"
finish
