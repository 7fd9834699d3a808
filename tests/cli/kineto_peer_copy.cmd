# A copy from one GPU to another has no 'device', and ran on 'inDevice'.
work=$(mktemp -d)
cd "$work" || exit
cat >t.json <<'END'
{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": 100, "dur": 50, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 1, "grid": [1, 1, 1], "block": [32, 1, 1]}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)", "pid": 0, "tid": 23, "ts": 120, "dur": 80, "args": {"fromDevice": 0, "inDevice": 0, "toDevice": 1, "fromContext": 1, "inContext": 1, "toContext": 2, "stream": 23, "correlation": 2, "bytes": 4096}}
]}
END
cpprof overlap t.json --assert 'overlap(copy, kernel) == 37.5%' --assert 'count(copy) == 1' | sed -n 3,5p
cpprof stats t.json --format csv | cut -d , -f 1-8
rm -r "$work"
