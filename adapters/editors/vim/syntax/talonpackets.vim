" Packets of Talon, one a line: > push_data psn=0r len=64 ar    # FTP-9.1.6-03
" The words are those of `talon help notation`.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax match talonField "\%(^\|\s\)\@1<=!\?[a-z][a-z0-9_.]*\%(:[0-9a-fA-Fxb]\+\)\?=\@=" nextgroup=talonAssign
syntax match talonAssign "=" contained
syntax match talonName "\%([={,]\)\@1<=[A-Za-z_][A-Za-z0-9_-]*"
syntax match talonNumber "\<\%(0x[0-9A-Fa-f]\+\|0b[01]\+\|\d\+\%(\.\d\+\)\?%\?\)"
syntax match talonRelative "\<\d\+r\>\|)\@1<=r\>"
syntax match talonDuration "\<\d\+\%(\.\d\+\)\?\%(ns\|us\|ms\|s\)\>"
syntax match talonTime "\%(^\|\s\|\"\)\@1<=\%(+\|@\|<=\)[0-9$]\@="
syntax match talonCapture "@[A-Za-z_]\w*"
syntax match talonVariable "\$\%({[^}]*}\|[A-Za-z_]\w*\)"
syntax match talonDirection "\%(^\|\s\|\"\)\@1<=[<>]\%(\s\|$\)\@="
syntax match talonFlag "\%(\s\)\@1<=\%(ar\|r-own\|d-own\|ce\|se\|\.\.\.\)\%(\s\|\"\|$\)\@="
syntax match talonPacket "\%(^\|\s\|\"\)\@1<=\%(pull_request\|pull_data\|push_data\|resync\|back\|eack\|nack\|packet\)\%(\s\|\"\|$\)\@="
syntax match talonPacket "\%(^\|\s\|\"\)\@1<=hex:[0-9A-Fa-f]\+"
syntax match talonUpper "/ \+\%(rdma\|nvme\) \+[a-z_]\+"
syntax match talonConnection "\%(^\|\"\)\@1<=[A-Za-z][A-Za-z0-9_-]*:\s\@="
syntax match talonRequirement "\<[A-Z][A-Z0-9]*-[A-Z0-9][A-Z0-9.-]*" contained
syntax match talonComment "\%(^\|\s\)\@1<=#[^\"]*" contains=talonRequirement

highlight default link talonField Identifier
highlight default link talonAssign Operator
highlight default link talonName Constant
highlight default link talonNumber Number
highlight default link talonRelative Number
highlight default link talonDuration Number
highlight default link talonTime Operator
highlight default link talonCapture Special
highlight default link talonVariable PreProc
highlight default link talonDirection Keyword
highlight default link talonFlag StorageClass
highlight default link talonPacket Type
highlight default link talonUpper Function
highlight default link talonConnection Label
highlight default link talonRequirement Todo
highlight default link talonComment Comment

let b:current_syntax = 'talonpackets'
