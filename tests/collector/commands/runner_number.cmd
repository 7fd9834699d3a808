cpprof-runner plan --dir . --iters many
