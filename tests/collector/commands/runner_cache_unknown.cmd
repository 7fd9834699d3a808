cpprof-runner time --dir=. --cache=lukewarm
