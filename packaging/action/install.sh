#!/usr/bin/env bash
# Puts cpprof into $RUNNER_TEMP/cpprof and on the PATH of a job: from a package, or built from these sources.
# usage: install.sh [key]      key: writes only the name under which a cache keeps it
#
# $PACKAGE is a .deb or .tar.gz of the CPU part, as a file or an https address; empty: it is built. Called by action.yml.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
prefix=${RUNNER_TEMP:?install.sh runs in a job: RUNNER_TEMP is not set}/cpprof
package=${PACKAGE:-}
package=${package//[$'\r\n']/ } # in one line of the log

# The sources are those that a build reads; a package is known by its address, or its bytes.
write_key() {
    local system sum
    # shellcheck source=/dev/null
    system=$(. /etc/os-release && echo "$ID-${VERSION_ID:-rolling}")
    if [ -f "$package" ]; then
        sum=$(sha256sum <"$package")
    elif [ -n "$package" ]; then
        sum=$(sha256sum <<<"$package")
    else
        sum=$(cd "$source" && find . -path './build*' -prune -o -type f \( -name '*.[ch]' -o -name CMakeLists.txt -o -path './packaging/cmake/*' \
            -o -path './docs/*.md' -o -name CMakePresets.json \) -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    fi
    echo "key=cpprof-$system-$(uname -m)-${sum%% *}" >>"${GITHUB_OUTPUT:?}"
}

fetch() {
    case $package in
    https://*) curl -fsSL --retry 3 --proto =https -o "$work/${package##*/}" "$package" && package=$work/${package##*/} ;;
    *) [ -f "$package" ] || { echo "::error title=cpprof::there is no package '$package'"; exit 2; } ;;
    esac
}

unpack() {
    mkdir -p "$work/tree" "$prefix"
    case $package in
    *.deb) dpkg-deb -x "$package" "$work/tree" && cp -a "$work/tree/usr/." "$prefix" ;;
    *.tar.gz) tar -C "$prefix" --strip-components=1 -xzf "$package" ;;
    *) echo "::error title=cpprof::'$package' is neither a .deb nor a .tar.gz"; exit 2 ;;
    esac
}

build() {
    "$source/scripts/packages.sh"
    cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_CUDA=OFF -DBUILD_TESTING=OFF >"$work/log"
    cmake --build "$work/build" >>"$work/log" || { tail -n 50 "$work/log"; exit 4; }
    cmake --install "$work/build" --prefix "$prefix" >>"$work/log"
}

if [ "${1:-}" = key ]; then
    write_key
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -x "$prefix/bin/cpprof" ]; then # else the cache had it
    if [ -n "$package" ]; then
        fetch
        unpack
    else
        build
    fi
fi
"$prefix/bin/cpprof" version || {
    echo "::error title=cpprof::the package does not run on this system; leave out 'package', and it is built here"
    exit 4
}
echo "$prefix/bin" >>"${GITHUB_PATH:?}"
