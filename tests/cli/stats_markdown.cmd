cpprof stats overlap_hostile.csv --format md
