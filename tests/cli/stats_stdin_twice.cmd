cpprof stats - -
