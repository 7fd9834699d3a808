cpprof overlap --cost cost_alone_a.csv ../data/nsys_kern_exec_trace.csv cost_together.csv
