cpprof stats overlap_empty.csv
