cpprof overlap overlap_two_streams.csv overlap_two_devices.csv --window 0ns:1us
