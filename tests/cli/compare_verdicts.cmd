# what CI servers read of comparisons: annotations and JUnit, never better than the exit status
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
try() { cpprof compare "$@" || echo "exit $?"; }
for verdict in win valid-negative regression inconclusive unusable; do
    echo "-- $verdict"; try ../../examples/verdicts/$verdict.cpprof --format github
done
echo '-- two bundles'; try ../../examples/verdicts/win.cpprof ../../examples/verdicts/regression.cpprof --format junit
echo '-- one is missing'; try ../../examples/verdicts/win.cpprof missing --format github; try missing ../../examples/verdicts/win.cpprof
echo '-- no bundle'; try compare_verdicts.cmd --format junit
echo '-- nothing to compare'; try ../../examples/captures/vector.cpprof --format github
echo '-- damaged: the verdict alone would pass'
cp -r ../../examples/verdicts/win.cpprof "$dir/damaged.cpprof"
printf 'x' >>"$dir/damaged.cpprof/metrics.csv"
(cd "$dir" && try damaged.cpprof --format github)
echo '-- benchmarks, one with a name of a stranger'
for side in before after; do
    printf '{"context":{"host_name":"h","num_cpus":8,"library_build_type":"release"},"benchmarks":[
{"name":"a","run_name":"a%%,]]>\\n::error file=x::taken <b> \\u001b[31m","run_type":"iteration","repetitions":1,"iterations":1,"real_time":1,"cpu_time":1,"time_unit":"ns","error_occurred":true,"error_message":"::warning::no\\n::set-output"}]}\n' >"$dir/$side.json"
done
cd "$dir" && for format in github junit; do try before.json after.json --format $format; done
