#!/bin/sh
# Does 'cpprof list --metrics --chip' list what the installed CUPTI knows of a chip, and say so when there is none?
# usage: list_chip.sh CPPROF RUNNER|none      exit 77 where there is no CUPTI that the runner can open
set -eu
cpprof=$1
runner=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    echo "FAILED: $*"
    failed=1
}

# A runner without CUPTI: environment, in its words.
cat >"$work/without" <<'END'
#!/bin/sh
echo 'libcupti.so.13 was not found: install it' >&2
exit 4
END
chmod +x "$work/without"
status=0
CPPROF_RUNNER=$work/without "$cpprof" list --metrics --chip gh100 >"$work/out" 2>"$work/said" || status=$?
[ "$status" = 4 ] || complain "without CUPTI: exit $status"
grep -q 'libcupti.so.13 was not found' "$work/said" || complain "without CUPTI: $(cat "$work/said")"

# A card stands for its chip, and a compute capability for the first one. What neither we nor CUPTI know is refused.
cat >"$work/asked" <<'END'
#!/bin/sh
for argument; do
    case $argument in
    --dir=*) folder=${argument#--dir=} ;;
    --chip=*) chip=${argument#--chip=} ;;
    esac
done
echo "$chip" >"$ASKED"
[ "$chip" != b20 ] || { echo "this CUPTI knows no chip 'B20'" >&2; exit 2; }
echo '{"chip": "'"$chip"'", "known": {"dram_read": "dram__bytes_read.sum"}, "counters": []}' >"$folder/chip.json"
END
chmod +x "$work/asked"
export ASKED="$work/chip"
CPPROF_RUNNER=$work/asked "$cpprof" list --metrics --chip 'rtx 4090' >"$work/out" || complain "a card: exit $?"
[ "$(cat "$work/chip")" = AD102 ] || complain "a card: CUPTI is asked for $(cat "$work/chip")"
grep -q 'AD102 lacks: ' "$work/out" || complain "a card: $(cat "$work/out")"
head -3 "$work/out" | grep -q "sampled by time: 'cpprof profile' and" || complain "a card: what works on it: $(cat "$work/out")"
CPPROF_RUNNER=$work/asked "$cpprof" list --metrics --chip sm_80 >"$work/out" || complain "a compute capability: exit $?"
[ "$(cat "$work/chip")" = GA100 ] || complain "a compute capability: CUPTI is asked for $(cat "$work/chip")"
head -3 "$work/out" | grep -q "sampled by cycles, 20,000 at least: neither" || complain "a compute capability: $(cat "$work/out")"
CPPROF_RUNNER=$work/asked "$cpprof" list --metrics --chip gx1 >"$work/out" || complain "a newer chip: exit $?"
! grep -q "sampled by" "$work/out" || complain "a newer chip: $(cat "$work/out")"
status=0
CPPROF_RUNNER=$work/asked "$cpprof" list --metrics --chip b20 >"$work/out" 2>"$work/said" || status=$?
[ "$status" = 2 ] || complain "an unknown card: exit $status"
grep -q "no chip and no card is called 'b20': look it up by compute capability, as --chip 8.6$" "$work/said" || complain "an unknown card: $(cat "$work/said")"

# CUPTI lists it and opens none of its counters: it is not asked.
rm "$work/chip"
for word in xavier GV11B; do
    status=0
    CPPROF_RUNNER=$work/asked "$cpprof" list --metrics --chip $word >"$work/out" 2>"$work/said" || status=$?
    [ "$status" = 2 ] || complain "a chip without counters: exit $status"
    grep -q 'CUPTI lists GV11B (Xavier), but opens none of its counters' "$work/said" || complain "a chip without counters: $(cat "$work/said")"
    [ ! -e "$work/chip" ] || complain "a chip without counters: CUPTI is asked"
done

# A chip that has no such counter: nothing runs, and the nearest are named.
cat >"$work/device" <<'END'
#!/bin/sh
for argument; do
    case $argument in
    --dir=*) folder=${argument#--dir=} ;;
    --metric=*) asked=${argument#--metric=} ;;
    esac
done
[ "$1" = metrics ] || { echo "the role $1 was started" >&2; exit 9; }
echo '{"chip": "GH100", "unknown": [{"name": "'"$asked"'", "near": ["a__b.sum", "a__c.sum"]}]}' >"$folder/chip.json"
END
chmod +x "$work/device"
status=0
CPPROF_RUNNER=$work/device "$cpprof" run pipeline/sync --metrics bound,a__d.sum -o "$work/b.cpprof" >"$work/out" 2>"$work/said" ||
    status=$?
[ "$status" = 2 ] || complain "an unknown counter: exit $status"
grep -q "GH100 has no counter 'a__d.sum'; nearest: a__b.sum, a__c.sum" "$work/said" || complain "an unknown counter: $(cat "$work/said")"
[ ! -e "$work/b.cpprof" ] || complain "an unknown counter: a bundle was begun"

# The real one.
if [ "$runner" = none ]; then
    [ "$failed" = 0 ] || exit 1
    echo "skipped: built without CUDA: no cpprof-runner asks CUPTI"
    exit 77
fi
status=0
CPPROF_RUNNER=$runner "$cpprof" list --metrics '^dram_read$|ldgsts_cache_bypass' --chip gh100 --format csv >"$work/list" 2>"$work/said" ||
    status=$?
! grep -q RTLD_DEEPBIND "$work/said" || complain "a sanitizer build dies in CUPTI: $(cat "$work/said")"
if grep -qE 'is a sanitizer build|libcupti.so.12 was found' "$work/said"; then
    [ "$status" = 4 ] || complain "without CUPTI: exit $status"
    [ "$failed" = 0 ] || exit 1
    echo "skipped: CUPTI cannot be opened here: $(head -c 200 "$work/said")"
    exit 77
fi
[ "$status" = 0 ] || complain "gh100: exit $status: $(cat "$work/said")"
head -1 "$work/list" | grep -qx '# cpprof.metrics/1' || complain "gh100: the first line is $(head -1 "$work/list")"
grep -q '^dram_read,dram__bytes_read.sum,bytes,,"bound, memory, flops",' "$work/list" || complain "gh100 lacks dram_read"
grep -q '^,sm__sass_inst_executed_op_ldgsts_cache_bypass.sum,' "$work/list" || complain "gh100 lacks a counter without an id"
CPPROF_RUNNER=$runner "$cpprof" list --metrics tensor_fp16_ops --chip ga100 --format csv >"$work/list"
grep -q '^tensor_fp16_ops,sm__ops_path_tensor_src_fp16_dst_fp32.sum,' "$work/list" || complain "ga100 has its own name of tensor_fp16_ops"
CPPROF_RUNNER=$runner "$cpprof" list --metrics bound --chip AD104 >"$work/list"
grep -qE '^bound .* 17$' "$work/list" || complain "AD104: the passes of bound"
grep -q 'AD104 lacks: .*stall_gmma' "$work/list" || complain "AD104: what it lacks"
status=0
CPPROF_RUNNER=$runner "$cpprof" list --metrics --chip gx999 >"$work/list" 2>"$work/said" || status=$?
[ "$status" = 2 ] || complain "an unknown chip: exit $status"
grep -q "no chip and no card is called 'gx999': look it up" "$work/said" || complain "an unknown chip: $(cat "$work/said")"
# What it is asked of a run, of a chip instead of a device.
"$runner" metrics --dir "$work" --chip gh100 --metric smsp__inst_execute.sum --metric bound --metric dram_read
grep -q '"smsp__inst_executed.sum"' "$work/chip.json" || complain "the nearest name of a chip: $(cat "$work/chip.json")"
[ "$(grep -c '"name"' "$work/chip.json")" = 1 ] || complain "unknown counters: $(cat "$work/chip.json")"
exit "$failed"
