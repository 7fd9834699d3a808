#!/bin/sh
# `cpprof doctor` on a recorded machine (tests/data/doctor).
# usage: doctor_on.sh MACHINE [ARGUMENT...]
set -eu
machine=$1
shift
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp -R "../data/doctor/$machine/." "$root"
status=0
cpprof doctor --root "$root" "$@" || status=$?
exit $status
