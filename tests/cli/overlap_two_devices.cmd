cpprof overlap overlap_two_devices.csv --assert 'concurrency(kernel) <= 1' --assert 'serial(kernel[device=0])' --assert 'count(kernel) == 3'
