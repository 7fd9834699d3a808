#!/usr/bin/env bash
# Are gains predicted before they are measured? Every adjacent pair of the pipeline family at several numbers
# of blocks per SM and amounts of work: the baselines run alone, what their counters predict is written down
# with the time, and only then the pairs run. One GPU, a few minutes.
#
#   tests/gpu/predict.sh [INTO [PAGE]]     INTO: where predictions.csv, measured.csv and predictions.md go;
#                                          PAGE: the page that gets the table between its markers
#   CTAS=1,2,4,8 WORK=64,256,1024          other cases
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-${OUT:-$work}}
page=${2:-}
mkdir -p "$into"
cases=(--set "ctas_per_sm=${CTAS:-1,2,4,8}" --set "work=${WORK:-64,256,1024}")
stages=(sync cpasync2 cpasync3 cpasync4)

bundles=()
for stage in "${stages[@]:0:3}"; do
    status=0
    "$CPPROF" run "pipeline/$stage" "${cases[@]}" --iters 20 -o "$work/$stage.cpprof" --force >"$work/$stage.out" 2>&1 || status=$?
    expect "$stage alone" "$status" 0
    [ "$status" = 0 ] || tail -n 5 "$work/$stage.out"
    "$CPPROF" classify "$work/$stage.cpprof" --format json -o "$work/$stage.json"
    expect "$stage: nothing is measured yet" "$(grep -c '"baseline"' "$work/$stage.cpprof/verdict.json")" 0
done
python3 tests/gpu/prediction_table.py write "$into/predictions.csv" "$work"/{sync,cpasync2,cpasync3}.json || exit 1
sleep 1 # times are whole seconds
chmod a-w "$into/predictions.csv"

for i in 0 1 2; do
    status=0
    pair=("pipeline/${stages[i]}" "pipeline/${stages[i + 1]}")
    "$CPPROF" run "${pair[@]}" --baseline "${pair[0]}" "${cases[@]}" --metrics none -o "$work/pair$i.cpprof" --force \
        >"$work/pair$i.out" 2>&1 || status=$?
    expect "${pair[*]}: no counters were asked for" "$status" 3
    [ "$status" = 3 ] || tail -n 5 "$work/pair$i.out"
    bundles+=("$work/pair$i.cpprof")
done
python3 tests/gpu/prediction_table.py measured "$into/measured.csv" "${bundles[@]}" || exit 1

python3 tests/gpu/prediction_table.py join "$into/predictions.csv" "$into/measured.csv" >"$into/predictions.md"
expect "predicted before they were measured" "$?" 0
cat "$into/predictions.md"
[ -z "$page" ] || python3 tests/gpu/prediction_table.py insert "$page" "$into/predictions.md"
read -r pairs inside _ < <(python3 tests/gpu/prediction_table.py count "$into/predictions.csv" "$into/measured.csv")
expect_at_least "pairs" "${pairs:-0}" 12
expect_at_least "inside, of 100" "$((100 * ${inside:-0} / (${pairs:-0} > 0 ? pairs : 1)))" 80
echo "took $SECONDS s"
finish
