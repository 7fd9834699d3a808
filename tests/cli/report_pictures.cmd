# of two kernels that were recorded the first screen shows the last one, the section both
folder=$(mktemp -d)
cpprof report ../../examples/h200-inside/stages.cpprof --pictures "$folder/pictures" -o "$folder/page.md"
head -n 1 "$folder/page.md"
ls "$folder/pictures"
rm -r "$folder"
