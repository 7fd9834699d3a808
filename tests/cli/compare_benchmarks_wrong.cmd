# What cannot be compared, and samples that are not those of the file.
work=$(mktemp -d)
cp -r ../data/benchmarks/google ../data/benchmarks/nvbench "$work"
cd "$work" || exit 1

say() { # WORD ARGUMENT...
    word=$1 status=0
    shift
    cpprof compare "$@" >out 2>said </dev/null || status=$?
    printf '%-12s %s %s\n' "$word" "$status" "$(head -n 1 said)"
}

verdicts() {
    awk '/^copy T=F32 Elements=1048576 / { print "  " $(NF - 1), $NF } /^- [AB]: / { print "  " $0 }' out
}

say one google/before/1.json
say tools google/before/1.json nvbench/after.json
say range google/before/1.json google/after/1.json --range step
say save google/before/1.json google/after/1.json --save main
say run google/before ../nowhere
head -c 2000 google/before/1.json >cut.json
say cut cut.json google/after/1.json
cp google/before/1.json google/before/copy.json
say copy google/before google/after
rm google/before/copy.json
printf '{"context": {}, "benchmarks": [{"run_name": "other", "real_time": 1}]}' >other.json
say names other.json google/after/1.json
printf '{"context": {}, "benchmarks": [], "real_time": 0}' >nothing.json
say nothing nothing.json google/after/1.json
mkdir two mixed
cp google/before/[12].json two
say two two google/after
grep -o '^copy/4096 .*' out
cp google/before/1.json nvbench/before.json mixed
say mixed mixed google/after
sed 's/"host_name": "bench"/"host_name": "other"/' google/after/1.json >moved.json
say machine google/before/1.json moved.json
grep -o '^copy/4096 .*' out
say across google/before/1.json moved.json --across device
grep -o '^copy/4096 .*' out
sed 's/"repetition_index": [1-5]/"repetition_index": 0/' google/after/1.json >twice.json
say twice google/before/1.json twice.json
grep -o '^copy/4096 .*' out
sed '/run_type": "iteration"/s/iteration/aggregate/' google/after/1.json >sums.json
say sums google/before/1.json sums.json
grep -o '^copy/4096 .*' out

# Samples: renamed with their file, of another run, cut, and named by a path that leads elsewhere.
mv nvbench/after.json nvbench/new.json
mv nvbench/after.json-bin nvbench/new.json-bin
say renamed nvbench/before.json nvbench/new.json
verdicts
cp nvbench/before.json-bin/0.bin nvbench/new.json-bin/0.bin
say swapped nvbench/before.json nvbench/new.json
verdicts
head -c 30 nvbench/before.json-bin/0.bin >nvbench/new.json-bin/0.bin
say short nvbench/before.json nvbench/new.json
verdicts
mkdir deep
cp nvbench/before.json-bin/0.bin 0.bin
sed 's|results/before.json-bin/0.bin|../0.bin|' nvbench/before.json >deep/before.json
say up deep/before.json nvbench/before.json
verdicts
esc=$(printf '\033')
sed 's/"copy\/4096"/"copy\\u001b[31m|\\u0000"/' google/before/1.json >nul.json
say nul nul.json google/after/1.json
sed 's/"copy\/4096"/"copy\\u001b[31m|<b>"/' google/before/1.json >hostile.json
say hostile hostile.json hostile.json
grep -q "$esc" out && echo '  prints a control character'
grep '^copy.*31m' out
rm -r "$work"
