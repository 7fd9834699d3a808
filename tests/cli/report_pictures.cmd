# of two kernels that were recorded the first screen shows the last one, the section both
folder=$(mktemp -d)
cpprof report ../../examples/h200-inside/stages.cpprof --pictures "$folder/pictures" | head -n 1
ls "$folder/pictures"
rm -r "$folder"
