# Launch costs are there; whether the GPU waited for the host is not said, since copies are not in the trace.
cpprof launch ../data/nsys_kern_exec_trace.csv
