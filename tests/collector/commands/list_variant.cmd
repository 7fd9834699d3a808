cpprof list pipeline/cpasync3
