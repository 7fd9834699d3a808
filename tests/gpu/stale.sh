#!/usr/bin/env bash
# Which recorded bundles are older than the sources that they depend on? (stale.py says how it is decided.)
# usage: stale.sh [REPOSITORY]
exec python3 "$(dirname "${BASH_SOURCE[0]}")/stale.py" "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
