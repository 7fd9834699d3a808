# beside overlap_truncated
cpprof overlap overlap_truncated.csv --assert 'count(kernel) == 3'
