# Calls of the host without work on the GPU, calls of other runtimes than CUDA's, and why an export of nsys is empty.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" <<'PYTHON'
import json, sqlite3, sys

folder = sys.argv[1]


def call(category, name, at_us, correlation, dur_us=6):
    return {"ph": "X", "cat": category, "name": name, "pid": 100, "tid": 100, "ts": at_us, "dur": dur_us,
            "args": {"correlation": correlation}}


def kernel(at_us, correlation):
    return {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at_us, "dur": 60,
            "args": {"device": 0, "stream": 7, "correlation": correlation}}


def trace(name, rows):
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": rows}, file)


trace("alone", [call("cuda_runtime", "cudaLaunchKernel", 1e6 + i * 50, i + 1) for i in range(40)]
      + [call("cuda_runtime", "cudaDeviceSynchronize", 1e6 + 2000, 99, 900)])
trace("waits", [call("cuda_runtime", "cudaDeviceSynchronize", 1e6, 1)])
for category, name in (("xpu_runtime", "urEnqueueKernelLaunch"), ("xpu_driver", "zeCommandListAppendLaunchKernel"),
                       ("mtia_runtime", "mtiaLaunchKernel"), ("privateuse1_runtime", "aclrtLaunchKernel"),
                       ("privateuse1_driver", "rtKernelLaunch")):
    trace(category, [row for i in range(10) for row in (call(category, name, 1e6 + i * 100, i + 1),
                                                        kernel(1e6 + i * 100 + 10, i + 1))])


def export(name, traced, release, warnings):
    file = sqlite3.connect(f"{folder}/{name}.sqlite")
    file.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    file.execute("CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT)")
    file.execute("CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, value TEXT)")
    file.execute("CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT)")
    if traced:
        file.execute("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COLLECT_CUDA_TRACE', ?)", (traced,))
    file.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'SoftwareReleaseVersion', ?)", (release,))
    file.executemany("INSERT INTO DIAGNOSTIC_EVENT VALUES (1, ?, ?)", warnings)
    file.commit()


export("wsl", "true", "5.15.146.1-microsoft-standard-WSL2",
       [(1, "Profiling has started."), (2, "CUDA profiling might have not been started correctly."),
        (2, "No CUDA events collected. Does the process use CUDA?")])
export("off", "false", "6.8.0-1021", [(3, "A warning\x1b[31m\nof two lines")])
export("unsaid", None, "6.8.0-1021", [])
PYTHON
cd "$folder" || exit 1
say() { # COMMAND... FILE: the first lines
    status=0
    cpprof "$@" >out 2>said </dev/null || status=$?
    printf '== %s: exit %s\n' "$*" "$status"
    head -n 1 out
    head -n 1 said
}
for file in alone waits; do
    say stats "$file.json"
    say launch "$file.json"
    say report --brief "$file.json"
    say overlap "$file.json"
    say check --assert 'count(kernel) >= 0' --assert 'idle() < 100%' "$file.json"
done
head -c 4000 alone.json >cut.json
say stats cut.json
grep 'only the rows before' said
for file in xpu_runtime xpu_driver mtia_runtime privateuse1_runtime privateuse1_driver; do
    say check --assert 'queue_p99(kernel) < 20us' --assert 'count(kernel) == 10' "$file.json"
    say launch "$file.json"
done
say report wsl.sqlite
say overlap off.sqlite
say check --assert 'busy(kernel) >= 0ns' unsaid.sqlite
