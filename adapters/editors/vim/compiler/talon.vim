" :compiler talon, then :make runs the scenario; errors of the file are in the quickfix list.
if exists('current_compiler')
  finish
endif
let current_compiler = 'talon'
CompilerSet makeprg=talon\ run\ %:S
CompilerSet errorformat=%f:%l:%c:\ %m
