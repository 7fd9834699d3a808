cpprof overlap - <&-
