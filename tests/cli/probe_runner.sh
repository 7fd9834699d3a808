#!/bin/sh
# Plays roles of cpprof-runner: `probe` answers with the file that FAKE_PROBE names (FAKE_DEVICES: CUDA sees so
# many), `ceilings` and `peers` with those in FAKE_CEILINGS, a folder; without it they fail.
role=$1
device=0
for word in "$@"; do
    case $word in
    --dir=*) folder=${word#*=} ;;
    --device=*) device=${word#*=} ;;
    esac
done
case $role in
probe) sed "s/\"devices\": 1,/\"devices\": ${FAKE_DEVICES:-1},/" "$FAKE_PROBE" >"$folder/probe.json" ;;
*)
    if [ ! -f "${FAKE_CEILINGS:-.}/$role.json" ]; then
        echo "the GPU cannot be used: out of memory" >&2
        exit 4
    fi
    sed "s/\"ordinal\": 0/\"ordinal\": $device/" "$FAKE_CEILINGS/$role.json" >"$folder/$role.json"
    ;;
esac
