#!/bin/sh
# `cpprof doctor` on a recorded machine (tests/data/doctor). A file that only its name makes a CUPTI
# is made here: in the tree it could be taken for the library.
# usage: doctor_on.sh MACHINE [ARGUMENT...]
set -eu
machine=$1
shift
case $machine in
healthy) library=usr/local/cuda-13.0/lib64/libcupti.so.13 ;;
troubled) library=opt/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13 ;;
*) echo "$0: no machine '$machine'" >&2 && exit 2 ;;
esac
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp -R "../data/doctor/$machine/." "$root"
mkdir -p "$(dirname "$root/$library")"
: >"$root/$library"
status=0
cpprof doctor --root "$root" "$@" || status=$?
exit $status
