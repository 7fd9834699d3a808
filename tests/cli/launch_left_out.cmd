cpprof launch --top 1 ../../examples/captures/train.cpprof | grep 'left out'
