d=../data/identity/cycles
cpprof report "$d" | head -n 20 && cpprof check --jobs 2 "$d" --assert 'idle() < 50%' --assert 'count(kernel) == 60'
cpprof ranks "$d"
