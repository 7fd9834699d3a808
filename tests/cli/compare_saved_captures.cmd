# captures are kept under a name, and later ones compared with them
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
train=../../examples/captures/train.cpprof
cpprof compare $train --save main --store "$dir" 2>&1 | sed "s|$dir|STORE|"
cpprof compare $train --against main --range step --store "$dir" --save main >"$dir/page" 2>"$dir/said"; echo "exit $?"
sed "s|$dir|STORE|" "$dir/page" | head -n 6
sed "s|$dir|STORE|" "$dir/said"
ls "$dir/main"
cpprof report --brief "$dir/main/000001.cpprof" | head -n 3 | sed "s|$dir|STORE|"
# neither a trace of another tool, nor a run against a capture
cpprof compare ../data/kineto.json --save main --store "$dir"; echo "exit $?"
cpprof compare ../../examples/verdicts/win.cpprof --against main --store "$dir" 2>&1 | sed "s|$dir|STORE|"
cpprof history main --store "$dir" 2>&1 | sed "s|$dir|STORE|"
find "$dir/main" -name '*.gz' -exec gunzip {} +
for shard in "$dir"/main/000001.cpprof/trace-*.bin; do printf x >>"$shard"; done
cpprof compare "$dir/main/000001.cpprof" --save other --store "$dir" 2>&1 | sed "s|$dir|STORE|"
