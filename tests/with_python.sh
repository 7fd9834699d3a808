#!/usr/bin/env bash
# Runs a script with the first Python that has what it needs: that of PATH, else that of the system.
# usage: with_python.sh MODULE[,MODULE...] SCRIPT [ARGUMENT...]      exit 77 when none has
set -u
modules=${1:?usage: with_python.sh MODULE[,MODULE...] SCRIPT [ARGUMENT...]}
shift
for python in python3 /usr/bin/python3; do
    if "$python" -c "import $modules" 2>/dev/null; then
        exec "$python" -B "$@"
    fi
done
echo "skipped: no python3 has $modules (scripts/packages.sh --tests installs them)"
exit 77
