cpprof launch overlap_two_streams.csv
