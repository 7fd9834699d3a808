#!/usr/bin/env bash
# Runs `cpprof check` or `compare` in a job: annotations, the summary, files for an artifact and a comment, the reference.
# usage: judge.sh      called by action.yml, which describes $COMMAND, $INPUTS and the others; exit 2: they are wrong
#
# Names of kernels come from strangers. Each format makes them inert; what cpprof says on standard error is kept from
# the runner's commands and from Markdown here.
set -euo pipefail
summary_bytes_max=1048576 # what GitHub takes as the summary of a step
comment_bytes_max=60000   # of 65536 characters, less what stands around the page

refuse() { echo "::error title=cpprof::${1//[$'\r\n']/ }"; exit 2; }
one_of() { # NAME VALUE ALLOWED...
    local name=$1 value=$2
    shift 2
    for allowed; do [ "$value" != "$allowed" ] || return 0; done
    refuse "'$name' is one of: $*"
}
one_of command "$COMMAND" check compare
one_of save "$SAVE" passed always never
one_of inconclusive "$INCONCLUSIVE" fail pass
for text in "$NAME" "${BASELINE:-none}"; do
    [[ $text =~ ^[A-Za-z0-9_+-][A-Za-z0-9._+-]*$ ]] || refuse "'name' and 'baseline' have letters, digits, '.', '_', '-' and '+' only"
done

# Adds the lines of a text to the array `arguments`, each behind a prefix; a pattern becomes the files that it names.
add_files() { # PREFIX LINES
    local line file
    while IFS= read -r line; do
        line=${line#"${line%%[![:space:]]*}"} line=${line%"${line##*[![:space:]]}"}
        [ -n "$line" ] || continue
        if [ -e "$line" ] || ! compgen -G "$line" >/dev/null; then
            arguments+=("$1$line")
        else
            while IFS= read -r file; do arguments+=("$1$file"); done < <(compgen -G "$line" | sort)
        fi
    done <<<"$2"
}

arguments=()
add_files '' "$INPUTS"
inputs=("${arguments[@]}")
arguments=("$COMMAND")
[ "$COMMAND" = compare ] || add_files --rules= "$RULES"
while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"} line=${line%"${line##*[![:space:]]}"}
    case $line in
    '') ;;
    --help* | --usage* | --version* | --format* | --output* | -o* | --save* | --store* | --against* | -h | -'?' | -V)
        refuse "'options' takes none that decides what is written or kept" ;;
    *) arguments+=("$line") ;;
    esac
done <<<"$OPTIONS"
if [ -n "$BASELINE" ]; then
    [ "$COMMAND-${#inputs[@]}" = compare-1 ] || refuse "'baseline' is for compare with one input"
    arguments+=("--against=$BASELINE" "--store=$STORE")
fi
arguments+=(-- "${inputs[@]}")

results=$RUNNER_TEMP/cpprof-results/$NAME
rm -rf "$results"
mkdir -p "$results"
status=''
saved=false
# What comes from a pull request, however it comes, never becomes the reference.
may_keep=false
case ${GITHUB_EVENT_NAME:-} in push | schedule | workflow_dispatch) may_keep=true ;; esac
server=${GITHUB_SERVER_URL:-https://github.com}
link=$server/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID

# Each format is a call of its own; all must end alike, or one of them is not about the same.
write() { # FORMAT FILE
    local ended=0
    cpprof "${arguments[@]:0:1}" --format "$1" "${arguments[@]:1}" >"$results/$2" 2>"$results/said" || ended=$?
    [ -z "$status" ] || [ "$status" = "$ended" ] || refuse "cpprof ended with $status, and for $1 with $ended"
    status=$ended
}

# The runner reads commands in every line that is printed, so it is told not to.
print_said() {
    local token
    [ -s "$results/said" ] || return 0
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
    cat "$results/said"
    echo "::$token::"
}

# The whole lines of a page that have room.
first_bytes() { # FILE BYTES
    if [ "$(wc -c <"$1")" -le "$2" ]; then
        cat "$1"
    else
        head -c "$2" "$1" | sed '$d'
    fi
}

# A page, where cpprof wrote none: what it said, as code, which indented lines are whatever they hold.
write_page() {
    [ ! -s "$results/summary.md" ] || return 0
    {
        printf '**cpprof %s ended with %s**\n\n' "$COMMAND" "$status"
        tr -d '\000-\010\013-\037\177' <"$results/said" | sed 's/^/    /'
    } >"$results/summary.md"
}

judge() {
    write github annotations
    cat "$results/annotations"
    print_said
    write junit results.xml
    write json result.json
    write html report.html
    write md summary.md
    write_page
    rm "$results/annotations" "$results/said"
}

# A reference that is not there yet decides nothing.
miss_reference() {
    status=3
    echo "::warning title=cpprof::no reference '$BASELINE' is kept yet: the next push to the default branch keeps the first one"
    cat >"$results/summary.md" <<END
**Not judged:** no reference \`$BASELINE\` is kept yet. The next push to the default branch keeps the first one.
END
}

keep() { # WHAT: the sentence of the summary
    local ended=0
    cpprof compare --save "$BASELINE" --store "$STORE" -- "${inputs[0]}" >"$results/said" 2>&1 || ended=$?
    print_said
    rm "$results/said"
    [ "$ended" = 0 ] || refuse "the reference could not be kept: cpprof ended with $ended"
    saved=true
    printf '\n%s\n' "$1" >>"$results/summary.md"
}

# `always` is for a reference that cannot be compared with any more, too: another GPU, another driver.
may_save() {
    case $may_keep-$SAVE-$status in true-passed-0 | true-always-[0135]) return 0 ;; *) return 1 ;; esac
}

# What is of no use by itself is neither judged against a reference nor kept as one.
is_usable() {
    local ended=0
    cpprof compare -- "${inputs[0]}" >/dev/null 2>&1 || ended=$?
    [ -e "${inputs[0]}" ] && [ "$ended" != 5 ]
}

# A job that is run again finds what it has kept itself: the reference is the one before.
drop_own() {
    local bundles=("$STORE/$BASELINE"/*)
    local latest=${bundles[${#bundles[@]} - 1]}
    diff -rq "$latest" "${inputs[0]}" >/dev/null 2>&1 || return 0
    rm -rf "$latest"
    SAVE=never
    [ "${#bundles[@]}" -gt 1 ] || rm -rf "${STORE:?}/$BASELINE"
}

if [ -z "$BASELINE" ]; then
    judge
elif ! is_usable; then
    arguments=(compare -- "${inputs[0]}")
    judge
else
    had_reference=false
    if [ -d "$STORE/$BASELINE" ]; then
        had_reference=true
        drop_own
    fi
    if [ -d "$STORE/$BASELINE" ]; then
        judge
        if may_save; then keep "Kept as the new reference \`$BASELINE\`."; fi
    elif "$had_reference"; then
        status=0
        printf 'Nothing was judged: this is the first reference `%s`, kept by an earlier attempt of this job.\n' "$BASELINE" >"$results/summary.md"
    elif "$may_keep" && [ "$SAVE" != never ]; then
        status=0
        echo "::warning title=cpprof::nothing was judged: this input becomes the first reference '$BASELINE', however fast it is"
        keep "Nothing was judged: this is the first reference \`$BASELINE\`."
    else
        miss_reference
    fi
fi

# ---- what the job shows ----

summary=${GITHUB_STEP_SUMMARY:?}
touch "$summary"
room=$((summary_bytes_max - $(wc -c <"$summary") - 200))
[ "$(wc -c <"$results/summary.md")" -le "$room" ] ||
    echo "The page is too long for a summary; \`report.html\` in the artifact \`$NAME\` has all of it." >>"$summary"
echo >>"$summary"
first_bytes "$results/summary.md" "$room" >>"$summary"
{
    printf '<!-- cpprof %s -->\n' "$NAME"
    printf '%s\n\n' "\`$NAME\`: [summary and files]($link)"
    first_bytes "$results/summary.md" "$comment_bytes_max"
    [ "$(wc -c <"$results/summary.md")" -le "$comment_bytes_max" ] || printf '\nThe page goes on in the summary and its files.\n'
} >"$results/comment.md"

ended=$status
if [ "$status" = 3 ] && [ "$INCONCLUSIVE" = pass ]; then
    echo "::warning title=cpprof::not settled, which this job lets pass: see the summary"
    ended=0
fi
{
    echo "status=$status"
    echo "exit=$ended"
    echo "saved=$saved"
    echo "results=$results"
} >>"${GITHUB_OUTPUT:?}"
