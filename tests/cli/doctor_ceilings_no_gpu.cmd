env -i PATH="$PATH" LC_ALL=C CPPROF_RUNNER=./probe_runner.sh FAKE_PROBE=../data/doctor/one_gpu.json CPPROF_INJECT=/bin/sh FAKE_DEVICES=0 ./doctor_on.sh healthy --directory . --ceilings
