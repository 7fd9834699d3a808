#!/usr/bin/env bash
# Does `cpprof run --variant NAME=COMMAND` measure what the programs did, and say what they did not?
# The programs are fake_program.c, which leaves what a process with the collector in it would.
# usage: fake_variants.sh CPPROF FAKE_PROGRAM [I/N]      I/N: each Nth part from the Ith on, counted from 0
set -euo pipefail
cpprof=$(realpath "${1:?usage: fake_variants.sh CPPROF FAKE_PROGRAM}")
program=$(realpath "${2:?usage: fake_variants.sh CPPROF FAKE_PROGRAM}")
share=${3:-0/1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CPPROF_INJECT=$program # any file: nothing loads it here
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
failed=0
what=

complain() { # TEXT
    printf 'NOT ok: %s: %s\n' "$what" "$1"
    if [ -s errors ]; then sed 's/^/    /' errors | cut -c 1-300; fi
    failed=1
}

# Starts a case in an empty folder, with the program in it.
case_of() { # WHAT
    what=$1
    rm -rf "$work/run"
    mkdir "$work/run"
    cd "$work/run"
    ln -s "$program" app
}

# The bundle is b.cpprof, standard output `out`, standard error `errors`.
# `out` is what the run says, then the whole report.
run() { # STATUS ARGUMENT...      5 processes, unless it says others
    local expected=$1 status=0
    shift
    "$cpprof" run -o b.cpprof --processes 5 "$@" </dev/null >out 2>errors || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
    # The verdict alone decides.
    if [ -d b.cpprof ] && [[ " $* " == *' --baseline '* ]]; then status_is "$expected" compare b.cpprof; fi
    [ ! -d b.cpprof ] || "$cpprof" report --full --format text b.cpprof >>out 2>/dev/null || true
}

says() { # FILE PATTERN...
    local file=$1 pattern
    shift
    for pattern in "$@"; do
        if ! grep -qE -- "$pattern" "$file"; then complain "$file does not say '$pattern'"; fi
    done
}

is_silent_about() { # FILE PATTERN
    if grep -qE -- "$2" "$1"; then complain "$1 says '$2'"; fi
}

rows_are() { # NUMBER FILE PATTERN
    local found
    found=$(grep -cE -- "$3" "$2" || true)
    if [ "$found" -ne "$1" ]; then complain "$2 has '$3' $found times, not $1 times"; fi
}

status_is() { # STATUS ARGUMENT...      of cpprof
    local expected=$1 status=0
    shift
    "$cpprof" "$@" >/dev/null 2>&1 || status=$?
    if [ "$status" -ne "$expected" ]; then complain "$*: exit status $status instead of $expected"; fi
}

headline() { # PATTERN
    says <(head -n 1 out) "$1"
}

# Sealed, reported alike by `cpprof report`, nothing of this machine in it, nothing left beside.
is_finished() {
    says b.cpprof/manifest.json '"status": "complete"' '"timing_source": "GPU activity records of CUPTI"'
    if [ -e b.cpprof/aside ] || ls b.cpprof/process-* >/dev/null 2>&1; then complain "something was left behind"; fi
    "$cpprof" report b.cpprof >again 2>>errors || true
    if ! diff again b.cpprof/report.md >/dev/null; then complain 'the stored report differs from that of `cpprof report`'; fi
    if grep -rlF "$work" b.cpprof >places; then complain "a path of this machine is in $(cat places)"; fi
    if [ "$(ls)" != "$(printf 'again\napp\nb.cpprof\nerrors\nout\nplaces')" ]; then complain "the folder holds $(ls | tr '\n' ' ')"; fi
    rm -f again places
}

flash='flash=./app flash_fwd:10000 --range=attention --output=1,2,3,4'
math='math=./app gemm:9000 softmax:3000 copy:100 --range=attention --output=1,2,3,4.00001'

by_range() {
    case_of 'two programs by a range'
    run 0 --variant "$flash" --variant "$math" --range attention --baseline math
    is_finished
    headline '^flash is faster than math: 1\.210x \(gain 17\.4%.* 5 processes\)'
    says out 'Checked: pass, 2 of 2' 'ran flash_fwd \(100\.0%\); 50 iterations in 5 processes' \
        'ran gemm \(74\.4%\), softmax \(24\.8%\), copy h2d \(0\.8%\)' '10 of 10 results are right' \
        'an iteration of flash is 1 kernel, one of math is 2 kernels and 1 copy \(100 B\)' \
        'math, softmax: memory-bound' 'Timed by: GPU activity records' \
        'agree with each other, not with a reference' 'the device is idle 37\.5% of the time'
    # 20 iterations, the first 10 are warm-up: 10 in each of 5 processes. math: 9001 + 3001 + 100 ns in the second one.
    rows_are 50 b.cpprof/timing.csv '^flash,program,[0-4],0,[0-9],[0-9],program,1,,1000[0-2],$'
    rows_are 10 b.cpprof/timing.csv '^math,program,3,0,6,'
    says b.cpprof/timing.csv '^math,program,0,0,1,0,program,1,,12102,$'
    says b.cpprof/iterations.csv '^math,program,0,0,0,12102,14122,20132,8030,2,1,100$' # span: 2 x (10 + 1000) between; interval: 6010 more
    rows_are 1 b.cpprof/iterations.csv '^flash,program,2,9,.*,10001,10001,,,1,0,0$'
    rows_are 5 b.cpprof/work.csv '^math,program,[0-4],kernel,fill_random,1,2000,0,0,0,0$'
    says b.cpprof/resources.csv '^flash,program,flash_fwd,264,256,64,49152,0,,2,0\.25,1,,$'
    says b.cpprof/verify.csv '^flash,program,0,,output,.*,no,yes,$' '^math,program,4,,repeat,0,0,4,.*,yes,yes,$'
    rows_are 1 b.cpprof/metrics.csv '^math,program,gemm,0,dram__throughput.avg.pct_of_peak_sustained_elapsed,ratio,0\.9$'
    says b.cpprof/manifest.json '"sm_count": 132' '"crc32"' '"./app"'
    says b.cpprof/verdict.json '"verdict": "faster"'
    is_silent_about out "the program's own output"
    "$cpprof" overlap b.cpprof/math.cpprof >trace 2>&1 || complain 'the trace beside the tables cannot be read'
    says trace 'copy'

    case_of 'the baseline is slower by a hair'
    run 0 --variant 'a=./app k:10000 --range=r --output=1' --variant 'b=./app k:10010 --range=r --output=1' --range r --baseline a
    headline '^b is as fast as a: 0\.999x'

    case_of 'a range of a domain that is not there, and one that is'
    run 1 --variant "$flash" --variant "$math" --range attention@other --baseline math
    headline "^NOTHING TO MEASURE: flash: no GPU work was launched in a range 'attention@other'; it ran flash_fwd \(99\.0%\), fill_random \(1\.0%\) \(and 1 more below\)"
    run 0 --force --variant "$flash" --variant "$math" --range attention@ --baseline math
    headline '^flash is faster'

    case_of 'work that no iteration has'
    run 0 --variant 'a=./app k:9000 --range=r --threads --every=2 --iterations=60 --output=1' \
        --variant 'b=./app k:9000 --range=r --iterations=60 --output=1' --range r@thread --baseline b
    says out '300 operations of a were launched by other threads' '150 occurrences of the range launched no GPU work in a'
    case_of 'a range holds what any thread launches while it is open'
    run 1 --force --variant 'a=./app k:9000 --range=r --threads --output=1' \
        --variant 'b=./app k:9000 --range=r --output=1' --range r --baseline b
    headline '^a is slower than b: 0\.989x' # 9001 / 9101: 1.1% of a's work is "beside"
    if grep -q 'launched by other threads' out; then complain 'work of another thread is left out'; fi
}

by_kernels() {
    case_of 'kernels that repeat'
    run 0 --variant "$flash" --variant "$math" --kernels 'flash|gemm|softmax' --baseline math --metrics none --processes 3
    is_finished
    headline '^flash is faster than math: 1\.200x' # 12002 / 10001, without the copy
    says out 'flash, flash_fwd: inconclusive' '3 processes'
    if [ -e b.cpprof/metrics.csv ]; then complain 'counters were read'; fi
    if [ -e b.cpprof/flash-1.cpprof ]; then complain 'a trace was kept'; fi

    case_of 'traces of all processes'
    run 0 --variant "$flash" --variant "$math" --kernels 'flash|gemm|softmax' --baseline math --metrics none --keep-traces --processes 3
    is_finished
    if [ ! -e b.cpprof/flash@2.cpprof/manifest.json ]; then complain 'a trace was not kept'; fi

    case_of 'traces of programs whose names look like numbered ones'
    run 3 --variant 'a=./app k:9000' --variant 'a-1=./app k:9000' --kernels k --baseline a --metrics none --keep-traces --processes 3
    is_finished
    rows_are 1 <(cd b.cpprof && ls -d ./*.cpprof | tr '\n' ' ') '^./a-1.cpprof ./a-1@1.cpprof ./a-1@2.cpprof ./a.cpprof ./a@1.cpprof ./a@2.cpprof $'

    case_of 'a pattern that matches nothing'
    run 1 --variant "$flash" --variant "$math" --kernels cudnn --baseline math
    is_finished
    headline "^NOTHING TO MEASURE: flash: no kernel matches 'cudnn'; it ran flash_fwd .* \(and 1 more below\)"
    says out 'cannot|unusable'

    case_of 'kernels that do not repeat'
    run 3 --variant 'a=./app k:9000 l:3000 --iterations=1' --variant "$math" --kernels 'fill|k|l|gemm' --baseline math
    says out 'a: the 3 launches of 3 kernels that match do not repeat: choose one kernel, or an iteration with --range'

    case_of 'set-up is left out'
    run 0 --variant "$flash" --variant "$math" --kernels . --baseline math --metrics none --processes 3
    headline '^flash is faster than math: 1\.200x'
    says out 'math: launches that match but are no part of what repeats, such as set-up, are in no sample: 3 of them'
    rows_are 30 b.cpprof/iterations.csv '^math,program,.*,2,0,0$'

    case_of 'nothing is left behind the warm-up'
    run 3 --variant "$flash" --variant "$math" --kernels 'flash|gemm' --baseline math --warmup 20
    says out 'there are 20 iterations and the first 20 are warm-up'
}

# Six sizes each, one behind the other: kernels, grids and orders differ, blocks tell which are the same work.
sweep_a='a=./app a/8192/32:211000 then a/4096/64:211000 then a/2048/128:314000 then a/1024/256:576000 --output=1 --flat'
sweep_b='b=./app b/16/1024:20000 then b/64/256:24000 then b/128/128:21000 then b/256/64:23000 --output=1 --flat'

kinds_of_work() {
    case_of 'a sweep, the sizes of two programs in other orders'
    run 3 --variant "$sweep_a" --variant "$sweep_b" --kernels '^[ab]$' --baseline a --processes 3
    headline 'inconclusive in 4 of 4'
    says out 'b launches 4 forms of work and a 4, and which of them are the same work is not known' work-varies work_varies
    run 0 --force --variant "$sweep_a" --variant "${sweep_b/16\/1024:20000/512/32:27000}" --kernels '^[ab]$' --baseline a --processes 3
    is_finished
    # 211 / 27, 211 / 23, 314 / 21, 576 / 24
    says out 'block=32 .*7\.815x' 'block=64 .*9\.174x' 'block=128 .*14\.95' 'block=256 .*24\.00' \
        'a +block=32 +a +8,192 +32 ' 'b +block=256 +b +64 +256 ' 'memory-bound'
    is_silent_about out n/a.*n/a.*64
    rows_are 10 b.cpprof/timing.csv '^a,program,2,3,'
    says b.cpprof/manifest.json '"49152 8192x1x1 32x1x1 a"'
    rows_are 3 b.cpprof/metrics.csv '^b,program,b,(17|18|19),dram__throughput.avg.pct_of_peak_sustained_elapsed'

    case_of 'a bundle that says nothing of groups, and has the traces'
    run 0 --variant "$sweep_a" --variant "${sweep_b/16\/1024:20000/512/32:27000}" --kernels '^[ab]$' --baseline a --processes 3 --warmup 0 --metrics none
    sed -i 's/"groups"/"unnamed"/' b.cpprof/manifest.json
    awk -F, -v OFS=, 'NR > 1 { $4 = 0 } 1' b.cpprof/timing.csv >timing && mv timing b.cpprof/timing.csv
    "$cpprof" report --full --format text b.cpprof >out 2>errors || true
    says out 'block=32 .*7\.815x' 'block=256 .*24\.00' 'a +block=32 +a +8,192 +32 '
    rm -r b.cpprof/a.cpprof
    "$cpprof" report --full --format text b.cpprof >out 2>errors || true
    says out 'differ in their grid, block or shared memory' 'inconclusive'

    case_of 'two modes of time in one kind of work'
    run 3 --variant 'a=./app k:9000 --output=1' --variant 'b=./app k:8000 --modes=8000 --flat --iterations=80 --output=1' --kernels k --baseline a --metrics none --processes 3
    says out 'its samples have two modes of time, 8\.00 us and 16\.0 us' work-varies

    case_of 'sequences of several kernels'
    run 0 --variant 'a=./app p:5000 q:4000 --output=1 --flat' --variant 'b=./app r:7500 --output=1 --flat' --kernels '^[pqr]$' --baseline a --metrics none --processes 3
    headline '^b is faster than a: 1\.200x'
    run 3 --force --variant 'a=./app p:5000 q:4000 --output=1 --flat' --variant 'b=./app p:4000 q:4000 then p:5000 r:1000 --output=1 --flat' --kernels '^[pqr]$' --baseline a --metrics none --processes 3
    says out 'b launches 2 forms of work and a 1' work_varies
    run 3 --force --variant 'a=./app p:5000 q:4000 --output=1' --variant 'b=./app p:4000 q:4000 --modes=8000 --flat --iterations=80 --output=1' --kernels '^[pq]$' --baseline a --metrics none --processes 3
    says out 'its samples have two modes of time' work_varies

    case_of 'places of a period'
    run 0 --variant 'a=./app k:9000 k:5000 k/8/32:1000 --output=1 --flat' --variant 'b=./app k:4500 k:5000 k/8/32:1000 --output=1 --flat' --kernels k --baseline a --metrics none --processes 3
    says out 'grid=264 block=256 place=1 .*2\.00' 'grid=264 block=256 place=2 .*1\.000x' 'grid=8 block=32 place=0'

    case_of 'an expression and sizes for each program'
    run 0 --variant "$sweep_a" --variant "$sweep_b" --kernels a=a@block=64 --kernels 'b=b@grid=256,block=64' --baseline a --processes 3
    headline '^b is faster than a: 9\.17'
    says out 'a +a +4,096 +64 ' 'memory-bound'
    rows_are 3 b.cpprof/metrics.csv '^b,program,b,[123],dram__throughput.avg.pct_of_peak_sustained_elapsed'
}

what_is_right() {
    case_of 'another result'
    run 1 --variant 'a=./app k:9000 --range=r --output=1,2,3,4 --shape=(2,2)' \
        --variant 'b=./app k:8000 --range=r --output=1,2,3,5 --shape=(2,2)' --range r --baseline a
    is_finished
    headline '^WRONG RESULT: b failed 5 of 5 checks: 25\.0% of the values are wrong, largest error 1 \(new\)$'
    says out '\[1, 1\]' '1 of 4 values differ by more than 1e-05 \+ 0\.0001 x'
    run 0 --force --variant 'a=./app k:9000 --range=r --output=1,2,3,4' --variant 'b=./app k:8000 --range=r --output=1,2,3,5' \
        --range r --baseline a --tolerance 0,0.25
    headline '^b is faster than a'

    case_of 'another shape, no array, a NaN'
    run 1 --variant 'a=./app k:9000 --range=r --output=1,2' --variant 'b=./app k:8000 --range=r --output=1,2,3' \
        --variant 'c=./app k:8000 --range=r --output=1,2 --garbage' --variant 'd=./app k:8000 --range=r --output=1,nan' \
        --range r --baseline a
    is_finished
    says out 'its array is f4 \(3\) where f4 \(2\) is expected' 'is no array of NumPy' '1 are NaN'

    case_of 'a pipe instead of an array'
    run 1 --variant 'a=./app k:9000 --range=r --output=1,2' --variant 'b=./app k:8000 --range=r --fifo' --range r --baseline a
    is_finished
    headline '^WRONG RESULT: b failed 5 of 5 checks'
    run 1 --force --variant 'a=./app k:9000 --range=r --fifo' --variant 'b=./app k:8000 --range=r --output=1' --range r --baseline a \
        --processes 3
    is_finished
    headline '^WRONG RESULT: the baseline a failed 3 of 3 checks.*; the others have nothing to compare with$'
    says out "cannot read 'a-1.npy': it is no regular file"

    case_of 'every process has a place for its array, also the one that counts'
    run 0 --variant 'a=./app k:9000 --range=r --output=1 --insist' --variant 'b=./app k:8000 --range=r --output=1 --insist' --range r \
        --baseline a
    is_finished
    is_silent_about out 'counters of [ab]'
    rows_are 1 b.cpprof/metrics.csv '^a,program,k,0,dram__throughput.avg.pct_of_peak_sustained_elapsed,ratio,0\.9$'

    case_of 'no array at all'
    run 3 --variant 'a=./app k:9000 --range=r' --variant 'b=./app k:8000 --range=r --output=1' --range r --baseline a
    is_finished
    headline '^b is faster than a.*; results not compared$'
    says out 'correctness of a: missing because the program wrote no array' 'correctness of b: missing because the variant that it is compared with'

    case_of 'results that nobody compares, accepted'
    run 0 --unverified --variant 'a=./app k:9000 --range=r' --variant 'b=./app k:8000 --range=r' --range r --baseline a
    is_finished
    headline '^b is faster than a.*5 processes\)$'
    says out 'Results: +not compared: the program wrote no array .*; run --unverified accepted that$'
    says b.cpprof/manifest.json '"unverified": true'
    status_is 0 compare b.cpprof
    status_is 0 check b.cpprof --assert 'speedup(B) >= 1.1'
    run 1 --force --unverified --variant 'a=./app k:8000 --range=r' --variant 'b=./app k:9000 --range=r' --range r --baseline a
    headline '^b is slower than a.*5 processes\)$'
    status_is 1 compare b.cpprof
    status_is 1 check b.cpprof --assert 'speedup(B) >= 1'
    run 3 --force --variant 'a=./app k:8000 --range=r' --variant 'b=./app k:9000 --range=r' --range r --baseline a
    is_silent_about b.cpprof/manifest.json unverified
    status_is 3 compare b.cpprof
    status_is 3 check b.cpprof --assert 'speedup(B) >= 1'
    run 1 --force --unverified --variant 'a=./app k:9000 --range=r --output=1' --variant 'b=./app k:8000 --range=r --output=2' --range r --baseline a
    headline '^WRONG RESULT: '

    case_of 'one program alone'
    run 3 --variant 'a=./app k:9000 --range=r --output=1' --range r
    is_finished
    headline '^a takes 9\.00 us .*nothing to compare it with; results not compared$'
    says out 'there is no other variant'
}

programs_that_fail() {
    case_of 'an exit status'
    run 1 --variant "$flash" --variant 'bad=./app k:9000 --range=attention --exit=3 --say=no_such_backend' --range attention --baseline flash
    is_finished
    headline '^PROGRAM FAILED: bad: 1 of 1 processes failed: it exited with status 3: no_such_backend$'
    says out 'program_failed'
    says b.cpprof/verdict.json '"verdict": "unusable"' '"reason": "program_failed"'
    rows_are 0 b.cpprof/timing.csv '^bad,'

    case_of 'many words'
    run 1 --variant "bad=./app k:9000 --exit=1 '--say=Traceback:
  File \"$work/run/train.py\", line 3
ValueError: no kernel'" --variant 'good=./app k:9000' --kernels k --baseline good --format md
    headline '^# PROGRAM FAILED: `bad`: 1 of 1 processes failed: it exited with status 1: ValueError: no kernel$'
    says out '^  File "train.py", line 3$'
    is_silent_about b.cpprof/manifest.json "$work"

    case_of 'a signal'
    run 1 --variant 'bad=./app k:9000 --range=r --signal=9' --variant 'good=./app k:9000 --range=r' --range r --baseline bad
    headline '^PROGRAM FAILED: bad: 1 of 1 processes failed: it was ended by signal 9 \(Killed\)$'

    case_of 'words that would act'
    run 1 --variant "bad=./app k:9000 --exit=1 '--say=$(printf 'a\033[2J<b>|`x`')'" --variant 'good=./app k:9000' --kernels k --baseline good
    if grep -q "$(printf '\033')" out errors b.cpprof/report.md b.cpprof/manifest.json; then complain 'a control character came through'; fi

    case_of 'no trace'
    run 3 --variant 'a=./app k:9000 --untraced' --variant 'b=./app k:9000' --kernels k --baseline b
    says out 'nothing was recorded: another profiler is attached to the program'
    is_finished

    case_of 'no CUDA'
    run 3 --variant 'a=true' --variant 'b=./app k:9000' --kernels k --baseline b
    says out 'nothing was recorded: the program did not load CUDA'

    case_of 'an interruption'
    "$cpprof" run -o b.cpprof --variant 'a=sleep 60' --variant 'b=./app k:9000' --kernels k --baseline b </dev/null >out 2>errors &
    until [ -e b.cpprof/a.cpprof/manifest.json ]; do sleep 0.1; done
    sleep 0.2
    kill -TERM $!
    local status=0
    wait $! || status=$?
    if [ "$status" -ne 3 ]; then complain "exit status $status instead of 3"; fi
    is_finished
    says out 'nothing was recorded: it was interrupted by signal 15' 'the run process 0 failed: it was interrupted before all programs had run'

    case_of 'an interruption between two programs'
    set -m # a job of its own does not ignore SIGINT
    "$cpprof" run -o b.cpprof --variant 'a=./app k:9000 --interrupt' --variant 'b=./app k:9000' --kernels k --baseline b </dev/null >out 2>errors &
    status=0
    wait $! || status=$?
    set +m
    if [ "$status" -ne 3 ]; then complain "exit status $status instead of 3"; fi
    is_finished
    says out 'the run process 0 failed: it was interrupted before all programs had run'
    rows_are 10 b.cpprof/timing.csv '^a,program,0,' # what had run by then is kept
    rows_are 0 b.cpprof/timing.csv '^b,'

    case_of 'records that were dropped'
    run 3 --variant 'a=./app k:9000 --dropped=7 --output=1' --variant 'b=./app k:8000 --output=1' --kernels k --baseline a
    says out '42 kernel records were dropped' # 7 in each of 5 processes and in the one that counts
    headline '^b is faster'

    case_of 'a trace that breaks off'
    run 3 --variant 'a=./app k:9000 --unfinished --output=1' --variant 'b=./app k:8000 --output=1' --kernels k --baseline a
    says out "'a', process 0: .*trace-"

    case_of 'a program that is gone in the middle of a write'
    run 3 --variant 'a=./app k:9000 --torn --output=1' --variant 'b=./app k:8000 --output=1' --kernels k --baseline a
    says out "'a', process 0: process [0-9]+ \\(fake_program\\) was gone in the middle of a write: the last [0-9]+ bytes"
    headline '^b is faster'

    case_of 'counters that are refused'
    run 0 --variant 'a=./app k:9000 --refused --output=1' --variant 'b=./app k:8000 --output=1' --kernels k --baseline a
    is_finished
    says out 'counters of a: missing because they need the right to profile' 'a, k: inconclusive'
}

command_lines() {
    local pattern
    case_of 'command lines that are refused'
    while IFS='|' read -r pattern words; do
        rm -rf b.cpprof
        local status=0
        eval "\"\$cpprof\" run -o b.cpprof $words" >out 2>errors </dev/null || status=$?
        what="refused: $words"
        says errors "$pattern"
        case $pattern in *'cannot be started'* | *'was not found'*) expected=4 ;; *) expected=2 ;; esac
        if [ "$status" -ne "$expected" ]; then complain "exit status $status"; fi
        if [ -e b.cpprof ]; then complain 'a bundle was made'; fi
    done <<'LINES'
Give --kernels REGEX or --range NAME, one of the two|--variant a=./app
Give --kernels REGEX or --range NAME, not both|--variant a=./app --kernels x --range y
--kernels takes a regular expression|--variant a=./app --kernels ''
--kernels.*is no extended regular expression|--variant a=./app --kernels '('
two variants are called 'a'|--variant a=./app --variant a=./app --kernels x
takes NAME='COMMAND LINE'|--variant ./app --kernels x
takes NAME='COMMAND LINE'|--variant a/b=./app --kernels x
takes NAME='COMMAND LINE'|--variant .=./app --kernels x
--variant a: the command line is empty|--variant a= --kernels x
left open|--variant "a=./app 'x" --kernels x
the baseline 'b' is no --variant|--variant a=./app --kernels x --baseline b
'./missing' of --variant a cannot be started|--variant a=./missing --kernels x
durations of different instruments are never compared|pipeline/sync --variant a=./app --kernels x
'k' is no --variant of this run|--variant a=./app --kernels k=x
--kernels is given twice for a|--variant a=./app --kernels a=x --kernels a=y
--kernels is given twice for all variants|--variant a=./app --kernels x --kernels y
which kernels of b are to be measured|--variant a=./app --variant b=./app --kernels a=x
'grid=4y' is no filter|--variant a=./app --kernels x@grid=4y
an empty one would match every kernel|--variant a=./app --kernels @grid=4
are for kernels of our own|--variant a=./app --kernels x --iters 5
are for kernels of our own|--variant a=./app --kernels x --shape n=4
are for programs|pipeline/sync --kernels x
--tolerance takes ABS or ABS,REL|--variant a=./app --kernels x --tolerance -1
--tolerance takes ABS or ABS,REL|--variant a=./app --kernels x --tolerance 1,2,3
LINES
    case_of 'another profiler'
    CUDA_INJECTION64_PATH=/x run 2 --variant a=./app --kernels x
    says errors 'another profiler'
    if [ -e b.cpprof ]; then complain 'a bundle was made'; fi

    case_of 'words, blanks and quotes'
    run 3 --variant "a=./app 'my kernel:900'" --kernels 'my kernel' --metrics none
    says out 'ran my kernel'

    case_of 'a repository'
    git init -q . 2>/dev/null && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
    run 3 --variant 'a=./app k:900' --kernels k --metrics none
    says b.cpprof/manifest.json '"commit": "[0-9a-f]{40}"'
}

parts=(programs_that_fail by_range command_lines what_is_right by_kernels kinds_of_work)
for ((i = ${share%/*}; i < ${#parts[@]}; i += ${share#*/})); do
    "${parts[i]}"
done
[ "$failed" -eq 0 ] && echo "every program was measured as it should be"
exit "$failed"
