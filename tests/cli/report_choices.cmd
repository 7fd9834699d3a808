# options that would be left out in silence
run=../../examples/pipeline/one-cta.cpprof
refuse() { echo "-- report $*"; cpprof report $run "$@" | wc -l; }
folder=$(mktemp -d)
refuse --brief --full
refuse --target 10%
refuse --evolution --variant 'pipeline/*'
refuse --evolution --shape mission
refuse --evolution --baseline pipeline/sync
refuse --evolution --brief --format json
refuse --evolution --pictures "$folder/none"  2>&1 | sed "s,$folder,FOLDER,"
refuse --format json --pictures "$folder/none" 2>&1 | sed "s,$folder,FOLDER,"
refuse $run --pictures "$folder/none" 2>&1 | sed "s,$folder,FOLDER,"
ls "$folder"
rm -r "$folder"
