#compdef talon
# Completion of talon for zsh. The program itself knows what fits: `talon --complete WORD...`.
_talon() {
    local word what
    local -a offers open
    while IFS=$'\t' read -r word what; do
        if [[ $word == :files ]]; then
            compset -P '*[:=]'
            _files
            continue
        fi
        case $word in
        *[:=]) open+=("${word//:/\\:}:$what") ;;
        *) offers+=("${word//:/\\:}:$what") ;;
        esac
    done < <("${words[1]}" --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    ((${#open})) && _describe -V talon open -S ''
    ((${#offers})) && _describe talon offers
    return 0
}
if [[ $funcstack[1] == _talon ]]; then
    _talon "$@"
else
    compdef _talon talon
fi
