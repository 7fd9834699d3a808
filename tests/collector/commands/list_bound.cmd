cpprof list truth/dram-stream
