# a copy is not hidden because nobody counted who waits for it
folder=$(mktemp -d)
cp -r ../../examples/pipeline/one-cta.cpprof "$folder/run.cpprof"
copy() { cpprof report --brief --format text "$folder/run.cpprof" 2>/dev/null | grep Copy; }
sed -i 's/"status": "complete"/"status": "incomplete"/' "$folder/run.cpprof/manifest.json"
echo '-- counted'; copy
sed -i '/issue_stalled_barrier/d' "$folder/run.cpprof/metrics.csv"
echo '-- but for barriers'; copy
sed -i '/issue_stalled_long_scoreboard/d' "$folder/run.cpprof/metrics.csv"
echo '-- not counted'; copy
rm -r "$folder"
echo '-- a program of several kernels, whose first one speaks for none of the others'
cpprof report --brief --format text ../../examples/pytorch-attention/attention.cpprof --variant '[mf]*' --baseline math | grep -E '^flash|Copy|To try'
echo '-- compared with it'
cpprof report --brief --format text ../../examples/pytorch-attention/attention.cpprof | grep -E '^(math|flash|cudnn)  |Copy'
