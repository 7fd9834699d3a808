"""How was a run timed? One "key value" a line, for sampling.sh.

sampling_facts.py BUNDLE
"""
import csv
import json
import os
import statistics
import sys


def read_rows(bundle, name):
    with open(os.path.join(bundle, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def medians(rows, *columns):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(float(row["duration_ns"]))
    return {key: statistics.median(values) for key, values in groups.items()}


def is_interleaved(rows):
    """Does any process come back to an arm after it timed another?"""
    seen = {}
    for row in sorted(rows, key=lambda row: (int(row["process"]), int(row["order"]))):
        order = seen.setdefault((row["process"], row["shape"]), [])
        if not order or order[-1] != row["variant"]:
            if row["variant"] in order:
                return True
            order.append(row["variant"])
    return False


def seeds_by_arm(verify):
    seeds = {}
    for row in verify:
        if row["phase"] == "before":
            seeds.setdefault(row["variant"], []).append(row["seed"])
    return list(seeds.values())


def grow(rows):
    by_shape = medians(rows, "variant", "shape")
    sizes = {}
    for (variant, shape), time_ns in by_shape.items():
        size = int(shape.split()[0].split("=")[1]) if shape.startswith("n=") else 0
        sizes.setdefault(variant, []).append((size, time_ns))
    return all([time for _, time in sorted(points)] == sorted(time for _, time in points) for points in sizes.values())


def facts(bundle):
    with open(os.path.join(bundle, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    rows, verify = read_rows(bundle, "timing.csv"), read_rows(bundle, "verify.csv")
    blocks = {(row["variant"], row["shape"], row["process"], row["block"]): row for row in rows}
    arms = {}
    for row in rows:
        arms.setdefault(row["process"], set()).add(row["variant"])
    states = medians(rows, "variant", "shape", "cache")
    ratios = {key[0]: time / states[key[0], key[1], "hot"] for key, time in states.items()
              if key[2] == "cold" and (key[0], key[1], "hot") in states}
    flush = next((process["l2_flush"] for process in manifest["processes"] if "l2_flush" in process), {})
    batches = {}
    for row in rows:
        if row["cache"] == "hot":
            batches.setdefault(row["variant"], set()).add(row["batch"])
    stop = manifest["stop"]
    seeds = seeds_by_arm(verify)
    return {
        "rows": f"{len(rows)} samples, {sum(row['throttled'] == 'yes' for row in blocks.values())} of {len(blocks)} blocks throttled",
        "schedule": manifest["schedule"],
        "method": manifest["method"],
        "stop": f"{stop['reason']} {stop['processes']} {stop['looks']}",
        "stop_ms": stop["wall_ns"] // 1000000,
        "processes": len(arms),
        "arms_a_process": max(len(names) for names in arms.values()),
        "seeds_alike": int(all(one == seeds[0] for one in seeds)),
        "interleaved": int(is_interleaved(rows)),
        "blocks_without_clock": sum(not row["sm_clock_hz"] for row in blocks.values()),
        "blocks_without_throttled": sum(not row["throttled"] for row in blocks.values()),
        "caches": ",".join(sorted({row["cache"] for row in rows})),
        "cold_batch": ",".join(sorted({row["batch"] for row in rows if row["cache"] == "cold"})) or "none",
        "launches_a_sample": " ".join(f"{name}: {'/'.join(sorted(sizes))}" for name, sizes in sorted(batches.items())),
        "sizes_an_arm": max((len(sizes) for sizes in batches.values()), default=0),
        "least_batch": min((int(size) for sizes in batches.values() for size in sizes), default=0),
        "cold_over_hot": " ".join(f"{name} {ratio:.3f}" for name, ratio in sorted(ratios.items())) or "none",
        "cold_slower": int(bool(ratios) and min(ratios.values()) > 1),
        "event_pair_ns": flush.get("event_pair_ns", "none"),
        "flush_bytes": flush.get("bytes", "none"),
        "shapes": len({row["shape"] for row in rows}),
        "times_grow": int(grow(rows)),
    }


def main():
    for key, value in facts(sys.argv[1]).items():
        print(key, value)


if __name__ == "__main__":
    main()
