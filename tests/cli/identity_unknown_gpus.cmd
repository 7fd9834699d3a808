# two processes, and the file does not say which GPUs their devices 1 and 0 are: they may be one, or two
f=../data/identity/unknown_gpus.sqlite.gz
cpprof check "$f" --assert 'idle() < 10%' --assert 'idle() < 90%' --assert 'concurrency(kernel) <= 1'
cpprof gaps "$f" 2>&1 >/dev/null | cut -d: -f 3-
