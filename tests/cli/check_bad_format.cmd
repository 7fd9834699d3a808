cpprof check overlap_two_streams.csv --assert 'serial(kernel)' --format sarif
