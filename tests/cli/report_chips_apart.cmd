# what holds on the chip of the first bundle does not hold for a table that says no chip
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '# cpprof.thresholds/1\nthreshold,value,chips\nlatency_share,0.99,GH100\n' >"$file"
cpprof report ../../examples/verdicts/win.cpprof ../data/ncu_details.csv --thresholds "$file" | grep -e ' launches in ' -e 'latency_share.*|.*%'
