#!/usr/bin/env bash
# Does cpprof read of the inside of kernels what was built into them? One GPU, some minutes.
#   OUT=FOLDER           keeps what each part read; a part whose result is there is not run again
#   ONLY="overlap"       only E; ONLY="slack": only the slack
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs")
[ -f "$libraries/liboverlap_truth-record.so" ] || skip "no liboverlap_truth.so: install with -DCPPROF_INSTALL_TESTS=ON"
# The receipt of the marks needs no others: asynchronous copies, and additions.
counted=sm__sass_inst_executed_op_ldgsts.sum,smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${OUT:-$work}
mkdir -p "$out"
out=$(realpath "$out")

# read_part PART LIBRARY VARIANTS SHAPES OPTION...: runs, reads, and leaves PART.json and PART.log
read_part() {
    local part=$1 library=$2 variants=$3 shapes=$4 status=0
    shift 4
    if [ -s "$out/$part.json" ]; then
        echo "$part: was read before"
        return
    fi
    rm -f "$out/$part.log"
    CPPROF_TRUTH_LOG="$out/$part.log" "$cpprof" run --load "$libraries/$library" "$variants" --shape "$shapes" \
        --metrics "$counted" "$@" -o "$work/$part.cpprof" \
        >"$out/$part.txt" 2>&1 || status=$?
    case $status in 0 | 3) ;; *) echo "$part: cpprof run ends with $status" && tail -n 3 "$out/$part.txt" ;; esac
    [ -z "${COMMAND:-}" ] || "$cpprof" "$COMMAND" "$work/$part.cpprof" --format json >"$out/$part-$COMMAND.json"
    "$cpprof" inside "$work/$part.cpprof" --format json >"$work/$part.json" 2>>"$out/$part.txt"
    cp "$work/$part.cpprof/inside_warps.csv" "$out/$part.warps.csv"
    [ -s "$work/$part.json" ] && mv "$work/$part.json" "$out/$part.json"
}

# sum_of WHAT FILE...: the readings of all parts, in the array "sum"
declare -A sum
sum_of() {
    local what=$1 key value
    shift
    cat "$out/$what"-*.log >"$work/$what.log" 2>/dev/null
    python3 tests/gpu/inside_facts.py "$what" "$work/$what.log" "$@" >"$out/$what.table" 2>&1
    cat "$out/$what.table"
    while read -r key value; do
        case $key in "${what}"_* | late) sum[$key]=$value ;; esac
    done <"$out/$what.table"
}

overlap() {
    local ratio ctas
    for ratio in 4 1 16; do
        for ctas in 1 8; do
            read_part "overlap-r$ratio-c$ctas" liboverlap_truth.so 'truth/overlap-*' \
                "$(printf "l%d-r$ratio-c$ctas," 0 25 50 75 | sed 's/$/l100-r'"$ratio-c$ctas/")" --inside --processes 3 --iters 10
        done
    done
    sum_of overlap "$out"/overlap-*.json "$out"/overlap-*.warps.csv
    expect "overlap: all are read" "${sum[overlap_readings]:-none}" 120
    expect_at_least "overlap: within 5 points of what was built" "${sum[overlap_right]:-0}" 114
    expect_at_least "overlap: a copy behind the work hides nothing" "$((5 - ${sum[late]:-100}))" 0
}

# Doses of a ring end below its period: behind that its producer has another slope.
slack() {
    local COMMAND=slack
    read_part slack-pair libslack_truth.so truth/slack-pair a300-b1100,a200-b2200,a900-b1000,a900-b1300,a700-b700 \
        --slack --doses 100,200,400,800,1600,2400,3200 --processes 5 --iters 30
    read_part slack-ring libslack_truth.so truth/slack-ring s1-w2000,s2-w2000,s3-w2000,s4-w2000 \
        --slack --doses 200,800,1200,1600,2000,2400 --processes 5 --iters 30
    read_part slack-long libslack_truth.so truth/slack-ring s2-w4000 \
        --slack --doses 500,1500,2500,3600,4000,4400 --processes 5 --iters 30
    sum_of slack "$out"/slack-*.json
    expect "slack: all marks whose slack is known are read" "${sum[slack_readings]:-none}" 18
    expect_at_least "slack: within 20 ns or 5% of what was built" "${sum[slack_right]:-0}" 17
}

for part in ${ONLY:-overlap slack}; do
    case $part in
    slack) slack ;;
    overlap) overlap ;;
    *) echo "inside.sh: no part '$part'" >&2 && exit 2 ;;
    esac
done
finish
