# the compute capability of a table chooses the rows for chips: 9.0 is one chip, 12.0 several
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
data=$PWD/../data
cd "$folder"
printf '# cpprof.thresholds/1\nthreshold,value,chips\n' >one
cp one some
cp one all
cp one none
printf 'latency_share,0.95,H100\n' >>one
printf 'latency_share,0.95,RTX 5090\n' >>some
printf 'latency_share,0.95,GB20[2-7]\n' >>all
printf 'latency_share,0.95,T4\n' >>none
classify() { # FILE THRESHOLDS
    status=0
    cpprof classify "$data/$1" --thresholds "$2" | grep -i -e ' launches in ' -e '^overridden' -e '^latency_share' -e ' not used' | sed "s|$data/||" || status=$?
    cpprof classify "$data/$1" --thresholds "$2" --format json 2>/dev/null >json || status=$?
    grep -e '"threshold_source"' json
    echo "exit $status"
}
classify ncu_details.csv one
classify ncu_metrics.csv some
classify ncu_metrics.csv all
classify ncu_metrics.csv none
# one table of two chips: each has its own row
sed -e 's/^"1",\(.*\),"9.0",/"1",\1,"12.0",/' "$data/ncu_limits.csv" >two.csv
sed -i 's/0.95/0.25/' all
cpprof classify two.csv --thresholds all --format md | grep -e '^# ' -e '^| . | `k`' -e '^| `latency_share`' | cut -d '|' -f 1-10
cpprof classify two.csv --thresholds all --format json | grep -A 5 -e '"name": "latency_share"' -e threshold_source | grep -e value -e compute_cap -e source
# and one that has lost the column
sed -e 's/"CC"/"X"/' "$data/ncu_limits.csv" >lost.csv
cpprof classify lost.csv --thresholds all --format json | grep threshold_source
