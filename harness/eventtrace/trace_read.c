/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/eventtrace/trace_read.h"

#include "codecs/base/nearest.h"
#include "harness/doc/json_member.h"
#include "harness/doc/line_file.h"
#include "oracles/beyond/eventpipe_shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line ---- */

#define BIT(act) (1U << FAL_EP_##act)

/* The acts of a point, where it has several; else any act is ignored. */
static const struct {
    unsigned acts;
    const char *expected;
} acts_of[FAL_EP_WIRE + 1] = {
    [FAL_EP_FIFO] = {BIT(IN) | BIT(OUT), "in or out"},
    [FAL_EP_MAP] = {BIT(HIT) | BIT(MISS) | BIT(WRITE) | BIT(RELEASE),
                    "hit, miss, write or release"},
    [FAL_EP_CCP] = {BIT(START) | BIT(END), "start or end"},
    [FAL_EP_CONTEXT] = {BIT(READ) | BIT(WRITE) | BIT(EVICT) | BIT(NEW),
                        "read, write, evict or new"},
};

static int check_act(const struct fal_ep_event *event, struct fal_error *err)
{
    if (acts_of[event->point].acts == 0 || (acts_of[event->point].acts >> event->act & 1) != 0)
        return 0;
    return fal_fail(err, FAL_ERR_FORM, "act: expected %s at point %s, found %s",
                    acts_of[event->point].expected, fal_ep_point_words[event->point],
                    event->act == FAL_EP_NOT ? "none" : "another act");
}

/* Parses a text that is one JSON object. NULL: `err` says why. */
static json_t *object_of(const char *text, size_t len, struct fal_error *err)
{
    json_error_t where;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);

    if (object == NULL) {
        char line[32] = "";

        if (where.line > 1)
            (void)snprintf(line, sizeof line, "line %d, ", where.line);
        tl_clean_text(where.text);
        (void)fal_fail(err, FAL_ERR_FORM, "%scolumn %d: expected a JSON object: %.200s", line,
                       where.column, where.text);
    } else if (!json_is_object(object)) {
        (void)fal_fail(err, FAL_ERR_FORM, "expected a JSON object");
        json_decref(object);
        object = NULL;
    }
    return object;
}

/* Reads the text as an object of that shape into *out. */
static int read_shape(const struct fal_shape *shape, const char *text, size_t len, void *out,
                      struct fal_error *err)
{
    struct fal_misfit wrong = {.depth = 0};
    json_t *object = object_of(text, len, err);
    int rc;

    if (object == NULL)
        return FAL_ERR_FORM;
    rc = fal_shape_read(shape, object, out, false, &wrong);
    if (rc != 0)
        rc = fal_misfit_error(&wrong, rc, "", err);
    json_decref(object);
    return rc;
}

int tl_event_line_read(const char *text, size_t len, struct fal_ep_event *out,
                       struct fal_error *err)
{
    int rc = read_shape(&fal_ep_event_shape, text, len, out, err);

    return rc != 0 ? rc : check_act(out, err);
}

/* ---- the setup ---- */

static int check_setup(const struct fal_ep_setup *setup, struct fal_error *err)
{
    for (int kind = 0; kind < FAL_EP_KINDS; kind++) {
        if (setup->th1[kind] > setup->th2[kind])
            return fal_fail(err, FAL_ERR_FORM,
                            "th1, th2: expected TH1 of %s not above TH2, found %u and %u",
                            fal_ep_kind_words[kind], (unsigned)setup->th1[kind],
                            (unsigned)setup->th2[kind]);
        if (setup->classes[kind] >= 1U << FAL_EP_CLASS_BITS)
            return fal_fail(err, FAL_ERR_FORM,
                            "classes: expected a class below %u for %s, found %u",
                            1U << FAL_EP_CLASS_BITS, fal_ep_kind_words[kind],
                            (unsigned)setup->classes[kind]);
    }
    return 0;
}

int tl_event_setup_parse(const char *text, size_t len, struct fal_ep_setup *out,
                         struct fal_error *err)
{
    int rc;

    *out = (struct fal_ep_setup){0};
    rc = read_shape(&fal_ep_setup_shape, text, len, out, err);
    return rc != 0 ? rc : check_setup(out, err);
}

int tl_event_setup_read(const char *path, struct fal_ep_setup *out, struct fal_error *err)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? malloc(MOST) : NULL;
    struct fal_error what = {{0}};
    size_t len;
    int rc;

    if (file == NULL)
        return fal_fail(err, FAL_ERR_IO, "%s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (text == NULL) {
        (void)fclose(file);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    len = fread(text, 1, MOST, file);
    if (ferror(file) != 0)
        rc = fal_fail(&what, FAL_ERR_IO, "%s",
                      strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    else if (len == MOST)
        rc = fal_fail(&what, FAL_ERR_FORM, "expected a file of less than %d bytes", MOST);
    else
        rc = tl_event_setup_parse(text, len, out, &what);
    free(text);
    (void)fclose(file);
    return rc == 0 ? 0 : fal_fail(err, rc, "%s: %s", path, what.text);
}

/* ---- a trace ---- */

/* Reads the line that `lines` holds. */
static int take_line(const struct tl_file_lines *lines, uint64_t *last_ns, tl_event_fn *take,
                     void *ctx, struct fal_error *err)
{
    struct fal_ep_event event = {.number = 0};
    int rc = tl_event_line_read(lines->line, lines->len, &event, err);

    if (rc != 0)
        return rc;
    if (event.at_ns < *last_ns)
        return fal_fail(err, FAL_ERR_FORM,
                        "at_ns: expected at least %" PRIu64
                        ", the time of the line before, found %" PRIu64 "; sort the trace",
                        *last_ns, event.at_ns);
    *last_ns = event.at_ns;
    event.number = lines->number;
    take(ctx, &event);
    return 0;
}

int tl_event_trace_read(const char *path, tl_event_fn *take, void *ctx, uint64_t *events,
                        struct fal_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct tl_file_lines lines = {.file = standard ? stdin : fopen(path, "re")};
    struct fal_error what = {{0}};
    uint64_t last_ns = 0;
    int rc = 0, got;

    *events = 0;
    if (lines.file == NULL)
        return fal_fail(err, FAL_ERR_IO, "%s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    while (rc == 0 && (got = tl_file_line(&lines, &what)) != 0) {
        rc = got < 0 ? got : 0;
        if (rc == 0 && lines.len > 0) {
            rc = take_line(&lines, &last_ns, take, ctx, &what);
            *events += rc == 0;
        }
    }
    if (rc == 0 && *events == 0)
        rc = fal_fail(&what, FAL_ERR_FORM, "the trace has no line");
    if (rc != 0)
        (void)fal_fail(err, rc, "%s:%" PRIu64 ": %s", standard ? "standard input" : path,
                       lines.number, what.text);
    free(lines.line);
    if (!standard)
        (void)fclose(lines.file);
    return rc;
}
