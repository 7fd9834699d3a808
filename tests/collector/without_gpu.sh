#!/usr/bin/env bash
# Runs a test that is about a machine without an NVIDIA driver; skips it (77) on any other.
# usage: without_gpu.sh CPPROF_RUNNER COMMAND...
set -euo pipefail
runner=${1:?usage: without_gpu.sh CPPROF_RUNNER COMMAND...}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$runner" probe --dir "$work"
if ! grep -q '"driver_api": 0' "$work/probe.json"; then
    echo "skipped: this machine has an NVIDIA driver"
    exit 77
fi
"$@"
