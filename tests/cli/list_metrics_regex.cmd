cpprof list --metrics '^tensor_fp' --format md
