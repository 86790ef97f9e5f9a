" Packets of Talon within the strings of JSON files: scenarios.
if exists('b:talon_json')
  finish
endif
let b:talon_json = 1
let s:outer = b:current_syntax
unlet b:current_syntax
syntax include @talonPackets syntax/talonpackets.vim
let b:current_syntax = s:outer

" A string that begins as a packet line does, up to its closing quote.
syntax region talonInJson contained containedin=jsonString contains=@talonPackets oneline keepend
      \ start=+"\@1<=\%([A-Za-z][A-Za-z0-9_-]*: \+\)\?\%(\%([^" ][^"]\{-} \+\)\?[<>] \+\)\?\%(\%(pull_request\|pull_data\|push_data\|resync\|back\|eack\|nack\|packet\)[ "]\|hex:\)+rs=s,ms=s,hs=s
      \ end=+"\@=+me=s-1,he=s-1
