#!/bin/sh
# Is a trace that wants more memory than there is room for refused in one line, and does what is just within pass?
# usage: hostile_amounts.sh CPPROF
set -eu
program=${1:?usage: hostile_amounts.sh CPPROF}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

header='Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name'

# rows WHAT ROWS: a trace in which what WHAT says is new in every row
rows() {
    awk -v what="$1" -v rows="$2" -v header="$header" 'BEGIN {
        print header
        long = "n"
        for (i = 0; i < 20; i++) long = long long
        long = substr(long, 1, 1000000)
        for (i = 0; i < rows; i++) {
            start = i; length_ns = 1; stream = 7; name = "k"
            if (what == "names") name = i long
            if (what == "streams") stream = i
            if (what == "at once") length_ns = 2 * rows - i
            printf "%d,%d,%d,1,1,1,1,1,1,1,0,0,,,,,GPU (0),1,,%d,%s\n", start, length_ns, i, stream, name
        }
    }'
}

# expect STATUS WORDS WHAT ROWS COMMAND...
expect() {
    status=$1 words=$2 what=$3 count=$4
    shift 4
    got=0
    rows "$what" "$count" >"$work/trace.csv"
    "$program" "$@" "$work/trace.csv" >"$work/out" 2>"$work/why" || got=$?
    if [ "$got" -ne "$status" ] || ! grep -q "$words" "$work/why" "$work/out"; then
        echo "NOT ok: $* on $count rows, each with new $what: status $got instead of $status, or not '$words':"
        head -c 2000 "$work/why"
        failed=$((failed + 1))
    fi
}

expect 5 'more than 128 MiB of distinct names' names 136 overlap
expect 0 '20 events' names 20 overlap
expect 5 'more than 262144 streams' streams 270000 overlap
expect 0 '40,000 events' streams 40000 overlap
expect 5 'more than 524288 rows' streams 530000 stats --by stream
expect 5 'events at once' 'at once' 1100000 overlap
[ -z "${CPPROF_DEEP:-}" ] || expect 5 'operations at once' 'at once' 1100000 gaps # tests/deep.sh

# A database that does not fit into memory, as its header is mapped whole. Sanitizers map more than any limit themselves.
cp "$(dirname "$0")/../data/nsys_2025.sqlite" "$work/large.sqlite"
truncate -s 64G "$work/large.sqlite"
got=0
(ulimit -v 8000000 && exec "$program" overlap "$work/large.sqlite") >"$work/out" 2>"$work/why" || got=$?
if (ulimit -v 8000000 && "$program" version) >/dev/null 2>&1 &&
    { [ "$got" -ne 4 ] || ! grep -q 'cannot map' "$work/why"; }; then
    echo "NOT ok: a database of 64 GiB with 8 GB of memory: status $got instead of 4"
    failed=$((failed + 1))
fi
[ "$failed" -eq 0 ]
