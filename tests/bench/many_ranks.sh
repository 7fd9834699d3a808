#!/usr/bin/env bash
# How fast are the traces of many ranks read, in one process and in two, beside cat and a checksum of the same bytes?
# usage: many_ranks.sh [--traces N] [--kineto N] [--events N] [--files N] [--commands WORDS] [--rounds N] [--calls]
#                      [--no-compare] [--no-mpi] [CPPROF FOLDER_OF_BENCH_PROGRAMS]
#
# Makes N native traces (100 when nothing is said) and N Chrome traces as PyTorch writes them (10), of 50,000 events each,
# and runs overlap, gaps, stats and launch side by side, after they were compared: two processes must print what one
# does. Memory is that of the largest process. 1000 native traces need 4.8 GB, in $TMPDIR or /tmp; with --files 4 they
# are four files under 1000 names, each read as often as it has names. 800,000 events are 207 MB of a Chrome trace. With
# --calls half of the events are launch calls, as `launch` needs them. `ranks` and `check` are measured when --commands
# names them.
#
# A process that is alone reads with two threads where a second processor is free. So "on one processor" is what a
# second process is to be compared with: there the first one has one processor, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
native=100 kineto=10 events=50000 rounds=3 files=0 commands='overlap gaps stats launch'
calls=() compares=yes has_mpi=yes
while [ $# -gt 0 ]; do
    case $1 in
    --traces) native=${2:?--traces N} && shift 2 ;;
    --kineto) kineto=${2:?--kineto N} && shift 2 ;;
    --events) events=${2:?--events N} && shift 2 ;;
    --rounds) rounds=${2:?--rounds N} && shift 2 ;;
    --files) files=${2:?--files N} && shift 2 ;;
    --commands) commands=${2:?--commands WORDS} && shift 2 ;;
    --calls) calls=(sorted calls) && shift ;;
    --no-compare) compares='' && shift ;;
    --no-mpi) has_mpi='' && shift ;;
    -*) echo "many_ranks.sh: unknown option '$1'" >&2; exit 2 ;;
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
if [ -n "$has_mpi" ] && command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI'; then
    mpirun=(mpirun --allow-run-as-root --oversubscribe -n 2)
fi

on_one=()
if command -v taskset >/dev/null; then on_one=(taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"); fi

# An answer may be inconclusive (3).
compare() { # WORDS...
    "$cpprof" "$@" >"$scratch/one" || [ $? = 3 ] || return
    "$cpprof" "$@" --jobs 2 >"$scratch/two" || [ $? = 3 ] || return
    cmp "$scratch/one" "$scratch/two"
}

measure() { # FOLDER
    local bytes count
    bytes=$(cat "$1"/* | wc -c)
    count=$(find "$1" -type f | wc -l)
    echo
    echo "$count traces of $events events, $((bytes / 1000000)) MB${compares:+; two processes print what one does}"
    for command in $commands; do
        words=("$command" "$1" --format json)
        [ "$command" != check ] || words+=(--assert 'overlap(h2d, kernel) >= 1%')
        if [ -n "$compares" ] && ! compare "${words[@]}" 2>"$scratch/why"; then
            echo
            echo "$command: $(head -1 "$scratch/why")"
            continue
        fi
        together=() alone=()
        if [ ${#mpirun[@]} -gt 0 ]; then
            together=(--vs "$command, mpirun -n 2" "${mpirun[@]}" "$cpprof" "${words[@]}")
        fi
        if [ ${#on_one[@]} -gt 0 ]; then
            alone=(--vs "$command, on one processor" "${on_one[@]}" "$cpprof" "${words[@]}")
        fi
        echo
        "$programs/side_by_side" "$rounds" \
            "$command, one process" "$cpprof" "${words[@]}" "${alone[@]}" --vs \
            "$command, --jobs 2" "$cpprof" "${words[@]}" --jobs 2 "${together[@]}" --vs \
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
rows=$events
[ ${#calls[@]} = 0 ] || rows=$((events / 2))
# The first files are made; the others are names of them.
is_name() { # RANK FOLDER ENDING
    [ "$files" -gt 0 ] && [ "$1" -ge "$files" ] && ln "$2/rank$(($1 % files)).$3" "$2/rank$1.$3"
}
for rank in $(seq 0 $((native - 1))); do
    is_name "$rank" "$scratch/native" bin ||
        "$programs/make_trace" shard "$rows" "$scratch/native/rank$rank.bin" "${calls[@]}" >/dev/null
done
[ "$native" = 0 ] || measure "$scratch/native"
rm -rf "$scratch/native"
for rank in $(seq 0 $((kineto - 1))); do
    is_name "$rank" "$scratch/kineto" json && continue
    rm -f "$scratch/rank.bin"
    "$programs/make_trace" shard "$rows" "$scratch/rank.bin" "${calls[@]}" >/dev/null
    "$cpprof" export "$scratch/rank.bin" --to chrome --output "$scratch/kineto/rank$rank.json"
done
[ "$kineto" = 0 ] || measure "$scratch/kineto"
