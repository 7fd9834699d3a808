cpprof list --metrics '('
