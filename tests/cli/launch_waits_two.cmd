cpprof launch ../data/nsys_kern_exec_trace.csv gaps_every_cause.json
