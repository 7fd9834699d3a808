cpprof check overlap_two_streams.csv
