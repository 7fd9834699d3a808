#!/usr/bin/env bash
# Does `cpprof profile` see the units of each kernel as ncu does, and what does it add to a program that `capture`
# does not, and what does ncu add for the same counters? Sixteen operations of PyTorch. Two minutes; what was measured
# is kept in INTO and not measured again.
#
#   tests/gpu/profile.sh [INTO]     INTO: where bundles and times are kept (default: $OUT/profile, or nowhere)
#   ROUNDS=600  TURNS=2  INTERVAL=4us
#   NCU_ROUNDS=4    of the program whose whole time is taken under ncu
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
rounds=${ROUNDS:-600} turns=${TURNS:-2} interval=${INTERVAL:-4us} ncu_rounds=${NCU_ROUNDS:-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
into=${1:-${OUT:+$OUT/profile}}
into=${into:-$work}
mkdir -p "$into"
program=(python3 examples/profile/ops.py)
ncu=$(command -v ncu || find /opt/nvidia /usr/local/cuda*/ -name ncu -type f -perm -u+x 2>/dev/null | head -n 1)

# measure ARM TURN: "loop_ms whole_ms status" in INTO
measure() {
    local kept=$into/time-$1-$2 status begin
    [ ! -s "$kept" ] || return 0
    begin=$(date +%s%N)
    case $1 in
    bare) "${program[@]}" "$rounds" ;;
    capture) "$CPPROF" capture --force -o "$into/capture.cpprof" -- "${program[@]}" "$rounds" ;;
    profile) "$CPPROF" profile --interval "$interval" --force -o "$into/profile.cpprof" -- "${program[@]}" "$rounds" ;;
    esac >"$work/out" 2>"$into/said-$1"
    status=$?
    echo "$(awk '/^loop_ms/ {print $2}' "$work/out") $((($(date +%s%N) - begin) / 1000000)) $status" >"$kept"
}
for ((turn = 0; turn < turns; turn++)); do
    arms=(bare capture profile)
    [ $((turn % 2)) = 0 ] || arms=(profile capture bare)
    for arm in "${arms[@]}"; do measure "$arm" "$turn"; done
done

# best ARM FIELD: the shortest of its turns
best() { awk -v f="$2" '!n++ || $f < least {least = $f} END {print least}' "$into/time-$1-"*; }
for arm in bare capture profile; do
    expect "$arm: the program ended well each time" "$(awk '$3 != 0' "$into/time-$arm-"* | wc -l)" 0
    echo "   $arm: loop $(best $arm 1) ms, whole $(best $arm 2) ms; all loops: $(awk '{printf "%s ", $1}' "$into/time-$arm-"*)"
done
added=$(awk -v p="$(best profile 1)" -v c="$(best capture 1)" 'BEGIN {printf "%.1f", 100 * (p - c) / c}')
expect "profile adds at most 3% to the loop beyond capture ($added%)" "$(awk -v a="$added" 'BEGIN {print (a <= 3)}')" 1
expect_at_least "lines of the summary are at most 40: 40 less these" "$((40 - $(wc -l <"$into/said-profile")))" 0
sed 's/^/   | /' "$into/said-profile" | cut -c 1-160
python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["processes"]:
    print("   samples:", p.get("samples"), "missing:", p.get("missing"))' "$into/profile.cpprof/manifest.json"

shares=.avg.pct_of_peak_sustained_elapsed
counters=gpu__time_duration.sum,dram__bytes_read.sum.pct_of_peak_sustained_elapsed$(printf ",%s$shares" sm__cycles_active \
    sm__inst_executed sm__inst_issued sm__pipe_{fma,alu}_cycles_active sm__inst_executed_pipe_lsu {l1tex,lts}__throughput sm__inst_executed_pipe_{alu,fma,xu} sm__pipe_{tensor,fmaheavy,fp64}_cycles_active lts__t_sectors \
    dram__throughput l1tex__data_pipe_{lsu,tex}_wavefronts l1tex__data_pipe_lsu_wavefronts_mem_shared \
    l1tex__m_xbar2l1tex_read_sectors l1tex__m_l1tex2xbar_req_cycles_active)
count() {
    timeout 110 "$ncu" --csv --page raw --print-kernel-base demangled --clock-control none --cache-control none \
        --metrics "$counters" "$@"
}
if [ -n "$ncu" ] && [ ! -s "$into/ncu.csv" ]; then
    OPS_RANGE=1 count --profile-from-start off "${program[@]}" 1 >"$work/ncu.csv" 2>"$into/said-ncu" &&
        mv "$work/ncu.csv" "$into/ncu.csv"
fi

# whole COMMAND...: how long it takes, in ms; nothing if it fails
whole() {
    local begin
    begin=$(date +%s%N)
    "$@" >/dev/null 2>&1 && echo $((($(date +%s%N) - begin) / 1000000))
}
if [ -n "$ncu" ] && [ ! -s "$into/added" ]; then
    few=("${program[@]}" "$ncu_rounds")
    echo "$(whole "${few[@]}") $(whole "$CPPROF" profile --force -o "$work/few.cpprof" -- "${few[@]}") $(whole count "${few[@]}")" \
        "$(whole "$CPPROF" profile --replay=2s --force -o "$work/few.cpprof" -- "${few[@]}")" >"$into/added"
fi
if [ ! -e "$into/replayed.cpprof" ]; then
    begin=$(date +%s%N)
    "$CPPROF" profile -q --replay=30s -o "$into/replayed.cpprof" -- "${program[@]}" "$rounds" >/dev/null 2>"$into/said-replayed"
    expect "profile --replay" "$?" 0
    echo "   $rounds rounds with --replay=30s: $((($(date +%s%N) - begin) / 1000000)) ms"
fi
"$CPPROF" report --format json "$into/profile.cpprof" >"$into/profile.json" 2>/dev/null
"$CPPROF" report --format json "$into/replayed.cpprof" >"$into/replayed.json" 2>/dev/null
files=("$into/profile.json")
[ ! -s "$into/ncu.csv" ] || files+=("$into/ncu.csv")
python3 tests/gpu/profile_facts.py "${files[@]}" >"$work/facts"
python3 tests/gpu/profile_facts.py "$into/replayed.json" "${files[@]:1}" | grep -E '^(replays|sampled|l2)_' >>"$work/replays"
declare -A of
while read -r key value; do of[$key]=$value; done <"$work/replays"
while read -r key value && [ "$key" != end ]; do of[$key]=$value; done <"$work/facts"
sed -n '/^end$/,$p' "$work/facts" | sed 1d | cut -c 1-160
echo "   ${of[samples]:-0} samples of ${of[step_ns]:-?} ns, in ${of[sampled_percent]:-?}% of the time; idle active ${of[idle_active]:-?}, inside idle ${of[inside_idle]:-?}"
expect_at_least "samples" "${of[samples]:-0}" 1000
expect "samples and records agree" "${of[doubt]:-no samples}" none
expect_at_least "kernels above 1% with at least 20 samples, all but one" "${of[kernels_with_samples]:-0}" "$((${of[kernels]:-99} - 1))"
expect_at_least "kernels above 1%" "${of[kernels]:-0}" 10
echo "   with a class: ${of[kernels_with_class]:-0} of ${of[kernels]:-0} by samples alone, ${of[replays_with_class]:-0} of ${of[replays_shown]:-0} with replays"
within() { awk -v a="${1:-0}" -v b="${2:-0}" -v part="$3" 'BEGIN {print (b > 0 && a >= part * b)}'; }
echo "   replays that took as long as in the trace: ${of[replays_accepted]:-0} of ${of[replays_all]:-0}"
echo "   shares of samples beside counters of replays: ${of[sampled_within_3]:-0} of ${of[sampled_beside]:-0} within 3 points, ${of[sampled_within_error]:-0} within their error"
echo "   with 64 samples and more: ${of[sampled_many_near]:-0} of ${of[sampled_many]:-0} within 3 points; with 20: ${of[sampled_few_near]:-0} of ${of[sampled_few]:-0} within 3 points or 10%; not: ${of[sampled_odd]:-none}"
expect_at_least "kernels with 64 samples and replays" "${of[sampled_many_kernels]:-0}" 5
expect "shares of samples with 64 and more: all within 3 points of counters" "${of[sampled_many_near]:-}" "${of[sampled_many]:-0}"
echo "   bytes at L2 by samples: ${of[l2_many_near]:-0} of ${of[l2_many]:-0} kernels with 64 samples within 3% of counters, ${of[l2_few_near]:-0} of ${of[l2_few]:-0} with 20 within 10%"
expect "bytes at L2: all of them" "${of[l2_many_near]:-} ${of[l2_few_near]:-}" "${of[l2_many]:-0} ${of[l2_few]:-0}"
expect "9 of 10 shares of samples within their error of counters" "$(within "${of[sampled_within_error]:-}" "${of[sampled_beside]:-}" 0.9)" 1
if [ -s "$into/ncu.csv" ]; then
    echo "   shares of replays within 2 points of ncu: ${of[replays_within_2]:-0} of ${of[replays_beside]:-0}; not: ${of[replays_odd]:-}"
    expect "95% of the replays' shares within 2 points of ncu's" "$(within "${of[replays_within_2]:-}" "${of[replays_beside]:-}" 0.95)" 1
    expect_at_least "kernels beside ncu" "${of[kernels_beside]:-0}" 8
    echo "   shares within 2 points: ${of[shares_within_2]:-0}, and of the time in which SMs work ${of[active_within_2]:-0}"
    echo "   shares: ${of[shares_within_3]:-0} of ${of[shares_beside]:-0} within 3 points of ncu, ${of[shares_within_error]:-0} within their error"
    nine_of_ten() { awk -v a="${1:-0}" -v b="${of[shares_beside]:-0}" 'BEGIN {print (b > 0 && a >= 0.9 * b)}'; }
    expect "9 of 10 shares within their error of ncu's" "$(nine_of_ten "${of[shares_within_error]:-}")" 1
    expect "9 of 10 within 2 points, of the time in which SMs work" "$(nine_of_ten "${of[active_within_2]:-}")" 1
    read -r bare profiled counted replayed <"$into/added"
    echo "   $ncu_rounds rounds in all: alone $bare ms, under profile $profiled ms, with --replay=2s $replayed ms, under ncu $counted ms"
    quarter() { awk -v b="$bare" -v p="$1" -v n="$counted" 'BEGIN {print (n > b && p - b <= 0.25 * (n - b))}'; }
    expect "profile --replay=2s adds at most a quarter of what ncu adds" "$(quarter "$replayed")" 1
    expect "profile adds at most a quarter of what ncu adds" \
        "$(quarter "$profiled")" 1
else
    echo "   no ncu: shares are not compared"
fi
finish
