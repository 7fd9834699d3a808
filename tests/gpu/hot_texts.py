#!/usr/bin/env python3
"""Is the text of each hot line that of the source? Prints "ok", or the first difference.

usage: hot_texts.py HOTSPOTS_CSV SOURCE
"""

import csv
import os
import sys


def main():
    table, source = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    compared = 0
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["file"] != os.path.basename(source):
                continue
            expected = lines[int(row["line"]) - 1]
            if row["text"] != expected:
                print(f"{row['file']}:{row['line']}: '{row['text']}' instead of '{expected}'")
                return
            compared += 1
    print("ok" if compared else "no line of it is in the table")


if __name__ == "__main__":
    main()
