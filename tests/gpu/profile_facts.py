"""The kernels of a profile beside what ncu counted of them.

usage: profile_facts.py REPORT.json [NCU.csv]

Of a profile with replays also how their counters compare with ncu's, and with the samples.

Lines "key value" for profile.sh, then a line for each kernel above 1% of the time.
"""
import csv
import json
import re
import sys
from collections import Counter, defaultdict

SHARE = ".avg.pct_of_peak_sustained_elapsed"
COUNTERS = {
    "tensor": "sm__pipe_tensor_cycles_active" + SHARE,
    "issue": "sm__inst_executed" + SHARE,
    "xu": "sm__inst_executed_pipe_xu" + SHARE,
    "l2": "lts__t_sectors" + SHARE,
    "dram_read": "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
    "active": "sm__cycles_active" + SHARE,
    "dram": "dram__throughput" + SHARE,
    "alu": "sm__inst_executed_pipe_alu" + SHARE,
    "fma": "sm__inst_executed_pipe_fma" + SHARE,
    "fmaheavy": "sm__pipe_fmaheavy_cycles_active" + SHARE,
    "fp64": "sm__pipe_fp64_cycles_active" + SHARE,
    "l1": "l1tex__data_pipe_lsu_wavefronts" + SHARE,
    "tex": "l1tex__data_pipe_tex_wavefronts" + SHARE,
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared" + SHARE,
    "l1_fill": "l1tex__m_xbar2l1tex_read_sectors" + SHARE,
    "l1_request": "l1tex__m_l1tex2xbar_req_cycles_active" + SHARE,
}

REPLAYED = {
    "tensor_share": COUNTERS["tensor"],
    "issue_share": "sm__inst_issued" + SHARE,
    "xu_share": COUNTERS["xu"],
    "dram_share": COUNTERS["dram"],
    "fp64_share": COUNTERS["fp64"],
    "shared_share": COUNTERS["shared"],
    "l2_bytes": COUNTERS["l2"],
    "fma_share": "sm__pipe_fma_cycles_active" + SHARE,
    "fmaheavy_share": COUNTERS["fmaheavy"],
    "alu_share": "sm__pipe_alu_cycles_active" + SHARE,
    "l1_share": "l1tex__throughput" + SHARE,
    "l2_share": "lts__throughput" + SHARE,
    "lsu_share": "sm__inst_executed_pipe_lsu" + SHARE,
}


def key_of(name, grid, block):
    """ncu drops and renames namespaces, so the name is what is left without them, and without arguments."""
    plain = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", name)
    return re.sub(r"[<(].*", "", plain).split("::")[-1].split(" ")[-1], tuple(grid), tuple(block)


def sizes(text):
    return [int(number) for number in re.findall(r"\d+", text)][:3]


def read_ncu(path):
    counted = defaultdict(lambda: defaultdict(list))
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith('"')]
    for row in csv.DictReader(lines):
        if not row.get("ID"):
            continue
        of = counted[key_of(row["Kernel Name"], sizes(row["Grid Size"]), sizes(row["Block Size"]))]
        time = float(row["gpu__time_duration.sum"].replace(",", ""))
        for unit, counter in [*COUNTERS.items(), *(("replayed " + unit, counter) for unit, counter in REPLAYED.items())]:
            try:
                of[unit].append((time, float(row[counter].replace(",", "")) / 100))
            except (KeyError, ValueError):
                pass
    return counted


def compare(kernel, counted):
    """Differences in points of each unit that both know."""
    of = counted.get(key_of(kernel["kernel"], kernel["grid"], kernel["block"]), {})
    for unit in kernel["units"]:
        values = of.get(unit["unit"])
        if values and unit["share"] is not None:
            whole = sum(time for time, _ in values)
            yield unit["unit"], unit["share"], sum(time * share for time, share in values) / whole, unit["error"]


def while_sms_work(differences):
    """The same shares of the time in which SMs work: ncu adds the begin and the end of a serialised launch to its time."""
    active = {unit: (pm, ncu) for unit, pm, ncu, _ in differences}.get("active")
    if active and min(active) > 0:
        for unit, pm, ncu, _ in differences:
            yield pm / active[0], ncu / active[1]


def mean_share(values):
    whole = sum(time for time, _ in values)
    return sum(time * share for time, share in values) / whole


def l2_bytes_off(kernel, unit):
    """The bytes at L2 of a launch by samples, over those by counters, less one."""
    return unit["sampled"] * kernel["traced_ns"] / (unit["share"] * kernel["replayed_ns"]) - 1


def tell_l2(kernels, windows):
    """What PM windows say of L2, against range counters: 3% from 64 samples on, 10% from 20 on."""
    many, many_near, few, few_near = 0, 0, 0, 0
    for kernel in kernels:
        samples = windows[kernel["kernel"], tuple(kernel["grid"]), tuple(kernel["block"])]["samples"]
        for unit in kernel["units"]:
            if unit["unit"] != "l2_bytes" or unit["sampled"] is None or kernel["reason"] in ("launches_differ", "launches_missing"):
                continue
            off = abs(l2_bytes_off(kernel, unit))
            many += samples >= 64
            many_near += samples >= 64 and off <= 0.03
            few += 20 <= samples < 64
            few_near += 20 <= samples < 64 and off <= 0.10
    print("l2_many %d\nl2_many_near %d\nl2_few %d\nl2_few_near %d" % (many, many_near, few, few_near))


def as_long(values, kernel):
    """Of ncu's launches those that took as long as the replays: a kernel may do unlike work."""
    wanted = kernel["replayed_ns"]
    return [(time, share) for time, share in values if abs(time - wanted) <= 0.15 * max(time, wanted) + 2000]


def share_as_traced(kernel, unit):
    """L2 and DRAM have clocks of their own: a launch that takes longer in the program leaves them less busy."""
    if unit["unit"] in ("l2_bytes", "dram_share"):
        return unit["share"] * kernel["replayed_ns"] / kernel["traced_ns"]
    return unit["share"]


def name_odd(kernel, unit, *shares):
    return "%s %s %s" % (kernel["short_name"][:20], unit["unit"], "/".join("%.1f" % (100 * share) for share in shares))


def tell_ncu(kernels, counted):
    """How many shares of replays are near ncu's, of launches as long."""
    near, beside, odd = 0, 0, []
    for kernel in kernels:
        for unit in kernel["units"]:
            values = as_long(counted.get(key_of(kernel["kernel"], kernel["grid"], kernel["block"]), {}).get("replayed " + unit["unit"], []), kernel)
            if not values:
                continue
            off = abs(unit["share"] - mean_share(values))
            beside += 1
            near += off <= 0.02
            odd += [] if off <= 0.02 else [name_odd(kernel, unit, unit["share"], mean_share(values))]
    print("replays_beside", beside)
    print("replays_within_2", near)
    print("replays_odd", ";".join(odd) or "none")


def tell_samples(kernels, windows):
    """How many shares of samples are near those of replays: 3 points from 64 samples on, a tenth of the share from 20 on.

    DRAM has a line of its own: while a kernel runs, lines leave L2 that an earlier one changed.
    """
    of = Counter()
    odd = []
    for kernel in kernels:
        if kernel["reason"] == "launches_missing":
            continue  # samples are of all launches, and replays are not
        is_many = windows[kernel["kernel"], tuple(kernel["grid"]), tuple(kernel["block"])]["samples"] >= 64
        of["many_kernels"] += is_many
        is_whole = True
        for unit in kernel["units"]:
            if unit["sampled"] is None:
                continue
            share = share_as_traced(kernel, unit)
            off = abs(share - unit["sampled"])
            is_near = off <= 0.03 or (not is_many and off <= 0.10 * max(share, unit["sampled"]))
            kind = "dram" if unit["unit"] == "dram_share" else "many" if is_many else "few"
            of["beside"] += 1
            of["within_3"] += off <= 0.03
            of["within_error"] += off <= unit["error"]
            of[kind] += 1
            of[kind + "_near"] += is_near
            is_whole &= is_near or kind == "dram"
            odd += [] if is_near else [name_odd(kernel, unit, unit["sampled"], share) + " +-%.1f" % (100 * unit["error"])]
        of["whole_kernels"] += is_many and is_whole
    for key in ("beside", "within_3", "within_error", "many_kernels", "whole_kernels", "many", "many_near", "few", "few_near", "dram", "dram_near"):
        print("sampled_%s %d" % (key, of[key]))
    print("sampled_odd", ";".join(odd) or "none")


def tell_replays(kernels, counted, alike, windows):
    print("replays_accepted", sum(kernel["accepted"] for kernel in kernels))
    print("replays_all", sum(kernel["launches"] for kernel in kernels))
    clear = [
        kernel
        for kernel in kernels
        if kernel["accepted"]
        and kernel["reason"] != "launches_differ"
        and alike[key_of(kernel["kernel"], kernel["grid"], kernel["block"])] == 1
    ]
    tell_ncu(clear, counted)
    tell_samples(clear, windows)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    profile = report["profile"]
    if not profile:
        print("samples 0")
        return
    counted = read_ncu(sys.argv[2]) if len(sys.argv) > 2 else {}
    shown = [kernel for kernel in profile["kernels"] if (kernel["share"] or 0) > 0.01]
    known = [kernel for kernel in shown if kernel["samples"] >= 20]
    alike = Counter(key_of(k["kernel"], k["grid"], k["block"]) for k in profile["kernels"])
    differences = {
        id(k): list(compare(k, counted))
        for k in shown
        if k["samples"] >= 64 and alike[key_of(k["kernel"], k["grid"], k["block"])] == 1
    }
    flat = [d for list_ in differences.values() for d in list_]
    while_active = [d for list_ in differences.values() for d in while_sms_work(list_)]
    device = profile["devices"][0]
    print("samples", device["samples"])
    print("step_ns", device["step_ns"])
    print("sampled_percent %.2f" % (100 * device["sampled_ns"] / max(1, device["span_ns"])))
    print("doubt", device["doubt"] or "none")
    print("idle_active %s" % device["idle_active"])
    print("inside_idle %s" % device["inside_idle"])
    print("kernels", len(shown))
    print("kernels_with_samples", len(known))
    print("kernels_with_class", sum(kernel["class"] != "inconclusive" for kernel in shown))
    work_ns = sum(kernel["total_ns"] for kernel in profile["kernels"])
    working = [kernel for kernel in profile["kernels"] if kernel["total_ns"] > 0.01 * work_ns]
    print("working", len(working))
    print("working_with_class", sum(kernel["class"] != "inconclusive" for kernel in working))
    print("kernels_beside", sum(bool(list_) for list_ in differences.values()))
    print("shares_beside", len(flat))
    print("shares_within_2", sum(abs(pm - ncu) <= 0.02 for _, pm, ncu, _ in flat))
    print("active_within_2", sum(abs(pm - ncu) <= 0.02 for pm, ncu in while_active))
    print("shares_within_3", sum(abs(pm - ncu) <= 0.03 for _, pm, ncu, _ in flat))
    print("shares_within_error", sum(abs(pm - ncu) <= error for _, pm, ncu, error in flat))
    if report.get("replays"):
        print("replays_shown", len(shown))
        print("replays_with_class", sum(kernel["class"] != "inconclusive" for kernel in shown))
        windows = {(k["kernel"], tuple(k["grid"]), tuple(k["block"])): k for k in profile["kernels"]}
        tell_replays(report["replays"]["kernels"], counted, alike, windows)
        tell_l2(report["replays"]["kernels"], windows)
    print("end")
    for kernel in shown:
        shares = " ".join("%s %.1f/%.1f" % (u, 100 * pm, 100 * ncu) for u, pm, ncu, _ in differences.get(id(kernel), ()))
        print("   %4.1f%% %5d launches %6d samples %-14s %-18s %s %s  %s" % (
            100 * kernel["share"], kernel["launches"], kernel["samples"], kernel["class"], kernel["reason"],
            kernel["unit"], "" if kernel["unit_share"] is None else "%.1f%%" % (100 * kernel["unit_share"]), kernel["short_name"][:40]))
        if shares:
            print("        PM/ncu: " + shares)


main()
