/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/eventpipe/trace_file.h"

#include "oracles/beyond/eventpipe_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 1 << 16 };

static int cannot_write(const char *name, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_IO, "%s: %s", name,
                    strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

int tl_ep_trace_open(struct tl_ep_trace_file *trace, const char *name, struct fal_error *err)
{
    trace->name = name;
    trace->file = fopen(name, "we");
    return trace->file != NULL ? 0 : cannot_write(name, err);
}

static void flush(struct tl_ep_trace_file *trace)
{
    (void)fwrite(trace->text.text, 1, trace->text.len, trace->file); /* ferror tells */
    trace->text.len = 0;
}

void tl_ep_trace_put(struct tl_ep_trace_file *trace, const struct fal_ep_event *event)
{
    if (fal_shape_print(&fal_ep_event_shape, event, &trace->text) != 0)
        trace->failed = true;
    if (trace->text.len >= FLUSH_AT)
        flush(trace);
}

int tl_ep_trace_close(struct tl_ep_trace_file *trace, struct fal_error *err)
{
    bool wrong;

    if (trace->file == NULL)
        return 0;
    flush(trace);
    free(trace->text.text);
    wrong = ferror(trace->file) != 0;
    if (fclose(trace->file) != 0 || wrong)
        return cannot_write(trace->name, err);
    return trace->failed ? fal_fail(err, FAL_ERR_MEM, "out of memory") : 0;
}

int tl_ep_setup_write(const char *name, const struct fal_ep_setup *setup, struct fal_error *err)
{
    json_t *value = fal_shape_write(&fal_ep_setup_shape, setup);
    int rc;

    if (value == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = json_dump_file(value, name, JSON_INDENT(2));
    json_decref(value);
    return rc == 0 ? 0 : cannot_write(name, err);
}
