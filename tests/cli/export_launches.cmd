cpprof export ../data/nsys_kern_exec_trace.csv --to csv
