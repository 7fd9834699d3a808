cpprof-runner list --dir ./is-not-there
