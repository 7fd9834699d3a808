# The page of ranks of which one is late says that they communicate; and what to do about a trace that is cut.
work=$(mktemp -d)
cp ../../examples/ranks/sleep-4/rank-*.json.gz "$work"
cpprof report --brief --format md ../../examples/ranks/sleep-4 | grep -e '^# ' -e 'Do first' -A 2
cpprof report --brief --format md ../../examples/ranks/sleep-4/rank-0.json.gz | grep -e '^# ' -e 'Do first' -A 2
gzip -d "$work/rank-3.json.gz"
head -c 300000 "$work/rank-3.json" >"$work/cut"
mv "$work/cut" "$work/rank-3.json"
cpprof ranks --format md "$work" 2>/dev/null | grep -e 'Next'
rm -r "$work"
