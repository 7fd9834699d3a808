cpprof classify ../data/bad_ncu/cut_in_row.csv
