# Files that people give by mistake are named by every command, packed with gzip, too. Each file is given to two of the
# commands in turn, and with CPPROF_DEEP to all of them.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" <<'PYTHON'
import gzip, io, json, sqlite3, sys, tarfile, zipfile

folder = sys.argv[1]


def write(name, data):
    data = data if isinstance(data, bytes) else data.encode()
    for path, opener in ((name, open), (name + ".gz", gzip.open)):
        with opener(f"{folder}/{path}", "wb") as file:
            file.write(data)


def tar_of(name):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        member = tarfile.TarInfo(name)
        tar.addfile(member, io.BytesIO())
    return made.getvalue()


def zip_of(name):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr(name, "{}")
    return made.getvalue()


def chrome(rows):
    return json.dumps({"displayTimeUnit": "us", "traceEvents": rows})


def packet(data):
    return b"\x0a" + bytes([len(data)]) + data


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345678\n"
for ending in ("json", "csv", "sqlite", "nsys-rep", "ncu-rep"):
    write("pointer." + ending, POINTER)
write("trace.json.zst", b"\x28\xb5\x2f\xfd" + bytes(20))
write("trace.json.xz", b"\xfd7zXZ\0" + bytes(20))
write("traces.tar", tar_of("trace.json"))
write("traces.zip", zip_of("trace.json"))
write("trace.pftrace", b"".join(packet(bytes([0x18, n, 0, 0])) for n in range(6)))
write("xla.json", chrome(
    [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:GPU:0 NVIDIA"}},
     {"ph": "M", "pid": 3, "tid": 1, "name": "thread_name", "args": {"name": "Stream #1(Compute)"}},
     {"ph": "M", "pid": 3, "tid": 2, "name": "thread_name", "args": {"name": "XLA Ops"}}]
    + [{"ph": "X", "pid": 3, "tid": lane, "ts": n, "dur": 1, "name": "fusion", "args": {"hlo_op": "fusion"}}
       for n in range(3) for lane in (1, 2)]
    + [{"ph": "X", "pid": 3, "tid": 1, "ts": 9, "dur": 1, "name": "MemcpyH2D"}]))
proton = [{"name": "matmul", "cat": "kernel", "ph": "X", "ts": 0.0, "dur": 5.0, "tid": 7,
           "args": {"call_stack": ["ROOT", "matmul"]}}]
write("proton.chrome_trace", chrome(proton) + "\n" + chrome(proton) + "\n")
write("proton.hatchet", json.dumps([{"frame": {"name": "ROOT", "type": "function"}, "metrics": {"time (ns)": 5},
                                     "children": []}, {"CUDA": {}}]))
write("rocprof.json", chrome([{"ph": "X", "pid": 2, "tid": 1, "ts": "12", "dur": "3", "name": "hipLaunchKernel",
                               "args": {"BeginNs": "12000", "EndNs": "15000"}}]))
write("rocprof.csv", "Index,KernelName,gpu-id,queue-id,BeginNs,EndNs\n0,k,0,0,1,2\n")
write("rocprofv2.csv", "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Kernel_Name,Start_Timestamp,End_Timestamp\n1,4,1,2,2,k,0,9\n")
write("page.json", "\n<!DOCTYPE html>\n<html><body>Not Found</body></html>\n")
write("page.csv", '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>')
write("answer.json", '{"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}')
write("answer.csv", "404: Not Found")
for name, table in (("rocpd", "rocpd_metadata_0000"), ("rocpd_old", "rocpd_op")):
    with sqlite3.connect(f"{folder}/{name}.db") as file:
        file.execute(f"CREATE TABLE {table} (id INTEGER)")
        if table != "rocpd_op":
            file.execute(f"CREATE VIEW rocpd_metadata AS SELECT * FROM {table}")
    with open(f"{folder}/{name}.db", "rb") as file:
        write(f"{name}.db", file.read())
PYTHON
cd "$folder" || exit 1
check() { # FILE WORDS: the command names what `report` does
    # shellcheck disable=SC2086 # words of a command
    cpprof $2 "$1" >out 2>others </dev/null
    status=$?
    [ $status = 5 ] && sed 's/\.gz'"'"'/'"'"'/; s/; for counters .*//' others | grep -qxF "$(sed 's/; for counters .*//' said)" ||
        echo "  $2 $1: exit $status, $(head -n 1 others)"
}

turn=0
for file in pointer.* trace.* traces.* xla.json proton.* rocprof* page.* answer.* rocpd*; do
    case $file in *.gz) continue ;; esac
    cpprof report "$file" 2>said </dev/null
    echo "$file: exit $?, $(cat said)"
    turn=$((turn + 1))
    at=0
    for command in "stats" "overlap" "ranks" "classify" "check --assert count(kernel)>=0" "compare $file" "export --to csv"; do
        at=$((at + 1))
        [ -n "${CPPROF_DEEP:-}" ] || [ $(((turn + at) % 7)) = 0 ] && check "$file" "$command"
        [ -n "${CPPROF_DEEP:-}" ] || [ $(((turn + at) % 7)) = 3 ] && check "$file.gz" "$command"
    done
done
