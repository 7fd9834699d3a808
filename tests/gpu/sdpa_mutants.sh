#!/usr/bin/env bash
# Is each mutant of the attention ladder found: the wrong ones by verification, stress or compute-sanitizer,
# those that are right and slow by what cpprof run says of them beside their original? About a minute.
#
#   tests/gpu/sdpa_mutants.sh     OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
stress=$test_programs/variant_stress
need_program "$stress"
library=$(realpath "$test_programs/libsdpa_mutants.so" 2>/dev/null) || skip "no libsdpa_mutants.so: install with -DCPPROF_INSTALL_TESTS=ON"
command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
work=$(mktemp -d)
trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT
quiet() { "$@" >>"$work/checks"; }

wrong="stage1-stage-index stage1-no-wait stage1-no-barrier stage2-wrong-tail stage4-wait-too-few stage4-next-slot
    stage3b-no-barrier stage3b-tail-past-end warpspec-early-release warpspec-early-full"
slow="stage1-eager-wait stage3b-late-prefetch stage3b-extra-barrier"

# ---- does anything find the wrong ones, and nothing the others? ----

timeout 100 "$stress" --load "$library" 'mutant/*' >"$work/stress" 2>&1
sanitize() { # TOOL OPTION...
    timeout 200 compute-sanitizer --tool "$@" --print-limit 2000 "$stress" --load "$library" --iterations 0 --shape B=1,H=2,S=173 \
        'mutant/*' >"$work/$1" 2>&1
}
sanitize racecheck --num-cuda-barriers 16 &
sanitize memcheck --destroy-on-device-error kernel & # the mutants behind one that reads past an end run, too
wait

# found_by NAME: in words; the first 16 launches of variant_stress are alone and by themselves
found_by() {
    local kernel=mutant_${1//-/_}_of_ line
    line=$(grep "^mutant/$1 " "$work/stress")
    case $line in
    *"right, and the same bits"*) ;;
    *" 16 launches of "*wrong*) printf 'verify ' ;;
    *wrong*) printf 'stress ' ;;
    *) printf 'nothing-was-said ' ;;
    esac
    for tool in racecheck memcheck; do
        ! grep -v 'Host Frame' "$work/$tool" | grep -qF "$kernel" || printf '%s ' $tool
    done
}

for mutant in $wrong; do
    by=$(found_by "$mutant")
    printf '%-24s %s\n' "$mutant" "${by:-NOTHING}" >>"$work/found"
    quiet expect_match "$mutant is found" "$by" 'verify|stress|racecheck|memcheck'
done
for mutant in $slow; do
    quiet expect "$mutant is right" "$(found_by "$mutant")" ""
done
for tool in racecheck memcheck; do
    quiet expect_match "$tool came to its end" "$(tail -n 1 "$work/$tool")" 'SUMMARY'
done

# By the product itself, in one run: those that are wrong whatever the timing.
"$CPPROF" run --load "$library" mutant/stage1-stage-index mutant/stage2-wrong-tail mutant/stage4-next-slot mutant/warpspec-early-release \
    --shape mission --processes 1 --iters 4 --metrics none -o "$work/wrong.cpprof" >"$work/wrong" 2>&1
quiet expect "exit status of a run of wrong ones" "$?" 1
quiet expect_match "its first line" "$(head -n 1 "$work/wrong")" '^WRONG RESULT: mutant/'
quiet expect "and all four failed" "$(grep ',no,\|,no$' "$work/wrong.cpprof/verify.csv" | cut -d, -f 1 | sort -u | wc -l)" 4

# ---- is it said what is the matter with the slow ones? ----

# beside ORIGINAL MUTANT...: one run at mission
beside() {
    local original=$1 bundle=$work/beside-${1#sdpa/}.cpprof
    shift
    "$CPPROF" run --load "$library" "$@" "$original" --baseline "$original" --shape mission --processes 3 -o "$bundle" >"$bundle.said" 2>&1
    quiet expect "$original and its mutants: exit status" "$?" 0
    "$CPPROF" compare "$bundle" >/dev/null 2>&1
    quiet expect "$original and its mutants: exit status of compare" "$?" 1
    quiet expect_match "$original and its mutants: the same bits" "$(screen "$bundle" | grep -m 1 'Checked:')" 'bitwise equal to the baseline$'
}

# candidates BUNDLE: each with its verdict, in one line
candidates() {
    python3 -c 'import json, sys
print(*(word for row in json.load(open(sys.argv[1]))["rows"] for word in (row["candidate"], row["verdict"])))' "$1/verdict.json"
}

# says ORIGINAL MUTANT REGEX
says() {
    local bundle=$work/beside-${1#sdpa/}.cpprof told
    told=$(everything "$bundle" | grep -m 1 "^- slowdown (.*mutant/$2: ")
    quiet expect_match "$2: what it waits for" "$told" "$3"
    quiet expect_match "$2: the verdict" "$(candidates "$bundle")" "(^| )mutant/$2 slower( |\$)"
    printf '%-24s %s\n' "$2" "$(echo "$told" | grep -oE 'its warps take.*' | sed 's|&gt;|>|g' | cut -c 1-330)" >>"$work/found"
}

beside sdpa/stage1 mutant/stage1-eager-wait
beside sdpa/stage3b mutant/stage3b-late-prefetch mutant/stage3b-extra-barrier
says sdpa/stage1 stage1-eager-wait 'long_scoreboard.*less work overlaps with them'
says sdpa/stage3b stage3b-late-prefetch 'long_scoreboard.*less work overlaps with them'
says sdpa/stage3b stage3b-extra-barrier '(most is|then) barrier \(waits for other warps'

grep '^FAILED' "$work/checks" | cut -c 1-300
cat "$work/found"
finish
