cpprof check --assert 'serial(kernel)' 2>&1
