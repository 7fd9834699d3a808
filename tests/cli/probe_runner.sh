#!/bin/sh
# Plays the probe of cpprof-runner: answers with the file that FAKE_PROBE names.
for word in "$@"; do
    case $word in
    --dir=*) cp "$FAKE_PROBE" "${word#*=}/probe.json" ;;
    esac
done
