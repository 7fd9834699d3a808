#!/usr/bin/env bash
# Can the package be installed, used, upgraded and removed, and does the tarball work where it is unpacked?
# usage: package.sh BUILD CPACK      exit 77: skipped, dpkg is missing or would need root
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: package.sh BUILD CPACK} cpack=$2
command -v dpkg-deb >/dev/null && [ "$(id -u)" = 0 ] || { echo "skipped: packages need dpkg and root"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
most_bytes=5000000 # of the program alone

pack() { # VERSION
    "$cpack" --config "$build/CPackConfig.cmake" -B "$work/$1" -D CPACK_PACKAGE_VERSION="$1" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
}
has() { # WHAT TEXT PATTERN
    grep -q -- "$3" <<<"$2" || { echo "package: $1: no '$3' in: $2" >&2; exit 1; }
}

echo "a package, into a root of its own"
pack 1.0.0
pack 1.0.1
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
touch "$root"/var/lib/dpkg/{status,available}
dpkg() { command dpkg --root="$root" --force-depends "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
dpkg -i "$work"/1.0.0/*.deb
cpprof=$root/usr/bin/cpprof
has "a report of a recorded bundle" "$("$cpprof" report --brief "$source/examples/captures/vector.cpprof")" 'the GPU is busy'
has "the same by the file alone" "$("$cpprof" "$source/examples/captures/vector.cpprof" --brief)" 'the GPU is busy'
has "a document" "$("$cpprof" help rules)" '^# The rule language'
bytes=$(stat -c %s "$cpprof")
[ "$bytes" -lt "$most_bytes" ] || { echo "package: the program has $bytes bytes, more than $most_bytes" >&2; exit 1; }
if command -v help2man >/dev/null; then
    has "a manual page" "$(cat "$root/usr/share/man/man1/cpprof-run.1")" 'CPPROF-RUN'
fi

echo "another version in its place, then nothing"
dpkg -i "$work"/1.0.1/*.deb
has "its version" "$(command dpkg --root="$root" -s cpprof)" '^Version: 1.0.1'
dpkg -r cpprof
left=$(find "$root" -path "$root/var" -prune -o -type f -print)
[ -z "$left" ] || { echo "package: left behind: $left" >&2; exit 1; }

echo "the tarball, wherever it is unpacked"
mkdir "$work/some where"
tar -C "$work/some where" -xzf "$work"/1.0.0/*.tar.gz
has "the program" "$(cd / && env -i "$work/some where"/*/bin/cpprof version)" '^cpprof '

echo "what the action for GitHub takes of either"
for package in "$work"/1.0.0/*.deb "$work"/1.0.0/*.tar.gz; do
    job=$(mktemp -d -p "$work")
    RUNNER_TEMP=$job GITHUB_PATH=$job/path PACKAGE=$package "$source/packaging/action/install.sh" >"$work/log" || { cat "$work/log" >&2; exit 1; }
    has "$package in a job" "$(PATH=$(cat "$job/path"):$PATH cpprof help rules)" '^# The rule language'
done

# In systems of their own: that takes minutes.
if [ -n "${CPPROF_DEEP:-}" ]; then
    "$source/tests/packages/debian_root.sh" "$work"/1.0.0/*.deb "$work"/1.0.0/*.tar.gz
    python3 -B "$source/tests/packages/dockerfile.py" "$source"
fi
