cpprof overlap --assert 'serial(kernel)'
