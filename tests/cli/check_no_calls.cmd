cpprof check overlap_two_streams.csv --assert 'queue_p50(kernel) <= 1ms' --assert 'count(kernel[nvtx=step]) == 0' --format json
