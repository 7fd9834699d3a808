#!/usr/bin/env bash
# Do the packages work in a bare Debian 12? Makes such a root, which needs a mirror of Debian, and runs check.sh in it without a network.
# usage: debian_root.sh DEB TARBALL      exit 77: skipped, no root can be made
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deb=${1:?usage: debian_root.sh DEB TARBALL} tarball=${2:?usage: debian_root.sh DEB TARBALL}
command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed"; exit 77; }
unshare --net true 2>/dev/null || { echo "skipped: no network can be taken away here"; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# Bare, but for what reads a manual page.
mmdebstrap --quiet --variant=minbase --include=man-db bookworm "$root" >"$root.log" 2>&1 || {
    tail -n 3 "$root.log"
    rm -f "$root.log"
    echo "skipped: no mirror of Debian"
    exit 77
}
rm -f "$root.log"
mkdir "$root/check"
cp "$deb" "$tarball" "$here/check.sh" "$root/check"
unshare --net --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /bin/bash /check/check.sh \
    "/check/$(basename "$deb")" "/check/$(basename "$tarball")"
