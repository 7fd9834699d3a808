cpprof-runner --dir .
