cpprof list pipeline/sync
