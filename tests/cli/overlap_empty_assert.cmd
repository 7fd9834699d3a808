cpprof overlap overlap_empty.csv --assert 'count(kernel) == 0'
