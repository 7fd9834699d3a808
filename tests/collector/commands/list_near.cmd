cpprof list pipeline/snyc; cpprof list stge1; cpprof list --metrics dram_raed
