cpprof list --metrics zzz
