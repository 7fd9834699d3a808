# One stream, no calls: what is idle is unknown, what only copies fill is copy.
cpprof gaps overlap_two_streams.csv
