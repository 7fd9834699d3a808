#!/usr/bin/env bash
# Is a page that says something else than the lists found, and mended by --refresh?
# usage: json_page_test.sh JSON_PAGE PAGE
set -euo pipefail
json_page=${1:?usage: json_page_test.sh JSON_PAGE PAGE}
page=${2:?usage: json_page_test.sh JSON_PAGE PAGE}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refused NAME MESSAGE: the page $work/NAME is refused with this message
refused() {
    if "$json_page" "$work/$1" 2>"$work/errors"; then
        echo "NOT ok: $1 is not refused" && exit 1
    fi
    grep -qF -- "$2" "$work/errors" || { echo "NOT ok: $1 is refused with another message:" && cat "$work/errors" && exit 1; }
}

sed 's/^| `speedup` | factor | .*/| `speedup` | factor | something else |/' "$page" >"$work/other_words"
refused other_words 'found '\''| `speedup` | factor | something else |'\'
sed '/^| `mde` |/d' "$page" >"$work/lost_row"
refused lost_row 'expected '\''| `mde` |'
sed 's/^<!-- columns: sweep -->/<!-- columns: swoop -->/' "$page" >"$work/other_list"
refused other_list "no list of columns 'swoop'"
sed '/^<!-- columns: sweep -->/,/^<!-- end of columns -->/d' "$page" >"$work/lost_list"
refused lost_list 'no '\''<!-- columns: sweep -->'
sed '/^<!-- end of columns -->/d' "$page" >"$work/no_end"
refused no_end 'no end of the columns'

for name in other_words lost_row; do
    "$json_page" --refresh "$work/$name"
    cmp "$page" "$work/$name"
done
