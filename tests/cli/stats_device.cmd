cpprof stats overlap_two_devices.csv --by device
