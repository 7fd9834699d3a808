cpprof overlap overlap_hostile.csv --format md --assert 'overlap(kernel, copy) >= 90%'
