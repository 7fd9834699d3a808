cpprof export overlap_two_streams.csv --to csv --report kernels
