# what holds on the chip of the first bundle does not hold for a table of another chip
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$PWD/../..
cd "$folder"
printf '# cpprof.thresholds/1\nthreshold,value,chips\nlatency_share,0.99,GH100\n' >hopper
cpprof report "$root/examples/verdicts/win.cpprof" "$root/tests/data/ncu_turing.csv" --thresholds hopper | grep -e ' launches in ' -e 'latency_share.*|.*%' | sed "s|$root/||"
