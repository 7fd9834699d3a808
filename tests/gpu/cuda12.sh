#!/usr/bin/env bash
# Which CUDA works with which CUPTI? Under each pair: doctor, captures with their rules, and a run that times, verifies and
# traces. Prints a row of docs/doctor.md's table for each. A minute a pair; no Python package and no toolkit is needed.
#
#   tests/gpu/cuda12.sh TREE_12 TREE_13 FOLDER_12 [CUPTI_13]
#
# Trees are installed, for this GPU, by the two toolkits; each has libexec/cpprof/tests/cpprof-guests (the target of that
# name). FOLDER_12 has libcupti.so.12. CUPTI_13 is a file (default: the one that cpprof of TREE_13 takes here).
# PAIRS: only these (default "13-13 13-12 12-12 12-13", what built and what is loaded).
# OUT: where bundles, outputs and the table go (default: a folder that is removed).
set -u
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 3 ] || { sed -n '5p' "$0" >&2; exit 2; }
tree_12=$(realpath "$1") && tree_13=$(realpath "$2") && cupti_12=$(realpath "$3/libcupti.so.12") || exit 2
CPPROF=$tree_13/bin/cpprof
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
work=${OUT:-}
[ -n "$work" ] || { work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT; }
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH CPPROF_CUPTI

# ask FILE EXPRESSION: of the JSON document `d`; `none` when there is no such file or member
ask() {
    python3 -c '
import json, sys
try:
    d = json.load(open(sys.argv[1]))
    print(eval(sys.argv[2]))
except (OSError, ValueError, LookupError, StopIteration, TypeError):
    print("none")' "$1" "$2"
}

# check_of NAME: its worst line
check_of() {
    ask "$at/doctor.json" "'; '.join(c['level'] + ': ' + c['found'] for c in d['checks'] if c['check'] == \"$1\")"
}

CPPROF_CUPTI=${4:-} "$CPPROF" doctor --directory "$work" --format json >"$work/machine.json" 2>"$work/machine.err"
cupti_13=${4:-$(ask "$work/machine.json" "next(c['found'] for c in d['checks'] if c['check'] == 'CUPTI').split(\"'\")[1]")}
[ -e "$cupti_13" ] || skip "no libcupti.so.13 here: name it"

# capture NAME [OPTION...] -- RULE... -- GUEST...: a bundle that is whole and keeps the rules; $calls counts its launches
capture() {
    local name=$1 options=() rules=() said status=0
    shift
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    while [ "$1" != -- ]; do rules+=(--assert "$1") && shift; done
    shift
    timeout -k 10 60 "$CPPROF" capture -o "$at/$name.cpprof" --force "${options[@]}" -- "$guests" "$@" >"$at/$name.out" 2>&1 || status=$?
    expect "$pair: capture $name: exit status" "$status" 0
    "$CPPROF" check "$at/$name.cpprof" "${rules[@]}" >"$at/$name.check" 2>&1
    said=$?
    expect "$pair: capture $name: its rules" "$said" 0
    [ "$said" = 0 ] || grep -v '  pass  ' "$at/$name.check" | grep . | tail -n 4 | cut -c 1-200
    load_facts "$at/$name.cpprof"
    expect "$pair: capture $name: the CUPTI that was asked for" "$(ask "$at/$name.cpprof/manifest.json" 'd["cupti"]["version"]')" "$version"
    expect "$pair: capture $name: status" "${fact[status]:-none}" complete
    expect "$pair: capture $name: dropped" "${fact[dropped]:-none}" 0
    expect "$pair: capture $name: missing" "${fact[missing]:-none}" none
    [ "$status$said${fact[missing]:-x}${fact[status]:-x}" = 00nonecomplete ] || captures+=" $name: no;"
    calls=$("$CPPROF" stats "$at/$name.cpprof" --format json 2>/dev/null | python3 -c 'import json, sys
print(sum(row["count"] for row in json.load(sys.stdin)["api"] if "LaunchKernel" in row["name"]))' 2>/dev/null || echo none)
}

# run_variants HAS_COUNTERS
run_variants() {
    local status=0 bundle=$at/run.cpprof
    timeout -k 10 150 "$CPPROF" run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1 --processes 3 \
        -o "$bundle" --force >"$at/run.out" 2>&1 || status=$?
    expect_match "$pair: run: exit status (3: expectations of counters stay open)" "$status" '^(0|3)$'
    [ "$status" = 0 ] || [ "$status" = 3 ] || tail -n 5 "$at/run.out" | cut -c 1-300
    built=$(ask "$bundle/manifest.json" 'd["cuda"]["runtime"]')
    verdict=$(verdicts "$bundle" | awk '{print $NF}')
    expect_match "$pair: run: a verdict" "$verdict" '^(faster|slower|equivalent)$'
    verified=$(awk -F, 'NR > 1 {print $11}' "$bundle/verify.csv" 2>/dev/null | sort | uniq -c | tr -s ' \n' ' ')
    expect_match "$pair: run: every value is right" "$verified" '^ [0-9]+ yes $'
    traced=$("$CPPROF" stats "$bundle" --format json 2>/dev/null |
        python3 -c 'import json, sys; print(sum(row["count"] for row in json.load(sys.stdin)["kernels"]))' 2>/dev/null || echo none)
    expect_at_least "$pair: run: kernels in its trace" "$traced" 2
    expect "$pair: run: the CUPTI of its trace" \
        "$(ask "$bundle/manifest.json" 'next(p for p in d["processes"] if p["role"] == "trace")["cupti"]["version"]')" "$version"
    counted=$(awk 'END {print NR - 1}' "$bundle/metrics.csv" 2>/dev/null || echo none)
    refused=$(ask "$bundle/manifest.json" '"; ".join(sorted({m["why"] for p in d["processes"] for m in p.get("missing") or [] if m["what"] == "counters"}))')
    if [ "$1" = yes ]; then
        expect_at_least "$pair: run: counters" "$counted" 1
    else
        expect_match "$pair: run: counters are refused in words" "$refused" '12\.6 or newer'
    fi
}

# look PAIR TREE CUPTI VERSION HAS_COUNTERS
look() {
    pair=$1 version=$4
    [[ " ${PAIRS:-$1} " == *" $1 "* ]] || return 0
    CPPROF=$2/bin/cpprof guests=$2/libexec/cpprof/tests/cpprof-guests at=$work/$1
    export CPPROF_CUPTI=$3
    need_program "$guests"
    mkdir -p "$at"
    captures="" calls=""
    timeout -k 10 60 "$CPPROF" doctor --directory "$work" --format json >"$at/doctor.json" 2>"$at/doctor.err"
    expect_match "$pair: doctor: the CUPTI that was asked for" "$(check_of CUPTI)" "^ok: .*API version $version"
    expect_match "$pair: doctor: a kernel is recorded" "$(check_of "CUPTI's records")" '^ok: '
    capture vector -- 'count(kernel[name=~guest_add]) == 10' 'count(h2d) == 20' 'count(d2h) == 10' 'count(memset) == 1' \
        'overlap(h2d, kernel) == 0%' -- vector
    vector_calls=$calls
    capture graph -- 'count(kernel[name=~guest_node]) == 200' 'count(memset) == 10' 'serial(kernel)' -- graph
    capture waits --trace api -- 'count(h2d) >= 20' 'count(sync) >= 1' -- copy_hidden 0.002
    capture ranges -- 'count(nvtx) == 2' -- ranges
    capture step --range step -- 'count(nvtx[name=step]) == 2' 'count(kernel[nvtx=step]) == 7' -- ranges
    run_variants "$5"
    expect_match "$pair: doctor: counters" "$(check_of counters)" "$([ "$5" = yes ] && echo '^ok: ' || echo '12\.6 or newer')"
    rows+="| ${built:-none} | $version | $(check_of "CUPTI's records" | cut -c 1-40) |${captures:- all five keep their rules;} 10 launches: $vector_calls calls | $verdict, verified:$verified, $traced kernels traced | $([ "$counted" -ge 1 ] 2>/dev/null && echo "$counted values" || echo "${refused:0:110}") |
"
}

version_13=$(ask "$work/machine.json" "next(c['found'] for c in d['checks'] if c['check'] == 'CUPTI').split('API version ')[1].split(',')[0]")
rows=""
look 13-13 "$tree_13" "$cupti_13" "$version_13" yes
look 13-12 "$tree_13" "$cupti_12" 22 no
look 12-12 "$tree_12" "$cupti_12" 22 no
look 12-13 "$tree_12" "$cupti_13" "$version_13" no
printf '\n| built with (runtime) | CUPTI | doctor | captures | run | counters |\n|---|---|---|---|---|---|\n%s\n' "$rows" | tee "$work/table.md"
finish
