#!/usr/bin/env bash
# Has compute-sanitizer anything to say of the attention ladder? All four tools at once over every variant, at a size
# with rings that go round and a tail, and at one at which the ring of the largest tiles does. About half a minute.
#
#   tests/gpu/sdpa_sanitizers.sh     OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
. tests/gpu/sanitizers.sh
sanitize sdpa --shape B=1,H=2,S=173 --shape B=1,H=1,S=525
