cpprof export overlap_truncated.csv --to chrome
