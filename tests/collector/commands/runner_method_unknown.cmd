cpprof-runner time --dir=. --method=graph
