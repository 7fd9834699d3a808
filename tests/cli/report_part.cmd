# a pair that the run did not compare, one shape of several, and arms that are not there
ladder=../../examples/sdpa/ladder.cpprof
part() {
    cpprof report --brief --format text "$@" | grep -E '^sdpa|is faster|Checked|bitwise' | sed 's/[0-9][0-9.]*/N/g'
}
echo '-- wgmma against stage4 at long'; part $ladder --variant sdpa/wgmma --baseline sdpa/stage4 --shape long
echo '-- a variant without what it was compared with'; cpprof report --brief --format text $ladder --variant sdpa/wgmma --shape long | grep -E '^sdpa|Checked' | sed 's/[0-9][0-9.]*/N/g'
echo '-- what was chosen is said'; cpprof report --full --format text $ladder --variant sdpa/wgmma --baseline sdpa/stage4 | grep 'chosen after'
overlap() { cpprof report --full --format text $ladder "$@" | sed -n '/^Overlap/,/events in/p' | sed 's/[0-9][0-9.]*/N/g'; }
echo '-- the trace is not cut'; overlap --variant sdpa/wgmma --shape long
echo '-- all of it, against another baseline'; overlap --baseline sdpa/stage4
echo '-- no such variant'; cpprof report $ladder --variant nope
echo '-- no such shape'; cpprof report $ladder --shape nope
echo '-- no such baseline'; cpprof report $ladder --baseline nope
echo '-- no run'; cpprof report ../../examples/captures/train.cpprof --variant nope
echo '-- a word of a shape'; cpprof report --brief --format text ../../examples/pipeline/more-ctas.cpprof --shape ctas_per_sm=8 | grep Measured
