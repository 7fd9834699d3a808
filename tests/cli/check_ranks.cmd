cpprof check overlap_two_streams.csv overlap_two_devices.csv --assert 'serial(kernel)' --assert 'count(kernel) >= 4'
