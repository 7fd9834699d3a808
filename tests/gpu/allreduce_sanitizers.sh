#!/usr/bin/env bash
# Has compute-sanitizer anything to say of the all-reduces? All four tools over every variant, ranks on one GPU, at small
# sizes with rings that go round and with tails. About a minute. racecheck looks at shared memory: what ranks say to each
# other through global memory it does not follow.
#
#   tests/gpu/allreduce_sanitizers.sh     OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
. tests/gpu/sanitizers.sh
export CPPROF_ALLREDUCE_WAIT_MS=60000 # under a tool a peer takes its time
# 64 blocks with 4096 bytes of a rank at a time: five rounds of a ring, then a tail. And some of one round or none.
sanitize allreduce --shape bytes=1310730,gpus=2,dtype=1 --shape bytes=30004,gpus=3 --shape few --shape offset-4
