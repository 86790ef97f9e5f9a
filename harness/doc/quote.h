/* SPDX-License-Identifier: Apache-2.0
 * quote.h - quotes words of commands that users may copy into a shell. */
#ifndef TL_HARNESS_DOC_QUOTE_H
#define TL_HARNESS_DOC_QUOTE_H

/* Returns the text as one word of a POSIX shell; the caller frees it. NULL: out of memory. */
char *tl_quote(const char *text);

#endif
