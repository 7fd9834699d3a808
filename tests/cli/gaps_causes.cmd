# us since 1000. Kernels [20,100) [120,150) [190,200) [240,250) [260,270), a copy [200,230): span 250, kernels 140.
# [100,120) the thread waited 93 until 105: synchronisation. [150,190) the launch came at 180: host late.
# [200,230) copy. [230,240) launched at 192, done at 207: dependency. [250,260) no call with its id: unknown.
cpprof gaps gaps_every_cause.json
