cpprof overlap overlap_two_streams.csv --range '('
