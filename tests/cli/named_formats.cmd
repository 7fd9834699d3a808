out=$(mktemp -d)
bundle=../../examples/verdicts/win.cpprof
trace=../../examples/captures/vector.cpprof
for ending in md html json txt log; do
    cpprof report $bundle -o "$out/report.$ending"
    cpprof classify $bundle -o "$out/classify.$ending"
    cpprof compare $bundle -o "$out/compare.$ending"
    cpprof gaps $trace -o "$out/gaps.$ending"
    cpprof check $trace --assert 'count(kernel) > 0' -o "$out/check.$ending"
    cpprof aa ../../examples/h200-aa/pool.cpprof -o "$out/aa.$ending"
    cpprof classify ../data/ncu_details.csv -o "$out/counted.$ending"
done
cpprof report $bundle --format json -o "$out/said.html"
cd "$out" && for file in *; do echo "$file: $(head -n 1 "$file" | cut -c 1-15)"; done
rm -r "$out"
