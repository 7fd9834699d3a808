#!/bin/sh
# debug_info.sh INTO FILE...: copies the debug information of FILEs, each under the build id by which gdb finds it:
# gdb -iex 'set debug-file-directory INTO'
set -eu
into=$1
shift
for file in "$@"; do
    [ -f "$file" ] || continue # a build of some targets
    id=$(LC_ALL=C readelf -n "$file" | sed -n 's/^ *Build ID: //p')
    [ -n "$id" ] || { echo "$file: without a build id: link it with -Wl,--build-id" >&2; exit 1; }
    folder=$into/.build-id/$(printf %.2s "$id")
    mkdir -p "$folder"
    "${OBJCOPY:-objcopy}" --only-keep-debug --compress-debug-sections "$file" "$folder/${id#??}.debug"
done
