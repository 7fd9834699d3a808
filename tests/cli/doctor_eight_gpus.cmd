# beside doctor_one_gpu
env -i PATH="$PATH" LC_ALL=C CPPROF_RUNNER=./probe_runner.sh FAKE_PROBE=../data/doctor/eight_gpus.json CPPROF_INJECT=/bin/sh ./doctor_on.sh healthy --directory absent
