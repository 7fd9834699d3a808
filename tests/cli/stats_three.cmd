cpprof stats a b c
