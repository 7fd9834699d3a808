#!/usr/bin/env bash
# Does `cpprof bisect` do as docs/bisect.md says with what can go wrong: commits that cannot be built or decided, a
# second call, a signal, a checkout that is the user's?
# usage: bisect.sh CPPROF MAKE_BUNDLES TREE
set -euo pipefail
cpprof=$(realpath "${1:?usage: bisect.sh CPPROF MAKE_BUNDLES TREE}")
make_bundles=$(realpath "$2")
pool=$(realpath "$3")/examples/aa/pool.cpprof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/bin"
ln -s "$make_bundles" "$work/bin/make_bundles"
export PATH="$work/bin:$PATH" TMPDIR=$work/tmp pool log=$work/log ready=$work/ready
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
failed=0

complain() {
    printf 'NOT ok: %s\n' "$1"
    sed 's/^/    /' "$work/out" "$work/errors" | cut -c 1-300
    failed=1
}

# A file says what each commit is: fast, slow, wide (too noisy to tell), broken, no-gpu, hangs.
git init -q -b main "$work/repository"
cd "$work/repository"
commits=()
commit() { # KIND
    echo "$1" >kind
    git add kind
    git commit -q --allow-empty -m "$1 <b>"
    commits+=("$(git rev-parse HEAD)")
}
cat >"$work/measure.sh" <<'END'
kind=$(cat kind)
echo "$kind" >>"$log"
echo "this is no result"
factor=1 wider=1
case $kind in
slow) factor=1.02 ;;
wide) wider=50 ;;
broken) exit 2 ;;
no-gpu) exit 4 ;;
hangs) echo $$ >"$ready"; exec sleep 60 ;;
stuck) sleep 60 & echo $! >"$ready"; wait ;;
failing) end=1 ;;
esac
seed=$(wc -l <"$log")
make_bundles drawn "$CPPROF_BISECT_OUT" "$pool" "$seed" "$factor" "$wider" "$CPPROF_BISECT_COMMIT" 1767225600
exit "${end:-0}"
END

# bisect STATUS WHAT GOOD BAD WORD...: with the state "$work/state"
bisect() {
    local expected=$1 what=$2 good=$3 bad=$4 status=0
    shift 4
    : >"$log"
    "$cpprof" bisect --good "$good" --bad "$bad" --state "$work/state" "$@" >"$work/out" 2>"$work/errors" || status=$?
    [ "$status" -eq "$expected" ] || complain "$what: exit $status instead of $expected"
    [ -z "$(ls -A "$work/tmp")" ] || complain "$what: a checkout is left"
    [ "$(git worktree list | wc -l)" -eq 1 ] || complain "$what: git knows of a checkout"
    [ -z "$(git status --porcelain)" ] && [ "$(git rev-parse HEAD)" = "${commits[-1]}" ] || complain "$what: the user's checkout differs"
}
anew() { rm -rf "$work/state"; bisect "$@"; }
says() { grep -qE -- "$2" "$work/out" "$work/errors" || complain "$1: nothing says $2"; }
looks() { [ "$(wc -l <"$log")" -eq "$2" ] || complain "$1: $(wc -l <"$log") looks instead of $2"; }
measure=(-- sh "$work/measure.sh")

# 0 fast, 1 broken, 2 fast, 3 wide, 4 slow, 5 failing, 6 slow
for kind in fast broken fast wide slow slow slow; do commit "$kind"; done
anew 3 "undecided neighbours" "${commits[0]}" main "${measure[@]}"
says "undecided neighbours" '^not decided: the first slow commit is one of 2$'
says "undecided neighbours" 'slow <b>'
says "undecided neighbours" 'is undecided: pipeline/sync at large ctas_per_sm=1, inconclusive, interval_crosses_margin'
grep -q 'no result' "$work/out" && complain "what the command prints is in the result"
bisect 3 "a second call" "${commits[0]}" main "${measure[@]}"
looks "a second call" 0
says "a second call" 'by an earlier call'
bisect 2 "another command" "${commits[0]}" main -- sh "$work/measure.sh" more
says "another command" 'was measured by another command'

anew 0 "skipping a commit that does not build" "${commits[0]}" "${commits[4]}" --margin 1% -- sh -c 'sed -i s/wide/fast/ kind; . '"$work/measure.sh"
says "skipping" "^first slow commit: ${commits[4]:0:12} slow <b>$"
anew 3 "few steps" "${commits[0]}" main --steps 2 -- sh -c 'sed -i s/wide/fast/ kind; . '"$work/measure.sh"
says "few steps" 'Measured: 2 steps .* the same command goes on from here'
bisect 0 "the rest" "${commits[0]}" main -- sh -c 'sed -i s/wide/fast/ kind; . '"$work/measure.sh"
says "the rest" "^first slow commit: ${commits[4]:0:12} "

anew 3 "no slowdown" "${commits[0]}" "${commits[2]}" "${measure[@]}"
says "no slowdown" '^nothing to find'
looks "no slowdown" 2
anew 3 "it may be slower" "${commits[0]}" "${commits[3]}" "${measure[@]}"
says "it may be slower" '^not decided: is '
looks "it may be slower" 3
anew 5 "a good commit that does not build" "${commits[1]}" main "${measure[@]}"
anew 5 "no such commit" nowhere main "${measure[@]}"
says "no such commit" "'nowhere' is no commit"
anew 2 "an option for a commit" --help main "${measure[@]}"
anew 5 "the wrong order" main "${commits[0]}" "${measure[@]}"
anew 5 "one commit" main main "${measure[@]}"
says "one commit" 'no commit after'
anew 2 "no command" "${commits[0]}" main
status=0
said=$(GIT_INDEX_FILE=$PWD/index "$cpprof" bisect --good "${commits[0]}" --bad main "${measure[@]}" 2>&1) || status=$?
{ [ "$status" = 2 ] && grep -q 'GIT_INDEX_FILE is set' <<<"$said"; } || complain "in a hook of git: $status: $said"
anew 4 "no such program" "${commits[0]}" main -- "$work/none"

# A build, then what measures it; without a shell, OUT is the bundle.
anew 3 "a run after the build" "${commits[0]}" "${commits[2]}" \
    --run "make_bundles drawn OUT '$pool' 1 1 1 c 1767225600" -- test -e kind
says "a run after the build" 'nothing to find|same_recording'
anew 5 "a build that fails" "${commits[0]}" main --run 'touch OUT' -- false

# Another line of history, and a merge that brings it in: the merge is the commit.
git checkout -q -b side "${commits[2]}"
echo x >side && git add side && git commit -qm side
side=$(git rev-parse HEAD)
git checkout -q main
anew 5 "a commit of another line" "$side" main "${measure[@]}"

commit no-gpu
anew 4 "no GPU" "${commits[0]}" main "${measure[@]}"
[ -z "$(find "$work/state" -name "${commits[-1]}*")" ] || complain "no GPU: a look is kept"
commit failing
anew 3 "exit 1 with a bundle" "${commits[0]}" main "${measure[@]}"
says "exit 1 with a bundle" '^nothing to find'

commit hangs
rm -rf "$work/state" "$ready"
"$cpprof" bisect --good "${commits[0]}" --bad main --state "$work/state" "${measure[@]}" >"$work/out" 2>"$work/errors" &
search=$!
for _ in $(seq 200); do [ -s "$ready" ] && break; sleep 0.1; done
kill -TERM "$search"
status=0
wait "$search" || status=$?
[ "$status" -eq 4 ] || complain "a signal: exit $status instead of 4"
says "a signal" 'interrupted by Terminated'
[ -z "$(ls -A "$work/tmp")" ] && [ "$(git worktree list | wc -l)" -eq 1 ] || complain "a signal: a checkout is left"
if kill -0 "$(cat "$ready")" 2>/dev/null; then complain "a signal: the command goes on"; fi

# Killed, so that nobody removes its checkout but the next call; meanwhile no other one may work there.
search() {
    rm -f "$ready"
    "$cpprof" bisect --good "${commits[0]}" --bad main --state "$work/state" "${measure[@]}" >"$work/out" 2>"$work/errors" &
    search=$!
    for _ in $(seq 200); do [ -s "$ready" ] && break; sleep 0.1; done
}
search
status=0
said=$("$cpprof" bisect --good "${commits[0]}" --bad main --state "$work/state" "${measure[@]}" 2>&1) || status=$?
{ [ "$status" = 2 ] && grep -q 'another .* works in' <<<"$said"; } || complain "two at once: $status: $said"
kill -KILL "$search"
{ wait "$search" || true; } 2>/dev/null
kill -KILL "$(cat "$ready")"
[ "$(ls "$work/tmp" | wc -l)" -eq 1 ] || complain "killed: no checkout is left, so that this shows nothing"
bisect 3 "after one that was killed" "${commits[0]}" "${commits[2]}" "${measure[@]}"
says "after one that was killed" 'the checkout of a call that was killed is removed'
mkdir "$work/mine" && touch "$work/mine/file" && printf '%s' "$work/mine" >"$work/state/checkout"
bisect 3 "a folder that is not ours" "${commits[0]}" "${commits[2]}" "${measure[@]}"
[ -e "$work/mine/file" ] || complain "a folder that is not ours was removed"

commit stuck
rm -f "$ready"
anew 3 "a commit that takes too long" "${commits[0]}" main --timeout 2 "${measure[@]}"
says "a commit that takes too long" 'and was killed after 2 s'
if kill -0 "$(cat "$ready")" 2>/dev/null; then complain "what a command had started goes on"; fi
bisect 3 "the same limit again" "${commits[0]}" main --timeout 2 "${measure[@]}"
looks "the same limit again" 0
says "the same limit again" 'and was killed after 2 s'
bisect 3 "a longer limit" "${commits[0]}" main --timeout 3 "${measure[@]}"
looks "a longer limit" 1
says "a longer limit" 'and was killed after 3 s'
anew 2 "no time" "${commits[0]}" main --timeout 0 "${measure[@]}"

exit $failed
