cpprof overlap overlap_two_streams.csv --window 2us:
