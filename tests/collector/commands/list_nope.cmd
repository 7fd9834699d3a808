cpprof list nope
