# rows of other people's files, of a B200, a Turing card and others: tcgen05, L1, issue slots, a small grid
for file in b200_attention b200_gemm issue_slots turing small_grid; do
    cpprof classify ../data/ncu_$file.csv --format json |
        python3 -c 'import json, sys
for k in json.load(sys.stdin)["kernels"]:
    print(k["name"], k["class"], k["limit"] or "-", k["lean"], k["unit"], k["ncu_rule"], sep=", ")'
done
