"""Does an export give the same answers as the bundle that it was made of?

same_answers.py CPPROF BUNDLE EXPORT [api]

Compares `stats` by name and by stream (kernels, copies and memsets; with "api" the calls,
too) and the busy, overlapping and idle times of `overlap`. Exit 1 when they differ.
"""
import json
import subprocess
import sys


def ask(cpprof, *words):
    done = subprocess.run([cpprof, *words, "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"FAILED: cpprof {' '.join(words)} ends with {done.returncode}: {done.stderr.strip()}")
        return {}
    return json.loads(done.stdout)


def rows(stats, tables, keys):
    found = {}
    for table in tables:
        for row in stats.get(table, []):
            key = (table, *(row.get(key) for key in keys))
            count, total, size = found.get(key, (0, 0, 0))
            found[key] = (count + row["count"], total + row["total_ns"], size + row["size_bytes"])
    return found


def devices(overlap):
    """Times of each device; which rank it counts for is not the export's to keep."""
    found = {}
    for device in overlap.get("devices", []):
        name = ("overlap", device["device"], device.get("events"))
        found[name] = (device["span_ns"], device["busy_ns"])
        for one in device["classes"]:
            found[(*name, one["class"])] = (one["count"], one["busy_ns"], one["sum_ns"])
        for pair in device["pairs"]:
            found[(*name, pair["a"], pair["b"])] = pair["overlap_ns"]
    return found


def compare(what, a, b):
    different = sorted((key for key in a.keys() | b.keys() if a.get(key) != b.get(key)), key=str)
    for key in different[:5]:
        print(f"FAILED {what}: {key}: {a.get(key)} in the bundle, {b.get(key)} in the export")
    if not a:
        print(f"FAILED {what}: nothing to compare")
    elif not different:
        print(f"ok {what}: {len(a)} rows")
    return bool(a) and not different


def main():
    cpprof, bundle, export = sys.argv[1:4]
    tables = ["kernels", "memory", "memsets", "migrations"] + (["api"] if "api" in sys.argv[4:] else [])
    by_name = [rows(ask(cpprof, "stats", path), tables, ["name"]) for path in (bundle, export)]
    by_stream = [rows(ask(cpprof, "stats", path, "--by", "stream"), tables[:3], ["name", "device", "stream"])
                 for path in (bundle, export)]
    overlaps = [devices(ask(cpprof, "overlap", path)) for path in (bundle, export)]
    good = [compare("by name", *by_name), compare("by stream", *by_stream), compare("overlap", *overlaps)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
