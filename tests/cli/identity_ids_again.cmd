f=../data/identity/ids_again.sqlite.gz
cpprof launch "$f" && cpprof gaps "$f" | head -n 16 && cpprof check "$f" --assert 'queue_p99(kernel) < 20 us'
