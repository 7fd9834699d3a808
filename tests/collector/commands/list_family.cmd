cpprof list pipeline
