#!/usr/bin/env bash
# Is everything here that the build needs? If not, install it (Debian, Ubuntu).
# usage: packages.sh [--tests]      exit 4 with the list when something is missing and cannot be installed
set -euo pipefail

# What proves that a package is there, then its name. A test for the thing
# itself finds tools and libraries that did not come as packages, too.
needed='
command  cc                       build-essential
command  c++                      build-essential
command  make                     build-essential
command  cmake                    cmake
command  ninja                    ninja-build
command  pkg-config               pkg-config
command  git                      git
command  file                     file
command  help2man                 help2man
header   csv.h                    libcsv-dev
header   jansson.h                libjansson-dev
header   zlib.h                   zlib1g-dev
header   libdeflate.h             libdeflate-dev
header   libiberty/demangle.h     libiberty-dev
header   sqlite3.h                libsqlite3-dev
header   yajl/yajl_parse.h        libyajl-dev
'
if [ "${1:-}" = --tests ]; then
    needed+='
header   cmocka.h                 libcmocka-dev
command  strace                   strace
command  mpirun                   openmpi-bin
mpi      mpi.h                    libopenmpi-dev
command  jq                       jq
format   14                       clang-format-14
python   jsonschema               python3-jsonschema
python   numpy                    python3-numpy
python   yaml                     python3-yaml
python   setuptools               python3-setuptools
python   wheel                    python3-wheel
python   ensurepip                python3-venv
'
fi

# mpicc itself adds its folders only to names of files.
mpi_compiler() { # OPTION...
    local words
    read -ra words < <(mpicc -show) && "${words[@]}" "$@"
}

present() { # KIND NAME
    case $1 in
    command) command -v "$2" >/dev/null ;;
    # Another version formats otherwise, and the guard would be skipped.
    format) { clang-format-"$2" --version; clang-format --version; } 2>/dev/null | grep "version $2\." >/dev/null ;;
    python) python3 -c "import $2" 2>/dev/null || /usr/bin/python3 -c "import $2" 2>/dev/null ;;
    mpi) printf '#include <%s>\n' "$2" | mpi_compiler -E -xc - >/dev/null 2>&1 ;;
    # cmocka.h wants others before it; whether the file is found is all we ask.
    header) printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$2" | cc -E -xc - >/dev/null 2>&1 ;;
    esac
}

missing_packages() {
    local kind name package
    while read -r kind name package; do
        [ -z "$kind" ] || present "$kind" "$name" || echo "$package"
    done <<<"$needed" | sort -u
}

mapfile -t packages < <(missing_packages)
[ ${#packages[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
if ! command -v apt-get >/dev/null || { [ ${#as_root[@]} -gt 0 ] && ! command -v sudo >/dev/null; }; then
    echo "packages missing: ${packages[*]}; install them (as root: apt-get install ${packages[*]}) and start again" >&2
    exit 4
fi
echo "installing: ${packages[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
{
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
} >&2 || { echo "cannot install ${packages[*]}: is there a network, and the right to install?" >&2; exit 4; }
