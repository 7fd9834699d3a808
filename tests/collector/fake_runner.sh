#!/usr/bin/env bash
# Plays cpprof-runner for fake_run.sh: no GPU, but the files that the role would leave.
#
#   FAKE_TABLES   folders with tables and a trace, the later ones over the earlier ones
#   FAKE_WORDS    a file that the words of each call are added to
#   FAKE_ENDS     words ROLE-INDEX=HOW: what this process does instead, see misbehave below
set -euo pipefail
role=$1
if [ -n "${FAKE_WORDS:-}" ]; then printf '%s\n' "$*" >>"$FAKE_WORDS"; fi
directory='' index=0
for word in "$@"; do
    case $word in
    --dir=*) directory=${word#*=} ;;
    --index=*) index=${word#*=} ;;
    esac
done

# Puts a table where the role would; of timing.csv only this process's rows (the third column).
leave() { # FILE...
    local file folder source
    for file in "$@"; do
        source=
        for folder in $FAKE_TABLES; do
            if [ -f "$folder/$file" ]; then source=$folder/$file; fi
        done
        if [ -z "$source" ]; then continue; fi
        if [ "$file" = timing.csv ]; then
            if [ ! -f "$directory/$file" ]; then head -n 1 "$source" >"$directory/$file"; fi
            awk -F, -v "index_=$index" 'NR > 1 && $3 == index_' "$source" >>"$directory/$file"
        else
            cp "$source" "$directory/$file"
        fi
    done
}

work() {
    case $role in
    plan) leave variants.csv expect.csv ;;
    verify) leave verify.csv mismatches.csv ;;
    time) leave timing.csv ;;
    trace) leave trace-1-0.bin resources.csv ;;
    count) leave metrics.csv ;;
    ceilings) cp "$(dirname "$0")/../data/ceilings/ceilings.json" "$directory/" ;;
    esac
    printf '{"role":"%s","index":%s,"wall_ns":1000000,"gpu":{"name":"NVIDIA Test","uuid":"GPU-1","compute_capability":"9.0","sm_count":132}}\n' \
        "$role" "$index" >"$directory/process-$role-$index.json"
}

misbehave() { # HOW
    case $1 in
    nothing) exit 0 ;; # says that all is well
    exit2) echo "no variant matches 'x'" >&2; exit 2 ;;
    exit4) echo 'no GPU was found' >&2; exit 4 ;;
    refused) echo 'CUPTI failed to open the counters: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES' >&2; exit 4 ;;
    mute) exit 4 ;;
    crash) echo 'about to crash' >&2; kill -SEGV $$ ;;
    much) head -c 1048576 /dev/zero | tr '\0' 'x' >&2; exit 4 ;;
    hostile) printf 'a\033[2J<b>|`x`\nsecond line\377\n' >&2; exit 4 ;;
    half) # dies inside a row
        work
        printf '%s' "$(tail -n 1 "$directory/timing.csv" | cut -c 1-40)" >>"$directory/timing.csv"
        rm "$directory/process-$role-$index.json"
        kill -KILL $$
        ;;
    rebuild) work; echo changed >>libmine.so ;;
    badreport) work; echo '{"role":' >"$directory/process-$role-$index.json" ;;
    esac
}

for end in ${FAKE_ENDS:-}; do
    if [ "${end%%=*}" = "$role-$index" ]; then
        misbehave "${end#*=}"
        exit 0
    fi
done
work
