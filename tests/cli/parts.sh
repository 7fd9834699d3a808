#!/bin/bash
# Do several processes of one machine, and files of parts, give the answer of one process, byte for byte?
#
#   tests/cli/parts.sh CPPROF MAKE_TRACE
#
# (more of both with CPPROF_DEEP). With readers that are killed, parts that are damaged, and traces that only tell something together.
set -u
program=$(realpath "$1")
export make_trace
make_trace=$(realpath "$2")
failed=0
data=$(cd "$(dirname "$0")/../data" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C NO_COLOR=1 CPPROF_NSYS='' CPPROF_NCU=''
# shellcheck source=tests/cli/parts_lib.sh
. "$(dirname "$0")/parts_lib.sh"
cd "$work" || exit 1

make_native native
make_kineto kineto
make_doubtful kineto
# Times of one table are rounded to 100 us, those of the other are exact: a measure of each alone would not do.
mkdir rounded
cp "$data/nsys_ms_coarse.csv" rounded/rank0.csv
cp "$data/nsys_20_columns.csv" rounded/rank1.csv
# One holds launches alone.
mkdir launches
cp "$data/nsys_kern_exec_trace.csv" launches/rank0.csv
cp "$data/nsys_20_columns.csv" launches/rank1.csv
compared=0

# All ways that there are: processes, parts in files.
all_ways() { # FOLDER COMMAND [OPTION...]
    way="$2 of $1 ($*)"
    folder=$1
    shift
    compared=$((compared + 1))
    say one "$program" "$@" "$folder"
    for jobs in 2 ${CPPROF_DEEP:+7}; do
        say more "$program" "$@" "$folder" --jobs $jobs
        same "$way, --jobs $jobs" one more
    done
    # All of them by number: then the ranks are read whole, and one process measures.
    if [[ "$*" != *--rank* ]]; then
        # shellcheck disable=SC2046
        say whole "$program" "$@" "$folder" $(printf -- '--rank %d ' 0 1 2 3 4 5)
        same "$way, read whole" one whole
    fi
    rm -f part-*
    for part in 1 2 3; do
        say write "$program" "$@" "$folder" --part $part/3 -o part-$part
        [ ! -s "$work/write.err" ] && grep -qx 'exit 0' "$work/write.out" || complain "$way: $(cat "$work/write.err")"
    done
    say merged "$program" merge part-2 part-3 part-1
    same "$way, merged" one merged
}

rules='overlap(h2d, kernel) >= 10%'
for folder in native kineto; do
    all_ways $folder overlap --format json
    all_ways $folder overlap --assert "$rules" --assert 'count(kernel) > 3000' --full
    all_ways $folder check --format json --assert "$rules" --assert 'serial(kernel)' --assert 'dur_p99(kernel) < 1s'
    all_ways $folder check --format json --assert 'count(kernel[rank=1]) >= 180' --assert 'count(any[rank=0]) < 100000'
    all_ways $folder gaps --full
    all_ways $folder gaps --format json
    all_ways $folder stats
    for by in name stream device; do all_ways $folder stats --format json --by $by; done
    all_ways $folder launch --format json
    all_ways $folder ranks --format json
done
all_ways kineto launch --names full
all_ways kineto overlap --format json --assert 'launch_p50(kernel) < 1ms' --assert 'overlap(d2h, kernel[nvtx="step"]) >= 0%'
all_ways kineto check --format json --assert 'late(any) <= 50%'
# What is in doubt in one process is so in each way of reading.
for folder in twins missing; do
    all_ways $folder ranks --format json
    all_ways $folder check --format json --assert 'late(any) <= 100%'
    grep -q '"reason": "\(.* both say that they are of rank\|.*nothing is read of rank\|the traces are not known to be those of all ranks\)' one.out ||
        complain "check of $folder does not say what is in doubt"
done
for scope in "--range rare" "--range step@thread" "--range none" "--window 0:1ms" "--skip-first 2" "--rank 2" "--stream 7"; do
    # shellcheck disable=SC2086  # words on purpose
    all_ways kineto overlap --format json $scope
    # shellcheck disable=SC2086
    [ -z "${CPPROF_DEEP:-}" ] || all_ways kineto stats --format json $scope
done
all_ways kineto gaps --range rare
all_ways kineto stats --by step
all_ways kineto stats --range '*'

# A gap on device 0 from 100 to 200 us, whose kernel was launched long before, and a kernel elsewhere until 180: in one trace
# it is what the gap waited for, in another trace it may have another clock.
# shellcheck disable=SC2059  # the row is a format
clocks() {
    row='{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": 7, "ts": %d, "dur": %d, "args": {"device": %d, "stream": 7, "correlation": %d}}'
    before=$(printf "$row" kernel before 0 0 100 0 1)
    after=$(printf "$row" kernel after 0 200 10 0 2)
    call=$(printf "$row" cuda_runtime cudaLaunchKernel 9 10 5 0 2)
    elsewhere=$(printf "$row" kernel elsewhere 1 0 180 1 3)
    mkdir one_clock two_clocks
    echo "{\"traceEvents\": [$before, $call, $elsewhere, $after]}" >one_clock/rank0.json
    echo "{\"traceEvents\": [$elsewhere]}" | tee one_clock/rank1.json >two_clocks/rank1.json
    echo "{\"traceEvents\": [$before, $call, $after]}" >two_clocks/rank0.json
}
clocks
for folder in one_clock two_clocks; do all_ways $folder gaps --format json; cp one.out $folder.json; done
grep -q other_device one_clock.json || complain "work of another device of the same trace is not named"
! grep -q other_device two_clocks.json || complain "work of another trace, with another clock, is named"

# What is read once more is not measured alone.
for jobs in 1 2; do "$program" export kineto --to pftrace --assert 'serial(kernel)' --jobs $jobs -o export-$jobs; done
[ -s export-1 ] && cmp export-1 export-2 || complain "an export of two processes is another one"

# Traces that only tell something together are read together, and their parts are refused.
for folder in rounded launches; do
    for command in 'overlap --format json' "check --format json --assert serial(kernel)" 'launch --format json'; do
        # shellcheck disable=SC2086
        say one "$program" $command $folder
        # shellcheck disable=SC2086
        say more "$program" $command $folder --jobs 2
        same "$command of $folder" one more
    done
    for part in 1 2; do "$program" overlap $folder --part $part/2 --force -o uneven-$part; done
    say merged "$program" merge uneven-1 uneven-2
    grep -qx 'exit 5' merged.out && grep -q 'read all traces in one call' merged.err ||
        complain "parts of $folder: $(cat merged.out merged.err)"
done

# ---- a reader dies ----
mkfifo pipe
killed() { # WHAT OPTION...
    what=$1
    shift
    "$program" check native/rank0.bin "$work/pipe" native/rank1.bin --format json --assert "$rules" "$@" \
        >killed.out 2>killed.err &
    call=$!
    kill_reader $call || kill $call
    wait $call
    echo "exit $?" >>killed.out
}
for jobs in 3 1; do
    killed "one of $jobs workers is killed" --jobs "$jobs"
    judge_killed "one of $jobs workers is killed" killed
done

# A reader does not outlive who started it.
"$program" overlap "$work/pipe" native/rank1.bin >orphan.out 2>&1 &
call=$!
exec 8<>"$work/pipe"
reader=''
for _ in {1..600}; do
    reader=$(readers_at_pipe $call)
    [ -z "$reader" ] || break
    sleep 0.1
done
[ -n "$reader" ] || complain "no reader waits at the pipe, of a call that is to be killed"
kill -KILL $call
wait $call 2>/dev/null
for _ in {1..100}; do
    grep -qs '^State:.[^ZX]' "/proc/${reader:-none}/status" || break
    sleep 0.1
done
grep -qs '^State:.[^ZX]' "/proc/${reader:-none}/status" && complain "the reader '$reader' lives on" && kill "$reader"
exec 8>&-

killed "the reader of a part is killed" --part 1/1 -o killed.part
grep -q "while reading '$work/pipe'" killed.err || complain "a part does not name the trace: $(cat killed.err)"
say killed "$program" merge killed.part
judge_killed "the reader of a part is killed" killed

# ---- parts that are not what they should be ----
refused() { # WHAT WORDS PART...
    what=$1 words=$2
    shift 2
    say refused "$program" merge "$@"
    grep -qx 'exit 5' refused.out || complain "$what: $(cat refused.out), not exit 5 alone"
    grep -q "$words" refused.err || complain "$what: $(cat refused.err)"
    [ "$(wc -l <refused.out)" = 1 ] || complain "$what: something was printed"
}
echo "$rules" >rules
for part in 1 2 3; do "$program" check native --rules rules --part $part/3 -o good-$part; done
"$program" overlap native --part 2/3 -o other-2
refused "a part is missing" '1 of 3 parts are missing: 2;' good-1 good-3
refused "a part is there twice" "'good-1' and 'good-1' are both part 1 of 3" good-1 good-1 good-2 good-3
refused "a part of another call" "'good-1' and 'other-2' are parts of different calls" good-1 other-2 good-3
mkdir native/rank9
"$program" check native --rules rules --part 2/3 -o other-2 --force
rmdir native/rank9
refused "a part whose call saw a rank without a trace" "'good-1' and 'other-2' are parts of different calls" good-1 other-2 good-3
refused "a file that is no part" "'rules' is no part that" good-1 rules good-3
refused "a part that is not there" "cannot open 'nowhere'" good-1 nowhere
size=$(stat -c %s good-2)
for bytes in 0 1 7 8 40 100 1000 $((size / 2)) $((size - 9)) $((size - 8)) $((size - 1)); do
    head -c "$bytes" good-2 >cut.part
    refused "a part of $bytes bytes" "'cut.part' is \(a damaged part\|no part\)" good-1 cut.part good-3
done
{ cat good-2; echo more; } >longer
refused "a part that is longer" "'longer' is a damaged part" good-1 longer good-3
for place in 9 30 60 300 2000 $((size / 2)) $((size - 20)) $((size - 3)); do
    cp good-2 changed
    byte=$(od -An -tu1 -j "$place" -N 1 good-2)
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ 16)))" | dd of=changed bs=1 seek="$place" conv=notrunc status=none
    refused "byte $place of a part is another" "'changed' is \(a damaged part\|written by another build\|no part\)" good-1 changed good-3
done
echo 'overlap(d2h, kernel[name=~"x"]) >= 10%' >rules
refused "the rules have changed" 'the rules have changed' good-1 good-2 good-3
# A limit alone is another: the same is measured. Rules of ranks are measured by whoever merges.
for rule in "$rules" 'late(any) <= 50%'; do
    rm -f late-*
    echo "$rule" >rules
    for part in 1 2; do "$program" check kineto --rules rules --part $part/3 -o late-$part; done
    echo "2 * $rule" >rules
    "$program" check kineto --rules rules --part 3/3 -o late-3
    refused "a limit has changed between the parts" 'are parts of different calls: words, traces or rules differ' late-1 late-2 late-3
    rm late-3
    echo "$rule" >rules
    "$program" check kineto --rules rules --part 3/3 -o late-3
    echo "2 * $rule" >rules
    refused "a limit has changed before the merge" 'the rules have changed' late-1 late-2 late-3
done

# What --part is not for.
usage() { # WORDS ARGUMENT...
    words=$1
    shift
    say usage "$program" "$@"
    grep -qx 'exit 2' usage.out && grep -q -e "$words" usage.err || complain "$*: $(cat usage.out usage.err)"
}
usage 'is one trace' overlap native/rank0.bin --part 1/2 -o file
usage 'needs --output' overlap native --part 1/2
usage 'two side by side' gaps native kineto --part 1/2 -o file
usage 'would not cut them at one moment' ranks kineto --window 0:1ms --part 1/2 -o file
usage 'skew, late and transfer take --range' check kineto --window 0:1ms --assert 'late(any) <= 5%' --part 1/2 -o file
usage "takes K/N" overlap native --part 3/2 -o file
usage "exists already" overlap native --part 1/2 -o good-1
[ ! -e file ] || complain "a refused call has written its file"

echo "$compared calls compared"
exit $failed
