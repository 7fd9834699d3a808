# Rank 3 is of another run: it has no late rank, no balance, and the page names it.
folder=$(mktemp -d)
cp ../../examples/ranks/even-4/rank-[012].json.gz ../../examples/ranks/work-4/rank-3.json.gz "$folder"
cd "$folder" || exit
cpprof ranks . | grep contradicts
cpprof check . --assert 'imbalance(compute) <= 1.5' --assert 'late(any) <= 90%' --assert 'transfer(comm) <= 90%'
echo "exit $?"
# So does it where the trace of another run is the first that is read, and the others were compared with it.
mkdir first
cp rank-[02].json.gz first && cp "$OLDPWD/../../examples/ranks/sleep-4/rank-1.json.gz" "$OLDPWD/../../examples/ranks/even-4/rank-3.json.gz" first
cpprof ranks first | grep -e contradicts -e Next
rm -r first
# What was left out on purpose need not match, but must have run at one time.
cpprof check . --stream 7 --assert 'imbalance(compute) <= 1.5' | grep INCONCLUSIVE
# A trace that breaks off is named in the first line.
gzip -dc rank-3.json.gz | head -c 600000 > rank-3.json
rm rank-3.json.gz
cpprof ranks . 2>/dev/null | head -n 1
# Which kernels --comm could name; a command that takes what was given.
cd - >/dev/null || exit
cpprof ranks ranks_chain.json --stream 7 --comm none_such | grep Next
cpprof ranks ../../examples/ranks/sleep-4 | grep Next
cpprof ranks ../../examples/ranks/sleep-4/rank-*.json.gz | grep Next
# Refused options are not in the help, and say why.
cpprof ranks --help | grep -cE 'window|skip-first'
cpprof merge --help | grep -o 'docs/[a-z]*.md'
rm -r "$folder"
