cpprof overlap overlap_two_streams.csv --device gpu0 2>&1
