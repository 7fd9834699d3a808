# The first screen of a profile: what bounds the kernels, then the ten with most headroom, in that order; no table of the
# page is cut to less than three rows.
ops=../../examples/profile/ops.cpprof work=$(mktemp)
cpprof report --brief --format md "$ops" >"$work"
grep -o '^- \*\*Bounds:\*\*\|^| headroom.*\|^- \*\*Do first:\*\*\|^- \*\*In kernels:\*\*' "$work"
# rows, and whether those whose headroom is known are in order and before the others
sed -n '/^| headroom/,/^$/p' "$work" | sed 1,2d | awk -F'|' 'NF {
    split($2, words, " "); ns = words[1] * (words[2] == "ms" ? 1000000 : words[2] == "us" ? 1000 : 1)
    rows++; known += ns > 0; wrong += ns > 0 && (rows > known || (rows > 1 && ns > before)); before = ns}
    END {print rows, (known > 2 && !wrong ? "in order" : known " known, " wrong " wrong")}'
COLUMNS=120 cpprof report --brief --format text "$ops" | awk 'END {print NR <= 50 ? "one screen" : NR " lines"}'
# how many tables are cut to fewer
cpprof report --format md "$ops" | awk '/^[|][-:|]+$/ {rows = 0; next} /^[|] and [0-9]+ more: --full/ {few += rows < 3} /^[|]/ {rows++}
    END {print few + 0}'
rm "$work"
