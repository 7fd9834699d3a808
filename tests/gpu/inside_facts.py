"""What was built into kernels, and what does cpprof read of it? For inside.sh.

inside_facts.py overlap LOG JSON... WARPS.csv...      E by the recorder: the log of tests/gpu/inside,
                                                      what `cpprof inside` printed, and inside_warps.csv of its
                                                      bundles: which SMs were recorded?
inside_facts.py slack LOG JSON...        slack: the same log, and what `cpprof inside` and `cpprof slack` printed

Prints a line for each reading, and at the end "key value" lines.
"""
import csv
import json
import math
import statistics
import sys

E_POINTS = 5
SLACK_CYCLES, SLACK_SHARE = 40, 0.05  # 20 ns at 1980 MHz, or 5%
CLOCK = 1.98  # cycles a ns, where no record says it
ROLES = {"first": 0, "second": 1, "brings": 2, "works": 3}  # of slack_truth.cu
COLUMNS = ["variant", "shape", "built", "first", "second", "build", "sm"]


def read_log(path, build):
    """Medians of what the processes of one build saw: variant, shape and SM -> built, cycles, cycles."""
    lines = {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            line = dict(zip(COLUMNS, text.rstrip("\n").split("\t")))
            if line["build"] == build:
                values = [float(line[name]) for name in COLUMNS[2:5]]
                lines.setdefault((line["variant"], line["shape"], int(line["sm"])), []).append(values)
    return {key: [statistics.median(column) for column in zip(*values)] for key, values in lines.items()}


def recorded_sms(paths):
    """Of each launch: variant and shape -> SMs."""
    sms = {}
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = (row["variant"].removesuffix("+record"), row["shape"])
                sms.setdefault(key, set()).add((row["launch"], int(row["sm"])))
    return {key: [sm for _, sm in launches] for key, launches in sms.items()}


def read_rows(paths, schema):
    """Rows of the documents of this schema: of their only list, or of the first."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document["schema"] == schema:
            yield from next(value for value in document.values() if isinstance(value, list))


def value_of(bounded):
    """Of a number that may come with an interval; None when it is not known."""
    return bounded.get("value") if isinstance(bounded, dict) else bounded


def print_sum(name, readings):
    """readings: whether each is right, None where there is none."""
    print(f"{name}_readings {len(readings)}")
    print(f"{name}_missing {sum(right is None for right in readings)}")
    print(f"{name}_given {sum(right is not None for right in readings)}")
    print(f"{name}_right {sum(right is True for right in readings)}")


def built_overlap(log, sms):
    """What was built into the blocks of the SMs that were recorded: variant and shape -> E, cycles of copy, of work."""
    of_sm, built = read_log(log, "record"), {}
    for (variant, shape), recorded in sms.items():
        lines = [of_sm[(variant, shape, sm)] for sm in recorded if (variant, shape, sm) in of_sm]
        if lines:
            hidden, copy, work = (sum(column) for column in zip(*lines))
            built[(variant, shape)] = (hidden / min(copy, work), copy / len(lines), work / len(lines))
    return built


def overlap(log, paths):
    built = built_overlap(log, recorded_sms([path for path in paths if path.endswith(".csv")]))
    paths = [path for path in paths if not path.endswith(".csv")]
    reasons, readings, late = {}, [], []
    print(f"{'variant':22} {'shape':10} {'copy':>7} {'work':>7} {'built E':>8} {'read E':>8}   low to high")
    for row in read_rows(paths, "cpprof.inside/1"):
        key = (row["of"], row["shape"])
        found = [o["e"] for o in row["overlaps"] if o["scope"] == "cta" and o["e"]]
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + (row["status"] != "ok")
        if not found or key not in built:
            readings.append(None)
            print(f"{key[0]:22} {key[1]:10} no {'log' if found else 'reading'}: {row['reason']}")
            continue
        e, (built_e, copy, work) = found[0], built[key]
        off = 100 * (e["value"] - built_e)
        readings.append(abs(off) <= E_POINTS)
        if key[0].endswith("-late"):
            late.append(e["value"])
        print(
            f"{key[0]:22} {key[1]:10} {copy:7.0f} {work:7.0f} {100 * built_e:7.1f}% {100 * e['value']:7.1f}%"
            f"   {100 * e['low']:.1f} to {100 * e['high']:.1f}{'' if readings[-1] else '   <<<'}"
        )
    for reason, count in sorted((r, n) for r, n in reasons.items() if r and n):
        print(f"inconclusive, {count} times: {reason}")
    print_sum("overlap", readings)
    print(f"late {100 * max(late, default=1):.0f}")


def built_slack(row, built):
    """Of a mark: the log has that of the first role of a pair, negative for the second, or of the producer of a ring."""
    role = ROLES.get(row["role"], row["role"])
    is_first = role in (0, 2)
    if role == 3:
        return 0
    return max(built if is_first else -built, 0) if not math.isnan(built) else built


def slack(log, paths):
    built = {key[:2]: values for key, values in read_log(log, "off").items()}
    clocks = {}
    for row in read_rows(paths, "cpprof.inside/1"):
        clocks[(row["of"], row["shape"])] = value_of(row["cycles_per_ns"])
    readings = []
    print(f"{'variant':18} {'shape':10} {'role':>6} {'built':>7} {'read':>7} {'slope':>6}   status; cycles")
    for row in read_rows(paths, "cpprof.slack/1"):
        key = (row.get("of") or row["variant"], row["shape"])
        if key not in built:
            continue
        wanted = built_slack(row, built[key][0])
        ns, slope = value_of(row.get("slack_ns")), value_of(row.get("slope"))
        read = None if ns is None else ns * (clocks.get(key) or CLOCK)
        if math.isnan(wanted):
            continue  # nothing is known by construction
        if row["status"] == "hidden":
            right = wanted > 0
        elif row["status"] == "critical":
            right = wanted <= SLACK_CYCLES
        else:
            right = None if read is None else abs(read - wanted) <= max(SLACK_CYCLES, SLACK_SHARE * wanted)
        readings.append(right)
        shown = [f"{value:{form}}" if value is not None else "?" for value, form in ((read, ".0f"), (slope, ".2f"))]
        print(
            f"{key[0]:18} {key[1]:10} {row['role']:>6} {wanted:7.0f} {shown[0]:>7} {shown[1]:>6}   {row['status']}"
            f"{'' if right else '   <<<'}"
        )
    print_sum("slack", readings)


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("overlap", "slack"):
        raise SystemExit(__doc__)
    (overlap if sys.argv[1] == "overlap" else slack)(sys.argv[2], sys.argv[3:])


main()
