#!/usr/bin/env bash
# In how many searches over 64 commits does `cpprof bisect` find a planted slowdown of 2%, and in how many does it find
# something where there is nothing? Each commit's times are drawn from the recorded pool, as those of 7 processes that
# followed one another.
# usage: bisect_series.sh CPPROF MAKE_BUNDLES TREE [SERIES EMPTY [WIDER]]
#        SERIES searches with a slowdown and EMPTY ones without: by default 4 and 2, with CPPROF_DEEP=1 100 and 20; the
#        noise is WIDER times the pool's (1)
# Exit status 1 when fewer than 95 of 100 are found in at most 8 steps, or something is found in more than 1 of 20.
set -euo pipefail
cpprof=$(realpath "${1:?usage: bisect_series.sh CPPROF MAKE_BUNDLES TREE [SERIES EMPTY [WIDER]]}")
make_bundles=$(realpath "$2")
pool=$(realpath "$3")/examples/aa/pool.cpprof
series=4 empty=2
if [ -n "${CPPROF_DEEP:-}" ]; then series=100 empty=20; fi
series=${4:-$series} empty=${5:-$empty}
export make_bundles pool wider=${6:-1} first seed
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A commit's file says where it stands; 0 is the good one.
git init -q repository
cd repository
for number in $(seq 0 63); do
    echo "$number" >number
    git add number
    git commit -qm "change $number"
done
mapfile -t commits < <(git rev-list --reverse HEAD)

# Stands in for a build and a run. From commit `first` on it is 2% slower; another look has other times.
cat >"$work/measure.sh" <<'END'
number=$(cat number)
factor=1
[ "$number" -lt "$first" ] || factor=1.02
look=${CPPROF_BISECT_OUT##*-}
exec "$make_bundles" drawn "$CPPROF_BISECT_OUT" "$pool" $((seed * 1000 + ${look%.cpprof} * 100 + number)) "$factor" "$wider" \
    "$CPPROF_BISECT_COMMIT" $((1767225600 + number))
END

search() { # prints what it finds
    "$cpprof" bisect --good "${commits[0]}" --bad HEAD --state "$work/state" -- sh "$work/measure.sh" 2>"$work/errors" || true
    rm -rf "$work/state"
}

found=0 quick=0 other=0 open=0 steps_of_all=0 most=0
for seed in $(seq "$series"); do
    first=$((1 + (seed * 37) % 63))
    search >"$work/out"
    steps=$(sed -nE 's/.*Measured: ([0-9]+) steps? .*/\1/p' "$work/out")
    steps_of_all=$((steps_of_all + steps))
    if [ "$steps" -gt "$most" ]; then most=$steps; fi
    if grep -q "^first slow commit: ${commits[first]:0:12} " "$work/out"; then
        found=$((found + 1))
        if [ "$steps" -le 8 ]; then quick=$((quick + 1)); fi
    elif grep -q '^first slow commit' "$work/out"; then
        other=$((other + 1))
    else
        open=$((open + 1))
    fi
done
echo "2% slower from one of 64 commits on, noise x$wider: found in $found of $series searches, in at most 8 steps in $quick;" \
    "another commit in $other, not decided in $open; $steps_of_all steps in all, at most $most in a search"

nothing=0 wrong=0
for seed in $(seq 1001 $((1000 + empty))); do
    first=99
    search >"$work/out"
    if grep -q '^nothing to find' "$work/out"; then nothing=$((nothing + 1)); fi
    if grep -q '^first slow commit' "$work/out"; then wrong=$((wrong + 1)); fi
done
echo "no slowdown, noise x$wider: something is found in $wrong of $empty searches, shown to be none in $nothing"
[ $((quick * 100)) -ge $((series * 95)) ] && [ $((wrong * 20)) -le "$empty" ]
