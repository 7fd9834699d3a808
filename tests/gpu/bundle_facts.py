"""What does a bundle say of itself? One "key value" a line, for the shell scripts.

bundle_facts.py CPPROF BUNDLE

Counts are those of `cpprof stats`; what the processes report is from the manifest.
"readable" is the exit status of stats: 0, or 5 when it holds nothing or is damaged.
"""
import json
import os
import subprocess
import sys


def read_manifest(bundle):
    try:
        with open(os.path.join(bundle, "manifest.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def read_stats(cpprof, bundle):
    done = subprocess.run([cpprof, "stats", bundle, "--format", "json"], capture_output=True, text=True, check=False)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {}


def count(rows, word=""):
    return sum(row["count"] for row in rows if row["name"].startswith(word))


def facts(cpprof, bundle):
    manifest = read_manifest(bundle)
    status, stats = read_stats(cpprof, bundle)
    guests = [process for process in manifest.get("processes", []) if process.get("role") == "capture"]
    memory = stats.get("memory", []) + stats.get("memsets", []) + stats.get("migrations", [])
    kernels = stats.get("kernels", [])
    traces = stats.get("traces", [])
    return {
        "readable": status,
        "status": manifest.get("status", "none"),
        "processes": len(guests),
        "states": ",".join(sorted(str(process.get("state")) for process in guests)) or "none",
        "ended_by": ",".join(sorted(str(process.get("ended_by")) for process in guests)) or "none",
        "missing": " ".join(str(missing.get("what")) for process in guests for missing in process.get("missing", []))
                   or "none",
        "dropped": sum(number for process in guests for number in process.get("dropped", {}).values()),
        "cut_bytes": sum(process.get("cut_bytes", 0) for process in guests),
        "filtered": sum(process.get("collector", {}).get("filtered", 0) for process in guests),
        "records": sum(process.get("collector", {}).get("records", 0) for process in guests),
        "cpu_ns": sum(process.get("collector", {}).get("cpu_ns", 0) for process in guests),
        "peak_buffer_bytes": max([process.get("collector", {}).get("peak_buffer_bytes", 0) for process in guests] or [0]),
        "kernels": count(kernels),
        "kernel_ns": sum(row["total_ns"] for row in kernels),
        "copies": count(memory, "copy"),
        "memsets": count(memory, "memset"),
        "migrations": count(memory, "migration"),
        "calls": count(stats.get("api", [])),
        "launches": count(stats.get("api", []), "cudaLaunch"),
        "caveats": sum(len(trace["caveats"]) for trace in traces),
        "bytes": sum(os.path.getsize(os.path.join(bundle, name)) for name in os.listdir(bundle))
                 if os.path.isdir(bundle) else 0,
    }


def main():
    for key, value in facts(sys.argv[1], sys.argv[2]).items():
        print(key, value)


if __name__ == "__main__":
    main()
