cpprof run --variant a=/bin/true --kernels x --metrics bound,nvlink
