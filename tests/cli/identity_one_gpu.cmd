f=../data/identity/two_processes_one_gpu.sqlite.gz
cpprof report "$f" | head -n 20 && cpprof gaps "$f" | head -n 8 && cpprof check "$f" --assert 'idle() < 10%' --assert 'count(kernel) == 40'
