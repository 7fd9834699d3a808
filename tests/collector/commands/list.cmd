cpprof list "pipeline/*"
