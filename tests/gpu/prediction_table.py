"""Predicted and measured gains, for predict.sh and docs/accuracy.md.

prediction_table.py write PREDICTIONS CLASSIFY.json...   what counters predict, with the time
prediction_table.py measured MEASURED BUNDLE...          what comparisons measured, with their time
prediction_table.py join PREDICTIONS MEASURED            the Markdown table; exit 1 when a prediction is no older
prediction_table.py count PREDICTIONS MEASURED           pairs, inside, mean width
prediction_table.py insert PAGE TABLE                    TABLE between the markers of PAGE
"""
import csv
import datetime
import json
import os
import sys
import time

LOADING = ("load-ahead", "stage")
BEGIN, END = "<!-- predictions -->", "<!-- /predictions -->"


def write_rows(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, *reports):
    """One row for each arm: what loading further ahead would bring."""
    now, rows = int(time.time()), []
    for report in reports:
        for one in read_json(report)["predictions"]:
            if one["id"] in LOADING:
                rows.append({"written_unix_s": now, "because": one["because"], **{
                    key: one[key] for key in ("variant", "shape", "id", "gain_low", "gain_high")}})
    write_rows(path, ("written_unix_s", "variant", "shape", "id", "gain_low", "gain_high", "because"), rows)


def measured(path, *bundles):
    rows = []
    for bundle in bundles:
        created = read_json(os.path.join(bundle, "manifest.json"))["created_unix_s"]
        for row in read_json(os.path.join(bundle, "verdict.json"))["rows"]:
            rows.append({"created_unix_s": created, "gain_low": 1 - row["ci_high"], "gain_high": 1 - row["ci_low"], **{
                key: row[key] for key in ("baseline", "candidate", "shape", "gain", "verdict")}})
    write_rows(path, ("created_unix_s", "baseline", "candidate", "shape", "gain", "gain_low", "gain_high", "verdict"), rows)


def pairs(predictions, gains):
    """Each comparison with the prediction of its baseline."""
    by_arm = {(row["variant"], row["shape"]): row for row in read_rows(predictions)}
    joined = []
    for row in read_rows(gains):
        said = by_arm.get((row["baseline"], row["shape"]))
        if said:
            low, high, gain = float(said["gain_low"]), float(said["gain_high"]), float(row["gain"])
            joined.append((row, said, low, high, gain, low <= gain <= high))
    return joined


def totals(joined):
    widths = [high - low for _, _, low, high, _, _ in joined]
    return len(joined), sum(one[-1] for one in joined), sum(widths) / len(widths) if widths else float("nan")


def percent(ratio):
    return f"{100 * ratio:.1f}%"


def day(seconds):
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def join(predictions, gains):
    joined = pairs(predictions, gains)
    count, inside, width = totals(joined)
    if not count:
        sys.exit("no comparison has a prediction")
    written = max(int(said["written_unix_s"]) for _, said, *_ in joined)
    first = min(int(row["created_unix_s"]) for row, *_ in joined)
    print(f"{inside} of {count} measured gains lie inside the predicted intervals ({100 * inside / count:.0f}%), which are "
          f"{100 * width:.1f} points wide in the mean.\nPredictions were written at {day(written)}, the first comparison began at "
          f"{day(first)}.\n")
    print("| baseline | candidate | shape | predicted gain | measured gain | 95% interval | |")
    print("|---|---|---|---:|---:|---:|---|")
    for row, _, low, high, gain, hit in joined:
        print(f"| `{row['baseline']}` | `{row['candidate']}` | {row['shape']} | {percent(low)} to {percent(high)} | {percent(gain)} | "
              f"{percent(float(row['gain_low']))} to {percent(float(row['gain_high']))} | {'inside' if hit else '**outside**'} |")
    if first < written:
        sys.exit("a comparison began before its prediction was written")


def insert(page, table):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(table, encoding="utf-8") as file:
        rows = file.read()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{rows}{END}{after}")


def count_pairs(predictions, gains):
    count, inside, width = totals(pairs(predictions, gains))
    print(count, inside, f"{width:.4f}")


def main():
    commands = {"write": write, "measured": measured, "join": join, "count": count_pairs, "insert": insert}
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
