cpprof list "pipeline/cpasync*" --format md
