cpprof run pipeline/sync --metrics none,bound
