cpprof compare overlap_two_streams.csv overlap_two_devices.csv; echo "exit $?"
cpprof compare overlap_two_streams.csv ../../examples/verdicts/win.cpprof
echo "exit $?"
cpprof compare --range step ../../examples/verdicts/win.cpprof; echo "exit $?"
