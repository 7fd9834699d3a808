# Launches with their kernels: a copy that nobody recorded would be counted as idle time, so there is no answer.
cpprof gaps ../data/nsys_kern_exec_trace.csv
