cpprof overlap overlap_two_streams.csv --assert 'overlap(h2d, kernel) >= 80'
