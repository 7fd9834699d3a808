env -i PATH="$PATH" LC_ALL=C CPPROF_RUNNER=/is/not/there CPPROF_INJECT=/bin/sh cpprof doctor --root ../data/doctor/healthy --directory absent
