cpprof-runner time --dir=. --share=2/2
