" Prints TAP: the syntax groups of words of packets, in a file of them and within a scenario. Run by tests/editors/check.
set nocompatible
execute 'set runtimepath^=' . $TALON_VIM . ' runtimepath+=' . $TALON_VIM . '/after'
filetype on
syntax on
let s:count = 0
let s:bad = 0
function s:is(what, ok, why)
  let s:count += 1
  let s:bad += !a:ok
  call writefile([(a:ok ? 'ok ' : 'not ok ') . s:count . ' - ' . a:what] + (a:ok ? [] : ['# ' . a:why]), $TALON_TAP, 'a')
endfunction
function s:group(word)
  call cursor(1, 1)
  let l:at = searchpos('\V' . a:word, 'c')
  return synIDattr(synID(l:at[0], l:at[1], 1), 'name')
endfunction
let s:due = {'<=$': 'talonTime', '$coalescing': 'talonVariable', '< eack': 'talonDirection', 'eack': 'talonPacket',
      \ 'dbase=': 'talonField', '1r': 'talonRelative', '0b10': 'talonNumber', '@p': 'talonCapture', 'ar ': 'talonFlag',
      \ '10us': 'talonDuration', 'rnr ': 'talonName', '# F': 'talonComment', 'FTP-7': 'talonRequirement', 'a: >': 'talonConnection',
      \ '/ rdma': 'talonUpper'}
let s:lines = ['<=$coalescing+20% < eack dbase=1r drx=0b10 ...', '> push_data psn=@p ar # FTP-7.8-22',
      \ '< nack code=rnr rnr=10us', 'a: > push_data len=64 / rdma send_only dqp=17']
for s:where in ['by themselves', 'in a scenario']
  if s:where ==# 'in a scenario'
    call writefile(['{"steps": ['] + map(copy(s:lines), {i, l -> '  {"send": "' . l . '"},'}) + ['  "x"', ']}'], $TALON_DIR . '/x.json')
    execute 'edit ' . $TALON_DIR . '/x.json'
  else
    call writefile(s:lines, $TALON_DIR . '/x.packets')
    execute 'edit ' . $TALON_DIR . '/x.packets'
  endif
  syntax sync fromstart
  for s:word in sort(keys(s:due))
    call s:is(s:word . ' ' . s:where, s:group(s:word) ==# s:due[s:word], s:group(s:word) . ', not ' . s:due[s:word])
  endfor
endfor
call s:is('the string ends where it ends', s:group('x"') =~# '^jsonString', s:group('x"'))
compiler! talon
call setline(1, '')
cgetexpr ['scenarios/x.json:10:18: steps[0]: push_data has no field', '    "> push_data pns=0r",']
call s:is('errors of talon run have their places', getqflist()[0].lnum == 10 && getqflist()[0].col == 18, string(getqflist()))
call writefile(['1..' . s:count], $TALON_TAP, 'a')
execute s:bad > 0 ? 'cquit!' : 'qall!'
