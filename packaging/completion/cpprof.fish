# fish completion of cpprof: asks the program itself, so it knows what the program knows.
function __cpprof_commands
    cpprof help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\)  *\(.*\)/\1\t\2/p'
end
function __cpprof_options
    set -l words (commandline -opc)
    cpprof $words[2] --help 2>/dev/null | grep -oE '^ {2,6}(-[a-zA-Z?], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
end
function __cpprof_wants_command
    set -l words (commandline -opc)
    test (count $words) -eq 1; or test "$words[2]" = help
end
complete -c cpprof -n __cpprof_wants_command -a '(__cpprof_commands)'
complete -c cpprof -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -a '(__cpprof_options)'
