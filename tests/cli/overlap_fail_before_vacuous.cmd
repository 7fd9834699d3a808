# beside overlap_plain
cpprof overlap overlap_two_streams.csv --assert 'overlap(p2p, kernel) >= 80%' --assert 'count(kernel) == 3'
