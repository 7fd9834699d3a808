#!/usr/bin/env bash
# Do includes only point downwards, and does each third-party library stay in its room?
# usage: floors.sh TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: floors.sh TREE}"

# A room, then the rooms that it may include. The longest matching room counts.
rooms='
include             include
base                include base
model               include base model
kernels             include base kernels
collector           include base model kernels collector collector/activity collector/dynload collector/profiler
collector/inject    include base collector/inject collector/activity collector/dynload
collector/counters  include base collector/counters collector/inject collector/activity collector/profiler collector/dynload
collector/activity  include base collector/activity collector/dynload
collector/profiler  include base collector/profiler collector/dynload
collector/dynload   include base collector/dynload
analyzers           include base model analyzers
reports             include base model reports
doctor              include base model doctor
cli                 include base model analyzers reports doctor cli
bench               include base model bench
'

# A foreign header (extended regex), then where it may be included.
owners='
^csv\.h$                            model/readers/csv.c bench/csv_floor.c
^sqlite3\.h$                        model/readers/sqlite_rows.c
^yajl/                              model/readers/json_walk.c
^jansson\.h$                        base/json.h
^(libiberty/)?demangle\.h$          base/demangle.c
^zlib\.h$                           base/byte_sink.c model/readers/gzip.c tests/
^libdeflate\.h$                     base/checksum.c
^(cuda|cupti|nvml|nvtx3|nvperf|nvrtc|cooperative_groups|mma\.h)  kernels/ collector/ tests/gpu/ bench/ examples/ include/cpprof/verify.cuh
'

mapfile -t sources < <(tree_files | grep -E '\.(c|h|cu|cuh|cpp)$')
[ ${#sources[@]} -gt 0 ] || { echo "floors: no source files under '$1'" >&2; exit 1; }

# Through the environment: awk -v would eat the backslashes.
ROOMS=$rooms OWNERS=$owners awk '
function room_of(path,   i, best) {
    best = ""
    for (i = 1; i <= room_count; i++)
        if (index(path, room[i] "/") == 1 && length(room[i]) > length(best)) best = room[i]
    return best
}
function stem(path) { sub(/\.[a-z]+$/, "", path); return path }
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
BEGIN {
    for (i = 1; i < ARGC; i++) is_source[ARGV[i]] = 1
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
    # What two analyzers need moves down; only the table knows them all.
    if (from == "analyzers" && to == "analyzers" && is_source[stem(path) ".c"] && stem(path) != stem(FILENAME))
        complain("\"" target "\": analyzers never include one another")
}
END { exit bad }
' "${sources[@]}"
