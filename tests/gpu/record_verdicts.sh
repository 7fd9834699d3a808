#!/usr/bin/env bash
# Does each verdict come out where it should, with its exit status? Records
# examples/verdicts/: a win, a valid negative, a regression, one that cannot be told
# and one that must not be compared. One GPU, about half a minute.
#
#   tests/gpu/record_verdicts.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/verdicts
mkdir -p "$into"

# record NAME VERDICT STATUS ARGUMENT...: runs, and holds what `compare` says of it
record() {
    local name=$1 verdict=$2 wanted=$3
    shift 3
    "$CPPROF" run "$@" --iters 40 -o "$into/$name.cpprof" --force >/dev/null 2>&1
    "$CPPROF" compare "$into/$name.cpprof" >"$into/said"
    expect "$name: exit status of compare" "$?" "$wanted"
    expect_match "$name: verdict" "$(verdicts "$into/$name.cpprof")" " $verdict\$"
    head -n 1 "$into/said"
    rm "$into/said"
}

# settings VERDICT CANDIDATE...: the first of the settings at which the two arms come out so; what is near a
# boundary is another setting on another machine
settings() {
    local verdict=$1 setting
    shift
    for setting in "$@"; do
        # shellcheck disable=SC2086  # a setting is several words
        "$CPPROF" run pipeline/cpasync3 pipeline/cpasync4 --baseline pipeline/cpasync3 $setting --iters 40 --metrics none \
            -o "$into/try.cpprof" --force >/dev/null 2>&1
        case $(verdicts "$into/try.cpprof") in
        *" $verdict") break ;;
        esac
    done
    rm -rf "$into/try.cpprof"
    echo "$setting"
}

one=(--set ctas_per_sm=1)
mapfile -t near < <(for work in 262 266 270 274 278 282 286 290 296 302; do echo "--set ctas_per_sm=1 --set work=$work --processes 3"; done)
record win faster 0 pipeline/sync pipeline/cpasync3 --baseline pipeline/sync "${one[@]}"
record regression slower 1 pipeline/cpasync3 pipeline/sync --baseline pipeline/cpasync3 "${one[@]}"
record unusable unusable 5 pipeline/sync pipeline/misdispatched --baseline pipeline/sync "${one[@]}"
# A fourth stage where several blocks of an SM hide the latency already.
read -ra words < <(settings equivalent "--set ctas_per_sm=8" "--set ctas_per_sm=4" "--set ctas_per_sm=6" "--set ctas_per_sm=2")
record valid-negative equivalent 0 pipeline/cpasync3 pipeline/cpasync4 --baseline pipeline/cpasync3 "${words[@]}"
# The same where it is worth about the margin: what there is to hide goes down as the work goes up.
for setting in "${near[@]}"; do # a run so near the boundary may come out otherwise the next time: the one that is kept is judged
    read -ra words <<<"$setting"
    "$CPPROF" run pipeline/cpasync3 pipeline/cpasync4 --baseline pipeline/cpasync3 "${words[@]}" --iters 40 \
        -o "$into/inconclusive.cpprof" --force >/dev/null 2>&1
    case $(verdicts "$into/inconclusive.cpprof") in
    *" inconclusive") break ;;
    esac
done
"$CPPROF" compare "$into/inconclusive.cpprof" >"$into/said"
expect "inconclusive: exit status of compare" "$?" 3
head -n 1 "$into/said"
rm "$into/said"
finish
