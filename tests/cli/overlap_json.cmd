cpprof overlap overlap_two_streams.csv --format json --assert 'overlap(h2d, kernel) >= 80%' --assert 'before(d2h, kernel)'
