cpprof launch launch_no_waits.json && cpprof launch launch_no_waits.json --format json | grep '"sync'
