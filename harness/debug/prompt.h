/* SPDX-License-Identifier: Apache-2.0
 * prompt.h - reads commands, one a line, from a terminal, a pipe or a file. */
#ifndef TL_HARNESS_DEBUG_PROMPT_H
#define TL_HARNESS_DEBUG_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

enum tl_prompt_got {
    TL_PROMPT_LINE,        /* `line` has a command, without its newline */
    TL_PROMPT_NONE,        /* none is there yet */
    TL_PROMPT_LONG,        /* a line was too long, and is left out */
    TL_PROMPT_END,         /* there will be none any more */
    TL_PROMPT_INTERRUPTED, /* a signal asks the run to end */
};

enum { TL_PROMPT_MAX = 256 };

/* Zero-initialise all members but the descriptors, which are borrowed. */
struct tl_prompt {
    int in;
    int signals; /* a signalfd; -1: none */
    bool ended, skips;
    size_t len, begin; /* bytes that were read, and where those not yet returned begin */
    char bytes[TL_PROMPT_MAX];
    char line[TL_PROMPT_MAX];
};

/* Reads the next command; `waits`: until there is one, else TL_PROMPT_NONE. */
enum tl_prompt_got tl_prompt_read(struct tl_prompt *prompt, bool waits);

#endif
