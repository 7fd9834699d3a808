# bash completion of cpprof: asks the program itself, so it knows what the program knows.
_cpprof() {
    local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')" -- "$word")
    elif [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')" -- "$word")
        return
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help 2>/dev/null |
            grep -oE '^ {2,6}(-[a-zA-Z?], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')" -- "$word")
    elif [ "$command" = run ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" list 2>/dev/null | grep -oE '^[a-z0-9]+/[a-z0-9_-]+')" -- "$word")
    fi
    # bundles, traces and other files
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _cpprof cpprof
