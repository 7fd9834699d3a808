#!/usr/bin/env bash
# Plays cpprof-runner for fake_run.sh: no GPU, but the files that the role would leave.
#
#   FAKE_TABLES   folders with tables and a trace, the later ones over the earlier ones
#   FAKE_WORDS    a file that the words of each call are added to
#   FAKE_ENDS     words ROLE-INDEX=HOW, or ROLE/NAME=HOW of one that has this solution: what this process does instead,
#                 see misbehave below
set -euo pipefail
role=$1
if [ -n "${FAKE_WORDS:-}" ]; then printf '%s\n' "$*" >>"$FAKE_WORDS"; fi
directory='' index=0 seeds='' arm='' solutions='' variants=''
for word in "$@"; do
    case $word in
    --seed=*) seeds+="${word#*=} " ;;
    --arm=*) arm=${word#*=} ;;
    --load=*=*) solutions+="$(cut -d= -f2 <<<"$word") " ;;
    --variant=*) variants+="${word#*=} " ;;
    --dir=*) directory=${word#*=} ;;
    --index=*) index=${word#*=} ;;
    esac
done

# Where the table is: $source, empty when there is none.
find_source() { # FILE
    local folder
    source=
    for folder in $FAKE_TABLES; do
        if [ -f "$folder/$1" ]; then source=$folder/$1; fi
    done
}

# The process has some solutions of the task "t": only these are there.
keep() {
    awk -F, -v "variants=$variants" 'BEGIN {for (i = split(variants, names, " "); i; i--) has["t/" names[i]] = has[names[i]] = 1}
        !/^t\// || $1 in has' "$@"
}

# Puts a table where the role would; of timing.csv only the rows of this process (the third column) and of its arm, if
# it has one; processes that it lacks are like others, but for their noise.
leave() { # FILE...
    local file source
    for file in "$@"; do
        find_source "$file"
        if [ -z "$source" ]; then continue; fi
        if [ "$file" = timing.csv ]; then
            if [ ! -f "$directory/$file" ]; then head -n 1 "$source" >"$directory/$file"; fi
            awk -F, -v OFS=, -v "index_=$index" -v "arm=$arm" '
                NR == FNR {if (FNR > 1 && !($3 in seen)) {seen[$3]; processes++} next}
                FNR > 1 && !($1 in place) {place[$1] = n++}
                FNR > 1 && $3 == index_ % processes && (arm == "" || place[$1] == arm) {
                    if ($3 != index_) {$3 = index_; $10 = sprintf("%.3f", $10 + index_ / 1000)} print}' "$source" "$source" |
                keep >>"$directory/$file"
        elif [ "${file%.csv}" != "$file" ] && [ "$role" != plan ]; then
            keep "$source" >"$directory/$file"
        else
            cp "$source" "$directory/$file"
        fi
    done
}

# The rows of verify.csv are those of one check; a run makes it with each seed, and each process on both sides of its loop.
leave_checks() { # PHASE...
    local source
    find_source verify.csv
    if [ -z "$source" ]; then return; fi
    if [ ! -f "$directory/verify.csv" ]; then head -n 1 "$source" >"$directory/verify.csv"; fi
    awk -F, -v OFS=, -v "phases=$*" -v "seeds=$seeds" -v "index_=$index" '
        NR > 1 && !($1 "," $2 in first) {first[$1 "," $2] = $0; order[++n] = $1 "," $2}
        NR > 1 && $5 == "after" {after[$1 "," $2] = $0}
        END {for (i = 1; i <= n; i++) for (p = 1; p <= split(phases, phase, " "); p++) {
            split("", seed); count = phase[p] == "all" ? split(seeds, seed, " ") : 1
            for (s = 1; s <= count; s++) {
                $0 = phase[p] == "after" && order[i] in after ? after[order[i]] : first[order[i]]
                $3 = index_; $5 = phase[p]; if (phase[p] == "all") $4 = seed[s]
                print}}}' "$source" | keep >>"$directory/verify.csv"
}

work() {
    case $role in
    plan) leave variants.csv expect.csv ;;
    verify) leave mismatches.csv; leave_checks all ;;
    time) leave timing.csv; leave_checks before after ;;
    trace) leave trace-1-0.bin resources.csv ;;
    count) leave metrics.csv ;;
    ceilings) cp "$(dirname "$0")/../data/ceilings/ceilings.json" "$directory/" ;;
    esac
    printf '{"role":"%s","index":%s,%s"wall_ns":1000000,"gpu":{"name":"NVIDIA Test","uuid":"GPU-1","compute_capability":"9.0","sm_count":132}}\n' \
        "$role" "$index" "$([ "$role" != progress ] || echo '"ended":1,')" >"$directory/process-$role-$index.json"
}

misbehave() { # HOW
    case $1 in
    nothing) exit 0 ;; # says that all is well
    exit2) echo "no variant matches 'x'" >&2; exit 2 ;;
    exit4) echo 'no GPU was found' >&2; exit 4 ;;
    refused) echo 'CUPTI failed to open the counters: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES' >&2; exit 4 ;;
    unknown-chip) echo "this CUPTI does not know the counters of the chip 'GX999'" >&2; exit 4 ;;
    mute) exit 4 ;;
    hangs) work; leave inside_progress.csv; echo "'pipeline/cpasync3' does not end after 5 s" >&2; exit 4 ;;
    waits) echo $$ >"$FAKE_WORDS.waits"; sleep 30 ;;
    crash) echo 'about to crash' >&2; kill -SEGV $$ ;;
    much) head -c 1048576 /dev/zero | tr '\0' 'x' >&2; exit 4 ;;
    hostile) printf 'a\033[2J<b>|`x`\nsecond line\377\n' >&2; exit 4 ;;
    half) # dies inside a row
        work
        printf '%s' "$(tail -n 1 "$directory/timing.csv" | cut -c 1-40)" >>"$directory/timing.csv"
        rm "$directory/process-$role-$index.json"
        kill -KILL $$
        ;;
    no-graphs)
        work
        sed -i 's/"wall_ns"/"missing":[{"what":"launches in graphs","why":"fast waits for its stream"}],&/' "$directory/process-$role-$index.json"
        ;;
    rebuild) work; echo changed >>libmine.so ;;
    badreport) work; echo '{"role":' >"$directory/process-$role-$index.json" ;;
    esac
}

for end in ${FAKE_ENDS:-}; do
    which=${end%%=*}
    if [ "$which" = "$role-$index" ] || { [ "${which%%/*}" = "$role" ] && [[ " $solutions" = *" ${which#*/} "* ]]; }; then
        misbehave "${end#*=}"
        exit 0
    fi
done
work
