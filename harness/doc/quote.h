/* SPDX-License-Identifier: Apache-2.0
 * quote.h - words of commands that are printed to be typed again. */
#ifndef TL_HARNESS_QUOTE_H
#define TL_HARNESS_QUOTE_H

/* The text as one word of a POSIX shell; the caller frees it. NULL: out of memory. */
char *tl_quote(const char *text);

#endif
