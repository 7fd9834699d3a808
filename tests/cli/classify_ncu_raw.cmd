cpprof classify --explain --format md - <../data/ncu_raw.csv
