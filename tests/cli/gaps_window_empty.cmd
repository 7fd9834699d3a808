cpprof gaps ../../examples/captures/train.cpprof --window 100ms:500ms
