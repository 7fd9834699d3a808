#!/usr/bin/env bash
# What does capture cost a program that does nothing but launch? 200,000 empty
# kernels back to back, from one thread and from eight, in turn: bare, under the
# least CUPTI consumer that there is (tests/bench/collector_floor), under capture, under
# nsys; and what is left once a capture has ended. About three minutes.
#
#   tests/gpu/capture_cost.sh [INTO]     INTO: where capture_cost.csv goes (default: $OUT, or nowhere)
#   ROUNDS=10                            alternations
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$floor"
rounds=${ROUNDS:-10}
into=${1:-${OUT:-}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/capture_cost.csv
echo "arm,round,threads,ns,start_s" >"$rows"
nsys=$(command -v nsys || find /opt/nvidia /usr/local/cuda*/ -path '*target-linux-x64/nsys' -type f 2>/dev/null | head -n 1)

# keep ARM ROUND FILE: the measurements that the program printed
keep() {
    awk -v arm="$1" -v round="$2" 'NF == 3 && $1 ~ /^[0-9]+$/ {print arm "," round "," $1 "," $2 "," $3}' "$3" >>"$rows"
}

lost=0 dropped=0 recorded=0 floor_records=0 floor_dropped=0
measure() { # ARM ROUND
    local program=("$floor" bare --threads "1,8")
    case $1 in
    bare) "${program[@]}" ;;
    floor) "$floor" floor --threads "1,8" ;;
    capture) "$CPPROF" capture -o "$work/one.cpprof" -- "${program[@]}" ;;
    nsys) "$nsys" profile --trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true -o "$work/one" "${program[@]}" ;;
    esac >"$work/out" 2>"$work/err"
    keep "$1" "$2" "$work/out"
    if [ "$1" = floor ]; then
        floor_records=$(awk '/^records/ {print $2}' "$work/out")
        floor_dropped=$((floor_dropped + $(awk '/^records/ {print $4}' "$work/out")))
    elif [ "$1" = capture ]; then
        load_facts "$work/one.cpprof"
        dropped=$((dropped + fact[dropped]))
        recorded=${fact[records]}
        lost=$((lost + launched - fact[kernels]))
    fi
    rm -rf "$work/one.cpprof" "$work"/one.*
}

launched=$((2 * 200000 + 9 * 2000)) # with the warm-up of each thread
arms=(bare floor capture)
[ -z "$nsys" ] || arms+=(nsys)
for ((round = 0; round < rounds; round++)); do
    # The order turns, and goes backwards every other time: no arm always follows the same one.
    for ((i = 0; i < ${#arms[@]}; i++)); do
        step=$((round % 2 ? ${#arms[@]} - 1 - i : i))
        measure "${arms[$(((step + round / 2) % ${#arms[@]}))]}" "$round"
    done
done
expect "nsys is here to compare with" "$([ -n "$nsys" ] && echo yes)" yes

# What is left when a capture has ended: it stops after two seconds, the program goes on for three more.
for ((round = 0; round < 3; round++)); do
    "$floor" bare --seconds 5 >"$work/out" && keep bare-long "$round" "$work/out"
    "$CPPROF" capture --duration 2s -o "$work/one.cpprof" -- "$floor" bare --seconds 5 >"$work/out" 2>"$work/err" &&
        keep ended "$round" "$work/out"
    rm -rf "$work/one.cpprof"
done

[ -z "$into" ] || cp "$rows" "$into/"
python3 tests/gpu/cost_summary.py "$rows" "${arms[@]}"
expect "capture at most 1.05 of the floor, and not above nsys within noise" "$?" 0
expect "kernels missing in $rounds captures" "$lost" 0
expect "records dropped in $rounds captures" "$dropped" 0
expect "records dropped by the floor" "$floor_dropped" 0
echo "records: $recorded captured, $floor_records at the floor"
expect "the floor records what capture records, within 1 %" \
    "$(awk -v a="$recorded" -v b="$floor_records" 'BEGIN {print (b > 0 && a / b > 0.99 && a / b < 1.01)}')" 1
finish
