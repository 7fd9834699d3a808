cpprof-runner plan --variant pipeline/sync
