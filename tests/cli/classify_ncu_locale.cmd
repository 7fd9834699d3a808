cpprof classify ../data/bad_ncu/decimal_comma.csv
