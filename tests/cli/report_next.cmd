# what there is to try is of the arm that it names, and never of a kernel that was not meant
folder=$(mktemp -d)
lines() { cpprof report --brief --format text "$@" 2>/dev/null | grep -E '^- (Copy|To try)'; }
echo '-- slower: the baseline is the one to work on'
lines ../../examples/verdicts/regression.cpprof | sed 's/[0-9.]*%/N%/g'
echo '-- another kernel ran in one of two arms'
lines ../../examples/verdicts/unusable.cpprof | sed 's/[0-9.]*%/N%/g'
echo '-- at work for a part of its time only'
lines ../../examples/sdpa/ladder.cpprof --variant sdpa/stage1-sync --shape small | grep Copy | sed 's/[0-9.]*%/N%/g'
echo '-- counters do not show who loads by TMA'
lines ../../examples/inside/wgmma.cpprof | sed 's/[0-9.]*%/N%/g'
echo '-- the last of several would win'
cpprof report ../../examples/sdpa/ladder.cpprof --variant a --variant b 2>&1 | head -n 1
echo '-- for a program, too'
cp -r ../../examples/verdicts/win.cpprof "$folder/run.cpprof"
rm "$folder/run.cpprof/metrics.csv"
cpprof report --brief --format json "$folder/run.cpprof" 2>/dev/null | grep -E '"(verdict|reason)"'
rm -r "$folder"
