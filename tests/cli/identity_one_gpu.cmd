f=../data/identity/two_processes_one_gpu.sqlite.gz
cpprof report "$f" | head -n 20 && cpprof gaps "$f" | head -n 8 && cpprof check "$f" --assert 'idle() < 10%' --assert 'count(kernel) == 40'
# the host of one process does not hold up a GPU that works for the other
cpprof report "$f" | grep Critical; cpprof report --format json "$f" | grep -A 1 '"dependencies"'
