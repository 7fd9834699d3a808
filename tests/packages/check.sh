#!/usr/bin/env bash
# Do the package and the tarball of the CPU part work on this system? Needs root, and no network.
# usage: check.sh DEB TARBALL      for a container or a root of its own: it installs, upgrades and removes cpprof here
#
# A line for each check: ok, skip (why) or FAIL (what was seen). Exit status: 0 all are ok, 1 one failed, 2 wrong usage.
set -u
if [ $# -ne 2 ] || [ ! -f "$1" ] || [ ! -f "$2" ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage: $0 DEB TARBALL      as root, in a container or a root of its own" >&2
    exit 2
fi
deb=$(realpath "$1") tarball=$(realpath "$2")
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# shellcheck source=/dev/null
(. /etc/os-release && echo "$PRETTY_NAME, $(uname -m), $(getconf GNU_LIBC_VERSION)")

holds() { # WHAT PATTERN COMMAND...: it ends with 0 and prints a line with the pattern
    local what=$1 pattern=$2 said
    shift 2
    said=$("$@" 2>&1 </dev/null)
    local status=$?
    if [ "$status" -eq 0 ] && grep -q -- "$pattern" <<<"$said"; then
        echo "ok    $what"
    else
        printf 'FAIL  %s: exit status %s, no "%s" in: %s\n' "$what" "$status" "$pattern" "$(head -n 5 <<<"$said")"
        failed=1
    fi
}
skip() { printf 'skip  %s: %s\n' "$1" "$2"; }

install_package() { # as people do, which needs what it depends on
    if command -v apt-get >/dev/null; then
        apt-get install -y -q "$1"
    else
        dpkg -i "$1"
    fi
}

# The same package as a later version, by its control file.
make_later() {
    dpkg-deb -R "$deb" "$work/later" && sed -i 's/^Version: .*/&+later1/' "$work/later/DEBIAN/control" &&
        dpkg-deb -b "$work/later" "$work/later.deb"
}
installed_version() { dpkg-query -W -f '${Version} ${Status}\n' cpprof; }
is_excluded() { grep -rqs "path-exclude.*$1" /etc/dpkg/dpkg.cfg.d; } # containers leave out what nobody reads there

complete_line() { # WORD...
    # shellcheck source=/dev/null
    . /usr/share/bash-completion/completions/cpprof
    COMP_WORDS=(cpprof "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _cpprof
    echo "${COMPREPLY[*]}"
}

check_program() { # PROGRAM EXAMPLES
    holds 'its version' '^cpprof ' "$1" version
    holds 'a report of a recorded bundle' 'the GPU is busy' "$1" report --brief "$2/captures/vector.cpprof"
    holds 'a comparison' 'is faster than' "$1" compare "$2/verdicts/win.cpprof"
    holds 'rules on a capture' 'all rules hold' "$1" check --rules "$2/ci/idle_budget.rules" "$2/captures/train.cpprof"
    holds 'a document' '^# The rule language' "$1" help rules
}

# Whatever the package had, and whatever is called like it.
left_behind() {
    grep -q /bin/cpprof "$work/files" || echo "what the package had is not known"
    xargs -d '\n' -a "$work/files" sh -c 'for f; do [ -d "$f" ] || [ ! -e "$f" ] || echo "$f"; done' sh
    find /usr /etc /opt /var/lib /var/cache -name '*cpprof*' -not -path '/var/cache/apt/*' -not -path '/var/cache/man/*' 2>/dev/null
}
nothing_left() { local left && left=$(left_behind) && [ -z "$left" ] && echo clean || { echo "$left"; return 1; }; }

examples=/usr/share/cpprof/examples
holds 'the package installs' 'Setting up cpprof' install_package "$deb"
check_program cpprof "$examples"
if is_excluded /usr/share/man; then
    skip 'man cpprof' 'dpkg leaves out manual pages here'
elif command -v man >/dev/null; then
    holds 'man cpprof' 'CPPROF(1)' man cpprof
    holds 'man cpprof-compare' 'CPPROF-COMPARE(1)' man cpprof-compare
else
    holds 'a manual page (man is not installed)' 'cpprof-compare.1' ls /usr/share/man/man1
fi
holds 'completion of commands' '^report$' complete_line rep
holds 'completion of options' '--format' complete_line report --fo
holds 'a later version is made' '.' make_later
holds 'upgrade' 'Setting up cpprof.*later1' install_package "$work/later.deb"
holds 'the later version is there' 'later1 install ok installed' installed_version
check_program cpprof "$examples"
dpkg -L cpprof >"$work/files"
holds 'removal' 'Removing cpprof' dpkg -P cpprof
holds 'nothing is left' '^clean$' nothing_left

mkdir "$work/some where"
tar -C "$work/some where" -xzf "$tarball"
for place in 'some where' moved; do
    [ "$place" = 'some where' ] || mv "$work/some where" "$work/moved"
    tree=$(echo "$work/$place"/*)
    echo "the tarball in '$place'"
    cd / && check_program "$tree/bin/cpprof" "$tree/share/cpprof/examples"
done
exit "$failed"
