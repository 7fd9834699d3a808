#!/usr/bin/env bash
# Does `cpprof capture` leave the program alone, and an honest bundle behind, whatever the program does?
# The program is guest_program.c, which writes what a real collector writes; no GPU is needed.
# usage: capture.sh CPPROF GUEST_PROGRAM
# shellcheck disable=SC2016  # patterns and names that are not to be expanded
set -euo pipefail
cpprof=$(realpath "${1:?usage: capture.sh CPPROF GUEST_PROGRAM}")
guest=$(realpath "${2:?usage: capture.sh CPPROF GUEST_PROGRAM}")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
printf "\177ELF" >"$work/libcpprof_inject.so" # nothing here loads it
export CPPROF_INJECT=$work/libcpprof_inject.so NO_COLOR=1 LC_ALL=C
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
gpu_a=(gpu 0 GPU-aaaa 0000:0A:00.0)
gpu_b=(gpu 0 GPU-bbbb 0000:0B:00.0)
failed=0
what=

complain() { # TEXT
    printf 'NOT ok: %s: %s\n' "$what" "$1"
    for file in out errors; do
        if [ -s "$file" ]; then sed "s/^/    $file: /" "$file" | cut -c 1-300 | head -40; fi
    done
    failed=1
}

case_of() { # WHAT: in a folder of its own, where nothing of the case before still writes
    what=$1
    here=$(mktemp -d "$work/XXXXXX")
    cd "$here"
}

capture() { # STATUS ARGUMENT...
    local expected=$1 status=0
    shift
    "$cpprof" capture "$@" >out 2>errors </dev/null || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
}

ask() { # STATUS COMMAND...: standard output in `answer`
    local expected=$1 status=0
    shift
    case $* in
    report*--format*) ;;
    report*) set -- "$@" --full ;;
    esac
    "$cpprof" "$@" >answer 2>notes || status=$?
    if [ "$status" -ne "$expected" ]; then complain "cpprof $*: exit status $status instead of $expected: $(cat notes)"; fi
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

is() { # WHAT IS SHOULD
    if [ "$2" != "$3" ]; then complain "$1 is '$2', not '$3'"; fi
}

sealed() { # BUNDLE
    says "$1/manifest.json" '"status": "complete"' '"kind": "capture"'
    if compgen -G "$1/process-*.json" >/dev/null; then complain "reports are left in $1"; fi
}

wait_for() { # FILE
    local tries=0
    until [ -e "$1" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 500 ]; then complain "'$1' never came"; return; fi
        sleep 0.02
    done
}

# ---- the program is left alone ----

case_of 'output, error and exit status are the program'\''s'
capture 7 -o b.cpprof -- "$guest" say hello complain oops "${gpu_a[@]}" start kernels 8 gemm end exit 7
is 'standard output' "$(cat out)" hello
says errors '^oops$' 'guest_program: 1 process in .* on 1 GPU: 8 kernels, no copies, 8 API calls; from the first operation to the last the GPU was busy' \
    'gemm' 'collector: .* dropped' 'captured in b.cpprof; next: cpprof report'
says errors 'API calls; .*; it ended with exit status 7$'
sealed b.cpprof
says b.cpprof/manifest.json '"exit_status": 7' '"index": 0' '"program": "guest_program"' '"wall_ns": [0-9]{5}'

case_of 'options of the program are not ours, with and without --'
capture 0 -o b.cpprof "$guest" say --force say -o
is 'standard output' "$(cat out)" "$(printf -- '--force\n-o')"
capture 0 -q -o c.cpprof -- "$guest" say -- say --help
is 'standard output' "$(cat out)" "$(printf -- '--\n--help')"

case_of 'standard input is the program'\''s'
is 'what came through' "$(echo input | "$cpprof" capture -q -o b.cpprof -- "$guest" cat 2>/dev/null)" input

case_of 'process group and environment'
CPPROF_CAPTURE_RANGE=stale KEPT=kept capture 0 -q -o b.cpprof --trace api --graphs graph --range step@nvtx --kernels 'gemm|conv' \
    --profile-from-start off --delay 2s --duration 500ms --flush-period 100ms --memory 1GiB -- "$guest" group \
    env CPPROF_CAPTURE_DIR env CUDA_INJECTION64_PATH env NVTX_INJECTION64_PATH env CPPROF_CAPTURE_TRACE env CPPROF_CAPTURE_GRAPHS \
    env CPPROF_CAPTURE_RANGE env CPPROF_CAPTURE_KERNELS env CPPROF_CAPTURE_FROM_START env CPPROF_CAPTURE_DELAY_MS \
    env CPPROF_CAPTURE_DURATION_MS env CPPROF_CAPTURE_FLUSH_MS env CPPROF_CAPTURE_MEMORY_MB env CPPROF_METRICS env KEPT
is 'what the program saw' "$(cat out)" "one group
$here/b.cpprof
$CPPROF_INJECT
$CPPROF_INJECT
api
graph
step@nvtx
gemm|conv
off
2000
500
100
1024
(unset)
kept"
is 'a variable of an earlier capture' "$(CPPROF_CAPTURE_RANGE=stale "$cpprof" capture -q -o c.cpprof "$guest" env CPPROF_CAPTURE_RANGE)" '(unset)'
if grep -rq "$work" b.cpprof; then complain "the bundle names a folder of this machine"; fi

case_of 'a condition: what it recorded, and what was not recorded is not idle'
capture 0 -o b.cpprof --range step --when 4..5 -- "$guest" "${gpu_a[@]}" when 4..5 2000 start piece 4 4 kernels 8 gemm skip 100000 \
    piece 5 5 kernels 8 gemm end env CPPROF_CAPTURE_WHEN touch b.cpprof/record
is 'what the program saw' "$(cat out)" 4..5
says errors 'busy 43.2%' "^recorded: occurrences 4, 5 of range 'step', of 2,000 seen$"
sealed b.cpprof
if [ -e b.cpprof/record ]; then complain 'the touched file is left in the bundle'; fi
says b.cpprof/manifest.json '"when": "4..5"' '"seen": 2000'
ask 0 report b.cpprof --format text
says answer "Recorded.* occurrences 4, 5 of range 'step', of 2,000 seen"
is_silent_about answer '100 s|1 min'
ask 0 gaps b.cpprof --format text
is_silent_about answer '100 s|1 min'
ask 3 check b.cpprof --assert 'idle() < 57%' --assert 'gap_max(kernel) < 1ms' # what is before and behind the pause is not known
says answer 'recording paused'
ask 1 check b.cpprof --assert 'idle() < 10%'
ask 0 check b.cpprof --assert 'count(kernel) == 16'
ask 0 overlap b.cpprof --format text
is_silent_about answer '100 s|1 min'

case_of 'a condition that never held'
capture 0 -o b.cpprof --range step --when slower:1.2 -- "$guest" "${gpu_a[@]}" when slower:1.2 40 start end
says errors 'no GPU work was recorded: the condition of --when never held' \
    "^recorded: nothing, as the condition never held: no occurrence longer than 1.2 times the median of range 'step', of 40 seen$"
sealed b.cpprof
ask 0 report b.cpprof --format text
says answer 'the condition of --when never held'

case_of 'a condition that is none'
capture 2 --when 4..5 -- true
says errors 'counts occurrences of a range: --range NAME says of which'
capture 2 --range step --when 5..4 -- true
says errors "when: '5..4' is neither FIRST..LAST"
capture 2 --range step --when 4 --duration 1s -- true
says errors 'duration goes with --when file alone'

case_of 'signals and open files are as they would be without us'
for look in 'grep ^Sig[BI] /proc/self/status' 'ls /proc/self/fd'; do
    # shellcheck disable=SC2086  # words
    is "$look" "$("$cpprof" capture -q $look 7</dev/null)" "$($look 7</dev/null)"
done
(trap '' INT CHLD && "$cpprof" capture -q -o ignoring.cpprof grep ^SigIgn /proc/self/status) >out
says out 'SigIgn:.*[13579bdf]...[2367abef]$' # bits 16 and 1, SIGCHLD and SIGINT: still ignored

case_of 'signals that end the program are its exit status'
for number in 9 11 15; do
    capture $((128 + number)) -o "b$number.cpprof" -- "$guest" "${gpu_a[@]}" start kernels 4 gemm raise "$number"
    sealed "b$number.cpprof"
    says "b$number.cpprof/manifest.json" "\"signal\": $number"
    ask 0 report "b$number.cpprof" --full --format text
    says answer "ended by signal $number \(SIG$(kill -l "$number"), " 'without telling' 'gemm'
    says errors "; it was ended by signal $number \(SIG$(kill -l "$number"), "
done
ask 3 check b9.cpprof --assert 'count(kernel) == 4' # what was flushed is there, but who knows what is not

# ---- signals to us ----

# GNU timeout and interactive shells signal in ways of their own: here one process is told, as by a batch system.
start_capture() { # WORD...: the program touches `ready`
    "$cpprof" capture -o b.cpprof -- "$guest" "$@" >out 2>errors </dev/null &
    running=$!
    wait_for ready
}
# The children of the running capture: its program, and who listens for signals to the group.
listener() {
    local child
    for child in $(cat "/proc/$running/task/$running/children"); do
        if [ "$(cat "/proc/$child/comm")" = cpprof-signals ]; then echo "$child"; fi
    done
}
program() {
    local child
    for child in $(cat "/proc/$running/task/$running/children"); do
        if [ "$child" != "$(listener)" ]; then echo "$child"; fi
    done
}
end_capture() { # STATUS
    local status=0
    wait -f "$running" || status=$?
    is 'the exit status' "$status" "$1"
}

case_of 'a signal that reached only us is passed on'
set -m # a job of its own does not ignore SIGINT
for name in INT TERM HUP QUIT; do
    number=$(kill -l "$name")
    rm -rf b.cpprof ready
    start_capture "${gpu_a[@]}" start kernels 4 gemm on "$number" 42 touch ready sleep 20000
    kill -"$name" "$running"
    end_capture 42
    sealed b.cpprof
    says b.cpprof/manifest.json "\"asked_to_end\": $number"
done
rm -rf b.cpprof ready
start_capture on 10 43 touch ready sleep 20000
kill -USR1 "$running"
end_capture 43
says b.cpprof/manifest.json '"asked_to_end": null'

case_of 'a second one kills a program that does not want to end'
start_capture "${gpu_a[@]}" start kernels 4 gemm ignore 2 touch ready sleep 20000
kill -INT "$running"
sleep 0.4
kill -INT "$running"
end_capture 137
sealed b.cpprof
says b.cpprof/manifest.json '"killed": true' '"signal": 9'

case_of 'two at once are one'
start_capture ignore 15 touch ready sleep 3000 exit 5
kill -TERM "$running"
sleep 0.05
kill -TERM "$running"
end_capture 5

# However it comes, it comes once. A second one would be another program's end: handlers ask "again?" and die.
case_of 'the program gets a signal once, sent to us alone or to all of our group'
for name in INT TERM HUP QUIT USR1 USR2; do
    number=$(kill -l "$name")
    for target in "" -; do
        rm -rf b.cpprof ready
        "$cpprof" capture -q -o b.cpprof -- "$guest" count "$number" 600 exit 9 >out 2>errors </dev/null &
        running=$!
        wait_for ready
        kill -"$name" -- "$target$running"
        end_capture 9
        is "SIG$name to '$target'" "$(cat out)" '1 times'
    done
done

case_of 'several signals at once to all of our group: each comes once'
"$cpprof" capture -q -o b.cpprof -- bash -c 'trap "echo one" USR1; trap "echo two" USR2; touch ready; for i in {1..30}; do sleep 0.02; done; exit 4' \
    >out 2>errors </dev/null &
running=$!
wait_for ready
kill -STOP "$running" # so that both wait for it
kill -USR1 -- "-$running"
kill -USR2 -- "-$running"
kill -CONT "$running"
end_capture 4
is 'what came' "$(sort out)" "one
two"

case_of 'as timeout(1) does it: us, then our group'
rm -f ready
status=0
timeout -s TERM 2 "$cpprof" capture -q -o b.cpprof -- "$guest" count 15 5000 exit 9 >out 2>errors </dev/null || status=$?
is 'the exit status' "$status" 124
is 'SIGTERM came' "$(cat out)" '1 times'
sealed b.cpprof

case_of 'a program that tells its own group, as scripts do at their end, does not hear it back'
"$cpprof" capture -q -o b.cpprof -- sh -c 'trap "echo told" TERM; kill -TERM 0; sleep 0.4; exit 4' >out 2>errors </dev/null &
running=$!
end_capture 4
is 'what it heard' "$(cat out)" told

case_of 'a program that has left our group gets what it would not have got itself'
"$cpprof" capture -q -o b.cpprof -- setsid "$guest" count 15 600 exit 9 >out 2>errors </dev/null &
running=$!
wait_for ready
kill -TERM -- "-$running"
end_capture 9
is 'SIGTERM came' "$(cat out)" '1 times'

case_of 'a program that stops itself stops us, so that the shell has its terminal back'
start_capture touch ready sleep 3000 exit 6
kill -TSTP "$(program)"
sleep 0.4
is 'our state' "$(cut -d" " -f3 "/proc/$running/stat")" T
kill -CONT "$running"
end_capture 6

case_of 'a program that somebody stops and lets go on'
start_capture touch ready sleep 2000 exit 6
kill -STOP "$(program)"
sleep 0.2
kill -CONT "$(program)"
end_capture 6
set +m

case_of 'cpprof itself is killed: what was recorded still reads, and the listener ends'
start_capture "${gpu_a[@]}" rank 3 start kernels 4 gemm touch ready sleep 2000 end
listener=$(listener)
is 'the number of its open files' "$(ls "/proc/$listener/fd" | wc -l)" 1
{ kill -KILL "$running" && wait "$running" || true; } 2>killed
sleep 0.2
if grep -qs '^State:.[^ZX]' "/proc/$listener/status"; then complain 'the listener is still there'; fi
says b.cpprof/manifest.json '"status": "incomplete"'
ask 0 report b.cpprof
says answer 'not sealed' 'gemm' 'GPU-aaaa' 'incomplete'
ask 0 stats b.cpprof
says answer 'gemm'
ask 3 check b.cpprof --assert 'count(kernel) == 4'

if command -v script >/dev/null; then # with a terminal, where the program gets Ctrl-C by itself
    case_of 'Ctrl-C reaches the program once, and we wait for it'
    (wait_for ready && printf '\003' && sleep 0.5) |
        script -qec "$cpprof capture -q -o b.cpprof -- $guest ${gpu_a[*]} start kernels 4 gemm on 2 42 touch ready sleep 20000" /dev/null >out 2>errors &&
        complain 'exit status 0 instead of 42'
    says out 'waiting for the program to end'
    says b.cpprof/manifest.json '"exit_status": 42' '"asked_to_end": 2' '"killed": false'
    sealed b.cpprof
    rm -rf b.cpprof ready
    (wait_for ready && printf '\003' && sleep 1) |
        script -qec "$cpprof capture -q -o b.cpprof -- $guest count 2 700 exit 9" /dev/null >out 2>errors &&
        complain 'exit status 0 instead of 9'
    says out '1 times'
fi

# ---- signals while we seal ----

# What outlives the program keeps the seal waiting for two seconds.
start_sealing() {
    "$cpprof" capture -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 4 gemm end daemon 'start sleep 8000 end' \
        sleep 200 touch ready exit 6 >out 2>errors </dev/null &
    running=$!
    wait_for ready
    sleep 0.3
}

set -m
case_of 'one request while we seal is noted, the second one ends it'
start_sealing
kill -INT "$running"
sleep 0.4
began=$(date +%s%N)
kill -INT "$running"
end_capture 6
if [ $((($(date +%s%N) - began) / 1000000)) -gt 800 ]; then complain 'it went on sealing'; fi
says errors "sealing 'b.cpprof'; once more leaves it unsealed" "'b.cpprof' is left as it is: unsealed"
says b.cpprof/manifest.json '"status": "incomplete"'
ask 0 report b.cpprof
says answer 'not sealed' gemm
ask 3 check b.cpprof --assert 'count(kernel) == 4'

case_of 'one request alone while we seal changes nothing'
start_sealing
kill -TERM "$running"
end_capture 6
says errors 'once more leaves it unsealed' 'gemm'
sealed b.cpprof

case_of 'the program was asked to end already: the next request ends the seal'
"$cpprof" capture -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 4 gemm end daemon 'start sleep 8000 end' sleep 200 on 2 6 \
    touch ready sleep 20000 >out 2>errors </dev/null &
running=$!
wait_for ready
kill -INT -- "-$running"
sleep 0.6
kill -INT -- "-$running"
end_capture 6
says b.cpprof/manifest.json '"status": "incomplete"'
set +m

# ---- the bundle ----

case_of 'names: never over another one, numbered'
capture 0 -q "$guest" exit 0
capture 0 -q "$guest" exit 0
capture 0 -q "$guest" exit 0
sealed guest_program.cpprof
sealed guest_program-2.cpprof
sealed guest_program-3.cpprof

case_of 'an existing bundle needs --force, other folders are safe even then'
capture 0 -q -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 first end
capture 2 -o b.cpprof "$guest" touch ran
says errors "'b.cpprof' exists already"
capture 0 -q --force -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 second end
ask 0 stats b.cpprof
says answer second
is_silent_about answer first
is 'what is there' "$(ls)" "$(printf 'answer\nb.cpprof\nerrors\nnotes\nout')"
mkdir mine
echo precious >mine/file
capture 2 --force -o mine "$guest" touch ran
says errors 'is not a bundle'
is 'the file' "$(cat mine/file)" precious
if [ -e ran ]; then complain 'the program ran although there was no bundle'; fi

case_of 'a program that cannot be started leaves nothing, and the old bundle'
capture 4 -o b.cpprof -- no-such-program-anywhere
says errors "cannot start 'no-such-program-anywhere': No such file or directory"
capture 4 -o b.cpprof -- "$work"
says errors 'Permission denied'
if [ -e b.cpprof ]; then complain 'b.cpprof is left'; fi
capture 0 -q -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 first end
capture 4 --force -o b.cpprof -- no-such-program-anywhere
sealed b.cpprof
ask 0 stats b.cpprof
says answer first

case_of 'what cannot be written leaves nothing, and the old bundle'
capture 0 -q -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 first end
for path in c.cpprof b.cpprof b.cpprof//; do
    # No file may be written to, a pipe may.
    said=$(ulimit -f 0; "$cpprof" capture --force -o "$path" "$guest" touch ran 2>&1 || echo "exit status $?")
    is "the answer for '$path'" "${said/\/\///}" "$(printf "cpprof: cannot write '%s/manifest.json': File too large\nexit status 4" "${path%//}")"
    is 'what is there' "$(echo *)" 'b.cpprof errors out'
done
sealed b.cpprof
ask 0 stats b.cpprof
says answer first
capture 0 -q --force -o b.cpprof/ "$guest" "${gpu_a[@]}" start kernels 2 second end
is 'what is there' "$(echo *)" 'answer b.cpprof errors notes out'
ask 0 stats b.cpprof
says answer second
capture 3 --force -o b.cpprof sh -c 'chmod 0 b.cpprof; rm -rf b.cpprof; exit 3' # it cannot be sealed, and nothing is in it
says errors "nothing was recorded: 'b.cpprof' is what it was before"
ask 0 stats b.cpprof
says answer second
is 'the limit of the program is its own' "$(ulimit -f 100000; "$cpprof" capture -q -o l.cpprof sh -c 'ulimit -f 0; head -c 10000 /dev/zero >x' 2>/dev/null; echo $?)" 153

case_of 'what has recorded nothing replaces nothing, and what is no part of a bundle stays'
capture 0 -q -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 first end
capture 0 -q --force -o b.cpprof "$guest" touch ran
says errors "nothing was recorded: 'b.cpprof' is what it was before"
ask 0 stats b.cpprof
says answer first
echo precious >b.cpprof/mine.csv
capture 2 -q --force -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 second end
says errors "holds 'mine.csv', which is no part of a bundle"
is 'the file' "$(cat b.cpprof/mine.csv)" precious

case_of 'what a program that was killed left half written'
capture 0 -q -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 first end touch b.cpprof/process-capture-1-0.json.part
sealed b.cpprof
if [ -e b.cpprof/process-capture-1-0.json.part ]; then complain 'it is still there'; fi
touch b.cpprof/process-capture-1-0.json.part # as of one that goes on
capture 0 -q --force -o b.cpprof "$guest" "${gpu_a[@]}" start kernels 2 second end
touch b.cpprof/mine.part
capture 2 -q --force -o b.cpprof "$guest" touch ran
says errors "holds 'mine.part'"

case_of 'no path of this machine, nor its name, is in a bundle'
capture 0 -q -o b.cpprof -- "$guest" say "-I$work/x" say "a:$work/y" say "file://$work/z" say "--opt=$work/v" say "-isystem$work/w" \
    say "{\"a\":\"$work\"}" say "--endpoint=$(uname -n):29500"
sealed b.cpprof
if grep -rqF -e "$work" b.cpprof; then complain "$(grep -rF -e "$work" b.cpprof) names a folder"; fi
if [ "$(uname -n)" != localhost ]; then says b.cpprof/manifest.json '"--endpoint=HOST:29500"'; fi

case_of 'wrong command lines run nothing'
for wrong in '--trace all' '--graphs none' '--delay 3' '--delay 0s' '--memory 1KiB' '--kernels (' '--kernels=' '--profile-from-start maybe' '--range @d' '--no-such'; do
    # shellcheck disable=SC2086  # two words
    capture 2 $wrong -- "$guest" touch ran
done
capture 2
says errors 'which program'
capture 2 -o '' "$guest" touch ran
CUDA_INJECTION64_PATH=/other.so capture 2 "$guest" touch ran
says errors 'CUDA_INJECTION64_PATH' 'another profiler'
NVTX_INJECTION64_PATH=/other.so capture 2 "$guest" touch ran
CPPROF_INJECT=/nowhere/lib.so capture 4 "$guest" touch ran
says errors 'CPPROF_INJECT' '/nowhere/lib.so'
if [ -e ran ]; then complain 'the program ran'; fi
is 'what is there' "$(ls)" "$(printf 'errors\nout')"

case_of 'a folder that cannot be written to'
mkdir closed
chmod a-w closed
if ! touch closed/x 2>/dev/null; then # root may write anywhere
    capture 4 -o closed/b.cpprof "$guest" touch ran
    says errors 'closed'
    if [ -e ran ]; then complain 'the program ran'; fi
fi
: >file
capture 4 -o file/b.cpprof "$guest" touch ran
says errors 'Not a directory'
capture 4 -o nope/b.cpprof "$guest" touch ran
says errors 'No such file or directory'
if [ -e nope ]; then complain 'the folder was made'; fi
if [ -e ran ]; then complain 'the program ran'; fi

case_of 'the bundle vanishes while the program runs: its exit status stays'
capture 5 -o b.cpprof "$guest" run "touch x" exit 5
rm -rf b.cpprof
status=0
"$cpprof" capture -o b.cpprof -- sh -c 'rm -rf b.cpprof; exit 6' >out 2>errors || status=$?
is 'the exit status' "$status" 6
says errors 'unsealed'

if [ -w /dev/full ] && unshare -rm true 2>/dev/null; then
    case_of 'a full disk: the program'\''s exit status stays, and the reason is said'
    mkdir full
    status=0
    # shellcheck disable=SC2016  # the inner shell's own words
    unshare -rm sh -c 'mount -t tmpfs -o size=64k none full && exec "$@"' sh "$cpprof" capture -o full/b.cpprof -- \
        sh -c 'head -c 200000 /dev/zero >full/filler 2>/dev/null; exit 8' >out 2>errors || status=$?
    is 'the exit status' "$status" 8
    says errors 'No space left'
fi

# ---- what it says about programs of every kind ----

case_of 'no CUDA at all'
mkdir driver
cp "$(ldd "$cpprof" | sed -n 's/.* => \(.*libm\.so[^ ]*\) .*/\1/p')" driver/libcuda.so.1 # any library that loads
export LD_LIBRARY_PATH=$PWD/driver
capture 0 -o b.cpprof -- true
unset LD_LIBRARY_PATH
says errors 'true: no CUDA call was seen: the program made none' 'captured in b.cpprof'
ask 0 report b.cpprof
says answer 'no CUDA call was seen'
case_of 'no driver'
if ! PATH=$PATH:/sbin ldconfig -p | grep -q 'libcuda\.so\.1'; then
    capture 3 -o b.cpprof -- sh -c 'exit 3'
    says errors 'sh: no CUDA call was seen: this machine has no NVIDIA driver .*; it ended with exit status 3'
    ask 0 report b.cpprof
    says answer 'this machine has no NVIDIA driver'
    capture 0 -o c.cpprof -- "$guest" "${gpu_a[@]}" start end
    is_silent_about c.cpprof/manifest.json '"driver"'
else
    capture 0 -o b.cpprof -- true
fi
ask 5 check b.cpprof --assert 'overlap(copy, kernel) >= 0%'

case_of 'CUDA, but no work on the GPU'
capture 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" start end
says errors 'no GPU work: the program started CUDA'
capture 0 --range step -o c.cpprof -- "$guest" "${gpu_a[@]}" start end
says errors 'no GPU work was recorded: what was asked for'
capture 0 -o d.cpprof -- "$guest" missing 'GPU records' 'another program of this process uses CUPTI'
says errors 'could not record' 'another program of this process uses CUPTI'
ask 5 check d.cpprof --assert 'count(kernel) == 0'

case_of 'dropped records are counted and weaken a check'
capture 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 4 gemm drop 17 end
says errors '17 kernel records were dropped' '17 dropped'
says b.cpprof/manifest.json '"kernel": 17'
ask 3 check b.cpprof --assert 'count(kernel) == 4'

case_of 'a capture holds no counters to classify by'
capture 0 -q -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 4 gemm end
ask 5 classify b.cpprof
says notes "'b.cpprof' is a capture: it holds no counters" 'cpprof run --variant'
is 'what it prints' "$(cat answer)" ''

case_of 'GPUs that a process sees, and those that it used'
capture 0 -q -o b.cpprof -- "$guest" gpu 0 GPU-aaaa 0000:0A:00.0 start gpu 1 GPU-bbbb 0000:0B:00.0 kernels 2 k \
    gpu 2 GPU-cccc 0000:0C:00.0 kernels 2 k end run 'gpu 0 GPU-aaaa 0000:0A:00.0 start end'
ask 0 report b.cpprof
says answer 'GPUs used' '^\| [0-9]+ \| - \| `guest_program` \| 1, 2 ' '^\| [0-9]+ \| - \| `guest_program` \| none '
ask 0 report b.cpprof --format json
is 'those used' "$(tr -d ' \n' <answer | grep -o '"used":[a-z]*' | sort | uniq -c | tr -s ' ')" "$(printf ' 2 "used":false\n 2 "used":true')"

case_of 'two processes on two GPUs that both call device 0, without ranks'
capture 0 -o b.cpprof -- "$guest" run "${gpu_b[*]} start kernels 4 second end" run "${gpu_a[*]} start kernels 2 first end"
says errors '2 processes .* on 2 GPUs: 6 kernels'
ask 0 list b.cpprof
says answer '2 processes .* on 2 GPUs: 6 kernels' first second
ask 0 report b.cpprof
says answer 'rank 0, device 1 ' 'rank 1, device 0 ' 'numbered by PCI address' 'has no rank: it counts as rank 1' '1 \(its 0\)'
ask 0 check b.cpprof --assert 'count(kernel[name=first]) == 2' --assert 'serial(kernel)'
ask 0 stats b.cpprof --by device --format json
says answer '"device": 1' '"rank": 1'
ask 0 launch b.cpprof
ask 0 gaps b.cpprof
ask 0 overlap b.cpprof

case_of 'ranks of a launcher, one GPU shared'
capture 0 -o b.cpprof -- "$guest" run "${gpu_a[*]} rank 5 start kernels 4 five end" run "${gpu_a[*]} rank 2 start kernels 4 two end" \
    run "${gpu_a[*]} rank 5 start kernels 1 again end" run "${gpu_a[*]} start end"
says errors '4 processes .* on 1 GPU: 9 kernels'
ask 0 report b.cpprof
says answer 'rank 2, device 0 ' 'several processes use one GPU' 'has rank 5 as another one has: it counts as rank 6'
is_silent_about answer 'rank [56], device'
ask 0 stats b.cpprof --rank 2
says answer two
is_silent_about answer five
ask 0 report b.cpprof --format json
says answer '"kind": "capture"' '"schema": "cpprof.stats/1"' '"ended": "exit"'

case_of 'one process keeps its rank, or has none'
capture 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" rank 4 start kernels 2 gemm range step end
ask 0 report b.cpprof
says answer 'rank 4, device 0 ' 'NVTX ranges' '`step`' 'Reproduce' 'collector: ' 'What launches cost' 'What ran beside what' 'When no kernel ran'
capture 0 -o c.cpprof -- "$guest" "${gpu_a[@]}" start kernels 2 gemm end
ask 0 report c.cpprof
is_silent_about answer 'rank [0-9]'

case_of 'a process that outlives the program'
capture 0 -o b.cpprof -- "$guest" daemon "${gpu_a[*]} start kernels 4 before touch began sleep 4000 kernels 4 after end start touch late" \
    sleep 300
sealed b.cpprof
says errors 'processes that still ran when the capture was sealed: 1'
says b.cpprof/manifest.json '"outliving": 1'
ask 3 check b.cpprof --assert 'count(kernel) == 4'
wait_for late # it has gone on, into a file that is no longer there, and begun another one
ask 3 check b.cpprof --assert 'count(kernel) == 4'
says notes 'no part of what was sealed'
ask 0 report b.cpprof
is_silent_about answer '`after`'

# A guest that dies of SIGKILL, and what is there then: a shard without its last BYTES, or with the byte AT changed; "-" for neither.
torn() { # BYTES AT WORDS
    capture 0 -o b.cpprof -- bash -c '
        { "$0" $3 raise 9; } 2>/dev/null
        shard=$(echo "$CPPROF_CAPTURE_DIR"/trace-*.bin)
        [ "$1" = - ] || truncate -s "-$1" "$shard"
        [ "$2" = - ] || printf "\377" | dd of="$shard" bs=1 seek="$2" conv=notrunc status=none
        exit 0' "$guest" "$@"
    says b.cpprof/manifest.json '"status": "complete"' '"state": "running"' '"outliving": 0'
}

case_of 'a process that is gone in the middle of a write'
torn 100 - "${gpu_a[*]} start kernels 4 gemm kernels 4 gemm"
says errors 'guest_program\) was gone in the middle of a write: the last 684 bytes of its trace' # 16 + 8 * 96 - 100
says b.cpprof/manifest.json '"cut_bytes": 684'
ask 0 report b.cpprof
says answer gemm 'the last 684 bytes of its trace, part of a chunk, are cut off' '\| in the middle of a write +\|'
ask 0 stats b.cpprof
ask 3 check b.cpprof --assert 'count(kernel) == 4'
ask 1 check b.cpprof --assert 'count(kernel) == 8'

case_of 'a shard that is damaged is not cut'
torn 100 200 "${gpu_a[*]} start kernels 4 gemm kernels 4 gemm"
is_silent_about b.cpprof/manifest.json cut_bytes
ask 5 stats b.cpprof
says notes 'does not match its checksum'
torn_again() { rm -rf b.cpprof && torn "$@"; }
torn_again - 200 "${gpu_a[*]} start kernels 4 gemm"
is_silent_about b.cpprof/manifest.json cut_bytes
ask 5 stats b.cpprof

case_of 'a shard that is only a header'
torn - - "${gpu_a[*]} start"
is_silent_about b.cpprof/manifest.json cut_bytes
ask 0 report b.cpprof
is_silent_about answer 'middle of a write'

case_of 'a process that is still writing when it is sealed'
capture 0 -o b.cpprof -- bash -c '
    "$0" daemon "$1 start kernels 4 before kernels 4 before touch began sleep 4000 kernels 4 after end touch late"
    until [ -e began ]; do sleep 0.02; done
    truncate -s -100 "$CPPROF_CAPTURE_DIR"/trace-*.bin' "$guest" "${gpu_a[*]}"
sealed b.cpprof
says b.cpprof/manifest.json '"outliving": 1'
is_silent_about b.cpprof/manifest.json cut_bytes
wait_for late
ask 3 check b.cpprof --assert 'count(kernel) == 4'
is_silent_about notes 'is not what was sealed'

case_of 'a process that has become another program in the middle of a write, and goes on'
capture 0 -o b.cpprof -- bash -c '
    "$0" daemon "$1 start kernels 4 gemm kernels 4 gemm touch began become sleep 5"
    until [ -e began ]; do sleep 0.02; done
    truncate -s -100 "$CPPROF_CAPTURE_DIR"/trace-*.bin' "$guest" "${gpu_a[*]}"
sealed b.cpprof
says b.cpprof/manifest.json '"outliving": 1' '"cut_bytes": 684'
ask 0 stats b.cpprof
ask 3 check b.cpprof --assert 'count(kernel) == 4'

case_of 'a process that is still writing when its first thread has ended'
capture 0 -o b.cpprof -- "$guest" daemon "${gpu_a[*]} start kernels 4 before thread touch began sleep 4000 kernels 4 after end touch late" \
    sleep 300
sealed b.cpprof
says b.cpprof/manifest.json '"outliving": 1'
wait_for late
ask 3 check b.cpprof --assert 'count(kernel) == 4'
is_silent_about notes 'is not what was sealed'

case_of 'half a report'
capture 0 -o b.cpprof -- "$guest" half run "${gpu_a[*]} start kernels 4 gemm end"
sealed b.cpprof
ask 0 report b.cpprof
says answer gemm 'the report of a process is lost'
ask 3 check b.cpprof --assert 'count(kernel) == 4'

case_of 'more names than are kept: nothing passes'
capture 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 4 gemm labels 200 kernels 4 sgemm end
says errors 'more names than the collector keeps: 9 times .\(too many names\). stands for one of them' # 12 MiB hold 191
ask 3 check b.cpprof --assert 'count(nvtx[name=xyz]) == 0'
ask 3 check b.cpprof --assert 'count(kernel[name=sgemm]) == 4'
ask 1 check b.cpprof --assert 'count(kernel[name=sgemm]) == 5'
ask 0 report b.cpprof
says answer '`sgemm`' 'more names than the collector keeps'

case_of 'what a program calls its streams'
capture 0 -o b.cpprof -- "$guest" rank 2 "${gpu_a[@]}" start call 7 1 former-name call 13 1 'copies|a' call 7 1 compute kernels 1 gemm end
ask 0 report b.cpprof
says answer 'What the program calls them' '2 .*stream .*7 of context 1 .*compute' '13 of context 1 .*copies'
is_silent_about answer '`former-name`' # the arguments have it, too
ask 0 report b.cpprof --format json
says answer '"object": "stream"' '"name": "compute"'

case_of 'names that try to be more than names'
cp "$guest" './a b;$(touch pwned)*|x'
capture 3 -- './a b;$(touch pwned)*|x' "${gpu_a[@]}" start kernels 1 "$(printf '\033[31mred\nnew|line`')" end exit 3
says errors '1 kernel'
if grep -q "$(printf '\033')" errors; then complain 'an escape sequence reached the terminal'; fi
bundle=$(ls -d ./*.cpprof)
is 'the name of the bundle' "$bundle" './a-b---touch-pwned---x.cpprof'
ask 0 report "$bundle"
if grep -q "$(printf '\033')" answer; then complain 'an escape sequence reached the report'; fi
capture 0 -q -o c.cpprof -- "$guest" say "$(printf '\377\376')"
says c.cpprof/manifest.json '"status": "complete"'
cp "$guest" ./-x
capture 0 -q -- ./-x exit 0
sealed _x.cpprof
if [ -e pwned ]; then complain 'a name was run'; fi

# ---- profile ----

profile() { # STATUS ARGUMENT...
    local expected=$1 status=0
    shift
    "$cpprof" profile "$@" >out 2>errors </dev/null || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
    if [ "$(wc -l <errors)" -ge 40 ]; then complain "$(wc -l <errors) lines"; fi
}

case_of 'a profile says what bounds the kernels, and asks the guest for samples'
profile 7 -o b.cpprof -- "$guest" env CPPROF_CAPTURE_SAMPLE_NS "${gpu_a[@]}" start kernels 40 gemm samples 90 kernels 10 rest samples 30 end exit 7
is 'the interval' "$(cat out)" 4000
says errors 'kernels +5.00 ms +40.5%' 'idle: host late' 'of the time' '32.4% +compute-bound +tensor 90.0% \+- 3.0% +gemm' \
    '8.1% +unit not sampled +tensor 30.0% \+- 3.0% +rest' "Bounds: compute-bound 80.0% of the kernels' time, inconclusive 20.0%; 'cpprof profile --replay'" \
    'it ended with exit status 7' 'captured in b.cpprof .*; next: cpprof report b.cpprof'
sealed b.cpprof
says b.cpprof/manifest.json '"sample_ns": 4000'
ask 0 report b.cpprof
says answer 'What bounds the kernels' 'compute-bound' 'samples show what bounds 1 of 2 distinct kernels; device 0: 1,250 samples of 10' 'l1_request,'
ask 0 report b.cpprof --format json
says answer '"profile": \{' '"reason": "unit_busy"' '"unit_share": 0.9' '"standard_error":' '"idle_active": 0' '"grid": \['
ask 0 check b.cpprof --assert 'count(kernel) == 50' # samples are no events

case_of 'what a profile ends with is one screen, and as wide as the terminal'
export COLUMNS=80
profile 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 40 a_kernel_of_which_the_name_is_longer_than_the_terminal_is_wide samples 90 kernels 10 rest samples 30 end
unset COLUMNS
says errors 'kernels +5.00 ms' 'a_kernel.*…' 'captured in b.cpprof'
if [ "$(wc -L <errors)" -gt 80 ]; then complain "a line of $(wc -L <errors) columns"; fi

case_of 'a profile without samples says why, and is a capture'
profile 0 -o b.cpprof --interval 2us -- "$guest" env CPPROF_CAPTURE_SAMPLE_NS "${gpu_a[@]}" start kernels 4 gemm missing samples 'no permission' end
is 'the interval' "$(cat out)" 2000
says errors 'no samples of the GPU were taken' 'no permission'
ask 0 check b.cpprof --assert 'count(kernel) == 4' # the trace lacks nothing
ask 0 report b.cpprof --format json
says answer '"profile": null'
capture 0 -o c.cpprof -- "$guest" env CPPROF_CAPTURE_SAMPLE_NS "${gpu_a[@]}" start kernels 4 gemm samples 90 end
is 'samples of a capture' "$(cat out)" '(unset)'

case_of 'what is missing in a trace leaves shares, and no class'
profile 0 -o b.cpprof -- "$guest" "${gpu_a[@]}" start kernels 40 gemm samples 90 drop 3 end
says errors 'records missing .*tensor 90.0%' 'Bounds: inconclusive 100.0%'
profile 0 -o d.cpprof -- "$guest" "${gpu_a[@]}" start kernels 40 gemm samples 90 exit 0 # dies without a word
says errors 'records missing'

case_of 'launches are replayed in a further run: their counters decide where samples do not'
issue=gpu__time_duration.sum=100000,sm__inst_issued.avg.pct_of_peak_sustained_elapsed=95
profile 0 -o b.cpprof --replay=7s -- "$guest" env CPPROF_CAPTURE_REPLAY_MS env CPPROF_CAPTURE_SAMPLE_NS "${gpu_a[@]}" start kernels 40 gemm samples 30 \
    replay "$issue" end
is 'what each run is asked for' "$(tr '\n' ' ' <out)" '(unset) 4000 ' # the further run prints nothing
sealed b.cpprof
says b.cpprof/manifest.json '"replay": \{' '"launches": 3'
is 'counters' "$(grep -c '1x1x1 32x1x1,gemm,' b.cpprof/metrics.csv)" 6
ask 0 report b.cpprof
says answer 'second run replayed 3 of 3 launches of 1 kernel'
ask 0 report b.cpprof --format json
says answer '"replays": \{' '"accepted": 3' '"reason": "counters"' '"of_sample": "issue"'
profile 0 -o c.cpprof --replay -- "$guest" env CPPROF_CAPTURE_REPLAY_MS "${gpu_a[@]}" start kernels 40 gemm replay "${issue/=100000/=900000}" end
ask 0 report c.cpprof
says answer 'durations_differ' 'no replay took as long as the same launch'
profile 0 -o d.cpprof --replay -- "$guest" "${gpu_a[@]}" start kernels 4 gemm gpu 1 GPU-bbbb 0000:0B:00.0 kernels 4 gemm end
says d.cpprof/manifest.json 'kernels run on several GPUs' '"launches": 0'
says errors 'not replayed: .*kernels run on several GPUs'
profile 3 -o d.cpprof --force --replay -- "$guest" "${gpu_a[@]}" start kernels 4 gemm end exit 3
says errors 'no launch is replayed, as the program did not end well'
profile 2 --replay 7s -- "$guest" end
says errors "write --replay=7s"
says b.cpprof/manifest.json '"limit_ms": 7000'
says c.cpprof/manifest.json '"limit_ms": 10000'
profile 0 -o e.cpprof --replay=25% -- "$guest" "${gpu_a[@]}" start kernels 40 gemm sleep 400 replay "$issue" end
limit=$(sed -n 's/.*"limit_ms": \([0-9]*\).*/\1/p' e.cpprof/manifest.json)
if [ "${limit:-0}" -lt 100 ] || [ "$limit" -gt 2000 ]; then complain "a quarter of 400 ms and more is '$limit' ms"; fi
profile 0 -o e.cpprof --force --replay=1% --replay -- "$guest" "${gpu_a[@]}" start kernels 40 gemm sleep 400 replay "$issue" end
says e.cpprof/manifest.json '"limit_ms": 10000'
for wrong in 0% 1001% 25 25%% 2h x; do
    profile 2 --replay=$wrong -- "$guest" end
    says errors "--replay takes .*, not '$wrong'"
done
profile 2 --replay 25% -- "$guest" end
says errors "write --replay=25%"
mkdir precious
profile 0 -o d.cpprof --force --replay -- "$guest" "${gpu_a[@]}" start kernels 4 gemm link precious aside replay "$issue" end
says errors 'cannot make the folder .*aside'
if [ ! -d precious ]; then complain 'a folder of the user is gone'; fi
profile 2 --replay --causal gemm -- "$guest" end
says errors 'do not go with it'

case_of 'kernels are delayed, and the page begins with what a faster one would save'
profile 0 -o b.cpprof --causal='^ge,co.*y' --doses 20us,60us -- "$guest" env CPPROF_CAPTURE_CAUSAL env CPPROF_CAPTURE_DOSES \
    env CPPROF_CAPTURE_SAMPLE_NS "${gpu_a[@]}" start delays 6 100 _Z4gemmPf missing delays 'a graph was recorded' end
is 'what the guest is asked for' "$(tr '\n' ' ' <out)" '^ge,co.*y 20us,60us (unset) '
says errors '40.3% +360 +stream +20.0 us, 60.0 us +1.00 \(1.00 to 1.00\) +critical +gemm' 'gemm: a saving of 1 ms in it saves 1.00 ms \(1.00 to 1.00\) of the program' \
    'co.\*y: inconclusive, because nothing of that name was launched' 'its times are not those of the program' 'Delays missing: a graph was recorded'
sealed b.cpprof
ask 0 report b.cpprof
says answer '1.00 \(1.00 to 1.00\) \| critical' "cpprof's own delays"
ask 0 report b.cpprof --format json
says answer '"causal": \{' '"status": "critical"' '"reason": "no_launches"' '"delay_ns": 60000' '"profile": null'
ask 0 stats b.cpprof
says answer "cpprof's own delays"
ask 3 check b.cpprof --assert 'idle() < 95%' # it says nothing of the program
profile 0 -o c.cpprof --causal gemm -- "$guest" env CPPROF_CAPTURE_DOSES "${gpu_a[@]}" start delays 6 0 _Z4gemmPf end
is 'the doses that nobody named' "$(cat out)" '(unset)'
says errors 'gemm: hidden, .*a saving of 1 ms in it saves 0.00 ms' ' hidden '
ask 0 report b.cpprof --causal c.cpprof
says answer 'of nothing that was delayed both headroom and criticality are known'
profile 0 -o h.cpprof --causal host:gemm -- "$guest" "${gpu_a[@]}" start delays 6 100 _Z4gemmPf end
says errors 'the host before gemm: inconclusive, because the recorded delays are not those' # the stream has waited, too
ask 0 report h.cpprof --format json
says answer '"target": "host:gemm"' '"place": "host"' '"share": null'
capture 0 -o d.cpprof -- "$guest" env CPPROF_CAPTURE_CAUSAL "${gpu_a[@]}" start kernels 2 gemm end
is 'delays of a capture' "$(cat out)" '(unset)'
ask 0 report d.cpprof --causal c.cpprof --format json
says answer '"gains": \[\]'
ask 2 report c.cpprof --causal d.cpprof
says notes "'d.cpprof' is no capture of profile --causal"
profile 0 -o e.cpprof --causal gemm -- "$guest" gpu 0 GPU-cccc 0000:0C:00.0 start delays 6 0 _Z4gemmPf end
ask 2 report d.cpprof d.cpprof --causal e.cpprof
says notes 'name only that one'
cp "$guest" other_program
profile 0 -o f.cpprof --causal gemm -- ./other_program "${gpu_a[@]}" start delays 6 0 _Z4gemmPf end
ask 5 report d.cpprof --causal f.cpprof
says notes 'both must be of one program'
ask 0 report d.cpprof --format json
says answer '"causal": null'

case_of 'too short a causal run says so'
profile 0 -o b.cpprof --causal gemm -- "$guest" "${gpu_a[@]}" start delays 2 100 _Z4gemmPf end
says errors 'inconclusive, because the program did not run for long enough'

case_of 'wrong options of a causal run are refused'
refuse() { # WORDS ARGUMENT...
    local words=$1
    shift
    profile 2 "$@" -- "$guest"
    says errors "$words"
}
refuse 'goes with --causal' --doses 20us
refuse 'samples nothing' --causal a --interval 2us
refuse 'measures the whole program' --causal a --range step
refuse 'measures the whole program' --causal a --duration 1s
refuse '.' --when nonsense
refuse '.' --when 100
refuse 'an empty one would match' --causal ''
refuse 'an empty one would match' --causal a,,b
refuse "--causal '\\('" --causal '('
refuse 'at most 8' --causal a,b,c,d,e,f,g,h,i
refuse "copy:any, not 'host:copy:x'" --causal host:copy:x
for doses in 60us,20us 5us,10us,20us 1us 20ms x "20us," 20us,20us; do
    refuse 'one or two times from 5us to 10ms' --causal a --doses "$doses"
done
is 'what was refused' "$(ls)" "$(printf 'errors\nout')"

case_of 'a wrong interval is refused'
profile 2 --interval 500ns -- "$guest"
profile 2 --interval 2ms -- "$guest"
profile 2 --interval 5 -- "$guest"
says errors 'from 1us to 1ms'

exit "$failed"
