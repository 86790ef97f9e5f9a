" Packets of Talon in files: one packet a line (talon help notation).
autocmd BufRead,BufNewFile *.packets setfiletype talonpackets
