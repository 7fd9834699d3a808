cpprof classify ../data/bad_ncu
