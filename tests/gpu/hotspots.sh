#!/usr/bin/env bash
# Do samples of the program counter name the instruction and the line that a kernel is known to spend its time at?
# usage: hotspots.sh [INTO]     INTO: where hotspots.md goes
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
"$CPPROF" run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1 --processes 3 --iters 40 \
    --hotspots -o "$work/pipeline.cpprof" >"$work/out" 2>&1 || status=$?
expect "a run with samples" "$status" 0
table=$work/pipeline.cpprof/hotspots.csv
expect_at_least "rows" "$(wc -l <"$table" 2>/dev/null || echo 0)" 30
"$CPPROF" report --full --format md "$work/pipeline.cpprof" >"$work/full.md"
sed -n '/id="where-in-the-code"/,/^<.details>/p' "$work/full.md" >"$work/where.md"
[ -z "$into" ] || cp "$work/where.md" "$into/hotspots.md"
cat "$work/where.md"
expect_match "lines of the kernel's source" "$(cat "$work/where.md")" 'pipeline\.cu:[0-9]+'
expect_match "what the hottest lines say" "$(cat "$work/where.md")" '`pipeline\.cu:[0-9]+` \| `[^`]*;'
expect "the texts are those of the lines" "$(python3 tests/gpu/hot_texts.py "$table" kernels/pipeline/pipeline.cu)" ok
expect_match "instructions by name" "$(cat "$work/where.md")" '`[^`]*(LDG|BAR|FFMA|LDS|STS|ISETP|DEPBAR)[^`]*`'
expect "nothing dropped" "$(grep -c 'samples of' "$work/pipeline.cpprof/manifest.json")" 0
expect "no source has changed" "$(grep -c 'source lines of' "$work/pipeline.cpprof/manifest.json")" 0
finish
