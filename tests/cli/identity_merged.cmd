for f in offset rankword mixed; do cpprof check ../data/identity/merged_$f.json.gz --assert 'idle() < 50%' --assert 'queue_p99(kernel) < 20 us'; done
