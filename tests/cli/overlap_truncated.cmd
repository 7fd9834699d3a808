cpprof overlap overlap_truncated.csv --assert 'serial(kernel)'
