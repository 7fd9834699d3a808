#!/usr/bin/env bash
# Does the code of each kernel of the families truth, sdpa and allreduce still hold the instructions that it is proven or named by?
# usage: instructions.sh FILE...      PTX (*.ptx), or what cuobjdump reads: objects, programs
#
# The files of one kind together hold them all. What a compiler sees through it removes: the
# counts are those of the unrolled loops. Files that are no PTX need cuobjdump, in the path or
# in $CUDA_HOME/bin; without it they are not looked at (exit 77 when there was nothing else).
set -euo pipefail
[ $# -gt 0 ] || { echo 'usage: instructions.sh FILE...' >&2; exit 1; }
cuobjdump=$(command -v cuobjdump || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/cuobjdump" || true)

# kernel | at least, or none | PTX | SASS | architectures of SASS; "-" for what does not exist
table='truth_fma | 128 | fma[.]rn[.]f32 | FFMA | .
truth_fp64 | 64 | fma[.]rn[.]f64 | DFMA | .
truth_xu | 32 | ex2[.]approx[.]ftz | MUFU[.]EX2 | .
truth_alu | 64 | shf[.]l | SHF | .
truth_alu | 64 | xor[.]b32 | LOP3 | .
truth_issue | 128 | fma[.]rn[.]f32 | FFMA | .
truth_issue | 64 | add[.](rn[.])?f64 | DADD | .
truth_issue | 32 | shf[.]l | SHF | .
truth_issue | 32 | xor[.]b32 | LOP3 | .
truth_dram | 4 | ld[.]global[.]v4[.]f32 | LDG[.]E[.]128 | .
truth_dram | 4 | st[.]global[.]v4[.]f32 | STG[.]E[.]128 | .
truth_tma | 2 | - | UBLKCP | sm_90a
truth_tma | none | ld[.]global | LDG | .
truth_tma | 2 | - | STG[.]E[.]128 | sm_90a
truth_l2 | 8 | ld[.]global[.]cg[.]v4[.]f32 | LDG[.]E[.]128 | .
truth_l2_strided | 8 | ld[.]global[.]cg[.]f32 | LDG[.]E | .
truth_shared | 8 | ld[.]shared[.]v4[.]f32 | LDS[.]128 | .
truth_columnsILi32EEv | 8 | ld[.]shared[.]f32 | LDS | .
truth_columnsILi32EEv | 256 | fma[.]rn[.]f32 | FFMA | .
truth_columnsILi33EEv | 8 | ld[.]shared[.]f32 | LDS | .
truth_columnsILi33EEv | 256 | fma[.]rn[.]f32 | FFMA | .
truth_mma | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
truth_wgmma | 4 | - | HGMMA[.]64x256x16[.]F32 | sm_90a
truth_chase | 1 | ld[.]global[.]u32 | LDG | .
truth_relay | 64 | fma[.]rn[.]f32 | FFMA | .
truth_relay | 2 | bar[.]sync | BAR | .
sdpa_baseline | none | cp[.]async | LDGSTS | .
sdpa_baseline | none | mma | HMMA | .
sdpa_stage1_sync | none | cp[.]async | LDGSTS | .
sdpa_stage1_sync | 16 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_stage1 | 4 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
sdpa_stage1 | 16 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_stage2 | 4 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
sdpa_stage2 | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_stage2 | 4 | ldmatrix[.]sync[.]aligned[.]m8n8[.]x4[.]trans | LDSM[.]16[.]MT88[.]4 | .
sdpa_stage4 | 6 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
sdpa_stage4 | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_stage3a | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_stage3b | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_swizzle | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_exp2poly | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_explut | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_ex2approx | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_exp2poly | 48 | fma[.]rn[.]f32 | FFMA | .
sdpa_ex2approx | 16 | ex2[.]approx[.]ftz | MUFU[.]EX2 | .
sdpa_warpspec | 32 | mma[.]sync[.]aligned[.]m16n8k16 | HMMA[.]16816[.]F32 | .
sdpa_warpspec | 2 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
sdpa_warpspec | 2 | mbarrier[.]test_wait | SYNCS | sm_90a
sdpa_splitkeys | 100 | - | HMMA[.]16816[.]F32 | sm_90a
sdpa_splitkeys | 100 | - | F2FP[.]F16[.]E4M3 | sm_90a
sdpa_splitkeys_pdl | 100 | - | HMMA[.]16816[.]F32 | sm_90a
sdpa_splitkeys_pdl | 1 | - | ACQBULK | sm_90a
sdpa_splitkeys_pdl | 1 | - | PREEXIT | sm_90a
sdpa_wgmma | 8 | - | HGMMA[.]64x64x16[.]F32 | sm_90a
sdpa_wgmma | 4 | - | QGMMA[.]64x128x32[.]F32[.]E4M3 | sm_90a
sdpa_wgmma | 3 | - | UTMALDG[.]3D | sm_90a
sdpa_turns | 16 | - | HGMMA[.]64x72x16[.]F32 | sm_90a
sdpa_turns | 4 | - | QGMMA[.]64x128x32[.]F32[.]E4M3 | sm_90a
sdpa_turns | 3 | - | UTMALDG[.]3D | sm_90a
sdpa_turns_loads | 16 | - | HGMMA[.]64x72x16[.]F32 | sm_90a
sdpa_turns_loads | 4 | - | QGMMA[.]64x128x32[.]F32[.]E4M3 | sm_90a
sdpa_turns_loads | 3 | - | UTMALDG[.]3D | sm_90a
sdpa_turns_xu | 16 | - | HGMMA[.]64x72x16[.]F32 | sm_90a
sdpa_turns_xu | 4 | - | QGMMA[.]64x128x32[.]F32[.]E4M3 | sm_90a
sdpa_turns_xu | 3 | - | UTMALDG[.]3D | sm_90a
sdpa_turns_pdl | 16 | - | HGMMA[.]64x72x16[.]F32 | sm_90a
sdpa_turns_pdl | 4 | - | QGMMA[.]64x128x32[.]F32[.]E4M3 | sm_90a
sdpa_turns_pdl | 3 | - | UTMALDG[.]3D | sm_90a
sdpa_turns_pdl | 2 | - | ACQBULK | sm_90a
sdpa_turns_pdl | 1 | - | PREEXIT | sm_90a
allreduce_1stage | none | cp[.]async | LDGSTS | .
allreduce_1stage | 12 | ld[.]global[.]v4[.]u32 | LDG[.]E[.]128 | .
allreduce_1stage | 1 | ld[.]acquire[.]sys | LDG[.].*STRONG[.]SYS | .
allreduce_1stage | 1 | st[.]release[.]sys | MEMBAR | .
allreduce_1stage_cpasync | 2 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
allreduce_2stage | none | cp[.]async | LDGSTS | .
allreduce_2stage_cpasync | 4 | cp[.]async[.]cg[.]shared | LDGSTS[.].*128 | .
allreduce_1stage_pdl | none | cp[.]async | LDGSTS | .
allreduce_1stage_tma | none | cp[.]async[.]c[ag] | LDGSTS | .
allreduce_1stage_tma | 1 | - | UBLKCP | sm_90a
allreduce_1stage_push | none | cp[.]async | LDGSTS | .
allreduce_2stage_push | none | cp[.]async | LDGSTS | .
allreduce_2stage_send | none | cp[.]async | LDGSTS | .
allreduce_1stage_ll | none | cp[.]async | LDGSTS | .
allreduce_1stage_ll | 2 | - | STG[.]E[.]128[.]STRONG[.]SYS | sm_90a'

# Lines "FUNCTION ARCHITECTURE OPCODE" of either kind of code.
ptx_opcodes() {
    awk '/^[^\/]*\.entry[ \t(]/ { entry = $0; sub(/.*\.entry[ \t]+/, "", entry); sub(/[ \t(].*/, "", entry); next }
        entry != "" && /^[ \t]+(@!?%p[0-9]+ +)?[a-z][a-z0-9]*([._]|;| )/ {
            sub(/^[ \t]+(@!?%p[0-9]+[ \t]+)?/, ""); sub(/[ \t;].*/, ""); print entry, "PTX", $0 }' "$1"
}
sass_opcodes() {
    "$cuobjdump" -sass "$1" | awk '/code for sm_/ { arch = $NF }
        /Function :/ { entry = $NF; next }
        /^[ \t]+\/\*[0-9a-f]+\*\/[ \t]+[@A-Z{]/ {
            sub(/^[ \t]+\/\*[0-9a-f]+\*\/[ \t]+/, ""); sub(/^[{] */, ""); sub(/^@!?U?P[0-9T]+ +/, ""); sub(/[ \t;].*/, "")
            print entry, arch, $0 }'
}

judge() { # KIND, opcodes on standard input
    awk -v kind="$1" -v table="$table" '
    BEGIN {
        rows = split(table, line, "\n")
        for (i = 1; i <= rows; i++) {
            split(line[i], cell, / *[|] */)
            what[i] = cell[1]
            # as a whole name: its length stands before it in the symbol, its arguments behind
            kernel[i] = "[0-9]" cell[1] "($|[A-Z]|12sdpa_problem)"
            least[i] = cell[2]
            opcode[i] = "^(" (kind == "PTX" ? cell[3] : cell[4]) ")"
            wanted[i] = kind != "PTX" ? cell[5] : cell[3] == "-" ? "" : "PTX"
        }
    }
    {
        for (i = 1; i <= rows; i++) {
            if (wanted[i] == "" || $1 !~ kernel[i] || $2 !~ wanted[i]) continue
            if (!((i " " $2) in found)) { found[i " " $2] = 0; times[i]++ }
            if ($3 ~ opcode[i]) found[i " " $2]++
        }
        if ($3 ~ /^(LDL|STL|ld[.]local|st[.]local)/ && $1 ~ /truth_|sdpa_|allreduce_/) {
            printf "%s: %s keeps values in local memory: %s\n", $2, $1, $3
            bad = 1
        }
    }
    END {
        for (key in found) {
            split(key, part, " ")
            i = part[1]
            if (least[i] == "none" && found[key] > 0) {
                printf "%s: %s has %s %d times, expected none\n", part[2], what[i], opcode[i], found[key]
                bad = 1
            } else if (found[key] < least[i] + 0) {
                printf "%s: %s has %s %d times, expected at least %d\n", part[2], what[i], opcode[i], found[key], least[i]
                bad = 1
            }
        }
        for (i = 1; i <= rows; i++)
            if (wanted[i] != "" && !times[i]) { printf "%s: no kernel %s\n", kind, what[i]; bad = 1 }
        exit bad
    }' >&2
}

ptx=() objects=()
for file in "$@"; do
    [ -r "$file" ] || { echo "instructions: no file '$file'" >&2; exit 1; }
    case $file in
    *.ptx) ptx+=("$file") ;;
    *) objects+=("$file") ;;
    esac
done
failed=0 looked=0
if [ ${#ptx[@]} -gt 0 ]; then
    for file in "${ptx[@]}"; do ptx_opcodes "$file"; done | judge PTX || failed=1
    looked=1
fi
if [ ${#objects[@]} -gt 0 ] && [ -n "$cuobjdump" ]; then
    for file in "${objects[@]}"; do sass_opcodes "$file"; done | judge SASS || failed=1
    looked=1
fi
[ $looked = 1 ] || { echo 'instructions: no cuobjdump here' >&2; exit 77; }
exit $failed
