#!/usr/bin/env bash
# Do includes only point downwards, does each third-party library stay in its room, and does one module start processes?
# usage: floors.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: floors.sh TREE}"

# A room, then the rooms that it may include. The longest matching room counts.
rooms='
include             include
core/base           include core/base
core/io             include core/base core/io
core/stats          include core/base core/stats
core/gpu            include core/base core/io core/stats core/gpu
core/bundle         include core/base core/io core/stats core/gpu core/bundle
core/trace          include core/base core/io core/stats core/gpu core/bundle core/trace
core/run            include core/base core/io core/stats core/gpu core/bundle core/trace core/run
analyzers           include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers
rules               include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers rules
cli/doctor          include core/base core/io core/gpu core/bundle cli/doctor
reports             include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers rules cli/doctor reports
cli/record          include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers cli/record
cli                 include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers rules cli/doctor reports cli/record cli
kernels             include core/base kernels
collector           include core/base core/io core/stats core/gpu core/bundle kernels collector collector/activity collector/dynload collector/profiler
collector/inject    include core/base collector/inject collector/activity collector/dynload
collector/counters  include core/base collector/counters collector/inject collector/activity collector/profiler collector/dynload
collector/activity  include core/base collector/activity collector/dynload
collector/profiler  include core/base core/gpu collector/profiler collector/dynload
collector/dynload   include core/base collector/dynload
tests/bench         include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers tests/bench
'

# A foreign header (extended regex), then where it may be included.
owners='
^csv\.h$                            core/io/csv.c tests/bench/csv_floor.c
^sqlite3\.h$                        core/io/sqlite_rows.c
^yajl/                              core/io/json_walk.c
^jansson\.h$                        core/base/json.h
^(libiberty/)?demangle\.h$          core/base/demangle
^zlib\.h$                           core/base/byte_sink.c core/io/gzip.c tests/
^libdeflate\.h$                     core/base/checksum.c
^mpi\.h$                            cli/mpi/
^(cuda|cupti|nvml|nvtx3|nvperf|nvrtc|cooperative_groups|mma\.h)  kernels/ collector/ tests/gpu/ tests/bench/ examples/ include/cpprof/verify.cuh include/cpprof/record.cuh
'

# Where processes are started: the collector may come to use the first one, too.
starters='core/base/child.c collector/runner/judge/judge_client.c collector/runner/judge/task_problem.c collector/runner/sass_text.c'

mapfile -t sources < <(tree_files | grep -E '\.(c|h|cu|cuh|cpp)$')
[ ${#sources[@]} -gt 0 ] || { echo "floors: no source files under '$1'" >&2; exit 1; }

# Through the environment: awk -v would eat the backslashes.
ROOMS=$rooms OWNERS=$owners STARTERS=$starters awk '
function room_of(path,   i, best) {
    best = ""
    for (i = 1; i <= room_count; i++)
        if (index(path, room[i] "/") == 1 && length(room[i]) > length(best)) best = room[i]
    return best
}
function question(path) { return split(path, part, "/") > 2 ? part[2] : "" }
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
BEGIN {
    n = split(ENVIRON["ROOMS"], line, "\n")
    for (i = 1; i <= n; i++) {
        words = split(line[i], word, " ")
        if (!words) continue
        room[++room_count] = word[1]
        for (w = 2; w <= words; w++) allowed[word[1], word[w]] = 1
    }
    n = split(ENVIRON["OWNERS"], line, "\n")
    for (i = 1; i <= n; i++) {
        words = split(line[i], word, " ")
        if (!words) continue
        foreign[++foreign_count] = word[1]
        for (w = 2; w <= words; w++) home[foreign_count, w - 1] = word[w]
        homes[foreign_count] = words - 1
    }
    n = split(ENVIRON["STARTERS"], word, " ")
    for (i = 1; i <= n; i++) starts[word[i]] = 1
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    target = $0
    sub(/^[^<"]*[<"]/, "", target)
    sub(/[>"].*/, "", target)
    for (i = 1; i <= foreign_count; i++) {
        if (target !~ foreign[i]) continue
        ok = 0
        for (h = 1; h <= homes[i]; h++) if (index(FILENAME, home[i, h]) == 1) ok = 1
        if (!ok) complain("\"" target "\" may not be included here (see tests/guards/floors.sh)")
    }
    path = target ~ /^cpprof\// ? "include/" target : target
    if (path ~ /\.\./) complain("include \"" target "\" by its path from the root")
    from = room_of(FILENAME)
    to = room_of(path)
    if (from != "" && to != "" && !((from, to) in allowed))
        complain("\"" target "\": " from "/ may not include " to "/")
    # What two questions need moves up into analyzers/ itself or down; only rows are read across.
    if (from == "analyzers" && to == "analyzers" && question(path) != "" && question(path) != question(FILENAME) && path !~ /_rows\.h$/)
        complain("\"" target "\": questions include only the rows of one another")
}
/(^|[^A-Za-z0-9_>.])(v?fork|posix_spawnp?|popen|system) ?\(/ && !/^ *\/?\*/ && FILENAME !~ /^(tests|examples)\// && !(FILENAME in starts) {
    complain("processes are started by core/base/child.h alone")
}
END { exit bad }
' "${sources[@]}"
