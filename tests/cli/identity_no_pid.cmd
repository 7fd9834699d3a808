# A row whose pid is no pid has none: the trace is read.
folder=$(mktemp -d)
for pid in null true '[1]' '{"a": 1}' 1.5 '""'; do
    cat >"$folder/trace.json" <<END
{"traceEvents": [
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 42, "tid": 1, "ts": 10.125, "dur": 2.125, "args": {"correlation": 1}},
 {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40.125, "dur": 5.125, "args": {"device": 0, "stream": 7, "correlation": 1}},
 {"ph": "X", "cat": "kernel", "name": "k", "pid": $pid, "tid": 7, "ts": 60.125, "dur": 5.125, "args": {"device": 0, "stream": 7, "correlation": 2}}]}
END
    cpprof check "$folder/trace.json" --assert 'count(kernel) == 2' >"$folder/said" 2>&1
    echo "$pid: exit $?"
    sed -n '3p' "$folder/said"
done
rm -rf "$folder"
