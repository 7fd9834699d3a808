# Times in whole microseconds: a call that begins where a range does may have begun before it.
folder=$(mktemp -d)
for start in 6 8 10 15 19 24; do
    cat >"$folder/trace.json" <<END
[{"ph": "X", "cat": "user_annotation", "name": "step", "pid": 1, "tid": 1, "ts": 10, "dur": 10},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": $start, "dur": 2, "args": {"correlation": 1}},
 {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40, "dur": 5, "args": {"device": 0, "stream": 7, "correlation": 1}}]
END
    cpprof check "$folder/trace.json" --assert 'count(kernel[nvtx=step]) < 1' >"$folder/said" 2>/dev/null
    echo "a call at $start us: exit $?"
    sed -n '/^[A-Z].*nvtx/p' "$folder/said" | head -n 1
    cpprof check "$folder/trace.json" --range step --assert 'count(kernel) < 1' 2>&1 | sed -n '/may have launched or not/p' | head -n 1
done
rm -rf "$folder"
