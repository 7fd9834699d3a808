#!/usr/bin/env bash
# Is it enough to touch the files that CONTRIBUTING.md names?
# usage: extend.sh [FOLDER]      builds in FOLDER (build/deep/extend)
#
# In a copy of the tree it adds a result column (1 file), an analyzer (2), a report format (2), a chip (1) and a variant (2). Then it
# builds once, asks the program for each of them (the last two with a CUDA toolkit alone), and runs the guards: they would say what
# else has to be touched.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/deep/extend}"
folder=$(cd "${1:-build/deep/extend}" && pwd)
tree=$folder/tree
rm -rf "$tree"
git clone -q --no-hardlinks . "$tree"
cd "$tree"
failed=0

complain() {
    echo "extend: $*"
    failed=1
}

# behind FILE PATTERN: what is read goes behind the first line that matches
behind() {
    local new
    new=$(cat)
    grep -q -- "$2" "$1" || { complain "no line of $1 matches '$2'"; exit 1; }
    # By the environment: awk -v would take the backslashes.
    new=$new awk -v pattern="$2" '{ print } !done && $0 ~ pattern { print ENVIRON["new"]; done = 1 }' "$1" >"$1.new"
    mv "$1.new" "$1"
}

# says WHAT TEXT COMMAND...
says() {
    local what=$1 text=$2
    shift 2
    "$@" 2>&1 | grep -F -- "$text" >/dev/null || complain "$what: '$*' does not say '$text'"
}

behind analyzers/selection/selection_columns.c '{"variant", ' <<'EOF'
    {"config_again", AT(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "The same once more."},
EOF

cat >analyzers/resources/full.c <<'EOF'
/* Does a kernel fill all warps of an SM? */
#include "analyzers/entries.h"

int full_analyze(struct analysis *a, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->resources.count && !rc; i++) {
        const struct resource *r = &a->resources.items[i];
        struct finding *f = analysis_finding(a, "extended", SEVERITY_INFO, r->variant, r->config, "asked by extend.sh");
        rc = f ? evidence_add(&a->arena, &f->evidence, "occupancy", r->occupancy, UNIT_RATIO, e) : err_memory(e);
    }
    return rc;
}
EOF
sed -i 's/^    X(timing, .*/&\n    X(full, QUESTION(resources), "are all warps there?") \\/' analyzers/entries.h
clang-format -i analyzers/entries.h

cat >reports/document/shout.c <<'EOF'
/* Writes a document in capital letters. */
#include <ctype.h>

#include "reports/document/block.h"
#include "reports/document/document.h"

static int render_shout(const struct document *d, const struct document_view *view, struct str *out)
{
    const int rc = document_format_by_name("text")->render(d, view, out);
    for (size_t i = 0; i < out->length; i++)
        out->text[i] = (char)toupper((unsigned char)out->text[i]);
    return rc;
}

const struct document_format shout_format = {.name = "shout", .ending = ".shout", .render = render_shout};
EOF
sed -i 's/^extern const struct document_format text_format;/&\nextern const struct document_format shout_format;/
    s/    &text_format,/    \&text_format, \&shout_format,/' reports/document/formats.c
clang-format -i reports/document/formats.c # as CONTRIBUTING.md asks; a guard compares

behind core/gpu/chips.c '{"GB100", ' <<'EOF'
    {"GB202", "", CC_10_0, LACKS(""), PASSES(71, 72, 73, 74, 75)},
EOF

sed -i 's/PIPELINE_VARIANT_COUNT = 5/PIPELINE_VARIANT_COUNT = 6/' kernels/pipeline/pipeline.h
behind kernels/pipeline/pipeline.cu 'pipeline_variants.PIPELINE_VARIANT_COUNT. = ' <<'EOF'
    VARIANT("cpasync6", "cp.async into a ring of 6 tiles", "pipeline_cpasync<6>\\(", expect_async, 6, setup_ring<6>,
            launch_ring<6>, SIGNALS_ASYNC, PLAIN_LOADS),
EOF

options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CUDA_ARCHITECTURES=90a)
! type -P ccache >/dev/null || options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
cmake -S . -B "$folder/build" -G Ninja "${options[@]}" >"$folder/build.log" 2>&1
cmake --build "$folder/build" --parallel "${CPPROF_JOBS:-2}" >>"$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log" && exit 1; }
program=$folder/build/cli/cpprof
bundle=examples/pipeline/one-cta.cpprof

says "a result column" '"config_again"' "$program" report "$bundle" --format json
cmake --build "$folder/build" --target refresh_docs >>"$folder/build.log" 2>&1
says "a result column" 'The same once more.' cat docs/json.md
says "an analyzer" 'asked by extend.sh' "$program" report "$bundle" --format json
says "a report format" 'LATENCY-BOUND' "$program" classify "$bundle" --format shout
says "a report format" 'shout' "$program" help report
if grep -q 'building kernels/' "$folder/build.log"; then
    says "a variant" 'pipeline/cpasync6' "$program" list
    says "a chip" '  71' "$program" list --metrics --chip GB202
else
    echo "extend: no CUDA toolkit: neither the variant nor the chip was asked for"
fi
if ! ctest --test-dir "$folder/build" -L guard --no-tests=error >"$folder/guards.log" 2>&1; then
    grep -A9 'The following tests FAILED' "$folder/guards.log"
    complain "guards refuse the additions: $folder/guards.log"
fi
[ "$failed" -eq 0 ] && echo "what was asked for is there, and no guard asks for more"
exit "$failed"
