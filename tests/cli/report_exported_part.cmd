# The page of a part of a program, without its start: by way of an exported trace.
work=$(mktemp -d)
behind=$(cpprof report --brief --format md ../../examples/profile/ops.cpprof | grep -o -e "--window '[0-9]*ms:'" | tr -d "'" | head -n 1)
# shellcheck disable=SC2086  # an option and its value
cpprof export ../../examples/profile/ops.cpprof $behind --to chrome -o "$work/part.json"
for trace in ../../examples/profile/ops.cpprof "$work/part.json"; do
    cpprof report --format json "$trace" | sed -n '/"time": /,/"overlap"/p' | awk '/"span_ns"/ && !n++ {gsub(/[^0-9]/, ""); span = $0 + 0}
        /"part": "host_late"/ {late = 1} late && /"span_ratio"/ {gsub(/[^0-9.]/, ""); print (span > 1e9 ? "long" : "short"), ($0 + 0 > 0.5 ? "waits for its host" : "busy"); exit}'
done
rm -r "$work"
