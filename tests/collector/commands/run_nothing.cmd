cpprof run
