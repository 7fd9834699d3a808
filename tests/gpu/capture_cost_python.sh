#!/usr/bin/env bash
# What does capture cost an eager PyTorch program, beside PyTorch's own profiler and
# Proton? x.add_(1) 50,000 times, in turn; and what each leaves behind when it has
# ended. About three minutes.
#
#   tests/gpu/capture_cost_python.sh [INTO]     INTO: where capture_cost_python.csv goes
#   ROUNDS=4 ENDED=3                            alternations; of programs that outlive the capture
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
rounds=${ROUNDS:-4}
ended=${ENDED:-3}
into=${1:-${OUT:-}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/capture_cost_python.csv
echo "arm,round,phase,ns,start_s" >"$rows"
program=(python3 tests/bench/eager_launches.py)

dropped=0
measure() { # ARM ROUND
    case $1 in
    capture) "$CPPROF" capture -o "$work/one.cpprof" -- "${program[@]}" bare ;;
    ended) "$CPPROF" capture --duration 2s -o "$work/one.cpprof" -- "${program[@]}" bare --seconds 5 ;;
    bare) "${program[@]}" bare ;;
    bare-long) "${program[@]}" bare --seconds 5 ;;
    *) "${program[@]}" "$1" ;;
    esac >"$work/out" 2>"$work/err"
    local status=$?
    if [ "$status" = 77 ]; then
        grep SKIPPED "$work/out"
        return
    fi
    if [ "$status" != 0 ]; then
        expect "$1, round $2: exit status" "$status" 0
        tail -n 5 "$work/err"
    fi
    awk -v arm="$1" -v round="$2" 'NF == 3 && $1 ~ /^(during|after)$/ {print arm "," round "," $1 "," $2 "," $3}' \
        "$work/out" >>"$rows"
    if [ "$1" = capture ]; then
        load_facts "$work/one.cpprof"
        dropped=$((dropped + fact[dropped]))
    fi
    rm -rf "$work/one.cpprof"
}

arms=(bare capture torch torch-cpu proton)
for ((round = 0; round < rounds; round++)); do
    for ((i = 0; i < ${#arms[@]}; i++)); do
        step=$((round % 2 ? ${#arms[@]} - 1 - i : i))
        measure "${arms[$(((step + round / 2) % ${#arms[@]}))]}" "$round"
    done
done
for ((round = 0; round < ended; round++)); do
    measure bare-long "$round"
    measure ended "$round"
done

[ -z "$into" ] || cp "$rows" "$into/"
python3 tests/gpu/eager_summary.py "$rows"
expect "capture costs less than the PyTorch profiler (CUDA only) and Proton" "$?" 0
expect "records dropped in $rounds captures" "$dropped" 0
finish
