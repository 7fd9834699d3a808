#!/usr/bin/env bash
# Does the advice change with the blocks of an SM, and was it right? Judges the recorded runs anew: what their
# counters predict, and what was measured of it.
# usage: predictions.sh CPPROF EXAMPLES
set -u
cpprof=$1
cd "$2" || exit 2
export LC_ALL=C
failed=0

# says WHAT TEXT REGEX [not]
says() {
    local found=no
    if printf '%s' "$2" | grep -qE -- "$3"; then found=yes; fi
    if [ "$found" = "${4:-yes}" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: '$2'" >&2
        failed=$((failed + 1))
    fi
}

# advice VARIANT CTAS: the sentences about that arm of more-ctas
advice() {
    "$cpprof" classify pipeline/more-ctas.cpprof | grep "^- pipeline/$1 at mission ctas_per_sm=$2 work=256:"
}

ahead='To try: load a tile ahead \(cp\.async or TMA, two buffers\): predicted gain '
says "one block per SM: load ahead, it brings much" "$(advice sync 1)" "${ahead}2[0-9.]+% to 3[0-9.]+%[; ]"
says "four: it brings less" "$(advice sync 4)" "${ahead}[1-9]\.[0-9]% to 1[0-9.]+%[; ]"
# A gain that may be below 3% (small_gain) is not among the advice.
says "eight: it brings less still" \
    "$("$cpprof" classify pipeline/more-ctas.cpprof | grep 'pipeline/sync .*ctas_per_sm=8 .*load a tile ahead')" \
    ' [1-4]\.[0-9]% to 1[0-9.]+% '
for ctas in 1 4 8; do
    says "$ctas: another stage of a ring that does not wait" "$(advice cpasync3 "$ctas")" \
        "Will not help: one more stage: long-scoreboard stalls are [0-2]\.[0-9]% of the warps' cycles"
done
says "one block: more blocks instead" "$(advice cpasync3 1)" 'To try: twice the blocks per SM: predicted gain [34]'
says "eight: there is no room for more" "$(advice cpasync3 8)" 'twice the blocks' no

# of_sdpa SHAPE: the sentence about stage1-sync, which loading ahead made 8% to 11% faster
of_sdpa() {
    "$cpprof" classify sdpa/stage1.cpprof | grep "^- sdpa/stage1-sync at $1:"
}
for shape in small mission long; do
    says "$shape: what was measured to help is not denied" "$(of_sdpa $shape)" 'Will not help:.*(load a tile|inner loop)' no
done

measured=$(for bundle in pipeline/*.cpprof verdicts/*.cpprof sdpa/*.cpprof; do
    "$cpprof" classify "$bundle" --format json | grep '"inside":'
done)
inside=$(grep -c true <<<"$measured")
all=$(grep -c . <<<"$measured")
echo "$inside of $all measured gains inside the predicted intervals"
says "there are some" "$all" '^([8-9]|[1-9][0-9]+)$'
[ $((10 * inside)) -ge $((8 * all)) ] || failed=$((failed + 1))
[ "$failed" = 0 ]
