cpprof launch ../data/nsys_kern_exec_trace.csv --format json
