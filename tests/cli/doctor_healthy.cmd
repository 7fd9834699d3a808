# The free space is this machine's: it may be a note.
found=$(env -i PATH="$PATH" LC_ALL=C CPPROF_RUNNER=./probe_runner.sh FAKE_PROBE=../data/doctor/one_gpu.json CPPROF_INJECT=/bin/sh \
    ./doctor_on.sh healthy)
status=$?
printf '%s\n' "$found" | sed -n '1s/; [0-9]* notes*$//p'
exit $status
