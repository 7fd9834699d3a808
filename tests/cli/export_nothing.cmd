cpprof export overlap_two_streams.csv --to csv --window 1s:2s
