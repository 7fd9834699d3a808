cpprof overlap overlap_two_streams.csv --assert 'overlap(h2d, kernel) >= 80%' --assert 'serial(kernel)' --assert 'before(h2d, kernel)' --assert 'gap_max(any) <= 100ns'
