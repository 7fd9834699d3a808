#!/usr/bin/env bash
# Do witnesses accuse nobody who is honest? Runs the command of every recorded run anew, ROUNDS times (3), and counts
# contradictions; four minutes a round on an H200. Runs on several GPUs are left out where there is one.
#
#   ROUNDS=3 tests/gpu/witnesses.sh [PATTERN]     PATTERN: only bundles whose path it matches
#
# Where $OUT is a folder, witnesses.txt there names each run with what its checks came to.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
programs=$(realpath "$test_programs")
pattern=${1:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
said=${OUT:+$(realpath "$OUT")/witnesses.txt}
gpus=$(cuda_gpus)
export NCCL_NVLS_ENABLE=0 # multicast of NVSwitch is left alone (docs/allreduce.md)
nccl=$(python3 -c 'import os, nvidia.nccl as n; print(os.path.join(list(n.__path__)[0], "lib"))' 2>/dev/null) &&
    export LD_LIBRARY_PATH="$nccl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# arguments MANIFEST: those of its command, one a line, without the place of its bundle; nothing of what is no run of kernels
arguments() {
    python3 - "$1" "$programs" <<'EOF'
import json, os, sys
manifest = json.load(open(sys.argv[1]))
words = manifest.get("command", [])[2:]
if manifest.get("kind") != "run" or "programs" in manifest or "--variant" in words or "--task" in words: # examples/sealed has cheats
    sys.exit()
out, skip = [], False
for i, word in enumerate(words):
    if skip or word == "--force":
        skip = False
        continue
    if word == "-o":
        skip = True
        continue
    if i and words[i - 1] == "--load":
        word = os.path.join(sys.argv[2], os.path.basename(word))
    out.append(word)
print("\n".join(out))
EOF
}

# outcome BUNDLE: "AGREE CONTRADICTED NOT_CHECKED", then a line for each contradiction
outcome() {
    python3 - "$1/verdict.json" <<'EOF'
import collections, json, sys
checks = json.load(open(sys.argv[1]))["witnesses"]
count = collections.Counter(check["status"] for check in checks)
print(count["agrees"], count["contradicted"], count["not checked"])
for check in checks:
    if check["status"] == "contradicted":
        print("   ", check["variant"], check["shape"], check["witness"] + ":", check["detail"])
EOF
}

runs=0
for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
    for manifest in examples/*/*.cpprof/manifest.json; do
        bundle=$(dirname "$manifest")
        [[ $bundle =~ $pattern ]] || continue
        case $bundle in
        */four.cpprof) [ "$gpus" -ge 4 ] || continue ;;
        */allreduce/* | */two-devices.cpprof | */allreduce*.cpprof) [ "$gpus" -ge 2 ] || continue ;;
        esac
        mapfile -t words < <(arguments "$manifest")
        [ ${#words[@]} -gt 0 ] || continue
        rm -rf "$work/again.cpprof"
        "$cpprof" run "${words[@]}" -o "$work/again.cpprof" >/dev/null 2>"$work/errors"
        if [ ! -f "$work/again.cpprof/verdict.json" ]; then
            expect "round $round, $bundle: it ran" "$(head -n 1 "$work/errors")" ""
            continue
        fi
        mapfile -t found < <(outcome "$work/again.cpprof")
        read -r agree contradicted open <<<"${found[0]}"
        runs=$((runs + 1))
        printf 'round %s, %s: %s agree, %s contradicted, %s not checked\n' "$round" "$bundle" "$agree" "$contradicted" "$open" \
            >>"${said:-/dev/null}"
        expect "round $round, $bundle: contradictions ($agree agree, $open not checked)" "$contradicted" 0
        [ ${#found[@]} -eq 1 ] || printf '%s\n' "${found[@]:1}" | tee -a "${said:-/dev/null}"
    done
done
expect_at_least "runs" "$runs" 1
finish
