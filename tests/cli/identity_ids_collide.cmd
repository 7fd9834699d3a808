f=../data/identity/merged_ranks_ids_collide.json.gz
cpprof launch "$f" && cpprof gaps "$f" | head -n 5 && cpprof check "$f" --assert 'queue_p99(kernel) < 20 us'
