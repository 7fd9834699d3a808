env -i PATH="$PATH" LC_ALL=C CPPROF_RUNNER=/is/not/there CPPROF_INJECT=/bin/sh ./doctor_on.sh healthy --directory absent
