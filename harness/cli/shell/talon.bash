# Completion of talon for bash. The program itself knows what fits: `talon --complete WORD...`.
_talon() {
    local line=${COMP_LINE:0:COMP_POINT} cur word kept offer
    local -a words
    # By blanks: bash also splits at ':' and '=', which are part of the words.
    read -ra words <<<"$line"
    case $line in *[[:space:]]) words+=('') ;; esac
    cur=${words[${#words[@]} - 1]}
    # bash replaces only what is behind the last ':' or '='.
    kept=
    case $cur in *[:=]*) kept=${cur%"${cur##*[:=]}"} ;; esac
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [ "$word" = :files ]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r offer; do COMPREPLY+=("$offer"); done < <(compgen -f -- "${cur##*[:=]}")
            continue
        fi
        case $word in *[:=]) compopt -o nospace 2>/dev/null ;; esac
        COMPREPLY+=("${word#"$kept"}")
    done < <("${COMP_WORDS[0]}" --complete "${words[@]:1}" 2>/dev/null)
}
complete -F _talon talon
