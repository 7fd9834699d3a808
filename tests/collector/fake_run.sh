#!/usr/bin/env bash
# Does `cpprof run` end with an honest bundle and exit status, whatever its runner does?
# The runner is fake_runner.sh; what it leaves are the tables of make_bundles and of fixtures/.
# usage: fake_run.sh CPPROF MAKE_BUNDLES [I/N]      I/N: each Nth part from the Ith on, counted from 0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cpprof=$(realpath "${1:?usage: fake_run.sh CPPROF MAKE_BUNDLES}")
make_bundles=$(realpath "${2:?usage: fake_run.sh CPPROF MAKE_BUNDLES}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
share=${3:-0/1}
"$make_bundles" "$work/tables"
good=$work/tables/faster.cpprof
export CPPROF_RUNNER=$here/fake_runner.sh FAKE_TABLES FAKE_ENDS=
failed=0
what=

complain() { # TEXT
    printf 'NOT ok: %s: %s\n' "$what" "$1"
    if [ -s errors ]; then sed 's/^/    /' errors | cut -c 1-300; fi
    failed=1
}

# Starts a case in an empty folder: the bundle is b.cpprof, standard output `out`, standard error `errors`.
case_of() { # WHAT TABLES ENDS
    what=$1 FAKE_TABLES=$2 FAKE_ENDS=$3
    rm -rf "$work/run"
    mkdir "$work/run"
    cd "$work/run"
}

# `out` is what the run says, then the whole report.
run() { # STATUS ARGUMENT...      5 processes, unless it says others
    local expected=$1 status=0
    shift
    "$cpprof" run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --processes 5 "$@" >out 2>errors || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
    [ ! -d b.cpprof ] || "$cpprof" report --full --format text b.cpprof >>out 2>/dev/null || true
}

says() { # FILE PATTERN...
    local file=$1 pattern
    shift
    for pattern in "$@"; do
        if ! grep -qE -- "$pattern" "$file"; then complain "$file does not say '$pattern'"; fi
    done
}

is_silent_about() { # FILE PATTERN
    if grep -qE -- "$2" "$1"; then complain "$1 says '$2'"; fi
}

count_is() { # NUMBER FILE PATTERN
    local found
    found=$(grep -cE -- "$3" "$2" || true)
    if [ "$found" -ne "$1" ]; then complain "$2 says '$3' $found times, not $1 times"; fi
}

# A finished bundle: sealed, the report in it is the one that `cpprof report` gives, nothing else lies around.
is_finished() {
    says b.cpprof/manifest.json '"status": "complete"'
    if ls b.cpprof/process-* >list 2>&1; then complain "left behind: $(cat list)"; fi
    rm -f list
    "$cpprof" report b.cpprof >again 2>>errors || true
    if ! diff again b.cpprof/report.md >difference; then complain 'the stored report differs from that of `cpprof report`'; fi
    rm -f again difference
    says b.cpprof/verdict.json '"schema": "cpprof.compare/1"'
    only b.cpprof
}

# Nothing else is in the folder; a folder for the plan would be named after the bundle.
only() { # [FILE...]
    printf '%s\n' errors out "$@" | sort >../expected
    ls -A | sort >../found
    if ! diff ../expected ../found >../difference; then complain "the folder differs: $(grep '^[<>]' ../difference | tr '\n' ' ')"; fi
}

all=$(for process in verify-0 time-0 time-1 time-2 time-3 time-4 trace-0 count-0; do printf '%s ' "$process=HOW"; done)

whole_runs() {
    case_of 'a good run' "$good" ''
    run 0 -o b.cpprof
    is_finished
    says out '^pipeline/cpasync3 is faster than pipeline/sync: 1\.333x' 'Checked: pass, 2 of 2' '28 of 28 results are right' '5 processes'
    says errors '^cpprof: fresh seed [0-9]+; bundle b.cpprof, report b.cpprof/report.md$'
    is_silent_about b.cpprof/manifest.json '"detail"'
    is_silent_about b.cpprof/manifest.json "$work"
    count_is 5 b.cpprof/manifest.json '"role": "time"'

    case_of 'the wrong kernel' "$work/tables/misdispatched.cpprof" ''
    run 1 -o b.cpprof
    is_finished
    says <(head -n 1 out) '^WRONG KERNEL: pipeline/misdispatched ran pipeline_sync, but a kernel matching pipeline_cpasync<.\*3.\*> was meant$'

    case_of 'a wrong result' "$good $here/fixtures/wrong" ''
    run 1 -o b.cpprof
    is_finished
    says <(head -n 1 out) '^WRONG RESULT: pipeline/cpasync3 '
    says out 'every 3rd tile: stage 0 is read before it is filled' ' unusable '
    count_is 8 out 'tile 3, chunk [0-7], stage 0'

    case_of 'counters refused' "$good" count-0=refused
    run 3 -o b.cpprof
    is_finished
    says out 'UNPROVEN: that the kernels that were meant ran' 'count process 0 failed: .*INSUFFICIENT_PRIVILEGES' 'was not measured'
    says out 'pipeline/cpasync3 is faster than'

    # A name that only the chip could judge is asked for, and nobody knows the chip.
    case_of 'a chip that CUPTI does not know' "$good" 'metrics-0=unknown-chip count-0=unknown-chip'
    run 3 -o b.cpprof --metrics bound,sm__cycles_active.avg
    is_finished
    says out "count process 0 failed: this CUPTI does not know the counters of the chip 'GX999'" \
        'pipeline/cpasync3 is faster than' 'Correctness: pass'

    case_of 'counters not asked for' "$good" ''
    run 3 -o b.cpprof --metrics none
    is_finished
    is_silent_about b.cpprof/manifest.json '"role": "count"'
}

# What the GPU can do at most: measured once before the run, or from a file that is about such a GPU.
ceilings() {
    export FAKE_WORDS=$work/words
    case_of 'ceilings that are measured' "$good" ''
    rm -f "$work/words"
    run 0 -o b.cpprof --ceilings measure --device 0
    is_finished
    count_is 1 "$work/words" '^ceilings .*--device=0$'
    says b.cpprof/manifest.json '"source": "measured"' '"best": 4050000000000'
    says out '4.05 TB/s' '82.7% as measured on this GPU|dram_reach_measured'

    case_of 'ceilings from a file' "$good" ''
    rm -f "$work/words"
    printf '{"ceilings":{"schema":"cpprof.ceilings/1","gpus":[%s]}}\n' "$(cat "$here/../data/ceilings/ceilings.json")" >c.json
    run 0 -o b.cpprof --ceilings c.json
    mv c.json ..
    is_finished
    count_is 0 "$work/words" '^ceilings '
    says b.cpprof/manifest.json '"source": "file"'

    case_of 'ceilings of another GPU' "$good" ''
    sed 's/GPU-1/GPU-2/' ../c.json >c.json
    run 5 -o b.cpprof --ceilings c.json
    says errors "--ceilings 'c.json': its ceilings are of 'NVIDIA H200', not of 'NVIDIA Test'$"
    only c.json

    case_of 'ceilings that are none' "$good" ''
    echo '{}' >c.json
    run 5 -o b.cpprof --ceilings c.json
    says errors "it holds no ceilings: 'cpprof doctor --ceilings"
    only c.json

    case_of 'ceilings that cannot be measured' "$good" ceilings-0=exit4
    run 0 -o b.cpprof --ceilings measure
    is_finished
    says out "ceilings: missing because .*no GPU was found|ceilings.*no GPU was found"
    unset FAKE_WORDS
}

broken_processes() {
    case_of 'a crash' "$good" time-1=crash
    run 3 -o b.cpprof
    is_finished
    says out '4 processes' 'time process 1 failed: it was ended by signal 11 .Segmentation fault.: about to crash'

    case_of 'half a row' "$good" time-2=half
    run 5 -o b.cpprof
    is_finished
    says out 'DAMAGED BUNDLE' 'timing.csv:[0-9]+: ' 'time process 2 failed: it was ended by signal 9' '3 processes|2 processes'

    case_of 'one that says that all is well and does nothing' "$good" time-1=nothing
    run 3 -o b.cpprof
    is_finished
    says out '4 processes' 'time process 1 failed: it left no report'

    case_of 'a report that is no JSON' "$good" time-3=badreport
    run 3 -o b.cpprof
    is_finished
    says out 'time process 3 failed: .*not valid JSON'

    case_of 'a MiB of words' "$good" trace-0=much
    run 3 -o b.cpprof
    is_finished
    says out 'trace process 0 failed: xxxx' 'the bundle holds no trace'
    if [ "$(wc -c <out)" -gt 65536 ]; then complain "the report has $(wc -c <out) bytes"; fi

    case_of 'words that would act' "$good" trace-0=hostile
    run 3 -o b.cpprof
    is_finished
    if grep -q "$(printf '\033')" out errors b.cpprof/*.json b.cpprof/report.md; then complain 'a control character came through'; fi
    says out 'trace process 0 failed: a.x1b.2J<b>.*x.* \| second line'
    is_silent_about out 'x0a'

    case_of 'no words' "$good" count-0=mute
    run 3 -o b.cpprof
    says out 'count process 0 failed: it gave no reason'

    case_of 'verification crashes' "$good" verify-0=exit4
    run 3 -o b.cpprof
    is_finished
    says out 'the verify process 0 failed'

    case_of 'everything crashes' "$good" "${all//HOW/crash}"
    run 3 -o b.cpprof
    is_finished
    count_is 8 b.cpprof/manifest.json 'ended by signal 11'
    says <(head -n 1 out) '^nothing was timed: the verify process 0 failed: it was ended by signal 11 .*: about to crash \(and 7 more below\)$'

    case_of 'everything fails with two lines' "$good" "${all//HOW/hostile}"
    run 3 -o b.cpprof
    is_finished
    says <(head -n 1 out) '^nothing was timed: the verify process 0 failed: a.x1b.2J<b>.*x.* \| second line.* \(and 7 more below\)$'
    is_silent_about out 'x0a'
    if grep -q "$(printf '\033')" out errors b.cpprof/*.json b.cpprof/report.md; then complain 'a control character came through'; fi

    case_of 'everything does nothing' "$good" "${all//HOW/nothing}"
    run 3 -o b.cpprof
    is_finished
    count_is 8 b.cpprof/manifest.json 'it left no report'
}

# The plan is the first process: what it refuses leaves nothing behind and replaces nothing.
refused_plans() {
    local how status pattern
    while IFS='|' read -r how status pattern; do
        case_of "the plan ends with $how" "$good" "plan-0=$how"
        run "$status" -o b.cpprof
        says errors "$pattern"
        count_is 1 errors .
        only
        mkdir b.cpprof
        echo precious >b.cpprof/manifest.json
        run "$status" -o b.cpprof --force
        says b.cpprof/manifest.json '^precious$'
        only b.cpprof
    done <<'ENDS'
exit2|2|^cpprof: no variant matches 'x'$
exit4|4|^cpprof: no GPU was found$
mute|4|^cpprof: cpprof-runner failed to plan the run: it gave no reason: it ended with exit status 4$
crash|4|^cpprof: cpprof-runner failed to plan the run: it was ended by signal 11 .Segmentation fault.: about to crash$
hostile|4|^cpprof: a.x1b.2J<b>
nothing|4|^cpprof: cpprof-runner planned nothing: it left no variants.csv$
ENDS
}

places() {
    case_of 'a bundle replaced' "$good" ''
    run 0 -o b.cpprof
    echo old >b.cpprof/report.html
    echo mine >b.cpprof/mine.csv
    run 2 -o b.cpprof
    says errors "'b.cpprof' exists already"
    run 2 -o b.cpprof --force
    says errors "holds 'mine.csv', which is no part of a bundle"
    if [ ! -f b.cpprof/report.html ]; then complain 'it is gone although it was refused'; fi
    rm b.cpprof/mine.csv
    run 0 -o b.cpprof/ --force
    if [ -f b.cpprof/report.html ]; then complain 'something of the old one is left'; fi
    is_finished

    case_of 'a name that ends with a slash' "$good" ''
    run 0 -o b.cpprof/
    is_finished

    case_of 'a folder that is no bundle' "$good" ''
    mkdir b.cpprof
    echo precious >b.cpprof/file
    run 2 -o b.cpprof --force
    says errors 'is not a bundle'
    says b.cpprof/file precious

    case_of 'names of its own' "$good" ''
    run 0
    run 0
    only pipeline-cpasync3-2.cpprof pipeline-cpasync3.cpprof

    case_of 'a runner that is not there' "$good" ''
    CPPROF_RUNNER=/is/not/there run 4 -o b.cpprof
    says errors "CPPROF_RUNNER names '/is/not/there'"
    only
}

# Times of arms whose ratio is 0.97 with a spread of 1.2%: not known with 5 processes, known with 10; $tables.
noisy_tables() {
    tables=$work/noisy
    mkdir -p "$tables"
    head -n 1 "$good/timing.csv" >"$tables/timing.csv"
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) name[i] = $i; next} {
        if (!($1 in shape)) {shape[$1] = $2; arms[++n] = $1} }
        END {for (p = 0; p < 100; p++) for (a = 1; a <= n; a++) {
            value["variant"] = arms[a]; value["shape"] = shape[arms[a]]; value["process"] = p; value["cache"] = "hot"
            value["block"] = value["order"] = value["iteration"] = 0; value["batch"] = 1
            value["sm_clock_hz"] = 1980000000; value["throttled"] = "no"
            value["duration_ns"] = arms[a] ~ /sync$/ ? 100000 : 97000 * (1 + 0.008 * ((p * 2) % 5 - 2))
            for (i = 1; i in name; i++) printf "%s%s", value[name[i]], i + 1 in name ? "," : "\n" } }' \
        "$good/timing.csv" >>"$tables/timing.csv"
}

# What the manifest says of the end of the timing: REASON PROCESSES LOOKS
stopped() {
    local got
    got=$(awk -F'[:,]' '/"stop": {/ {inside = 1} inside && /"(reason|processes|looks)"/ {gsub(/[ "]/, "", $2); printf "%s ", $2} /}/ {inside = 0}' \
        b.cpprof/manifest.json)
    if [ "$got" != "$* " ]; then complain "it stopped by '$got' instead of '$*'"; fi
}

enough() {
    noisy_tables
    case_of 'as many processes as asked for' "$good $tables" ''
    run 0 -o b.cpprof --processes 6
    is_finished
    stopped processes 6 1
    says b.cpprof/manifest.json '"schedule": "abba"' '"cache": "hot"' '"until_width": null' '"budget_ns": null'
    says out '6 processes'

    case_of 'until it is known' "$good $tables" ''
    run 0 -o b.cpprof --processes 5 --budget 600s
    is_finished
    stopped width 10 6
    says out '^pipeline/cpasync3 is faster than' '10 processes'
    count_is 10 b.cpprof/manifest.json '"role": "time"'

    case_of 'known at the first look' "$good" ''
    run 0 -o b.cpprof --processes 7 --budget 600s
    stopped width 7 5
    says out '^pipeline/cpasync3 is faster than'

    case_of 'a budget that is gone' "$good $tables" ''
    run 0 -o b.cpprof --processes 5 --budget 1ns
    is_finished
    stopped budget 5 6
    says b.cpprof/manifest.json '"budget_ns": 1$'
    says out 'inconclusive'

    case_of 'until intervals are narrow' "$good $tables" ''
    run 0 -o b.cpprof --processes 4 --until-width 2%
    stopped width 8 6
    says b.cpprof/manifest.json '"until_width": 0.02'

    case_of 'narrower than can be' "$good $tables" ''
    run 0 -o b.cpprof --processes 50 --until-width 0.001%
    stopped processes 100 2

    case_of 'nothing is measured' "$good" "$(for p in 0 1 2 3; do printf 'time-%s=nothing ' "$p"; done)"
    run 3 -o b.cpprof --processes 4 --budget 600s
    stopped width 4 6

    case_of 'too few to say anything' "$good" ''
    run 2 -o b.cpprof --processes 2
    says errors "--processes 2: the process is the observation"
    only
}

# The words of the runner's processes of a role, in order, what is asked for alone.
words_of() { # ROLE REGEX
    grep "^$1 " "$work/words" | while read -r line; do
        printf '%s\n' "$line" | tr ' ' '\n' | grep -E -- "$2" | tr '\n' ' '
        echo
    done | sed 's/ $//'
}

words_are() { # ROLE REGEX EXPECTED
    if ! diff <(words_of "$1" "$2") <(printf '%s\n' "$3") >../difference; then
        complain "the words of $1 differ: $(grep '^[<>]' ../difference | head -n 4 | tr '\n' ' ')"
    fi
}

# 20 shapes of two arms, which two processes share.
# The times that the scripted runner leaves are of other shapes: damage.
many_shapes() {
    tables=$work/many
    mkdir -p "$tables"
    awk -F, 'NR == 1 {print; next} {row[$1] = $0; if (!($1 in place)) {place[$1] = ++n; name[n] = $1}}
        END {for (s = 1; s <= 20; s++) for (i = 1; i <= n; i++) {
            split(row[name[i]], cell, ","); text = row[name[i]]; sub("," cell[2] ",", ",n=" s " stages=3,", text); print text}}' \
        "$good/variants.csv" >"$tables/variants.csv"
}

# Solutions that share no process: a first one that has all of them chooses how launches are timed.
# judge ARGUMENT...      leaves what it does as the other runs do
judge() {
    rm -f "$FAKE_WORDS"
    touch t.so fast.so slow.so
    "$cpprof" run --task ./t.so --solution slow=./slow.so --solution fast=./fast.so --baseline slow --schedule process --processes 3 -o b.cpprof \
        --force "$@" >out 2>errors || true
}

alone() {
    local batch tables choice single
    export FAKE_WORDS=$work/words
    choice='^--(iters|index|arm|method|cache|load|variant)'
    for batch in 1 20; do
        tables=$work/alone-$batch
        mkdir -p "$tables"
        for file in "$good"/*.csv; do
            sed 's,pipeline/sync,t/slow,g; s,pipeline/cpasync3,t/fast,g' "$file" >"$tables/${file##*/}"
        done
        awk -F, -v OFS=, -v "batch=$batch" 'NR > 1 {$8 = batch} {print}' "$good/timing.csv" >"$tables/timing.csv"
    done

    case_of 'solutions in graphs, one in each process' "$good $work/alone-20" ''
    judge
    words_are time "$choice" '--index=0 --iters=4 --arm=0 --load=./t.so --load=slow=./slow.so --load=fast=./fast.so --variant=slow --variant=fast
--index=0 --iters=100 --method=graphs --arm=0 --load=./t.so --load=slow=./slow.so --variant=slow
--index=1 --iters=100 --method=graphs --arm=0 --load=./t.so --load=fast=./fast.so --variant=fast
--index=2 --iters=100 --method=graphs --arm=0 --load=./t.so --load=fast=./fast.so --variant=fast
--index=3 --iters=100 --method=graphs --arm=0 --load=./t.so --load=slow=./slow.so --variant=slow
--index=4 --iters=100 --method=graphs --arm=0 --load=./t.so --load=slow=./slow.so --variant=slow
--index=5 --iters=100 --method=graphs --arm=0 --load=./t.so --load=fast=./fast.so --variant=fast'
    words_are trace '^--load' '--load=./t.so --load=slow=./slow.so --load=fast=./fast.so'
    says b.cpprof/manifest.json '"method": "graphs"'
    count_is 6 b.cpprof/manifest.json '"role": "time"'

    case_of 'solutions that take long, one in each process' "$good $work/alone-1" ''
    judge --cache both
    single=$(words_of time '^--(iters|method|cache)')
    if [ "$(uniq <<<"$single")" != "$(printf '%s\n' '--iters=4' '--iters=100 --cache=both --method=single')" ]; then complain "words: $single"; fi

    case_of 'a solution that no graph holds' "$good $work/alone-20" time-0=no-graphs
    judge
    count_is 6 "$work/words" '^time .*--method=single'
    says b.cpprof/manifest.json '"why": "fast waits for its stream"' '"method": "single"'

    case_of 'a solution that ends the process which chooses' "$good $work/alone-20" time/fast=crash
    judge
    count_is 3 "$work/words" '^time .*--method=graphs .*--load=slow'
    count_is 0 "$work/words" '^(time .*--method|trace).*--load=fast'
    count_is 1 b.cpprof/manifest.json 'Segmentation fault'

    case_of 'solutions whose method is given, or which are cold' "$good $work/alone-20" ''
    judge --method graphs
    count_is 6 "$work/words" '^time .*--method=graphs'
    judge --cache cold
    count_is 6 "$work/words" '^time .*--method=single'
    count_is 6 "$work/words" '^time '

    case_of 'solutions beside others' "$good" ''
    judge --load ./mine.so mine/v1
    count_is 0 "$work/words" '^time .*--method'
    count_is 6 "$work/words" '^time .*--load=./mine.so'
    judge --schedule sequential
    count_is 0 "$work/words" '^time .*--method'
    count_is 3 "$work/words" '^time '
    unset FAKE_WORDS
}

schedules() {
    local record
    export FAKE_WORDS=$work/words
    record='^--(schedule|arm|round|flip|cache|method|share|index)'

    case_of 'both arms in each process' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --cache both
    words_are time "$record" "--index=0 --round=0 --cache=both
--index=1 --round=1 --flip --cache=both
--index=2 --round=2 --cache=both"
    words_are trace "$record" '--index=0'
    says b.cpprof/manifest.json '"cache": "both"' '"method": "auto"'

    case_of 'one arm in each process' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --schedule process
    words_are time "$record" "--index=0 --round=0 --schedule=process --arm=0
--index=1 --round=0 --schedule=process --arm=1
--index=2 --round=1 --flip --schedule=process --arm=1
--index=3 --round=1 --flip --schedule=process --arm=0
--index=4 --round=2 --schedule=process --arm=0
--index=5 --round=2 --schedule=process --arm=1"
    says b.cpprof/manifest.json '"schedule": "process"'
    stopped processes 3 1

    case_of 'one arm after the other' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --schedule sequential --cache cold
    words_are time "$record" "--index=0 --round=0 --cache=cold --schedule=sequential
--index=1 --round=1 --flip --cache=cold --schedule=sequential
--index=2 --round=2 --cache=cold --schedule=sequential"

    case_of 'in graphs, all of them' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --schedule sequential --cache both --method graphs
    words_are time "$record" "--index=0 --round=0 --cache=both --method=graphs --schedule=sequential
--index=1 --round=1 --flip --cache=both --method=graphs --schedule=sequential
--index=2 --round=2 --cache=both --method=graphs --schedule=sequential"
    words_are trace "$record" '--index=0'
    says b.cpprof/manifest.json '"method": "graphs"'

    case_of 'counters read more than once' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --count-repeats 20
    words_are count '^--(repeats|index)' '--index=0 --repeats=20'
    words_are trace '^--(repeats|index)' '--index=0'
    run 2 -o c.cpprof --count-repeats 0
    says errors '--count-repeats 0: expected a whole number from 1 to 1000'

    many_shapes
    case_of 'many shapes' "$good $tables" ''
    rm -f "$FAKE_WORDS"
    run 5 -o b.cpprof --processes 3 --sweep n=1:20:+1
    words_are verify "$record" "--index=0 --share=0/2
--index=1 --share=1/2"
    words_are time "$record" "--index=0 --share=0/2 --round=0
--index=1 --share=1/2 --round=0
--index=2 --share=0/2 --round=1 --flip
--index=3 --share=1/2 --round=1 --flip
--index=4 --share=0/2 --round=2
--index=5 --share=1/2 --round=2"
    words_are plan '^--(shape|share)' "$(seq -s ' ' -f '--shape=n=%g' 1 20)"

    case_of 'a sweep over one dimension of two' "$good" ''
    rm -f "$FAKE_WORDS"
    run 0 -o b.cpprof --processes 3 --sweep bytes=64KiB,1MiB --shape H=8 --shape H=16,W=2
    words_are plan '^--shape' '--shape=bytes=65536,H=8 --shape=bytes=1048576,H=8 --shape=bytes=65536,H=16,W=2 --shape=bytes=1048576,H=16,W=2'

    rm -f "$FAKE_WORDS"
    case_of 'a sweep of a shape by name' "$good" ''
    run 2 -o b.cpprof --force 1stage
    says errors 'did you mean --force-kernel 1stage'
    run 2 -o b.cpprof --sweep n=1,2 --shape mission
    says errors 'a shape by name has its sizes'
    run 2 -o b.cpprof --sweep n=2:1:x2
    says errors 'the last size is below the first'
    only
    if [ -e "$FAKE_WORDS" ]; then complain 'the runner was started'; fi
    unset FAKE_WORDS
}

aa() { # STATUS ARGUMENT...
    local expected=$1 status=0
    shift
    rm -f "$work/words"
    FAKE_WORDS=$work/words "$cpprof" aa dose/chain "$@" >out 2>errors || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
}

# Sealed, of its kind, with the report that `cpprof aa` gives of it.
is_pool() {
    says b.cpprof/manifest.json '"status": "complete"' '"kind": "aa"'
    "$cpprof" aa b.cpprof --processes 3 --format md >again 2>>errors || true
    if ! diff again b.cpprof/report.md >difference; then complain 'the stored report differs from that of `cpprof aa`'; fi
    rm -f again difference
    says b.cpprof/verdict.json '"schema": "cpprof.aa/1"'
    only b.cpprof
}

# Lengths of a kernel, two plants each: 16 fit into one process, 17 make two of them.
# As above.
many_planted() { # LENGTHS POOL
    tables=$work/planted
    mkdir -p "$tables"
    awk -F, -v "lengths=$1" 'function say(row, shape) {text = row; split(row, cell, ","); sub("," cell[2] ",", "," shape ",", text); print text}
        NR == 1 {print; next} $1 !~ /#2$/ && !first {first = $0} $1 ~ /#2$/ && !second {second = $0}
        END {for (n = 1; n <= lengths; n++) {
            say(first, "steps=" n " extra_ppm=0"); say(first, "steps=" n " extra_ppm=5")
            say(first, "steps=" n " extra_ppm=9"); say(second, "steps=" n " extra_ppm=0")}}' \
        "$2/variants.csv" >"$tables/variants.csv"
}

pools() {
    local pool=$work/tables/small_pool.cpprof
    case_of 'a pool' "$pool" ''
    aa 3 --processes 3 --comparisons 4 --shape us2,us50 --plant us2=10%,2% --plant us50=3% --iters 7 -o b.cpprof
    is_pool
    says out 'not enough comparisons to tell: of 8 ' 'Planted slowdowns' 'dose/chain +us2 extra_ppm=0 +10\.00% .* 4 '
    says errors '^cpprof: pool b.cpprof, report b.cpprof/report.md$'
    count_is 12 "$work/words" '^time .*--iters=7 .*--pool --plant=us2=100000,20000 --plant=us50=30000$'
    count_is 6 "$work/words" '^time .*--flip'
    count_is 1 "$work/words" '^plan .*--pool --plant='
    count_is 1 "$work/words" '^verify .*--pool'
    count_is 0 "$work/words" '^(trace|count) '
    count_is 12 b.cpprof/manifest.json '"role": "time"'

    aa 2 --processes 3 --comparisons 4 -o b.cpprof
    says errors "'b.cpprof' exists already"
    if [ -e "$work/words" ]; then complain 'the runner was started'; fi

    many_planted 16 "$pool"
    case_of 'a pool of 16 lengths with planted arms' "$pool $tables" ''
    aa 5 --processes 3 --comparisons 4 -o b.cpprof
    count_is 12 "$work/words" '^time '
    count_is 0 "$work/words" '--share'
    many_planted 17 "$pool"
    case_of 'a pool of 17 lengths' "$pool $tables" ''
    aa 5 --processes 3 --comparisons 2 -o b.cpprof
    count_is 12 "$work/words" '^time .*--share=[01]/2'

    case_of 'a pool with a crash' "$pool" time-5=crash
    aa 3 --processes 3 --comparisons 4 -o b.cpprof
    is_pool
    says out 'of 6 comparisons' 'the time process 5 failed: it was ended by signal 11'

    case_of 'a pool of nothing' "$pool" "$(for p in 0 1 2 3 4 5 6 7 8; do printf 'time-%s=nothing ' "$p"; done)"
    aa 5 --processes 3 --comparisons 3 -o b.cpprof
    says errors "'b.cpprof' is no pool: nothing in it was timed twice"

    case_of 'a pool with wrong results' "$pool $here/fixtures/wrong" ''
    aa 5 --processes 3 --comparisons 4 -o b.cpprof
    says errors "'b.cpprof': an arm computed wrong results"

    case_of 'a pool that is refused' "$pool" plan-0=exit2
    aa 2 --comparisons 4 -o b.cpprof
    says errors "^cpprof: no variant matches 'x'$"
    only
}

# A library is the runner's to open: here it is told of it, and the bundle says which file it was.
# The user's Python gets the runner as a library, and what is beside it; here it starts the fake one.
python_functions() {
    local parts=$work/parts
    mkdir -p "$parts"
    cp "$here/fake_runner.sh" "$parts/cpprof-runner"
    touch "$parts/cpprof_python.py" "$parts/cpprof-runner-python.so"
    cat >"$parts/python" <<'END'
#!/usr/bin/env bash
printf '%s\n' "$(basename "$2") $(basename "$3")" >>"$FAKE_WORDS.python"
exec "$(dirname "$3")/cpprof-runner" "${@:4}"
END
    chmod +x "$parts/python"
    local CPPROF_RUNNER=$parts/cpprof-runner CPPROF_PYTHON=$parts/python
    export CPPROF_PYTHON
    case_of 'a function of a Python file' "$good" ''
    rm -f "$FAKE_WORDS" "$FAKE_WORDS.python"
    printf 123456789 >libtask.so
    printf 123456789 >fast.py
    run 0 -o b.cpprof --task ./libtask.so --solution fast=./fast.py:softmax --processes 3 --cache both
    count_is 0 <(grep -vx 'cpprof_python.py cpprof-runner-python.so' "$FAKE_WORDS.python") .
    count_is "$(wc -l <"$FAKE_WORDS")" "$FAKE_WORDS.python" .
    count_is 0 <(grep -v -- '--load=./libtask.so --load=fast=./fast.py:softmax ' "$FAKE_WORDS") .
    says b.cpprof/manifest.json '"as": "solution fast:softmax"' '"name": "fast.py"' '"crc32": 3421780262' \
        '"timing_source": "CUDA events around graphs of one launch"'
    says out 'fast.py \(solution fast:softmax, CRC-32 cbf43926\)' 'Timed by: CUDA events around graphs of one launch'
    # what was timed counts, and not what was asked for: here the runner chose single launches
    run 0 -o c.cpprof --task ./libtask.so --solution fast=./fast.py:softmax --processes 3
    says c.cpprof/manifest.json '"timing_source": "CUDA events around graphs of one launch"'

    mkdir -p "$work/graphs" "$work/both"
    sed 's/,hot,1,/,hot,100,/' "$good/timing.csv" >"$work/graphs/timing.csv"
    awk -F, -v OFS=, 'NR > 1 {$8 = 100} {print} NR > 1 {$4 += 4; $7 = "cold"; $8 = 1; print}' "$good/timing.csv" >"$work/both/timing.csv"
    case_of 'a function of a Python file in graphs of many launches' "$good $work/graphs" ''
    printf 123456789 >libtask.so
    printf 123456789 >fast.py
    run 0 -o b.cpprof --task ./libtask.so --solution fast=./fast.py:softmax --processes 3
    is_silent_about b.cpprof/manifest.json timing_source
    FAKE_TABLES="$good $work/both"
    run 3 -o c.cpprof --task ./libtask.so --solution fast=./fast.py:softmax --processes 3 --cache both # no check of cold ones
    says c.cpprof/manifest.json '"timing_source": "CUDA events around graphs, of one launch where the batch is 1"'

    case_of 'under a sanitizer' "$good" ''
    run 2 --task ./libtask.so --solution fast=fast.py:f --sanitize
    says errors '--sanitize is for libraries'

    case_of 'no Python' "$good" ''
    CPPROF_PYTHON=$work/nowhere
    run 4 --task ./libtask.so --solution fast=fast.py:f
    says errors "python3 on the PATH or CPPROF_PYTHON: cannot start '.*/nowhere': No such file"
    rm "$parts/cpprof-runner-python.so"
    run 4 --task ./libtask.so --solution fast=fast.py:f
    says errors "'.*/cpprof-runner-python.so' was not found: it runs the functions of Python files"
    unset CPPROF_PYTHON
}

libraries() {
    export FAKE_WORDS=$work/words
    case_of 'a library of their own' "$good" ''
    rm -f "$FAKE_WORDS"
    printf 123456789 >libmine.so # its CRC-32 is 0xcbf43926 by definition, 3421780262
    mkdir other
    printf 'another one' >other/libtheirs.so
    git init -q
    git -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m first
    run 0 -o b.cpprof --load ./libmine.so --load "$PWD/other/libtheirs.so" --processes 3
    count_is 0 <(grep -v -- '--load=./libmine.so --load=.*/other/libtheirs.so --variant=' "$FAKE_WORDS") . # every process
    says b.cpprof/manifest.json '"libraries": \[$' '"name": "libmine.so"' '"bytes": 9,?$' '"crc32": 3421780262' '"name": "libtheirs.so"' \
        "\"commit\": \"$(git rev-parse HEAD)\""
    is_silent_about b.cpprof/manifest.json "$work"
    says out 'Libraries of variants:.*libmine.so \(CRC-32 cbf43926\), libtheirs.so' "Repository:.*$(git rev-parse HEAD)"
    run 0 -o c.cpprof
    is_silent_about c.cpprof/manifest.json 'libraries|repository'

    says out 'Judged by:.*its own verification'
    case_of 'a task and its solutions' "$good" ''
    rm -f "$FAKE_WORDS"
    printf 123456789 >libtask.so
    printf another >libfast.so
    run 0 -o b.cpprof --task ./libtask.so --solution fast=./libfast.so --processes 3
    count_is 0 <(grep -v -- '--load=./libtask.so --load=fast=./libfast.so .*--variant=fast' "$FAKE_WORDS") .
    count_is 0 <(grep -E -- '--seed=[012]( |$)' "$FAKE_WORDS") . # none that a solution could know
    count_is 4 <(grep -m 1 -oE -- '--seed=[0-9]+' "$FAKE_WORDS" | sort -u) .
    says b.cpprof/manifest.json '"as": "task"' '"as": "solution fast"' '"name": "libfast.so"'
    is_silent_about b.cpprof/manifest.json '"kernels/fast|"fast"'
    says out 'Libraries:.*libtask.so \(task, CRC-32 cbf43926\), libfast.so \(solution fast, CRC-32 [0-9a-f]+\)' \
        'Judged by:.*the task: its inputs, its float64 reference'
    says b.cpprof/verdict.json '"solutions": \[$' '"light":' '"why":'
    says b.cpprof/report.md 'id="solutions"' 'of light'
    case_of 'a task whose solutions are not verified to the end' "$good" verify-0=crash
    printf 123456789 >libtask.so
    printf another >libfast.so
    run 3 -o b.cpprof --task ./libtask.so --solution fast=./libfast.so --processes 3
    says <(head -n 1 out) 'UNPROVEN: that the results are right \(the verify process 0 with libtask.so, fast failed: '
    says b.cpprof/verdict.json '"why": "its outputs were not all verified: the verify process 0 with libtask.so, fast failed: '

    python_functions

    case_of 'a library that is built again in the middle' "$good" time-1=rebuild
    printf 123456789 >libmine.so
    run 3 -o b.cpprof --load libmine.so
    says out 'a library changed while it ran: its processes did not all measure the same code'
    unset FAKE_WORDS
}

# Tables of faster.cpprof with an arm whose progress can be read, 1% slower than its variant: $tables.
watched_tables() {
    local file
    tables=$work/watched
    mkdir -p "$tables"
    for file in variants timing verify; do
        awk -F, -v OFS=, -v "file=$file" '{print} $1 == "pipeline/cpasync3" {
            $1 = $1 "+progress"
            if (file == "variants") $3 = "pipeline/cpasync3"
            if (file == "timing") $10 *= 1.01
            print}' "$good/$file.csv" | awk 'NR == 1 {print; next} /[+]progress,/ {late[++n] = $0; next} {print}
            END {for (i = 1; i <= n; i++) print late[i]}' >"$tables/$file.csv"
    done
}

progress() {
    export FAKE_WORDS=$work/words
    watched_tables
    case_of 'a launch that does not end' "$good $tables $here/fixtures/hang" progress-0=hangs
    rm -f "$FAKE_WORDS"
    run 1 -o b.cpprof --progress --inside
    is_finished
    count_is 1 "$FAKE_WORDS" '^progress .*--progress=5$'
    count_is 0 "$FAKE_WORDS" '^(verify|time|trace|count|inside|series) ' # they would wait for it
    says <(head -n 1 out) "^pipeline/cpasync3 .*does not end after 5.00 s: 8 warps: 3 of role 'multiplies' in 'wait' of tile 5 to 7 [(]first block 2, SM 12[)], 1 of role 'loads' before the first mark [(]first block 3, SM 13[)], 1 of role 'multiplies' behind mark 3 of tile 2 [(]first block 3, SM 13[)], 3 ended$"
    says b.cpprof/manifest.json "does not end after 5 s" '"inside_progress.csv"'
    says b.cpprof/verdict.json '"hangs": \[$' '"phase": "wait"' '"first_tile": 5' '"block": 2' '"mark": null'

    case_of 'launches that end' "$good $tables" ''
    rm -f "$FAKE_WORDS"
    run 3 -o b.cpprof --progress=2
    is_finished
    count_is 1 "$FAKE_WORDS" '^progress .*--progress=2$'
    count_is 5 "$FAKE_WORDS" '^time .*--progress=2'
    says out 'Progress: 1 of 1 watched launches ended; pipeline/cpasync3[+]progress .*takes 1[.]010 of the time'
    is_silent_about b.cpprof/verdict.json '"hangs"'

    case_of 'one that cannot be watched' "$good $tables" progress-0=exit4
    rm -f "$FAKE_WORDS"
    run 3 -o b.cpprof --progress
    count_is 0 "$FAKE_WORDS" '^(verify|time|trace|count) '
    says out 'progress process 0 failed: no GPU was found'

    case_of 'no such time' "$good" ''
    run 2 -o b.cpprof --progress=0
    says errors "--progress 0: expected a whole number from 1 to 3600"
    unset FAKE_WORDS
}

# A solution that ends processes is named and left out, and the others are judged as they are without it.
# solve STATUS ENDS ARGUMENT...      slow is the baseline of fast and good
solve() {
    local expected=$1 status=0
    case_of "$2" "$good $work/three" "$2"
    rm -f "$FAKE_WORDS"
    shift 2
    touch t.so fast.so slow.so good.so
    "$cpprof" run --task ./t.so --solution slow=./slow.so --solution fast=./fast.so --solution good=./good.so --baseline slow --processes 3 \
        -o b.cpprof "$@" >out 2>errors || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
}

three_tables() {
    local file
    mkdir -p "$work/three"
    for file in "$good"/*.csv; do
        sed 's,pipeline/sync,t/slow,g; s,pipeline/cpasync3,t/fast,g' "$file" |
            awk '{print} /^t\/fast,/ {gsub(/t\/fast/, "t/good"); late[++n] = $0} END {for (i = 1; i <= n; i++) print late[i]}' \
                >"$work/three/${file##*/}"
    done
}

blamed() {
    local how role
    export FAKE_WORDS=$work/words
    three_tables
    for how in crash nothing mute refused; do
        for role in verify time trace count; do
            solve 3 "$role/fast=$how"
            says <(head -n 1 out) "^PROCESS FAILED: the $role process 0 with fast failed: [iC]"
            is_silent_about out 'UNPROVEN: that the results'
            count_is 1 b.cpprof/manifest.json '"detail"'
        done
    done
    count_is 2 "$FAKE_WORDS" '^count .*--load=fast' # with the others, and alone
    says <(grep '^count ' "$FAKE_WORDS" | tail -n 1) '--load=slow=./slow.so --load=good=./good.so .*--variant=slow --variant=good'

    solve 3 'verify/fast=crash'
    if [ "$(cut -d, -f 1,7 b.cpprof/verify.csv | grep -c 't/fast')" -ne 0 ]; then complain 'fast was verified'; fi
    count_is 0 "$FAKE_WORDS" '^(time|trace|count) .*fast'
    solve 3 'verify/fast=crash time/good=mute'
    says b.cpprof/manifest.json '"fast"' '"good"' 'it was ended by signal 11' 'it gave no reason: it ended with exit status 4'
    says <(grep '^time ' "$FAKE_WORDS" | tail -n 1) '--baseline=slow .*--load=./t.so --load=slow=./slow.so --variant=slow'
    solve 3 'verify/slow=nothing'
    says <(grep '^trace ' "$FAKE_WORDS" | tail -n 1) '--load=./t.so --load=fast=./fast.so --load=good=./good.so --variant=fast'
    solve 3 'verify-0=crash' # each of them
    count_is 3 b.cpprof/manifest.json 'Segmentation fault'
    count_is 0 "$FAKE_WORDS" '^(time|trace|count) '

    # Nobody may count here: that is no fault of any solution.
    solve 3 'count-0=refused'
    says b.cpprof/report.md 'the count process 0 with slow, fast, good failed: .*INSUFFICIENT_PRIVILEGES'
    is_silent_about out 'PROCESS FAILED'

    solve 4 'plan/fast=crash'
    says errors "^cpprof: 'fast=./fast.so' ends the process that loads it: it was ended by signal 11"
    solve 4 'plan-0=crash'
    says errors "failed to plan the run, with './t.so', 'slow=./slow.so', 'fast=./fast.so', 'good=./good.so': it was ended by signal 11"
    case_of 'a library that ends the process that counts' "$good" count-0=crash
    touch mine.so
    run 3 -o b.cpprof --load ./mine.so
    says out 'the count process 0 with mine.so failed: it was ended by signal 11'
    unset FAKE_WORDS
}

# Somebody presses Ctrl-C, or a batch system ends the job.
interrupt() { # STATUS SIGNAL ENDS
    local expected=$1 signal=$2 status=0 pid
    case_of "$2 while $3" "$good" "$3"
    rm -f "$FAKE_WORDS.waits"
    "$cpprof" run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --processes 5 -o b.cpprof >out 2>errors &
    pid=$!
    for ((i = 0; i < 200; i++)); do if [ -s "$FAKE_WORDS.waits" ]; then break; fi; sleep 0.05; done
    kill "-$signal" "$pid"
    wait "$pid" || status=$?
    if [ "$status" -ne "$expected" ]; then complain "exit status $status instead of $expected"; fi
    if kill -0 "$(cat "$FAKE_WORDS.waits")" 2>/dev/null; then complain 'the process lives on'; fi
}

interrupted() {
    export FAKE_WORDS=$work/words
    interrupt 3 TERM time-3=waits
    is_finished
    says errors "it was interrupted by signal 15 .Terminated. after 4 of 8 processes: what these have left is kept, in 'b.cpprof'"
    says out 'it was interrupted by signal 15' '3 processes'
    count_is 1 b.cpprof/manifest.json '"detail"'
    interrupt 4 TERM verify-0=waits
    says errors 'it was interrupted by signal 15 .Terminated. after 0 of 8 processes: nothing was kept'
    only
    interrupt 4 TERM plan-0=waits
    says errors 'interrupted by signal 15 .Terminated. before anything was measured: nothing was kept'
    only
    unset FAKE_WORDS
}

parts=(blamed interrupted broken_processes schedules alone enough whole_runs pools ceilings libraries refused_plans places progress)
for ((i = ${share%/*}; i < ${#parts[@]}; i += ${share#*/})); do
    "${parts[i]}"
done
[ "$failed" -eq 0 ] && echo "every run ended as it should"
exit "$failed"
