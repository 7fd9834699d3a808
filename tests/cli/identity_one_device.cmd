f=../data/identity/merged_ranks_one_device.json.gz
cpprof overlap "$f" | head -n 12 && cpprof check "$f" --assert 'idle() < 50%' --assert 'serial(kernel)'
