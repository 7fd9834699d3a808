cpprof check ../../examples/captures/train.cpprof --assert 'spills(B) == 0'
