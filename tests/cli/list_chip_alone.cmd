cpprof list --chip gh100
