#!/usr/bin/env bash
# Do the ways of timing do what they say? Every schedule, cold against hot caches, a
# sweep over one dimension, a run that ends when it is known and one that ends with its
# budget. Well under a minute of GPU time; bundles go to $OUT where it is set.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${OUT:-$work}/sampling
mkdir -p "$into"
pair=(pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --metrics none)

# facts NAME: "key value" of the bundle's timing, in the array "of" (sampling_facts.py has the keys)
declare -A of
facts() {
    local key value
    of=()
    while read -r key value; do of[$key]=$value; done < <(python3 tests/gpu/sampling_facts.py "$into/$1.cpprof")
}

# run NAME ARGUMENT...: exit 3, for no counters were asked for
run() {
    local name=$1 begin
    shift
    begin=$(date +%s%N)
    "$CPPROF" run "${pair[@]}" "$@" -o "$into/$name.cpprof" --force >"$into/$name.txt" 2>&1
    expect "$name: exit status" "$?" 3
    seconds=$((($(date +%s%N) - begin) / 1000000000))
    facts "$name"
    echo "   $name, $seconds s: ${of[rows]}; $(verdicts "$into/$name.cpprof" | tr '\n' ';')"
}

for schedule in abba process sequential; do
    run "$schedule" --schedule "$schedule" --iters 40
    expect "$schedule: in the manifest" "${of[schedule]}" "$schedule"
    expect_match "$schedule: faster, as it is" "$(verdicts "$into/$schedule.cpprof")" ' faster$'
    expect "$schedule: every block has a clock" "${of[blocks_without_clock]}" 0
    expect "$schedule: every block knows whether it was throttled" "${of[blocks_without_throttled]}" 0
    expect "$schedule: it ended by" "${of[stop]}" "processes 7 1"
done
facts abba
expect "abba: processes, arms in each" "${of[processes]} ${of[arms_a_process]}" "7 2"
facts process
expect "process: processes, arms in each" "${of[processes]} ${of[arms_a_process]}" "14 1"
expect "process: seeds of the arms" "${of[seeds_alike]}" 1
facts sequential
expect "sequential: processes, arms in each" "${of[processes]} ${of[arms_a_process]}" "7 2"
expect "sequential: an arm's blocks follow each other" "${of[interleaved]}" 0
echo "   gains: abba $(gain "$into/abba.cpprof" "mission ctas_per_sm=1 work=256"), process $(gain "$into/process.cpprof" \
    "mission ctas_per_sm=1 work=256"), sequential $(gain "$into/sequential.cpprof" "mission ctas_per_sm=1 work=256")"

# 4 MiB: they stay in the L2 cache until it is flushed.
run cold --cache both --shape n=1048576 --iters 40
echo "   cold over hot: ${of[cold_over_hot]}; event pair around nothing ${of[event_pair_ns]} ns; flush ${of[flush_bytes]} bytes"
expect "cold: blocks of both kinds" "${of[caches]}" "cold,hot"
expect "cold: single launches" "${of[cold_batch]}" 1
expect "cold: slower than hot, both arms" "${of[cold_slower]}" 1
expect "cold: every block has a clock" "${of[blocks_without_clock]}" 0
expect "cold: a row for each state" "$(verdicts "$into/cold.cpprof" | wc -l)" 2

# 256 KiB: far less than a launch takes the host.
for schedule in abba process; do
    run "short-$schedule" --shape n=65536 --iters 20 --processes 3 --schedule "$schedule"
    echo "   launches a sample: ${of[launches_a_sample]}"
    expect_at_least "short, $schedule: graphs" "${of[least_batch]}" 4
    expect "short, $schedule: of one length in all processes of an arm" "${of[sizes_an_arm]}" 1
done

# As asked for, whatever the length: 256 KiB one by one, and what takes hundreds of us in graphs.
run single --shape n=65536 --iters 20 --processes 3 --method single
expect "single: launches a sample" "${of[method]} ${of[least_batch]} ${of[sizes_an_arm]}" "single 1 1"
for schedule in abba sequential; do
    run "graphs-$schedule" --iters 20 --processes 3 --method graphs --schedule "$schedule"
    echo "   launches a sample: ${of[launches_a_sample]}"
    expect_at_least "graphs, $schedule: launches a sample" "${of[least_batch]}" 4
    expect_match "graphs, $schedule: faster, as it is" "$(verdicts "$into/graphs-$schedule.cpprof")" ' faster$'
done

run sweep --sweep n=1048576:16777216:x2 --iters 20 --processes 3
expect "sweep: shapes" "${of[shapes]}" 5
expect "sweep: a verdict for each" "$(verdicts "$into/sweep.cpprof" | wc -l)" 5
expect "sweep: times grow with the size" "${of[times_grow]}" 1
expect_at_least "sweep: less than 20 s" "$((20 - seconds))" 1

run known --budget 20s --iters 40
expect "known: a clear difference needs one look" "${of[stop]}" "width 7 5"

run budget --budget 8s --until-width 0.0001% --iters 40
expect_match "budget: it is used up" "${of[stop]}" '^budget [0-9]+ 5$'
expect_at_least "budget: processes" "${of[processes]}" 8
expect_at_least "budget: not overdrawn" "$((9000 - of[stop_ms]))" 0

"$CPPROF" run "${pair[@]}" --processes 2 -o "$into/few.cpprof" >/dev/null 2>"$into/few.txt"
expect "too few processes: exit status" "$?" 2
finish
