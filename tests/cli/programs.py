"""Makes the sealed bundle of a run of programs: python3 programs.py FOLDER [--arrays] [--unverified] [--no-words]
[--groups] [--cut-off=N] [--untraced] NAME=BUSY/SPAN/INTERVAL[:KERNEL]... (us). The first program is the baseline. Three processes of
20 samples each, 1% apart. With --groups the even samples are of a grid of 8, and the odd ones of 16. With --untraced
the third process of the first program left no trace, and nobody started that of the others."""
import csv, io, json, os, sys, zlib

PROCESSES, SAMPLES = 3, 20
HEADS = {
    "variants.csv": "variant,shape,baseline,kernel_pattern,summary,shared_bytes,flops,bytes,status,bus_factor,signals,"
                    "bound,improves_on,chosen,no_verdict",
    "timing.csv": "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns,throttled",
    "iterations.csv": "variant,shape,process,iteration,start_ns,busy_ns,span_ns,interval_ns,idle_ns,kernels,copies,bytes",
    "work.csv": "variant,shape,process,kind,name,count,sum_ns,bytes,chosen_count,chosen_ns,chosen_bytes",
    "verify.csv": "variant,shape,process,seed,phase,max_abs_err,bad_ratio,values,output_hash,bitwise_equal_to_baseline,"
                  "pass,hint",
}


def arm(word):
    name, rest = word.split("=", 1)
    times, _, kernel = rest.partition(":")
    return name, [1000 * float(t) for t in times.split("/")], kernel or "k"


def rows(arms, arrays, groups, processes):
    out = {name: [] for name in HEADS}
    for at, (name, times, kernel) in enumerate(arms):
        out["variants.csv"].append([name, "program", arms[0][0] if at else "", "k", "./" + name] + [""] * 3 + ["ready"] +
                                   [""] * 6)
        for process in range(processes):
            busy, span, interval = (round(t * (1 + 0.002 * process)) for t in times)
            out["work.csv"].append([name, "program", process, "kernel", kernel, SAMPLES, busy * SAMPLES, 0, SAMPLES,
                                    busy * SAMPLES, 0])
            for i in range(SAMPLES):
                out["timing.csv"].append([name, "program", process, i % 2 if groups else process, at, i, "program",
                                          1, "", busy, ""])
                out["iterations.csv"].append([name, "program", process, i, i * interval, busy, span, interval,
                                              interval - busy, 1, 0, 0])
            if arrays:
                out["verify.csv"].append([name, "program", process, "", "output" if at else "repeat", 0, 0, 4, "00000001",
                                          "yes", "yes", ""])
    return out


def manifest(arms, options):
    cut_off = next((int(o.split("=")[1]) for o in options if o.startswith("--cut-off=")), 0)
    kinds = [{"launches": [f"0 {grid}x1x1 32x1x1 k"], "place": 0, "samples": SAMPLES // 2} for grid in (8, 16)]

    def process(number):
        return {"process": number, "samples": SAMPLES, "warmup": 0, "empty": 0, "beside": 0, "cut_off": cut_off,
                "problem": "", "caveats": [], **({"groups": kinds} if "--groups" in options else {})}
    def words(at):
        if "--no-words" in options:
            return {}
        if "--untraced" not in options:
            return {"processes": [process(p) for p in range(PROCESSES)]}
        killed = [{"process": PROCESSES - 1, "untraced": "it was interrupted by signal 15 (Terminated)"}]
        return {"processes": [process(p) for p in range(PROCESSES - 1)] + ([] if at else killed)}

    out = {"kind": "run", "command": ["cpprof", "run"], "created_unix_s": 1795877751, "seeds": [], "sources": [],
           "timing_source": "GPU activity records of CUPTI", "choice": {"kernels": "k"}, "format": 1, "status": "complete",
           "cpprof": {"version": "0.1.0", "commit": "unknown", "build_flags": "unknown"},
           "gpu": {"name": "NVIDIA H200", "compute_capability": "9.0", "sm_count": 132},
           "programs": [dict({"variant": name, "command": ["./" + name], "files": []}, **words(at))
                        for at, (name, _, _) in enumerate(arms)],
           "processes": [], "dropped": {"records": 0}}
    if "--unverified" in options:
        out["unverified"] = True
    if "--arrays" not in options:
        why = "the program wrote no array to the file that CPPROF_OUTPUT names"
        out["missing"] = [{"what": "correctness of " + name, "why": why} for name, _, _ in arms]
    return out


def main(folder, words):
    options = [w for w in words if w.startswith("--")]
    arms = [arm(w) for w in words if not w.startswith("--")]
    said, files = manifest(arms, options), {}
    processes = PROCESSES - ("--untraced" in options)
    os.makedirs(folder)
    for name, table in rows(arms, "--arrays" in options, "--groups" in options, processes).items():
        if not table:
            continue
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([HEADS[name].split(",")] + table)
        data = text.getvalue().encode()
        files[name] = {"bytes": len(data), "crc32": zlib.crc32(data)}
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    said["files"] = files
    with open(os.path.join(folder, "manifest.json"), "w") as f:
        json.dump(said, f, indent=2)


main(sys.argv[1], sys.argv[2:])
