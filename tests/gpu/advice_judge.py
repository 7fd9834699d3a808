"""Which of the changes of advice.sh and advice_changes.sh came out as predicted?

judge(PREDICTED, MEASURED, FIELDS, show): the files have a line for each change, in the same order: some fields, then
value, low and high, or why nothing is predicted; and the time before and after. Prints a line for each, which `show`
makes of the fields, the gain, and both times; <<< marks what is off. Returns how many there are, how many were right, and
how many intervals are wider than 8 points.
"""


def judge(predicted, measured, fields, show):
    count = right = wide = 0
    with open(predicted, encoding="utf-8") as p, open(measured, encoding="utf-8") as m:
        for line, times in zip(p, m, strict=True):
            words, (before, after) = line.split(), map(float, times.split())
            said, gain = words[fields:], 100 * (1 - after / before)
            is_right = len(said) == 3 and float(said[1]) <= gain <= float(said[2])
            count += 1
            right += is_right
            wide += len(said) == 3 and float(said[2]) - float(said[1]) > 8
            text = "%5.1f%% (%.1f to %.1f)" % tuple(map(float, said)) if len(said) == 3 else " ".join(said)
            print(show(words[:fields], text, gain, before, after) + ("" if is_right else "   <<<"))
    return count, right, wide
