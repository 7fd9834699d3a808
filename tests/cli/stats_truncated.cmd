cpprof stats overlap_truncated.csv
