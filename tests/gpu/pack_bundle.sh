#!/usr/bin/env bash
# Makes bundles smaller: each sealed table and trace of at least 50,000 bytes is replaced by its gzip, which every reader of
# bundles takes (docs/formats.md). The seal is that of the content and stays as it is; gunzip gives the file back.
# usage: pack_bundle.sh BUNDLE...
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: pack_bundle.sh BUNDLE..." >&2; exit 2; }

for bundle in "$@"; do
    grep -q '"status": "complete"' "$bundle/manifest.json" || { echo "'$bundle' is not sealed" >&2; exit 1; }
    find "$bundle" -maxdepth 1 -type f \( -name '*.csv' -o -name 'trace-*.bin' \) -size +49999c -exec gzip -9 -n -- {} +
done
