#!/bin/sh
# What is an exit status of cpprof to a test? Made for CpprofGate.cmake.
# usage: gate.sh INCONCLUSIVE NO_GPU COMMAND...      each is pass, fail or skip; exit 77: skipped
inconclusive=$1 no_gpu=$2
shift 2
"$@"
status=$?
case $status in
3) action=$inconclusive why="the evidence does not decide it" ;;
4) action=$no_gpu why="this machine does not allow it" ;;
*) exit "$status" ;;
esac
echo "gate: cpprof ended with $status: $why ($action)"
case $action in
pass) exit 0 ;;
skip) exit 77 ;;
esac
exit "$status"
