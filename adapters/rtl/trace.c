/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, BUFFER_BYTES = 1 << 16 };

/* The one trace of the process: see trace.h. */
static struct {
    FILE *file;
    bool asked, in_line;
    int error; /* errno of the first write that failed */
    unsigned long long lines;
    ep_take_fn *take; /* of each line, or NULL */
    void *take_ctx;
    size_t used, begun; /* bytes of `buffer`; where the line begins */
    char buffer[BUFFER_BYTES];
} trace;

static void flush(size_t bytes)
{
    if (fwrite(trace.buffer, 1, bytes, trace.file) != bytes && trace.error == 0)
        trace.error = errno;
    memmove(trace.buffer, trace.buffer + bytes, trace.used - bytes);
    trace.used -= bytes;
    trace.begun = 0;
}

static void text(const char *s)
{
    size_t len = strlen(s);

    /* A line is far shorter than its limit unless a testbench never ends it. */
    if (trace.used - trace.begun + len > LINE_MAX_BYTES)
        return;
    memcpy(trace.buffer + trace.used, s, len);
    trace.used += len;
}

static void number(unsigned long long value)
{
    char digits[24];
    size_t at = sizeof digits - 1;

    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    text(digits + at);
}

static void member(const char *name)
{
    text(", \"");
    text(name);
    text("\": ");
}

int ep_trace_open(const char *path)
{
    trace.asked = true;
    trace.used = trace.begun = 0;
    trace.lines = 0;
    trace.error = 0;
    trace.file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    return trace.file != NULL ? 0 : -1;
}

int ep_trace_close(void)
{
    int error;

    if (trace.file == NULL)
        return 0;
    flush(trace.used);
    if ((trace.file == stdout ? fflush(stdout) : fclose(trace.file)) != 0 && trace.error == 0)
        trace.error = errno;
    error = trace.error;
    trace.file = NULL;
    trace.in_line = false;
    errno = error;
    return error == 0 ? 0 : -1;
}

void ep_trace_to(ep_take_fn *take, void *ctx)
{
    trace.asked = true;
    trace.take = take;
    trace.take_ctx = ctx;
}

unsigned long long ep_trace_lines(void)
{
    return trace.lines;
}

static void at_exit(void)
{
    if (ep_trace_close() != 0)
        fprintf(stderr, "EP_TRACE: the trace is not complete: %s\n", strerror(errno));
}

/* For simulators that do not call ep_trace_open. */
static void open_by_environment(void)
{
    const char *path = getenv("EP_TRACE");

    trace.asked = true;
    if (path == NULL)
        return;
    if (ep_trace_open(path) != 0)
        fprintf(stderr, "EP_TRACE: cannot open %s: %s\n", path, strerror(errno));
    else
        (void)atexit(at_exit);
}

void ep_line(const char *point, const char *act, long long at_ns)
{
    if (!trace.asked)
        open_by_environment();
    if (trace.file == NULL && trace.take == NULL)
        return;
    if (trace.used + LINE_MAX_BYTES + 2 > BUFFER_BYTES)
        flush(trace.used);
    trace.in_line = true;
    trace.begun = trace.used;
    text("{\"at_ns\": ");
    number((unsigned long long)at_ns);
    ep_word("point", point);
    if (act[0] != '\0')
        ep_word("act", act);
}

void ep_word(const char *name, const char *word)
{
    if (!trace.in_line)
        return;
    member(name);
    text("\"");
    text(word);
    text("\"");
}

void ep_number(const char *name, long long value)
{
    if (!trace.in_line || value == 0)
        return;
    member(name);
    number((unsigned long long)value);
}

void ep_flag(const char *name, unsigned char value)
{
    if (!trace.in_line || value == 0)
        return;
    member(name);
    text("true");
}

void ep_end(void)
{
    if (!trace.in_line)
        return;
    memcpy(trace.buffer + trace.used, "}\n", 2); /* ep_line has kept room */
    trace.used += 2;
    if (trace.take != NULL)
        trace.take(trace.take_ctx, trace.buffer + trace.begun, trace.used - trace.begun - 1);
    if (trace.file == NULL)
        trace.used = trace.begun;
    trace.lines++;
    trace.in_line = false;
}
