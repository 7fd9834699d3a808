#!/usr/bin/env bash
# Shows the result of judge.sh on a pull request: one comment for each name, written once and then updated.
# usage: comment.sh      called by action.yml with $PULL_REQUEST, $NAME, $RESULTS and the job's token
#
# A pull request from a fork has a token that cannot write. The summary has the same page, so nothing fails here.
set -euo pipefail
comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments
said=$(mktemp)
trap 'rm -f "$said"' EXIT
give_up() {
    echo "::notice title=cpprof::no comment on the pull request: $1. The summary of the job has the result."
    exit 0
}
[[ $PULL_REQUEST =~ ^[0-9]+$ ]] || give_up "'$PULL_REQUEST' is no number of one"
command -v gh >/dev/null || give_up "gh is not installed on this runner"

# Others may write the mark into a comment of theirs: only that of a bot, which begins with it, is ours.
find_ours() {
    gh api --paginate "$comments?per_page=100" \
        --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"<!-- cpprof $NAME -->\"))) | .id"
}
ours=$(find_ours 2>"$said") || give_up "they cannot be read"
ours=${ours%%$'\n'*}
if [ -n "$ours" ]; then
    send=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$ours")
else
    send=(--method POST "$comments")
fi
gh api "${send[@]}" -F "body=@$RESULTS/comment.md" --silent 2>"$said" ||
    give_up "the token may not write to it (a fork, or the job lacks 'permissions: pull-requests: write')"
