# Completion of talon for fish. The program itself knows what fits: `talon --complete WORD...`.
function __talon_offers
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for offer in ($program --complete $words 2>/dev/null)
        if test "$offer" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $offer
        end
    end
end
complete -c talon -f -a '(__talon_offers)'
