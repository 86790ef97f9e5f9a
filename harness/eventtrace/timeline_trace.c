/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/eventtrace/timeline_trace.h"

#include "harness/doc/line_file.h"
#include "oracles/rules/eventpipe/falcon_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool tl_event_is_timeline(const char *path)
{
    char start[64] = "";
    FILE *file = strcmp(path, "-") != 0 ? fopen(path, "re") : NULL;

    if (file == NULL)
        return false;
    (void)fread(start, 1, sizeof start - 1, file);
    (void)fclose(file);
    return strstr(start, "\"" FAL_TIMELINE_SCHEMA "\"") != NULL;
}

/* Counts lines on their way. */
struct taker {
    tl_event_fn *take;
    void *ctx;
    uint64_t *events;
};

static void take_one(void *ctx, const struct fal_ep_event *line)
{
    struct taker *taker = ctx;

    ++*taker->events;
    taker->take(taker->ctx, line);
}

static int one_line(struct fal_falcon_trace *trace, const struct tl_file_lines *lines,
                    struct fal_event_storage *storage, struct fal_error *err)
{
    json_error_t where;
    struct fal_event event;
    json_t *object;
    int rc;

    if (lines->len == 0 || lines->number == 1) /* the first one has the schema */
        return 0;
    object = json_loadb(lines->line, lines->len, JSON_REJECT_DUPLICATES, &where);
    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "column %d: %s", where.column, where.text);
    rc = fal_event_from_json(object, &event, storage, err);
    json_decref(object);
    if (rc == 0 && fal_falcon_trace_take(trace, &event) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    return rc;
}

int tl_event_timeline_read(const char *path, tl_event_fn *take, void *ctx, uint64_t *events,
                           struct fal_error *err)
{
    struct tl_file_lines lines = {.file = fopen(path, "re")};
    struct fal_falcon_trace *trace = fal_falcon_trace_new();
    struct fal_event_storage storage = {0};
    struct fal_error what = {{0}};
    struct taker taker = {take, ctx, events};
    int rc = 0, got;

    *events = 0;
    if (lines.file == NULL || trace == NULL) {
        rc = lines.file == NULL ? fal_fail(err, FAL_ERR_IO, "%s: %s", path,
                                           strerror(errno)) /* NOLINT(concurrency-mt-unsafe) */
                                : fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto out;
    }
    while (rc == 0 && (got = tl_file_line(&lines, &what)) != 0)
        rc = got < 0 ? got : one_line(trace, &lines, &storage, &what);
    if (rc != 0) {
        (void)fal_fail(err, rc, "%s:%" PRIu64 ": %s", path, lines.number, what.text);
        goto out;
    }
    got = fal_falcon_trace_end(trace, take_one, &taker);
    if (got < 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    else if (got == 0)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%s: no event of a Rate Update Engine; the scenario needs cc_trace or "
                      "cc_engine",
                      path);
out:
    free(lines.line);
    fal_event_storage_free(&storage);
    fal_falcon_trace_free(trace);
    if (lines.file != NULL)
        (void)fclose(lines.file);
    return rc;
}
