#!/usr/bin/env bash
# Do samples of a program that runs undisturbed say of its kernels what range counters say of single launches: shares
# within 3 points and bytes at L2 within 3% with 64 samples and more, within a tenth with 20? For ten kernels at least in
# all units but DRAM, whose samples hold what earlier kernels changed. Sixteen operations of PyTorch, 2,000 rounds, with
# replays. One GPU, a minute; the bundle is kept in INTO and not recorded again.
#
#   tests/gpu/profile_samples.sh [INTO]     INTO: where the bundle is kept (default: nowhere)
#   ROUNDS=2000
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-$work/into}
mkdir -p "$into"
if [ ! -d "$into/samples.cpprof" ]; then
    "$CPPROF" profile -q --replay=40s -o "$work/samples.cpprof" -- python3 examples/profile/ops.py "${ROUNDS:-2000}" >/dev/null 2>"$work/said"
    status=$?
    expect "profile --replay" "$status" 0
    if [ "$status" != 0 ]; then
        tail -n 4 "$work/said" | cut -c 1-200 | sed 's/^/   | /'
        exit 1
    fi
    rm -rf "$into/samples.cpprof.new"
    cp -r "$work/samples.cpprof" "$into/samples.cpprof.new" && mv "$into/samples.cpprof.new" "$into/samples.cpprof"
fi
"$CPPROF" report --format json "$into/samples.cpprof" >"$work/report.json" 2>"$work/said" || sed 's/^/   | /' "$work/said"
python3 tests/gpu/profile_facts.py "$work/report.json" >"$work/facts" || exit 1
declare -A of
while read -r key value && [ "$key" != end ]; do of[$key]=$value; done <"$work/facts"
echo "   ${of[samples]:-0} samples, in ${of[sampled_percent]:-?}% of the time; replays that took as long as in the trace: ${of[replays_accepted]:-0} of ${of[replays_all]:-0}"
expect "samples and records agree" "${of[doubt]:-no samples}" none
echo "   kernels with 64 samples and replays: ${of[sampled_many_kernels]:-0}; their shares within 3 points: ${of[sampled_many_near]:-0} of ${of[sampled_many]:-0}; DRAM: ${of[sampled_dram_near]:-0} of ${of[sampled_dram]:-0}"
echo "   not within: ${of[sampled_odd]:-?}"
expect_at_least "kernels with 64 samples whose shares are all within 3 points of counters" "${of[sampled_whole_kernels]:-0}" 10
expect "shares of kernels with 20 samples within 3 points or a tenth" "${of[sampled_few_near]:-none}" "${of[sampled_few]:-0}"
expect "bytes at L2 within 3%, and 10%" "${of[l2_many_near]:-} ${of[l2_few_near]:-}" "${of[l2_many]:-0} ${of[l2_few]:-0}"
expect_at_least "shares within 3 points, of 100 with 64 samples" "$((100 * ${of[sampled_many_near]:-0} / (${of[sampled_many]:-0} + (${of[sampled_many]:-0} == 0))))" 95
finish
