# a wrong result names the kinds of input; a baseline that is wrong comes first, and the others keep their times
folder=$(mktemp -d)
tar xzf ../data/layer_norm.cpprof.tgz -C "$folder"
cd "$folder"
cpprof report --brief --format text t-ln.cpprof
cpprof compare t-ln.cpprof --format text | sed -n '1p; /failed_verification\|wrong_baseline/p'
cpprof compare t-ln.cpprof >said 2>&1 || echo "exit $?"
cpprof compare t-ln.cpprof --format json | python3 -c 'import json, sys
for r in json.load(sys.stdin)["rows"]: print(r["candidate"], r["verdict"], r["reason"], "time" if r["candidate_ns"] else "no time")'
rm -r "$folder"
