# a format that is no text goes to a file or a pipe, and not to a terminal (script), which takes JSON
terminal() { # COMMAND
    script -qec "$1" /dev/null </dev/null
}
terminal 'cpprof export overlap_two_streams.csv --to pftrace' | tr -d '\r'
terminal 'cpprof export overlap_two_streams.csv --to pftrace -o -' | tr -d '\r'
terminal 'cpprof export overlap_two_streams.csv --to chrome' | tr -d '\r' | head -n 1
cpprof export overlap_two_streams.csv --to pftrace | od -An -tx1 -N1
