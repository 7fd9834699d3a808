out=$(mktemp -d)
bundle=../../examples/verdicts/win.cpprof
trace=../../examples/captures/vector.cpprof
for ending in .md .html .json .txt "" .pdf; do
    echo "ending '$ending'"
    cpprof report $bundle -o "$out/report$ending" || echo "exit $?"
    cpprof classify $bundle -o "$out/classify$ending" || echo "exit $?"
    cpprof compare $bundle -o "$out/compare$ending" || echo "exit $?"
    cpprof gaps $trace -o "$out/gaps$ending" || echo "exit $?"
    cpprof check $trace --assert 'count(kernel) > 0' -o "$out/check$ending" || echo "exit $?"
    cpprof aa ../../examples/aa/pool.cpprof -o "$out/aa$ending" || echo "exit $?"
    cpprof classify ../data/ncu_details.csv -o "$out/counted$ending" || echo "exit $?"
done
cpprof report $bundle --format json -o "$out/said.html"
cpprof report $bundle --format md -o "$out/said.pdf"
cpprof report $bundle --format md -o /dev/null
cd "$out" && for file in *; do echo "$file: $(head -n 1 "$file" | cut -c 1-15)"; done
rm -r "$out"
