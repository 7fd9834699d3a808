# A table as CSV is known to two of its lists; said before the runner is asked.
cpprof list --format csv
cpprof list nowhere --format pdf
cpprof list --thresholds --format pdf
