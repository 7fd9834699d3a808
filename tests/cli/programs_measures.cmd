# programs: the first screen names the measure, and the headline says where the measures disagree about the fastest
folder=$(mktemp -d)
judge() { # NAME=BUSY/SPAN/INTERVAL...
    echo "-- $*"
    python3 programs.py "$folder/run" --arrays "$@"
    cpprof report --brief --format text "$folder/run" | sed -n '1p; /GPU busy/p; /- Measure:/p'
    cpprof compare "$folder/run" --format json | python3 -c 'import json, sys
for r in json.load(sys.stdin)["rows"]: print(r["candidate"], r["measure"], *(round(r[m], 3) if m.endswith("p") else r[m] for m in ("speedup", "verdict", "span_speedup", "span_verdict", "interval_speedup", "interval_verdict")))'
    rm -r "$folder/run"
}
judge old=10/20/30 new=5/10/15
judge old=10/20/30 new=5/40/60
judge old=10/20/30 b=8/15/40 c=5/18/20
judge old=10/20/30 b=8/16/24 c=8.01/15.99/24
judge old=10/20/30 b=9/19/29 c=8/18/28 d=7/17/27 e=6/16/26
echo '-- PyTorch on an H200: flash ends first, cuDNN keeps the GPU busy for less time'
cpprof report --brief --format text ../../examples/pytorch-attention/attention.cpprof | sed -n '1p; /- Measure:/p; /- To try:/p'
cpprof compare ../../examples/pytorch-attention/attention.cpprof --format text | head -n 3
echo '-- kernels have one time'
cpprof report --brief --format md ../../examples/verdicts/win.cpprof | grep -c 'Measure:\|GPU busy'
rm -r "$folder"
