cpprof classify --format md - <../data/ncu_raw.csv
