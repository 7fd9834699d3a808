# The page of a part of a program, without its start: by way of an exported trace.
work=$(mktemp -d)
cpprof export ../../examples/profile/ops.cpprof --window 1390ms: --to chrome -o "$work/part.json"
for trace in ../../examples/profile/ops.cpprof "$work/part.json"; do
    cpprof report --format json "$trace" | sed -n '/"time": /,/"overlap"/p' | awk '/"span_ns"/ && !n++ {gsub(/[^0-9]/, ""); span = $0 + 0}
        /"part": "host_late"/ {late = 1} late && /"span_ratio"/ {gsub(/[^0-9.]/, ""); print (span > 1e9 ? "long" : "short"), ($0 + 0 > 0.5 ? "waits for its host" : "busy"); exit}'
done
rm -r "$work"
