cpprof overlap overlap_truncated.csv --assert 'count(kernel) == 3'
