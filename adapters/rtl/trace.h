/* SPDX-License-Identifier: Apache-2.0
 * trace.h - writes the lines of an event trace (docs/rtl.md), called from RTL through DPI and
 * from C. A line is begun, gets members, and is ended: ep_line("merge", "", 120);
 * ep_number("flow", 7); ep_word("kind", "ACK"); ep_end(); It needs nothing but libc, and any
 * simulator with DPI can link it. There is one trace in a process, since functions of DPI have
 * no object; they are called from one thread. Without an open trace they do nothing. */
#ifndef EP_TRACE_H
#define EP_TRACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the trace; "-" is the standard output. Returns 0, or -1 with errno. A simulator that
 * does not call it gets the file that the environment variable EP_TRACE names, if it is set. */
int ep_trace_open(const char *path);

/* Writes the rest and closes. Returns 0, or -1 with errno if a line could not be written. */
int ep_trace_close(void);

/* From now on each line that is ended goes to `take`, without its newline, too; NULL: no more.
 */
typedef void ep_take_fn(void *ctx, const char *line, size_t length);
void ep_trace_to(ep_take_fn *take, void *ctx);

/* Lines that were ended since ep_trace_open. */
unsigned long long ep_trace_lines(void);

/* The functions of ep_trace_pkg.sv. An empty `act`, a number 0 and a flag 0 are left out. */
void ep_line(const char *point, const char *act, long long at_ns);
void ep_word(const char *member, const char *word);
void ep_number(const char *member, long long value);
void ep_flag(const char *member, unsigned char value);
void ep_end(void);

#ifdef __cplusplus
}
#endif

#endif
