cpprof-runner plan --dir . --variant nope
