# beside overlap_plain
cpprof overlap overlap_two_streams.csv overlap_empty.csv
