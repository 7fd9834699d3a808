cpprof export overlap_two_streams.csv
