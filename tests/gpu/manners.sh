#!/usr/bin/env bash
# Is a captured program the same program? Each guest (tests/gpu/guests/) runs bare
# and then under capture: stdout, stderr, exit status and signal must be identical,
# and the bundle readable and honest: whole, or with a word on what is missing.
# About two minutes, and with the storm four.
#
#   tests/gpu/manners.sh [GROUP...]     work, scope, timed, ends, children, profilers, disk, storm; all when none is given
#   tests/gpu/manners.sh --together     the same checks in less time: groups share the GPU, then "timed" and "storm" one
#                                       after the other with nothing beside them: these two go by the clock
#   STORM_SECONDS=60
#
# Each run has a folder, a small file system and bundles of its own, so groups may run at the same time by hand, too.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$guests"
work=$(mktemp -d)
small=$work/small # a file system of half a megabyte
trap 'mountpoint -q "$small" && umount "$small"; rm -rf "$work"' EXIT
ulimit -c 0
storm_seconds=${STORM_SECONDS:-60}

# The program's own stderr goes to a file: capture's notes are not the program's.
with_stderr() { # FILE COMMAND...
    local file=$1
    shift
    bash -c 'exec 2>"$0"; exec "$@"' "$file" "$@"
}

# both NAME COMMAND...: bare, and under "capture ${options[@]}"; compares, and loads the facts
options=()
bundle=
launcher=() # what stands before both commands
both() {
    local name=$1 bare captured
    shift
    bundle=${bundle:-$work/$name.cpprof}
    { with_stderr "$work/bare.err" "${launcher[@]}" "$@" >"$work/bare.out"; } 2>/dev/null
    bare=$?
    { "${launcher[@]}" "$CPPROF" capture -o "$bundle" "${options[@]}" -- \
        bash -c 'exec 2>"$0"; exec "$@"' "$work/captured.err" "$@" >"$work/captured.out" 2>"$work/cpprof.err"; } 2>/dev/null
    captured=$?
    expect "$name: exit status" "$captured" "$bare"
    same "$name: stdout" "$work/captured.out" "$work/bare.out"
    same "$name: stderr" "$work/captured.err" "$work/bare.err"
    load_facts "$bundle"
    options=() bundle='' launcher=()
}

known_limit= # what a captured program may print instead, where docs/capture.md says so
same() { # WHAT A B
    checks=$((checks + 1))
    if cmp -s "$2" "$3"; then
        echo "ok: $1"
    elif [ -n "$known_limit" ] && [ "$(cat "$2")" = "$known_limit" ]; then
        echo "KNOWN LIMIT: $1 is '$known_limit', not '$(cat "$3")'"
        checks=$((checks - 1))
    else
        echo "FAILED: $1 differs"
        diff "$3" "$2" | head -n 5
        failed=$((failed + 1))
    fi
}

guest() { # NAME [ARGUMENT]: the facts of cpprof-guests NAME
    both "${1}${2:+-$2}" "$guests" "$@"
}

# whole NAME KEY=VALUE...: sealed, nothing dropped, no caveat, and these facts
whole() {
    local name=$1 pair
    shift
    for pair in readable=0 status=complete states=ended dropped=0 caveats=0 "$@"; do
        expect "$name: ${pair%%=*}" "${fact[${pair%%=*}]:-}" "${pair#*=}"
    done
}

# honest NAME LEAST MOST: so many kernels, and a word on it when it is not the most
honest() {
    expect "$1: readable" "${fact[readable]:-}" 0
    expect "$1: status" "${fact[status]:-}" complete
    expect_at_least "$1: kernels" "${fact[kernels]:-0}" "$2"
    checks=$((checks + 1))
    if [ "${fact[kernels]:-0}" = "$3" ] || [ "${fact[caveats]:-0}" -gt 0 ]; then
        echo "ok: $1: ${fact[kernels]} of $3 kernels, ${fact[caveats]} caveats, ${fact[states]}, ${fact[cut_bytes]} bytes cut off"
    else
        echo "FAILED: $1: ${fact[kernels]} of $3 kernels, and no caveat"
        failed=$((failed + 1))
    fi
}

work() {
    guest vector
    whole vector kernels=10 copies=30 memsets=1
    guest graph
    whole graph kernels=200 memsets=10
    guest streams
    whole streams kernels=3200
    guest threads
    whole threads kernels=32000
    guest cluster
    whole cluster kernels=5 copies=1 memsets=1
    guest ranges
    whole ranges kernels=12
    "$CPPROF" check "$work/ranges.cpprof" --assert 'count(nvtx) == 2' >"$work/check.out" 2>&1
    expect "ranges: NVTX ranges" "$?" 0
    "$CPPROF" check "$work/threads.cpprof" --assert 'count(api[name=~Synchronize]) >= 8' >"$work/check.out" 2>&1
    expect "threads: the waits, as calls" "$?" 0
    guest unified
    honest unified 10 10
    expect "unified: migrations are said to be missing" "${fact[missing]}" migrations
}

# part WHAT NUMBER: so many kernels, and the call that launched each
part() {
    expect "$1: kernels" "${fact[kernels]}" "$2"
    expect "$1: calls that launched them" "${fact[launches]}" "$2"
}

# rule NAME RULE STATUS: judged on the bundle of that name
rule() {
    "$CPPROF" check "$work/$1.cpprof" --assert "$2" >"$work/check.out" 2>&1
    expect "$1: $2" "$?" "$3"
}

# The domain "app" is older than CUDA. Of its three launches the very first that is counted is left out.
counted_in_domain() {
    local inject directory=$work/counted
    inject=$(realpath "$(dirname "$CPPROF")/../lib/cpprof/libcpprof_inject.so")
    mkdir "$directory"
    CPPROF_CAPTURE_DIR=$directory CPPROF_METRICS=sm__cycles_active.avg CPPROF_CAPTURE_RANGE=step@app \
        CUDA_INJECTION64_PATH=$inject NVTX_INJECTION64_PATH=$inject "$guests" ranges >"$work/counted.out" 2>&1
    expect "counters in a domain: exit status" "$?" 0
    expect "counters in a domain: what is printed" "$(cat "$work/counted.out")" ranges
    expect "counters in a domain: launches counted" "$(tail -qn +2 "$directory"/metrics-*.csv | wc -l)" 2
}

# Only a part: what is left out is left out because it was asked for, and nothing else is.
scope() {
    options=(--range 'step@app')
    both range-of-domain "$guests" ranges
    part '--range step@app' 3
    rule range-of-domain 'count(nvtx[name=step]) == 1' 0
    rule range-of-domain 'count(kernel[nvtx=step]) == 3' 0
    options=(--range 'step@')
    both range-of-default "$guests" ranges
    part '--range step@' 4
    options=(--range step)
    both range-of-any "$guests" ranges
    part '--range step' 7
    rule range-of-any 'count(nvtx[name=step]) == 2' 0
    rule range-of-any 'count(kernel[nvtx=step]) == 7' 0
    options=(--range step)
    both odd-ranges "$guests" odd-ranges
    part 'odd ranges' 6
    rule odd-ranges 'count(nvtx[name=step]) == 3' 0
    rule odd-ranges 'count(nvtx[name=inner]) == 100' 0
    rule odd-ranges 'count(kernel[nvtx=step]) == 6' 0
    expect "odd-ranges: ends without a beginning" "$("$CPPROF" report "$work/odd-ranges.cpprof" 2>&1 | grep -c 'had begun before')" 0
    counted_in_domain
    options=(--profile-from-start off)
    both from-start-off "$guests" marked
    part '--profile-from-start off' 7
    options=(--kernels '^guest_add')
    both one-kernel "$guests" vector
    expect "--kernels: kernels" "${fact[kernels]}" 10
    options=(--kernels '^nothing_matches')
    both no-kernel "$guests" vector
    expect "--kernels that match none: kernels" "${fact[kernels]}" 0
    expect "--kernels that match none: filtered" "${fact[filtered]}" 10
    options=(--graphs graph)
    both whole-graphs "$guests" graph
    expect "--graphs graph: dropped" "${fact[dropped]}" 0
    options=(--trace api)
    both all-calls "$guests" vector
    expect_at_least "--trace api: calls" "${fact[calls]}" 60
}

# Ten kernels in a second, from when CUDA has started: parts of that second.
timed() {
    options=(--delay 300ms)
    both delayed "$guests" unified
    expect_at_least "--delay: kernels" "${fact[kernels]}" 1
    expect_at_least "--delay: calls that launched them" "${fact[launches]}" 1
    expect_at_least "--delay: migrations, of memory from before" "${fact[migrations]}" 1
    options=(--duration 800ms)
    both ended-early "$guests" unified
    expect_at_least "--duration: kernels" "${fact[kernels]}" 1
    expect_at_least "--duration: calls that launched them" "${fact[launches]}" 1
    expect_at_least "--duration: kernels left out" "$((10 - fact[kernels]))" 1
}

ends() {
    guest none
    expect "none: status" "${fact[status]}" complete
    expect "none: kernels" "${fact[kernels]}" 0
    both echo /bin/echo 'no CUDA near here'
    expect "echo: status" "${fact[status]}" complete
    guest unwaited
    honest unwaited 1000 2000
    guest trap
    honest trap 0 1001
    guest handler
    whole handler kernels=1000
    guest reset
    whole reset kernels=3000
    # The number of launches differs from run to run in these; nothing that stdout says does.
    local name
    for name in exit-now killed segv abort; do
        guest $name
        honest $name 1000 -
    done
    expect_match "killed: its end is known" "$(cat "$work/killed.cpprof/manifest.json")" '"signal": 9'
    # Whether one of these goes in the middle of a write is chance. This one does: its shard ends in the middle of a chunk.
    # shellcheck disable=SC2016 # the inner shell's own words
    both torn bash -c '{ "$0" killed; } 2>/dev/null
        [ -z "${CPPROF_CAPTURE_DIR:-}" ] || truncate -s -10 "$CPPROF_CAPTURE_DIR"/trace-*.bin
        exit 7' "$guests"
    honest torn 1 -
    expect_at_least "torn: bytes cut off" "${fact[cut_bytes]}" 1
    expect "torn: the process did not end" "${fact[states]}" running
    rule torn 'count(kernel) >= 1' 3
    rule torn 'count(kernel) < 1' 1
    launcher=(python3 tests/gpu/interrupt.py 4 INT group)
    both ctrl-c "$guests" endless
    honest ctrl-c 1000 -
    expect_match "ctrl-c: its end is known" "$(cat "$work/ctrl-c.cpprof/manifest.json")" '"asked_to_end": 2'
    launcher=(python3 tests/gpu/interrupt.py 4 TERM one)
    both told-to-end "$guests" endless
    honest told-to-end 1000 -
}

children() {
    local how
    for how in exit abort _exit; do
        guest fork $how
        whole "fork, child ends by $how" kernels=2000 processes=1
    done
    guest fork-first
    expect "fork-first: kernels of both" "${fact[kernels]}" 1010
    expect "fork-first: processes" "${fact[processes]}" 2
    guest fork-first-in-range
    expect "fork-first-in-range: kernels of the parent" "${fact[kernels]}" 1000
    expect_match "fork-first-in-range: the child is told of" "$("$CPPROF" report "$work/fork-first-in-range.cpprof" 2>&1)" "forked when NVTX had begun"
    options=(--range step)
    both fork-first-ranged "$guests" fork-first-in-range
    part 'fork-first-in-range, --range' 0
    guest fork-exec
    expect "fork-exec: kernels of both" "${fact[kernels]}" 2010
    expect "fork-exec: processes" "${fact[processes]}" 2
    guest exec
    honest exec 10 -
    expect "exec: two programs in one process" "${fact[processes]}" 2
    guest outlived
    honest outlived 1000 -
}

# The program's own tools come first; capture may see nothing then, but must say so.
profilers() {
    local name when
    for name in subscriber activity; do
        for when in early late; do
            # CUPTI gives records to one, and does not tell who registered before: docs/capture.md, "Another profiler".
            [ "$name $when" != 'activity early' ] || known_limit='own records: result 0, 0 kernels seen'
            guest $name $when
            known_limit=
            expect "$name, $when: status" "${fact[status]}" complete
            checks=$((checks + 1))
            if [ "${fact[kernels]}" = 1000 ] || [ "${fact[caveats]}" -gt 0 ] || [ "${fact[missing]}" != none ]; then
                echo "ok: $name, $when: ${fact[kernels]} kernels, missing: ${fact[missing]}, ${fact[caveats]} caveats"
            else
                echo "FAILED: $name, $when: ${fact[kernels]} kernels of 1000, and no word on it"
                failed=$((failed + 1))
            fi
        done
    done
}

# A full disk is the bundle's trouble and not the program's.
full() { # NAME
    local complaint
    checks=$((checks + 1))
    complaint=$(head -n 2 "$work/cpprof.err" | tr '\n' ' ')
    if [ "${fact[readable]}" = 0 ] && [ "${fact[caveats]}" -gt 0 ] || [ "${fact[readable]}" = 5 ]; then
        echo "ok: $1: stats says ${fact[readable]}, ${fact[kernels]} of 32000 kernels, ${fact[dropped]} dropped, ${fact[caveats]} caveats; capture said: $complaint"
    else
        echo "FAILED: $1: stats says ${fact[readable]}, ${fact[kernels]} of 32000 kernels without a caveat; capture said: $complaint"
        failed=$((failed + 1))
    fi
}

disk() {
    mkdir -p "$small"
    if mount -t tmpfs -o size=512k tmpfs "$small" 2>/dev/null; then
        bundle=$small/full.cpprof
        both disk-full "$guests" threads
        full disk-full
    else
        echo "SKIPPED: disk-full: this machine mounts no tmpfs"
    fi
    # Files of at most 256 KiB: what a quota does. The signal for it must not reach the program.
    launcher=(bash -c 'ulimit -f 256; exec "$@"' _)
    both file-limit "$guests" threads
    full file-limit
    # A folder that nobody may write to is refused before anything runs.
    "$CPPROF" capture -o "/proc/nowhere.cpprof" -- touch "$work/has-run" >/dev/null 2>&1
    expect_match "no place for a bundle: exit status" "$?" '^[24]$'
    expect "no place for a bundle: nothing has run" "$([ -e "$work/has-run" ] && echo ran)" ''
}

numbers() { # FILE KEY
    awk -v key="$2" '$1 == key {print $2}' "$1"
}

storm() {
    local launched per_s bare_kib peak_kib
    "$guests" storm "10:$work/bare.storm" >"$work/bare.out" 2>&1
    "$CPPROF" capture -o "$work/storm.cpprof" -- "$guests" storm "$storm_seconds:$work/captured.storm" \
        >"$work/captured.out" 2>"$work/cpprof.err"
    expect "storm: exit status" "$?" 0
    same "storm: stdout" "$work/captured.out" "$work/bare.out"
    load_facts "$work/storm.cpprof"
    launched=$(numbers "$work/captured.storm" kernels)
    per_s=$(numbers "$work/captured.storm" per_s)
    bare_kib=$(numbers "$work/bare.storm" peak_kib)
    peak_kib=$(numbers "$work/captured.storm" peak_kib)
    echo "storm: $launched kernels in $storm_seconds s, $per_s a second ($(numbers "$work/bare.storm" per_s) bare); peak memory $peak_kib KiB, bare $bare_kib KiB; ${fact[records]} records, ${fact[bytes]} bytes, collector $((fact[cpu_ns] / 1000000)) ms of processor time, buffers at most ${fact[peak_buffer_bytes]} bytes"
    expect_at_least "storm: kernels a second" "$per_s" 285000
    expect "storm: readable" "${fact[readable]}" 0
    expect "storm: dropped" "${fact[dropped]}" 0
    expect "storm: every kernel is there" "${fact[kernels]}" "$launched"
    expect_at_least "storm: room left under 512 MiB more than bare, KiB" "$((bare_kib + 512 * 1024 - peak_kib))" 0
}

# Three at a time: more would only wait for one another's start of CUDA. Balanced by how long they take.
together() {
    local lane lanes=('ends' 'children disk' 'work scope profilers') running=() i
    for lane in "${lanes[@]}"; do
        # shellcheck disable=SC2086 # words
        tests/gpu/manners.sh $lane >"$work/lane-${#running[@]}" 2>&1 &
        running+=($!)
    done
    for i in "${!lanes[@]}"; do
        wait "${running[i]}"
        lane=$?
        cat "$work/lane-$i"
        expect "together: ${lanes[i]}" "$lane" 0
    done
    timed
    storm
}

if [ "${1:-}" = --together ]; then
    together
    finish
    exit
fi
[ $# -gt 0 ] || set -- work scope timed ends children profilers disk storm
for group in "$@"; do
    printf -- '-- %s\n' "$group"
    case $group in
    work | scope | timed | ends | children | profilers | disk | storm) $group ;;
    *) echo "no such group: $group" >&2 && exit 2 ;;
    esac
done
finish
