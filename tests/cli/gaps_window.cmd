# From 1200 on: the copy [200,230), idle 10, a kernel, idle 10, a kernel. The call before the window still counts.
cpprof gaps gaps_every_cause.json --window 200us:
