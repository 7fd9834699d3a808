#!/usr/bin/env bash
# Does each guard accept a clean tree and refuse a planted violation?
# usage: can_fail.sh CC
set -euo pipefail
guards=$(cd "$(dirname "$0")" && pwd)
cc=${1:?usage: can_fail.sh CC}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

accepts() { # NAME GUARD ARGUMENTS...
    local name=$1 guard=$2 output
    shift 2
    if ! output=$("$guard" "$@" 2>&1); then
        printf 'NOT ok: %s should pass: %s\n' "$name" "$output"
        failed=1
    fi
}

refuses() { # NAME PATTERN GUARD ARGUMENTS...      PATTERN: what the message must hold
    local name=$1 pattern=$2 guard=$3 output
    shift 3
    if output=$("$guard" "$@" 2>&1); then
        printf 'NOT ok: %s was not noticed\n' "$name"
        failed=1
    elif ! grep -qE "$pattern" <<<"$output"; then
        printf 'NOT ok: %s is refused without naming %s: %s\n' "$name" "$pattern" "$output"
        failed=1
    fi
}

plant() { # PATH TEXT      a fresh tree with one good file of each room, and this one
    rm -rf "$work/tree"
    mkdir -p "$work/tree"/{core/base,core/io,core/trace,analyzers/one,analyzers/two,reports,cli,collector/inject,include/cpprof,"$(dirname "$1")"}
    printf '#ifndef A_H\n#define A_H\nint a(void);\n#endif\n' >"$work/tree/core/base/a.h"
    printf '#include <stdio.h>\n#include "core/base/a.h"\n' >"$work/tree/core/base/a.c"
    printf '#include "core/base/a.h"\n#include <csv.h>\n' >"$work/tree/core/io/csv.c"
    printf '#include "core/base/a.h"\n#include <zlib.h>\n' >"$work/tree/core/io/gzip.c"
    printf '#include "core/base/a.h"\n#include "analyzers/b.h"\n#include "analyzers/two/two_rows.h"\n' >"$work/tree/analyzers/one/one.c"
    printf '#ifndef B_H\n#define B_H\n#endif\n' >"$work/tree/analyzers/b.h"
    printf '#ifndef TWO_ROWS_H\n#define TWO_ROWS_H\n#endif\n' >"$work/tree/analyzers/two/two_rows.h"
    printf '#ifndef TWO_H\n#define TWO_H\n#endif\n' >"$work/tree/analyzers/two/two.h"
    printf '#!/bin/sh\necho fine\n' >"$work/tree/fine.sh"
    printf '%b' "$2" >"$work/tree/$1"
}

tree_guards() {
    plant core/base/c.c '#include "core/base/a.h"\n'
    accepts 'clean floors' "$guards/floors.sh" "$work/tree"
    accepts 'clean names' "$guards/unique_names.sh" "$work/tree"
    accepts 'clean headers' "$guards/headers.sh" "$work/tree" "$cc"
    accepts 'clean words' "$guards/words.sh" "$work/tree"
    accepts 'clean links' "$guards/links.sh" "$work/tree"
    accepts 'clean scripts' "$guards/shell.sh" "$work/tree"

    plant core/base/child.c '    pid_t child = fork();\n    v->fork(1);\n'
    accepts 'the module that starts processes' "$guards/floors.sh" "$work/tree"

    # file | text | what the message must hold
    local file text pattern
    while IFS='|' read -r file text pattern; do
        plant "$file" "$text"
        refuses "$file with $text" "$pattern" "$guards/floors.sh" "$work/tree"
    done <<'PLANTED'
core/base/up.c|#include "core/trace/x.h"\n|core/base/up.c:1: .*core/base/ may not include core/trace/
core/trace/up.c|\n#  include "analyzers/b.h"\n|core/trace/up.c:2: .*core/trace/ may not include analyzers/
analyzers/side.c|#include <reports/b.h>\n|analyzers/ may not include reports/
core/stats/side.c|#include "core/io/x.h"\n|core/stats/ may not include core/io/
analyzers/side.c|#include "collector/x.h"\n|analyzers/ may not include collector/
analyzers/one/other.c|#include "analyzers/two/two.h"\n|only the rows of one another
analyzers/shared.c|#include "analyzers/two/two.h"\n|only the rows of one another
collector/inject/up.c|#include "core/bundle/x.h"\n|collector/inject/ may not include core/bundle/
cli/far.c|#include "kernels/x.h"\n|cli/ may not include kernels/
core/io/csv_too.c|#include <csv.h>\n|core/io/csv_too.c:1: "csv.h"
core/base/dot.h|#include <jansson.h>\n|"jansson.h"
core/base/name.c|#include <libiberty/demangle.h>\n|"libiberty/demangle.h"
core/trace/gz.c|#include <zlib.h>\n|"zlib.h"
core/base/sum.c|#include <libdeflate.h>\n|"libdeflate.h"
cli/gpu.c|#include <cuda_runtime.h>\n|"cuda_runtime.h"
cli/start.c|\n    pid_t child = fork();\n|cli/start.c:2: processes are started by core/base/child.h alone
core/trace/start.c|    if (posix_spawnp(&child, a))\n|core/trace/start.c:1: processes are started
collector/start.c|    FILE *f = popen("ls", "r");\n|collector/start.c:1: processes are started
core/trace/path.c|#include "../base/a.h"\n|by its path from the root
PLANTED

    local formatter
    if formatter=$(command -v clang-format-14); then
        find "$work/tree" -name '*.[ch]' -exec "$formatter" -i {} +
        accepts 'clean format' "$guards/format.sh" "$work/tree"
        printf 'int  wide;\n' >"$work/tree/core/trace/wide.c"
        refuses 'a file that is not formatted' 'core/trace/wide.c:1' "$guards/format.sh" "$work/tree"
    fi
    plant core/trace/a.c '\n'
    refuses 'two files named a.c' 'core/trace/a.c: the name is taken by core/base/a.c' "$guards/unique_names.sh" "$work/tree"
    plant collector/inject/call.c 'X(cuDeviceGet)\n'
    mkdir "$work/tree/kernels"
    accepts 'an old call of the driver' "$guards/driver_calls.sh" "$work/tree"
    plant collector/inject/call.c '"cuBrandNew"\n'
    mkdir "$work/tree/kernels"
    refuses 'a call of the driver of unknown age' 'call.c:1: cuBrandNew: say' "$guards/driver_calls.sh" "$work/tree"
    plant core/trace/late.h 'size_t late(void);\n'
    refuses 'a header that needs stddef.h' 'core/trace/late.h: is not self-contained' "$guards/headers.sh" "$work/tree" "$cc"
    plant core/trace/gnu.h '#ifndef GNU_H\n#define GNU_H\n#include <stdio.h>\nstatic inline int gnu(void) { return fileno(stdin); }\n#endif\n'
    printf '#define _GNU_SOURCE\n#include "core/trace/gnu.h"\n' >"$work/tree/core/trace/gnu.c"
    refuses 'a header that needs a definition of its own file' 'core/trace/gnu.h: is not self-contained' "$guards/headers.sh" "$work/tree" "$cc"
    plant core/trace/twice.h 'struct twice { int x; };\n'
    refuses 'a header without include guard' 'core/trace/twice.h' "$guards/headers.sh" "$work/tree" "$cc"
    plant core/base/d.c '/* TO\104O: the rest */\n'
    refuses 'a mark of unfinished work' 'core/base/d.c:1' "$guards/words.sh" "$work/tree"
    plant core/base/d.c 'static const char *d = "/home/me/x";\n'
    accepts 'a made-up home' "$guards/words.sh" "$work/tree"
    plant core/base/d.c 'static const char *d = "/ho\155e/mary/x";\n'
    refuses 'a home of one machine' 'core/base/d.c:1' "$guards/words.sh" "$work/tree"
    plant core/base/d.c 'static const char *d = "/ro\157t/data";\n'
    refuses 'a path of one machine' 'core/base/d.c:1' "$guards/words.sh" "$work/tree"
    plant docs/a.md 'see [b](b.md) and [web](https://example.com)\n'
    refuses 'a link that leads nowhere' 'docs/a.md:1: .*: b.md' "$guards/links.sh" "$work/tree"
    plant core/base/e.c '/* docs/absent.md states it */\n'
    refuses 'a document that is not there' 'core/base/e.c:1: there is no docs/absent.md' "$guards/links.sh" "$work/tree"
    plant tool '#!/usr/bin/env bash\nif true; then\n'
    refuses 'a script that does not parse' 'tool: line' "$guards/shell.sh" "$work/tree"
}

# The formatter of another version is no formatter, and is there beside the right one on newer systems.
formatters() {
    local path=$work/formatters:$PATH name status
    mkdir -p "$work/formatters"
    for name in clang-format clang-format-14 apt-get sudo; do
        printf '#!/bin/sh\necho "version 18.1.3"\n' >"$work/formatters/$name"
        chmod +x "$work/formatters/$name"
    done
    plant core/base/c.c '#include "core/base/a.h"\n'
    PATH=$path "$guards/format.sh" "$work/tree" >/dev/null && status=0 || status=$?
    [ "$status" -eq 77 ] || { echo "NOT ok: clang-format 18 alone: exit $status, not 77"; failed=1; }
    if ! PATH=$path "$guards/../../scripts/packages.sh" --tests 2>&1 | grep '^installing: .*clang-format-14' >/dev/null; then
        echo 'NOT ok: clang-format 18 is taken for what the tests need'
        failed=1
    fi
    printf '#!/bin/sh\nif [ "$1" = --version ]; then echo "version 14.0.6"; else echo "not so" && exit 1; fi\n' \
        >"$work/formatters/clang-format-14"
    PATH=$path refuses 'a tree that clang-format 14 refuses, beside 18' 'not so' "$guards/format.sh" "$work/tree"
}

house_guard() {
    local tree=$work/house house=$guards/house.py
    mkdir -p "$tree"/{core/base,core/io,core/trace,core/run,rules,cli,analyzers/one}
    printf '#include "core/base/b.h"\n' >"$tree/core/base/a.h"
    for room in core/base core/io core/trace core/run rules cli; do
        name=${room#core/}
        seq 10 >"$tree/$room/${name:0:1}.h"
    done
    printf 'bool a = !strcmp(row->reason, "holm");\n' >"$tree/analyzers/one/b.c"
    refuses 'a reason that is compared as text' 'analyzers/one/b.c:1: a reason is compared as text' python3 -B "$house" "$tree"
    printf 'bool a = row->reason == COMPARISON_HOLM && strcmp(a->code_hash, b);\n' >"$tree/analyzers/one/b.c"
    accepts 'a reason that is compared as a value' python3 -B "$house" "$tree"
    rm "$tree/analyzers/one/b.c"
    mkdir "$tree/core/gpu"
    printf '    {"l2_share", "lts__throughput"},\n' >"$tree/core/gpu/metrics.c"
    echo '#define METRIC_L2_SHARE "l2_share"' >"$tree/core/gpu/metrics.h"
    echo 'double a = value(METRIC_L2_SHARE) + json_get_number(gpu, "l2_share");' >"$tree/analyzers/one/b.c"
    accepts 'a counter by its constant' python3 -B "$house" "$tree"
    echo '#define METRIC_L1_SHARE "l1_share"' >"$tree/core/gpu/metrics.h"
    refuses 'a constant that is no counter' 'METRIC_L1_SHARE is no counter' python3 -B "$house" "$tree"
    echo 'double a = value("l2_share");' >"$tree/analyzers/one/b.c"
    refuses 'a counter by a literal name' 'one/b.c:1: "l2_share" is a counter: call it METRIC_L2_SHARE' python3 -B "$house" "$tree"
    rm -r "$tree/analyzers/one/b.c" "$tree/core/gpu"
    mkdir -p "$tree"/{build,tests,attic}
    touch "$tree"/{build,tests}/a.c "$tree/attic/notes.md"
    accepts 'a house in order' python3 -B "$house" "$tree"
    touch "$tree/attic/a.cu"
    refuses 'a room that nobody knows' 'attic/ is a room that nobody knows \(attic/a.cu\): .*floors.sh' python3 -B "$house" "$tree"
    mv "$tree/attic/a.cu" "$tree"
    refuses 'a source in no room' 'a source lies in no room \(a.cu\)' python3 -B "$house" "$tree"
    rm -r "$tree"/{attic,build,tests,a.cu}
    printf '#include "core/trace/d.h"\n' >"$tree/core/trace/c.c"
    printf '#include "core/trace/c.h"\n' >"$tree/core/trace/d.c"
    touch "$tree"/core/trace/{c,d}.h
    refuses 'a circle that is closed in the .c files' 'circle of includes: core/trace/c, core/trace/d' python3 -B "$house" "$tree"
    rm "$tree"/core/trace/{c,d}.[ch]
    seq 41 | while read -r n; do touch "$tree/core/base/part_$n.c"; done
    refuses 'a folder with too many modules' 'core/base/ has 43 modules' python3 -B "$house" "$tree"
    mkdir -p "$tree/tests/unit/core/base"
    mv "$tree"/core/base/part_* "$tree/tests/unit/core/base/"
    refuses 'a folder of tests with too many modules' 'tests/unit/core/base/ has 41 modules' python3 -B "$house" "$tree"
    rm -r "$tree/tests"
    seq 100 >"$tree/core/trace/large.c"
    refuses 'a room that is too large' 'core/trace/ has .* more than 20%' python3 -B "$house" "$tree"
    mv "$tree/core/trace/large.c" "$tree/analyzers/one/"
    refuses 'a question that is too large' 'analyzers/one/ has .* more than 5%' python3 -B "$house" "$tree"
}

arms_guard() {
    local tree=$work/arms arms=$guards/arms.py
    mkdir -p "$tree"/{core/run,core/bundle,analyzers/one}
    printf 'bool a(void)\n{\n    return !strcmp(x->variant, name);\n}\n\nbool b(void)\n{\n    return !strcmp(x->config, name);\n}\n' \
        >"$tree/core/run/a.c"
    printf 'bool a(void)\n{\n    return !strcmp(variant, v) && !strcmp(config, c);\n}\n' >"$tree/core/bundle/a.c"
    accepts 'names of variants or of configs alone' python3 -B "$arms" "$tree"
    printf 'bool a(void)\n{\n    if (strcmp(text(t, VARIANTS_BASELINE), v))\n        return false;\n    return !strcmp(text(t, VARIANTS_SHAPE), c);\n}\n' \
        >"$tree/analyzers/one/one.c"
    refuses 'an arm found by two names' 'analyzers/one/one.c:3: an arm is found by two names' python3 -B "$arms" "$tree"
    refuses 'a tree without files' 'no source files' python3 -B "$arms" "$tree/core/bundle"
}

# Sparse files have their sizes at no cost.
cheats_index_guard() {
    local tree=$work/cheats index=$guards/cheats_index.py file=$work/cheats/tests/gpu/cheats/a.cu
    mkdir -p "$(dirname "$file")"
    printf '/* cheat softmax: does nothing\n * Kind: left out\n * Found by: its outputs */\n' >"$file"
    python3 -B "$index" "$tree" --refresh
    accepts 'an index in step' python3 -B "$index" "$tree"
    printf '/* cheat softmax: does little\n * Kind: left out\n * Found by: its outputs */\n' >"$file"
    refuses 'an index that is out of step' 'README.md is not what the files say' python3 -B "$index" "$tree"
    printf '/* cheat softmax: does nothing\n * Kind: left out */\n' >"$file"
    refuses 'a cheat that nothing finds' "a.cu: has no line 'Found by: '" python3 -B "$index" "$tree"
    printf '/* cheat softmax: does nothing\n * Kind: odd\n * Found by: its outputs */\n' >"$file"
    refuses 'a kind that nobody knows' "a.cu: has no line 'Kind: '" python3 -B "$index" "$tree"
}

size_guard() {
    local tree=$work/size list=$work/large.txt size=$guards/size.sh file
    mkdir -p "$tree/examples/"{small,large}.cpprof/inner.cpprof
    truncate -s 999999 "$tree/examples/small.cpprof/"{a,inner.cpprof/b}
    truncate -s 1500000 "$tree/examples/large.cpprof/"{a,inner.cpprof/b}
    printf '# which, how large\nexamples/large.cpprof 3000000\n' >"$list"
    accepts 'a small tree' "$size" "$tree" "$list"
    truncate -s 1000002 "$tree/examples/small.cpprof/a"
    refuses 'an example that is too large' 'examples/small.cpprof has 2000001 bytes, more than 2000000$' "$size" "$tree" "$list"
    truncate -s 1 "$tree/examples/small.cpprof/a"
    truncate -s 1500001 "$tree/examples/large.cpprof/a"
    refuses 'a large example that grew' 'examples/large.cpprof has 3000001 bytes, more than its 3000000$' "$size" "$tree" "$list"
    truncate -s 1 "$tree/examples/large.cpprof/a"
    refuses 'an entry that is not needed' 'examples/large.cpprof is not large any more' "$size" "$tree" "$list"
    truncate -s 1500000 "$tree/examples/large.cpprof/a"
    truncate -s 2000001 "$tree/examples/trace.json"
    refuses 'a file that is too large' 'examples/trace.json has 2000001 bytes' "$size" "$tree" "$list"
    rm "$tree/examples/trace.json"
    truncate -s 40000000 "$tree/other"
    accepts 'a tree of nearly 44 MB' "$size" "$tree" "$list"
    truncate -s 40000001 "$tree/other"
    refuses 'a tree that is too large' 'have 44000001 bytes in all, more than 44000000$' "$size" "$tree" "$list"
    rm "$tree/other"
    for file in "$tree/examples/"{1..10}; do truncate -s 2000000 "$file"; done
    accepts 'examples of nearly 24 MB' "$size" "$tree" "$list"
    truncate -s 1 "$tree/examples/more"
    refuses 'examples that are too large' 'examples/ has 24000001 bytes, more than 24000000$' "$size" "$tree" "$list"
}

program_guards() {
    cd "$work"
    echo 'int gpu(void); int gpu(void) { return 0; }' >gpu.c
    echo 'int gpu(void); int main(void) { return gpu(); }' >with.c
    echo 'int main(void) { return 0; }' >without.c
    "$cc" -shared -fPIC -o libcupti.so gpu.c
    "$cc" -o with with.c -L. -lcupti -Wl,-rpath,"$work"
    "$cc" -o without without.c
    accepts 'a plain program' "$guards/linkage.sh" "$work/without" 'cuda|cupti|nv'
    refuses 'a program that needs libcupti' 'libcupti.so' "$guards/linkage.sh" "$work/with" 'cuda|cupti|nv'
    refuses 'a missing program' 'no program' "$guards/linkage.sh" "$work/absent" 'cuda'

    echo '#include <stdio.h>
int loud(void); int loud(void) { return printf("%d\n", 1); }' >loud.c
    echo '#include <stdio.h>
int soft(char *t); int soft(char *t) { return snprintf(t, 2, "%d", 1); }' >soft.c
    "$cc" -c loud.c soft.c
    ar rc libloud.a loud.o
    ar rc libsoft.a soft.o
    echo '#include <unistd.h>
void end(void); void end(void) { _exit(1); }' >child.c
    "$cc" -c child.c -o child.c.o
    "$cc" -c child.c -o other.c.o
    ar rc libchild.a child.c.o
    ar rc libother.a other.c.o
    echo 'int InitializeInjection(void); int InitializeInjection(void) { return 1; }' >guest.c
    echo '#include <stdlib.h>
int InitializeInjection(void); int InitializeInjection(void) { exit(1); }' >rude.c
    "$cc" -shared -fPIC -o guest.so guest.c
    "$cc" -shared -fPIC -o talkative.so guest.c gpu.c
    echo '#include <stdlib.h>
char *InitializeInjection(void); char *InitializeInjection(void) { return getenv("TRACE"); }' >obedient.c
    "$cc" -shared -fPIC -o rude.so rude.c
    "$cc" -shared -fPIC -o obedient.so obedient.c
    accepts 'a guest with one entry' "$guards/exports.sh" guest.so InitializeInjection
    refuses 'a guest that exports more' 'gpu' "$guards/exports.sh" talkative.so InitializeInjection
    refuses 'a guest without its entry' 'exports, instead' "$guards/exports.sh" guest.so InitializeInjection Other
    accepts 'one that ends a process of ours' "$guards/exports.sh" --own rude.so InitializeInjection
    refuses 'one of ours that exports more' 'gpu' "$guards/exports.sh" --own talkative.so InitializeInjection
    refuses 'a guest that ends the process' 'may not call' "$guards/exports.sh" rude.so InitializeInjection
    refuses 'a guest that obeys any environment' 'getenv' "$guards/exports.sh" obedient.so InitializeInjection
    accepts 'a silent library' "$guards/quiet.sh" libsoft.a libchild.a
    refuses 'a library that ends its process' 'libother.a:other.c.o' "$guards/quiet.sh" libchild.a libother.a
    refuses 'a library that prints' 'libloud.a:loud.o' "$guards/quiet.sh" libsoft.a libloud.a
}

readme_guard() {
    printf '#!/bin/sh\necho "usage: cpprof"\necho "  run  run it"\necho "  help help"\n' >"$work/cpprof"
    chmod +x "$work/cpprof"
    printf '| `cpprof run V` | x |\n| `cpprof help` | x |\n' >"$work/good.md"
    printf '| `cpprof run V` | x |\n' >"$work/short.md"
    printf '| `cpprof run V` | x |\n| `cpprof help` | x |\n| `cpprof fly` | x |\n' >"$work/long.md"
    accepts 'a front page with the commands' "$guards/readme.sh" "$work/good.md" "$work/cpprof"
    refuses 'a command left out' '< help' "$guards/readme.sh" "$work/short.md" "$work/cpprof"
    refuses 'a command that is not there' '> fly' "$guards/readme.sh" "$work/long.md" "$work/cpprof"
}

ptx_kernel() { # NAME BODY
    printf '.visible .entry %s(\n\t.param .u64 p\n)\n{\n%b\n\tret;\n}\n' "$1" "$2"
}

# What cuobjdump would say of code that is as the table in instructions.sh wants it.
right_sass() {
    sed -n "/^table='/,/'\$/{s/^table='//;s/'\$//;p}" "$guards/instructions.sh" | awk -F ' *[|] *' '
        !($1 in code) { order[++n] = $1 }
        $2 == "none" { $2 = 1; $4 = "RET" }
        { gsub(/[][]/, "", $4); for (i = 0; i < $2; i++) code[$1] = code[$1] "        /*0010*/                   " $4 " R0, R1 ;   /* 0x0 */\n" }
        END {
            print "\tcode for sm_90a"
            for (i = 1; i <= n; i++) printf "\t\tFunction : _Z%d%s%s\n%s", length(order[i]), order[i], order[i] ~ /EEv$/ ? "PKf" : "PKfPfi", code[order[i]]
        }'
}

instructions_guard() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\ncat "$2"\n' >"$work/bin/cuobjdump"
    chmod +x "$work/bin/cuobjdump"
    right_sass >"$work/right.sass"
    sed 's/HGMMA/HMMA/' "$work/right.sass" >"$work/other.sass"
    sed '0,/FFMA/s/FFMA/FADD/' "$work/right.sass" >"$work/fewer.sass"
    grep -v 'truth_chase' "$work/right.sass" >"$work/without.sass"
    sed 's/BAR/STL/' "$work/right.sass" >"$work/spilled.sass"
    sed '/sdpa_stage1_sync/,/RET/s/RET/LDGSTS.E.BYPASS.128/' "$work/right.sass" >"$work/copies.sass"
    local PATH=$work/bin:$PATH
    accepts 'SASS as declared' "$guards/instructions.sh" "$work/right.sass"
    refuses 'a wgmma kernel without wgmma' 'truth_wgmma has .*HGMMA.* 0 times' "$guards/instructions.sh" "$work/other.sass"
    refuses 'an FMA that was optimised away' 'truth_fma has .*FFMA.* 127 times' "$guards/instructions.sh" "$work/fewer.sass"
    refuses 'SASS without a kernel' 'no kernel truth_chase' "$guards/instructions.sh" "$work/without.sass"
    refuses 'a control that prefetches' 'sdpa_stage1_sync has .*LDGSTS.* 1 times, expected none' "$guards/instructions.sh" "$work/copies.sass"
    refuses 'spills' 'truth_relay.* local memory: STL' "$guards/instructions.sh" "$work/spilled.sass"
}

ptx_guard() {
    local copy='\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;' plain='\tld.global.f32 %f1, [%rd1];'
    { ptx_kernel k_sync "$plain"; ptx_kernel k_cpasync2 "$copy"; } >"$work/good.ptx"
    { ptx_kernel k_sync "$copy"; ptx_kernel k_cpasync2 "$copy"; } >"$work/sync.ptx"
    { ptx_kernel k_sync "$plain"; ptx_kernel k_cpasync2 "$plain"; ptx_kernel k_other "$copy"; } >"$work/plain.ptx"
    ptx_kernel k_sync "$plain" >"$work/alone.ptx"
    accepts 'PTX as declared' "$guards/ptx.sh" "$work/good.ptx"
    refuses 'cp.async in a sync kernel' 'k_sync has 2 cp.async' "$guards/ptx.sh" "$work/sync.ptx"
    refuses 'a cpasync kernel without cp.async' 'k_cpasync2 has no cp.async' "$guards/ptx.sh" "$work/plain.ptx"
    refuses 'PTX without the kernels' 'nothing to compare' "$guards/ptx.sh" "$work/alone.ptx"
}

commit() { # SUBJECT
    git add -A
    git -c user.name=t -c user.email=t@example.com -c commit.gpgsign=false commit -q -m "$1"
}

# record COMMIT: a bundle that says it was recorded by that commit
record() {
    printf '{\n  "cpprof": {\n    "commit": "%s"\n  },\n  "sources": [\n    "kernels",\n    "include/cpprof",\n    "run.c"\n  ],\n  "n": [\n    "other.c"\n  ]\n}\n' \
        "$1" >examples/runs/one.cpprof/manifest.json
}

# What a renamed identifier must not hide.
stale_words() { # STALE
    local stale=$1
    printf '#include "b.h"\n#include "c.h"\nint old = 1, other = f("old", other.old, old.h);\n' >kernels/tile.cu
    commit 'kernels: two names'
    record "$(git rev-parse HEAD)"
    commit 'record two names'
    printf 'c.h a.h\n' >>tests/gpu/moved.txt
    printf '#include "a.h"\n#include "b.h"\nint old = 1, other = f("old", other.old, old.h);\n' >kernels/tile.cu
    accepts 'includes sorted again' "$stale" .
    git checkout -q kernels tests
    sed -i '/include/d' kernels/tile.cu
    commit 'kernels: no includes'
    record "$(git rev-parse HEAD)"
    commit 'record without includes'
    echo 'word old new' >>tests/gpu/moved.txt
    printf 'int new = 1, other = f("old", other.new, new.h);\n' >kernels/tile.cu
    accepts 'an identifier renamed, also of a member' "$stale" .
    printf 'int new = 1, other = f("new", other.new, new.h);\n' >kernels/tile.cu
    refuses 'a renaming inside a string' 'one.cpprof.*kernels/tile.cu' "$stale" .
    printf 'int new = 1, other = f("old", other.old, new.h);\n' >kernels/tile.cu
    refuses 'half a renaming' 'one.cpprof.*kernels/tile.cu' "$stale" .
    echo 'word other another' >>tests/gpu/moved.txt
    printf 'int old = 1, another = f("old", another.old, old.h);\n' >kernels/tile.cu
    accepts 'one of two renamings' "$stale" .
    git checkout -q tests
    echo 'word old other' >>tests/gpu/moved.txt
    printf 'int other = 1, other = f("old", other.other, other.h);\n' >kernels/tile.cu
    refuses 'a renaming that makes two things one' 'one.cpprof.*kernels/tile.cu' "$stale" .
    printf 'word old new\nword other new\n' >tests/gpu/moved.txt
    printf 'int new = 1, new = f("old", new.new, new.h);\n' >kernels/tile.cu
    refuses 'two renamings to one name' 'one.cpprof.*kernels/tile.cu' "$stale" .
    git checkout -q kernels tests
}

# What marks must not hide: FILE of a kernel with them is the same code as `before`, and what is not.
stale_marks() { # STALE
    local stale=$1 before='#include "b.h"\nvoid f(int n)\n{\n    if (n)\n        work(n);\n}\n' same title text
    printf '%b' "$before" >kernels/tile.cu
    commit 'kernels: no marks'
    record "$(git rev-parse HEAD)"
    commit 'record without marks'
    mkdir -p include/cpprof
    touch include/cpprof/inside.h include/cpprof/record.cuh
    accepts 'headers of marks that are newer' "$stale" .
    touch include/cpprof/other.h
    refuses 'another header that is newer' 'one.cpprof.*include/cpprof/other.h' "$stale" .
    rm include/cpprof/other.h
    # yes: the same code, no: other code | what it shows | the kernel
    while IFS='|' read -r same title text; do
        printf '%b' "$text" >kernels/tile.cu
        if [ "$same" = yes ]; then
            accepts "$title" "$stale" .
        else
            refuses "$title" 'one.cpprof.*kernels/tile.cu' "$stale" .
        fi
    done <<'MARKED'
yes|marks in a kernel|#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n CPPROF_PARAM)\n{\n    CPPROF_RECORDER(r, (0));\n    if (n)\n        work(n CPPROF_GIVES(r));\n    CPPROF_TILE_END(r);\n}\nCPPROF_PHASE_TABLE({"a)", 0}, {"b", 1});\n
yes|marks of an installed header|#include <cpprof/record.cuh>\n#include "b.h"\nvoid f(int n)\n{\n    CPPROF_PHASE(r, 0);\n    if (n)\n        work(n);\n}\n
no|marks without their header|#include "b.h"\nvoid f(int n)\n{\n    CPPROF_PHASE(r, 0);\n    if (n)\n        work(n);\n}\n
no|a mark that takes the place of a body|#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n)\n{\n    if (n)\n        CPPROF_PHASE(r, 0);\n    work(n);\n}\n
no|a mark between an if and its body|#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n)\n{\n    if (n)\n        CPPROF_PHASE(r, 0);\n        work(n);\n}\n
no|code beside a mark|#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n)\n{\n    CPPROF_PHASE(r, 0), n++;\n    if (n)\n        work(n);\n}\n
no|a build with its marks on|#define CPPROF_INSIDE 2\n#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n)\n{\n    if (n)\n        work(n);\n}\n
no|a mark that means something else|#include "b.h"\n#include "cpprof/record.cuh"\n#define CPPROF_ARG + 1\nvoid f(int n)\n{\n    if (n)\n        work(n CPPROF_ARG);\n}\n
no|another macro|#include "b.h"\n#include "cpprof/record.cuh"\nvoid f(int n)\n{\n    CPPROF_PHASES(n);\n    if (n)\n        work(n);\n}\n
MARKED
    git checkout -q kernels
    commit 'headers of marks'
    record "$(git rev-parse HEAD)"
    commit 'record with headers of marks'
    echo 'int x;' >include/cpprof/record.cuh
    refuses 'a header of marks that changed since' 'one.cpprof.*include/cpprof/record.cuh' "$stale" .
    git checkout -q include
}

# The code of the judge counts where a solution was judged.
stale_judge() { # STALE
    local stale=$1 manifest=examples/runs/one.cpprof/manifest.json
    mkdir -p collector/runner/judge
    echo 'int tolerance = 1;' >collector/runner/judge/judged.c
    commit 'judge: code'
    record "$(git rev-parse HEAD)"
    sed -i 's|"run.c"|"collector/runner"|' $manifest
    commit 'record a variant'
    echo 'int tolerance = 2;' >collector/runner/judge/judged.c
    accepts 'another judge, of a bundle without solutions' "$stale" .
    sed -i 's|"sources"|"libraries": [{"name": "libmine.so"}], "sources"|' $manifest
    accepts 'another judge, of a library of variants' "$stale" .
    sed -i 's|"libmine.so"|"libmine.so", "as": "solution v1"|' $manifest
    refuses 'another judge, of a bundle with a solution' 'one.cpprof.*collector/runner/judge/judged.c' "$stale" .
    git checkout -q collector
    mkdir collector/runner/python
    echo 'int functions;' >collector/runner/python/python_solution.c
    accepts 'what calls functions of Python, of a library that is a solution' "$stale" .
    sed -i 's|"solution v1"|"solution v1:softmax"|' $manifest
    refuses 'what calls functions of Python, of a bundle with one' 'one.cpprof.*collector/runner/python/python_solution.c' "$stale" .
    sed -i 's|"solution v1:softmax"|"solution v1"|' $manifest
    rm -r collector/runner/python
    echo 'int rounds = 1;' >collector/runner/rounds.c
    sed -i 's|, "as": "solution v1"||' $manifest
    refuses 'other code beside the judge' 'one.cpprof.*collector/runner/rounds.c' "$stale" .
    rm collector/runner/rounds.c
    git checkout -q collector examples
}

stale_guard() {
    mkdir -p "$work/repository/kernels" "$work/repository/examples/runs/one.cpprof"
    cd "$work/repository"
    git init -q .
    printf '#include "old/tile.h"\nint tile = 1; // a\n' >kernels/tile.cu
    echo 1 >run.c
    echo 1 >other.c
    commit 'code'
    local stale="$guards/../gpu/stale.sh" file name branch
    refuses 'no bundle at all' 'no bundle' "$stale" .
    record "$(git rev-parse HEAD)"
    commit 'record'
    refuses 'functions that have other names today' 'core/io/table_csv.c does not define add_rows' "$stale" .
    { "$stale" . || true; } | sed -n 's/^\(.*\) does not define \(.*\): .*/\1 \2/p' >functions
    while read -r file name; do
        mkdir -p "$(dirname "$file")"
        echo "void $name(void) { }" >>"$file"
    done <functions
    commit 'their names are right'
    record "$(git rev-parse HEAD)"
    commit 'record'
    accepts 'a bundle of the commit before' "$stale" .
    echo 2 >other.c
    commit 'other: no source of the bundle'
    accepts 'a change elsewhere' "$stale" .
    printf '#include "tiles/tile.h"\n\nint tile =\n    1; /* b */\n' >kernels/tile.cu
    mkdir -p tests/gpu && echo 'old/ tiles/' >tests/gpu/moved.txt
    commit 'kernels: other words, another folder'
    accepts 'the same code in other words and folders' "$stale" .
    sed -i '1i #include "tiles/more.h"' kernels/tile.cu
    refuses 'one more include' 'one.cpprof.*kernels/tile.cu' "$stale" .
    git checkout -q kernels
    printf '#include "tiles/tile.h"\nint tile = 1; char text[] = "// a";\n' >kernels/tile.cu
    refuses 'new code that looks like a comment' 'one.cpprof.*kernels/tile.cu' "$stale" .
    printf '#include "tiles/tile.h"\nint block = 1;\n' >kernels/tile.cu
    refuses 'another identifier' 'one.cpprof.*kernels/tile.cu' "$stale" .
    echo 'word tile block' >>tests/gpu/moved.txt
    accepts 'a renamed identifier' "$stale" .
    printf '#include "tiles/tile.h"\nint block = 1, block_count;\n' >kernels/tile.cu
    refuses 'more than a renamed identifier' 'one.cpprof.*kernels/tile.cu' "$stale" .
    echo 'word tile block.count' >>tests/gpu/moved.txt
    refuses 'a renaming to what is no identifier' 'moved.txt: .word tile block.count' "$stale" .
    git checkout -q kernels tests
    echo 1 >kernels/more.cu
    refuses 'a new source' 'one.cpprof.*kernels/more.cu' "$stale" .
    rm kernels/more.cu
    echo 'kernels/ tiles/' >>tests/gpu/moved.txt
    mv kernels tiles
    commit 'kernels moved'
    accepts 'sources that moved' "$stale" .
    mv tiles kernels
    echo 'old/ tiles/' >tests/gpu/moved.txt
    echo 2 >kernels/tile.cu
    commit 'kernels: new tile'
    refuses 'a changed source' 'one.cpprof.*kernels/tile.cu.*kernels: new tile' "$stale" .
    echo 2 >examples/runs/one.cpprof/report.md
    commit 'a derived file is no recording'
    refuses 'a changed source behind a new report' 'one.cpprof.*kernels/tile.cu' "$stale" .
    record "$(git rev-parse HEAD)"
    commit 'record again'
    accepts 'a bundle recorded again' "$stale" .
    stale_words "$stale"
    stale_marks "$stale"
    stale_judge "$stale"
    record "$(git rev-parse HEAD)-dirty"
    refuses 'a bundle of a dirty tree' 'uncommitted changes' "$stale" .
    record 0123456789012345678901234567890123456789
    refuses 'a bundle of nowhere' 'not in this history' "$stale" .
    branch=$(git symbolic-ref --short HEAD)
    git checkout -q -b elsewhere
    echo 3 >other.c
    commit 'another branch'
    record "$(git rev-parse HEAD)"
    accepts 'a bundle of this branch' "$stale" .
    git symbolic-ref HEAD refs/heads/"$branch"
    refuses 'a bundle of another branch' 'not in this history' "$stale" .
    printf '{\n}\n' >examples/runs/one.cpprof/manifest.json
    refuses 'a manifest without sources' 'names no sources' "$stale" .
}

# A compiler for the host in the place of nvcc: what is compared are sections of ELF files.
marks_off_guard() {
    local tree=$work/marks marks_off=$guards/marks_off.sh
    mkdir -p "$tree"/{kernels/one,examples,include/cpprof} "$work/nvcc"
    printf '#!/bin/bash\nfor word in "$@"; do\n    case $word in\n    -std=* | -gencode=* | -cubin) ;;\n    *) words+=("$word") ;;\n    esac\ndone\nexec %s -xc -c -ffunction-sections "${words[@]}"\n' \
        "$cc" >"$work/nvcc/nvcc"
    chmod +x "$work/nvcc/nvcc"
    printf '#define CPPROF_PHASE(r, mark) ((void)0)\n' >"$tree/include/cpprof/record.cuh"
    printf 'int k(int n);\nint k(int n)\n{\n    return 2 * n;\n}\n' >"$tree/kernels/one/plain.cu"
    refuses 'a tree without marks' 'no kernel includes' "$marks_off" "$tree" "$work/nvcc/nvcc"
    printf '#include "cpprof/record.cuh"\nint k(int n);\nint k(int n)\n{\n    CPPROF_PHASE(r, 0);\n    return 2 * n;\n}\n' \
        >"$tree/kernels/one/marked.cu"
    accepts 'marks that leave no code' "$marks_off" "$tree" "$work/nvcc/nvcc"
    printf '#define CPPROF_PHASE(r, mark) n++\n' >"$tree/include/cpprof/record.cuh"
    refuses 'a mark that leaves code' 'kernels/one/marked.cu: .*sm_(80|90a): .text.k: ' "$marks_off" "$tree" "$work/nvcc/nvcc"
    printf '#define CPPROF_PHASE(r, mark) ((void)0)\n' >"$tree/include/cpprof/record.cuh"
    printf '#include <cpprof/record.cuh>\nint x;\n' >"$tree/examples/none.cu"
    refuses 'a source without code' 'examples/none.cu: .*no code at all' "$marks_off" "$tree" "$work/nvcc/nvcc"
    rm -r "$tree"
}

tree_guards
formatters
house_guard
arms_guard
cheats_index_guard
size_guard
program_guards
readme_guard
ptx_guard
instructions_guard
marks_off_guard
stale_guard
[ "$failed" -eq 0 ] && echo "every guard accepts the clean case and refuses each planted violation"
exit "$failed"
