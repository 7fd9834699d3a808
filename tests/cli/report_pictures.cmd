# of two kernels that were recorded the first screen shows the last one, the section both
folder=$(mktemp -d)
cpprof report ../../examples/inside/stages.cpprof --pictures "$folder/pictures" -o "$folder/page.md"
head -n 1 "$folder/page.md"
ls "$folder/pictures"
again() { cpprof report ../../examples/inside/stages.cpprof "$@" 2>&1 | sed "s,$folder,FOLDER,"; }
echo '-- pictures of that name: nothing is written'
rm "$folder/pictures/inside.svg"
again --pictures "$folder/pictures"
again --pictures "$folder/pictures" -o "$folder/second.md"
ls "$folder" "$folder/pictures" | sed "s,$folder,FOLDER,"
echo '-- no folder'
again --pictures "$folder/page.md"
echo '-- forced'
again --pictures "$folder/pictures" --force | head -n 1
ls "$folder/pictures"
rm -r "$folder"
