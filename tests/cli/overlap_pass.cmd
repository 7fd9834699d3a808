# beside overlap_plain
cpprof overlap --rules overlap_gates.rules overlap_two_streams.csv --assert 'overlap(h2d, kernel) >= 0.4'
