cpprof doctor here
