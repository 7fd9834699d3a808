# A trace of another tool has the page of a capture, without what only a capture knows.
work=$(mktemp -d)
mkdir "$work/ranks"
cp ../data/kineto.json "$work/kineto.json"
cp gaps_every_cause.json "$work/ranks/rank0.json"
cp gaps_every_cause_b.json "$work/ranks/rank1.json"
cp ../data/nsys_2025.sqlite "$work/nsys.sqlite"
cp ../data/nsys_20_columns.csv "$work/gpu.csv"
cp ../data/nsys_api_trace.csv "$work/calls.csv"
cp ../data/nsys_kern_exec_trace.csv "$work/launches.csv"
head -c 700 ../data/nsys_20_columns.csv >"$work/cut.csv"
cd "$work" || exit 1
gzip -k kineto.json

cpprof report nsys.sqlite
for input in gpu.csv calls.csv launches.csv kineto.json.gz ranks; do
    echo "== $input"
    cpprof report --brief "$input"
done
echo "== plain and compressed are one"
cpprof report --full kineto.json >plain
cpprof report --full kineto.json.gz | sed 's/kineto.json.gz/kineto.json/g' | cmp - plain && echo yes
echo "== what no capture is, no member has"
for input in gpu.csv launches.csv; do
    cpprof report --format json "$input" | tr -d ' \n' | grep -o '"\(kind\|processes\|gpus\|collector\|overlap\|gaps\)":\("trace"\|null\|{"schema":"[^"]*"\)'
done
echo "== cut in the middle"
cpprof report --brief cut.csv
echo "exit $?"
cpprof report --variant x gpu.csv
echo "exit $?"
rm -r "$work"
