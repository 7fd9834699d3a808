cpprof-runner fly --dir .
