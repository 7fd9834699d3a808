# builds with marks are no results: not of a prediction, not of a comparison, its headline, its counts and its exit status
for name in wgmma eight-ctas allreduce; do
    echo "-- $name"
    cpprof compare ../../examples/inside/$name.cpprof --format md 2>&1 | grep -E "^# |\+record"
    cpprof compare ../../examples/inside/$name.cpprof >/dev/null 2>&1 || echo "exit $?"
    cpprof report ../../examples/inside/$name.cpprof --format text --full | grep -c "measured.*+record"
    cpprof compare ../../examples/inside/$name.cpprof --format json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print([r["candidate"] for r in d["rows"]], [r["candidate"] for r in d["mark_costs"]])'
done
