cpprof run pipeline/sync --metrics dram_shar
