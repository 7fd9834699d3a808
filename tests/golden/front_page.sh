#!/usr/bin/env bash
# Are the sessions on the front page what the program prints?
# usage: front_page.sh CPPROF SOURCE
#
# Every line below "$ cpprof ..." in README.md, and every part of it between "...", occurs in what the command prints;
# of a command that needs a GPU, in the report of the run that is recorded. Blanks count as one.
set -euo pipefail
cpprof=$(realpath "${1:?usage: front_page.sh CPPROF SOURCE}")
cd "${2:?usage: front_page.sh CPPROF SOURCE}"
export LC_ALL=C NO_COLOR=1

printed_by() { # COMMAND
    case $1 in
    'cpprof run pipeline/sync pipeline/cpasync3 '*) "$cpprof" report --brief --format text examples/pipeline/more-ctas.cpprof ;;
    'cpprof run pipeline/misdispatched'*) "$cpprof" report --brief --format text examples/pipeline/misdispatched.cpprof ;;
    'cpprof classify '*) "$cpprof" classify "${1#cpprof classify }" ;;
    *) echo "front_page: '$1' is not known here" >&2; return 1 ;;
    esac | tr -s ' \n' ' '
}

printed=
checked=0
missing=0
look_for() { # PART, without blanks at its ends
    [ -n "$1" ] && [[ $1 != 'exit '* ]] || return 0
    checked=$((checked + 1))
    case $printed in
    *"$1"*) ;;
    *) echo "README.md: not printed: $1" >&2; missing=$((missing + 1)) ;;
    esac
}

while IFS= read -r line; do
    if [[ $line == '    $ '* ]]; then
        command=${line#'    $ '}
        printed=$(printed_by "${command%%;*}")
    elif [ -n "$line" ] && [[ $line != '    '* ]]; then
        printed=
    elif [ -n "$printed" ]; then
        while IFS= read -r part; do
            look_for "$part"
        done < <(tr -s ' ' <<<"$line" | sed 's/ *\.\.\. */\n/g' | sed 's/^ //; s/ $//')
    fi
done <README.md
echo "$checked parts, $missing missing"
[ "$checked" -gt 0 ] && [ "$missing" = 0 ]
