cpprof check ../data/kineto.json --assert 'count(kernel[nvtx=~Step]) == 1' --assert 'overlap(copy, kernel) >= 0%' --assert 'overlap(copy[device=0], kernel) >= 0%' --format junit
