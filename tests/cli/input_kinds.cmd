# Each kind of input, by each command that asks what it is: the line with which it is refused. A refusal sends to
# commands ("'cpprof stats' shows it"): they must take that input.
work=$(mktemp -d)
mkdir "$work/folder"
cp overlap_two_streams.csv "$work/folder/rank0.csv"
echo 'no table, no trace' >"$work/notes"
cp -r ../../examples/verdicts/win.cpprof "$work/run"
cp -r ../../examples/captures/train.cpprof "$work/capture"
cp -r ../../examples/captures/train.cpprof "$work/strange"
sed -i 's/"kind": "capture"/"kind": "dream"/' "$work/strange/manifest.json"
cp -r ../../examples/aa/pool.cpprof "$work/pool"
cp overlap_two_streams.csv "$work/trace"
cp ../data/ncu_raw.csv "$work/counters"
cp ../data/benchmarks/google/before/1.json "$work/benchmarks"
cd "$work" || exit 1

takes() { # COMMAND: does it take the input that was sent to it?
    case $input in notes | nowhere) return ;; esac # what is nothing is sent to whoever would say so
    status=0
    cpprof "$1" "$input" >/dev/null 2>&1 </dev/null || status=$?
    case $status in 2 | 5) echo "  is sent to 'cpprof $1', which does not take it: $status" ;; esac
}

ask() { # WORD COMMAND...
    word=$1 status=0
    shift
    "$@" >/dev/null 2>said </dev/null || status=$?
    refusal=$(grep '^cpprof: ' said | tail -n 1)
    case $status$refusal in
    [25]cpprof:*) printf '  %-8s %s %s\n' "$word" "$status" "${refusal#cpprof: }" ;;
    *) printf '  %-8s takes it\n' "$word" ;;
    esac
    for command in $(grep -o "[;,] 'cpprof [a-z]*' [a-z]" said | cut -d "'" -f 2 | cut -c 8-); do
        takes "$command"
    done
}

for input in run capture pool strange folder trace counters benchmarks notes nowhere; do
    echo "$input"
    ask report cpprof report "$input"
    ask stages cpprof report --evolution "$input"
    ask classify cpprof classify "$input"
    ask compare cpprof compare "$input"
    ask aa cpprof aa --pool "$input"
    ask check cpprof check "$input" --assert 'ratio(none) < 1'
    ask check.aa cpprof check run --aa "$input" --assert 'time(none) < 1s'
    ask stats cpprof stats "$input"
done
rm -r "$work"
