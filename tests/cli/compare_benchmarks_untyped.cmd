# Google Benchmark before 1.5 wrote no run_type: which entries are aggregates? And the layouts of nvbench's JSON of 2021.
work=$(mktemp -d)
cd "$work" || exit 1

entry() { # NAME TIME [ITERATIONS]
    printf '%s{"name": "%s", "iterations": %s, "real_time": %s, "cpu_time": 1, "time_unit": "us"}' \
        "$comma" "$1" "${3:-1000}" "$2"
    comma=,
}

repetitions() { # NAME SEED: five of 100 us
    for i in 1 2 3 4 5; do
        entry "$1" "$(awk -v s="$2" -v i="$i" 'BEGIN { print 100 + (s * 7 + i * 3) % 11 / 100 }')"
    done
}

aggregates() { # NAME DEVIATION
    entry "$1_mean" 100
    entry "$1_median" 100
    entry "$1_stddev" "$2"
}

file() { # COMMAND: prints a file with the entries that it prints
    printf '{"context": {"host_name": "a", "num_cpus": 16},\n"benchmarks": ['
    comma=
    "$@"
    printf ']}\n'
}

kind() { # NAME FUNCTION: four files a side, whose deviations are 1.6 times as large
    rm -rf A B
    mkdir A B
    for n in 0 1 2 3; do
        file "$2" "$n" "1.0$n" >"A/$n.json"
        file "$2" "$((n + 4))" "1.6$n" >"B/$n.json"
    done
    status=0
    cpprof compare A B >out 2>said || status=$?
    echo "$1: exit $status"
    cat said
    sed -n '1p; s/  *\([0-9.]* [mun]s\) .*/ \1/; /^BM_/p' out
}

family() { repetitions BM_copy/8/manual_time "$1"; aggregates BM_copy/8/manual_time "$2"; }
sorted() { family "$@"; repetitions BM_copy/16/manual_time "$1"; aggregates BM_copy/16/manual_time "$2"; }
custom() { family "$@"; entry BM_copy/8/manual_time_max "$2"; entry BM_copy/8/manual_time_cv "$2"; }
async() { family "$@"; entry BM_copy/8/manual_time_async "10$2" 712; }
alone() { aggregates BM_copy/8 "$2"; entry BM_copy/8_max "$2"; aggregates BM_copy/16 "$2"; }
real() { entry BM_mean "10$2" 900; entry BM_stddev "$2" 800; entry BM_other_mean "$2"; }
real_repeated() { family "$@"; repetitions BM_copy/8/manual_time_mean "$1"; aggregates BM_copy/8/manual_time_mean "$2"; }
once() { entry BM_copy 100; aggregates BM_copy "$2"; }
fits() { family "$@"; printf ',{"name": "BM_copy_BigO", "cpu_coefficient": 1, "real_coefficient": 2, "big_o": "N"}'
    printf ',{"name": "BM_copy_RMS", "rms": 0.1}'; }
half() { repetitions BM_copy "$1"
    printf ',{"name": "BM_copy_p99", "aggregate_name": "p99", "real_time": %s, "time_unit": "us"}' "$2"
    printf ',{"name": "BM_copy_stddev", "run_type": "aggregate", "real_time": %s, "time_unit": "us"}' "$2"; }

kind 'repetitions, then aggregates' sorted
kind 'a custom statistic' custom
kind 'a benchmark of its own behind a family' async
kind 'aggregates without repetitions' alone
kind 'benchmarks that are really called mean' real
kind 'one that is called mean behind a family' real_repeated
kind 'one repetition has no aggregates' once
kind 'fits have no times' fits
kind 'some say what they are' half

# Layouts of nvbench: lists with other members (March 2021), objects by name (May), texts for numbers (June).
device='"devices": [{"id": 0, "name": "NVIDIA A100", "sm_version": 800}]'
bench='"benchmarks": [{"index": 0, "name": "copy", "devices": [0], "axes": null, "states":'
cat >march.json <<X
{$device, $bench [{"index": 0, "description": "Device=0 N=8", "device": 0,
"axis_values": [{"name": "N", "type": "int64", "value": 8}],
"summaries": [{"index": 0, "name": "Number of Trials (Cold)", "values": [{"name": "value", "type": "int64", "value": 9}]},
{"index": 1, "name": "Average GPU Time (Cold)", "values": [{"name": "hint", "type": "string", "value": "duration"},
{"name": "value", "type": "float64", "value": 2e-5}]}], "is_skipped": false},
{"index": 1, "description": "Device=0 N=16", "device": 0, "axis_values": [{"name": "N", "type": "int64", "value": 16}],
"summaries": null, "is_skipped": true, "skip_reason": "too small"}]}]}
X
cat >june.json <<X
{$device, $bench {"Device=0 N=2^3": {"device": 0, "axis_values": {"N": {"type": "int64", "value": "8"}},
"summaries": {"Number of Samples (Cold)": {"value": {"type": "int64", "value": "9"}},
"Average GPU Time (Cold)": {"hint": {"type": "string", "value": "duration"},
"value": {"type": "float64", "value": "3e-05"}}}, "is_skipped": false},
"Device=0 N=2^4": {"device": 0, "axis_values": {"N": {"type": "int64", "value": "16"}}, "summaries": null,
"is_skipped": true, "skip_reason": "too small"}}}]}
X
cpprof compare march.json june.json
echo "exit $?"
cpprof stats june.json
rm -r "$work"
