# A misspelt option, words of other tools, and a file alone.
trace=gaps_every_cause.json
for words in 'report --formt md x' 'run --prcesses=3 a/b' 'stats --by kernel --rnage x t' 'capture -o --x --frce -- true --frce' 'ls' 'diff a b' \
    'run --force --prcesses 3 a/b' 'profile --causal -- true' 'capture --range --when file -- true' 'help nothing' 'aa --zzzzzzzz' 'classify --thresh 5% x' 'stragglers' 'why x'; do
    cpprof $words </dev/null
    echo "$?"
done
cpprof "$trace" --brief | head -n 1
cpprof stats -h | head -n 1
