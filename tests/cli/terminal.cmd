# how wide, in which colours and in which format: on a terminal of 50 columns (script), in pipes, in files
bundle=../../examples/pipeline/misdispatched.cpprof
unset NO_COLOR COLUMNS CLICOLOR_FORCE
export TERM=xterm
first() { # of what a page begins with, escapes made visible
    tr -d '\r' | head -n 4 | cat -v
}
longest() { # characters, without code
    sed 's/\x1b\[[0-9;]*m//g; s/[\x80-\xbf]//g; s/\r$//; /^    /d' |
        awk '{ if (length($0) > most) most = length($0) } END { print most <= 50 ? "at most 50" : "more than 50" }'
}
terminal() { # COMMAND; nothing of it is an answer to what a terminal was asked
    script -qec "stty cols 50; $1" /dev/null </dev/null
}
export bundle
echo '-- a terminal'; terminal 'cpprof report $bundle' | first
terminal 'cpprof report --full $bundle' | longest
echo '-- which is dumb'; terminal 'TERM=dumb cpprof report $bundle' | first
echo '-- whose reader wants no colours'; terminal 'NO_COLOR=1 CLICOLOR_FORCE=1 cpprof report $bundle' | first
echo '-- COLUMNS goes first'; terminal 'COLUMNS=1000 cpprof report --full $bundle' | longest
echo '-- COLUMNS that is no number'; terminal 'COLUMNS=1e3 cpprof report --full $bundle' | longest
echo '-- another format'; terminal 'cpprof report --format md $bundle' | first
echo '-- a pipe'; cpprof report $bundle | first
cpprof report --full --format text $bundle | longest
echo '-- with COLUMNS'; COLUMNS=50 cpprof report --full --format text $bundle | longest
echo '-- with colours'; CLICOLOR_FORCE=1 cpprof report --format text $bundle | first
echo '-- which are not forced'; CLICOLOR_FORCE=0 cpprof report --format text $bundle | first
echo '-- nor wanted'; NO_COLOR=1 CLICOLOR_FORCE=1 cpprof report --format text $bundle | first
echo '-- NO_COLOR that is empty'; NO_COLOR= CLICOLOR_FORCE=1 cpprof report --format text $bundle | first
echo '-- a file'
out=$(mktemp -d)
export out
terminal 'COLUMNS=50 CLICOLOR_FORCE=1 cpprof report $bundle -o $out/page' # no ending says a format
first <"$out/page"
COLUMNS=50 CLICOLOR_FORCE=1 cpprof report --full $bundle -o "$out/page.txt"
longest <"$out/page.txt"
rm -r "$out"
