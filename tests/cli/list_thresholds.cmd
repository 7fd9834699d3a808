cpprof list --thresholds --format csv
