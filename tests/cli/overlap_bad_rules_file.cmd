cpprof overlap overlap_two_streams.csv --rules overlap_broken.rules
