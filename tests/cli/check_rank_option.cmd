cpprof check overlap_two_streams.csv overlap_two_devices.csv --rank 0 --assert 'serial(kernel)'
