cpprof check ../data/kineto.json --range ProfilerStep@thread --assert 'count(kernel) == 1' --assert 'count(kernel) == 2'
