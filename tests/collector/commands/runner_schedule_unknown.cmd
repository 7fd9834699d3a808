cpprof-runner time --dir=. --schedule=abab
