#!/usr/bin/env bash
# How fast are the traces of many ranks read, in one process and in two, beside cat and a checksum of the same bytes?
# usage: many_ranks.sh [--traces N] [--kineto N] [--events N] [--rounds N] [CPPROF FOLDER_OF_BENCH_PROGRAMS]
#
# Makes N native traces (100 when nothing is said) and N Chrome traces as PyTorch writes them (10), of 50,000 events each,
# and runs overlap, gaps, stats and launch side by side, after they were compared: two processes must print what one
# does. Memory is that of the largest process. 1000 native traces need 4.8 GB, in $TMPDIR or /tmp.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
native=100 kineto=10 events=50000 rounds=3
while [ $# -gt 0 ]; do
    case $1 in
    --traces) native=${2:?--traces N} && shift 2 ;;
    --kineto) kineto=${2:?--kineto N} && shift 2 ;;
    --events) events=${2:?--events N} && shift 2 ;;
    --rounds) rounds=${2:?--rounds N} && shift 2 ;;
    *) break ;;
    esac
done
cpprof=${1:-$here/../build/nogpu/cli/cpprof}
programs=${2:-$here/../build/nogpu/bench}
for program in "$cpprof" "$programs"/{make_trace,crc_floor,side_by_side}; do
    [ -x "$program" ] || { echo "many_ranks.sh: no '$program': build it, or name the programs" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mpirun=()
if command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI'; then
    mpirun=(mpirun --allow-run-as-root --oversubscribe -n 2)
fi

compare() { # FOLDER COMMAND
    "$cpprof" "$2" "$1" --format json >"$scratch/one" || return
    "$cpprof" "$2" "$1" --format json --jobs 2 >"$scratch/two"
    cmp "$scratch/one" "$scratch/two"
}

measure() { # FOLDER
    local bytes
    bytes=$(cat "$1"/* | wc -c)
    echo
    echo "$(ls "$1" | wc -l) traces of $events events, $((bytes / 1000000)) MB; two processes print what one does"
    for command in overlap gaps stats launch; do
        if ! compare "$1" "$command" 2>"$scratch/why"; then
            echo
            echo "$command: $(head -1 "$scratch/why")"
            continue
        fi
        together=()
        if [ ${#mpirun[@]} -gt 0 ]; then
            together=(--vs "$command, mpirun -n 2" "${mpirun[@]}" "$cpprof" "$command" "$1" --format json)
        fi
        echo
        "$programs/side_by_side" "$rounds" \
            "$command, one process" "$cpprof" "$command" "$1" --format json --vs \
            "$command, --jobs 2" "$cpprof" "$command" "$1" --format json --jobs 2 "${together[@]}" --vs \
            "cat" cat "$1"/* --vs \
            "CRC-32 of libdeflate" "$programs/crc_floor" "$1"/* | tee "$scratch/table"
        rates "$bytes" "$scratch/table"
    done
}

# The second column of the table is the median time.
rates() { # BYTES TABLE
    awk -F'|' -v bytes="$1" 'NR > 2 && NF > 3 {
        name = $2; gsub(/^ +| +$/, "", name)
        time = $3; scale = time ~ /ms/ ? 1e-3 : 1; gsub(/[^0-9.]/, "", time)
        if (time > 0) printf "%s%s %.0f MB/s", separator, name, bytes / 1e6 / (time * scale)
        separator = "; "
    } END { print "" }' "$2"
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $("$cpprof" version | head -1)"
mkdir "$scratch/native" "$scratch/kineto"
for rank in $(seq 0 $((native - 1))); do
    "$programs/make_trace" shard "$events" "$scratch/native/rank$rank.bin" >/dev/null
done
[ "$native" = 0 ] || measure "$scratch/native"
rm -rf "$scratch/native"
for rank in $(seq 0 $((kineto - 1))); do
    rm -f "$scratch/rank.bin"
    "$programs/make_trace" shard "$events" "$scratch/rank.bin" >/dev/null
    "$cpprof" export "$scratch/rank.bin" --to chrome --output "$scratch/kineto/rank$rank.json"
done
[ "$kineto" = 0 ] || measure "$scratch/kineto"
