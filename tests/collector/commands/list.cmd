cpprof list
