/* SPDX-License-Identifier: Apache-2.0
 * judge.c - libtalon: frames, events and files to the judges of `talon check`. */
#include "harness/lib/judge.h"

#include "codecs/json/shape.h"
#include "harness/doc/json_member.h"
#include "oracles/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EACH = 4096 /* frames between two calls */ };

/* ---- beginning and end ---- */

static void found(void *ctx, const struct tl_check *check, const struct tl_check_finding *f)
{
    const struct talon_judge *judge = ctx;
    struct tl_lib_finding finding;

    tl_lib_finding(check, f, &finding);
    judge->options.finding(judge->options.finding_ctx, &finding.out);
}

static void progress(void *ctx, const struct tl_capture *capture, uint64_t frames)
{
    const struct talon_judge *judge = ctx;
    uint64_t done = 0, size = 0;

    if (frames % PROGRESS_EACH != 0)
        return;
    if (!tl_capture_position(capture, &done, &size))
        size = 0;
    judge->options.progress(judge->options.progress_ctx, frames, done, size);
}

/* Whether findings are told when they are found: by one thread alone. */
static bool tells_at_once(const struct talon_judge *judge)
{
    return judge->options.finding != NULL && judge->check_options.jobs < 2;
}

/* Members that the caller's structure does not have keep 0. */
static void take_options(struct talon_judge *judge, const struct talon_judge_options *options)
{
    if (options != NULL)
        memcpy(&judge->options, options,
               options->size < sizeof judge->options ? options->size : sizeof judge->options);
}

static int add_connections(struct talon_judge *judge, struct talon_error *err)
{
    const struct tl_check_command *c;
    struct fal_error why = {{0}};
    size_t i;
    json_t *entry;

    if (judge->setup == NULL)
        return 0;
    c = &judge->setup->command;
    json_array_foreach(c->connections_list, i, entry)
    {
        int rc = tl_check_add(&judge->check, entry, &why);

        if (rc == 0)
            continue;
        (void)tl_lib_fail(err, rc, &why);
        if (err != NULL)
            (void)snprintf(err->text, sizeof err->text, "%s: connection %zu: %s",
                           c->connections_path, i + 1, why.text);
        return rc;
    }
    return 0;
}

static void default_options(struct tl_check_options *options)
{
    struct tl_check_command command;

    tl_check_command_init(&command);
    *options = command.options;
    options->jobs = 1;
}

struct talon_judge *talon_judge_new(const struct talon_setup *setup,
                                    const struct talon_judge_options *options,
                                    struct talon_error *err)
{
    struct talon_judge *judge = calloc(1, sizeof *judge);

    if (judge == NULL) {
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
        return NULL;
    }
    judge->setup = setup;
    take_options(judge, options);
    if (setup != NULL)
        judge->check_options = setup->command.options;
    else
        default_options(&judge->check_options);
    if (tells_at_once(judge)) {
        judge->check_options.found = found;
        judge->check_options.found_ctx = judge;
    }
    if (judge->options.progress != NULL) {
        judge->check_options.progress = progress;
        judge->check_options.progress_ctx = judge;
    }
    if (tl_check_start(&judge->check, &judge->check_options) != 0)
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
    else if (add_connections(judge, err) == 0)
        return judge;
    talon_judge_free(judge);
    return NULL;
}

void talon_judge_free(struct talon_judge *judge)
{
    if (judge == NULL)
        return;
    tl_check_feed_close(judge->feed);
    tl_check_free(&judge->check);
    fal_event_storage_free(&judge->storage);
    free(judge);
}

/* A judge has one source, and none after the end. */
static int take_source(struct talon_judge *judge, enum tl_lib_source source,
                       struct talon_error *err)
{
    if (judge->ended)
        return tl_lib_fail_text(err, TALON_ERR_FORM, "talon_judge_end was called before");
    if (judge->source != TL_FROM_NOTHING && judge->source != source)
        return tl_lib_fail_text(err, TALON_ERR_FORM,
                                "a judge takes frames, files or the events of a timeline; "
                                "use another judge");
    judge->source = source;
    return 0;
}

/* ---- frames ---- */

static int open_feed(struct talon_judge *judge, struct talon_error *err)
{
    struct fal_error why = {{0}};

    if (judge->feed == NULL)
        judge->feed = tl_check_feed_open(&judge->check, judge->options.interfaces > 1, &why);
    return judge->feed != NULL ? 0 : tl_lib_fail(err, TALON_ERR_MEM, &why);
}

int talon_judge_frames(struct talon_judge *judge, const struct talon_frame *frames,
                       size_t count, struct talon_error *err)
{
    struct fal_error why = {{0}};
    struct tl_captured got = {0};
    int rc = take_source(judge, TL_FROM_FRAMES, err);

    if (rc == 0)
        rc = open_feed(judge, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = tl_lib_frame(&frames[i], &got, err);
        if (rc != 0)
            return rc;
        rc = tl_check_feed_frame(judge->feed, &got, frames[i].interface, frames[i].drops, &why);
        if (rc != 0)
            return tl_lib_fail(err, rc, &why);
    }
    return rc;
}

void talon_judge_missed(struct talon_judge *judge, uint64_t frames)
{
    if (take_source(judge, TL_FROM_FRAMES, NULL) == 0 && open_feed(judge, NULL) == 0)
        tl_check_feed_dropped(judge->feed, frames);
}

/* ---- events ---- */

/* The schema that the first line names; false: it has none. */
static bool schema_is(struct fal_span line, const char *schema)
{
    struct fal_error ignored;
    json_t *object = tl_json_line((const char *)line.bytes, line.len, &ignored);
    const char *name = json_string_value(json_object_get(object, "schema"));
    bool is = name != NULL && strcmp(name, schema) == 0;

    json_decref(object);
    return is;
}

/* Events of the upper layer come: nobody but the named SUT is judged. */
static int begin_events(struct talon_judge *judge, struct fal_span head, struct fal_error *why)
{
    const struct tl_check_options *options = &judge->check_options;
    int rc;

    if (options->ulp != NULL)
        return fal_fail(why, FAL_ERR_FORM,
                        "events come from the file of --ulp; leave one of the two out");
    if (!options->have_sut && !judge->check.any_given)
        return fal_fail(why, FAL_ERR_FORM,
                        "events of the upper layer: state who is the SUT by --sut or "
                        "--connections");
    judge->check_options.ulp = "events";
    rc = tl_check_feed_events(judge->feed, head, why);
    if (rc != 0)
        judge->check_options.ulp = NULL;
    judge->events = rc == 0;
    return rc;
}

static int timeline_line(struct talon_judge *judge, struct fal_span line, struct fal_error *why)
{
    struct fal_error what = {{0}};
    int rc = 0;

    judge->lines++;
    if (judge->lines == 1 && tl_check_timeline_begin(&judge->check) != 0)
        return fal_fail(why, FAL_ERR_MEM, "out of memory");
    if (line.len > 0 || judge->lines == 1)
        rc = tl_check_timeline_line(&judge->check, line, judge->lines, &judge->storage, &what);
    return rc == 0 ? 0 : fal_fail(why, rc, "line %" PRIu64 ": %s", judge->lines, what.text);
}

int talon_judge_event(struct talon_judge *judge, const char *line, size_t length,
                      struct talon_error *err)
{
    struct fal_span span = {(const uint8_t *)line, length};
    struct fal_error why = {{0}};
    enum tl_lib_source source = judge->source;
    int rc;

    if (length > 0 && line[length - 1] == '\n')
        span.len--;
    if (source == TL_FROM_NOTHING)
        source = schema_is(span, FAL_TIMELINE_SCHEMA) ? TL_FROM_TIMELINE : TL_FROM_FRAMES;
    rc = take_source(judge, source, err);
    if (rc == 0 && source == TL_FROM_FRAMES)
        rc = open_feed(judge, err);
    if (rc != 0)
        return rc;
    if (source == TL_FROM_TIMELINE)
        rc = timeline_line(judge, span, &why);
    else if (judge->events)
        rc = tl_check_feed_event(judge->feed, span, &why);
    else
        rc = begin_events(judge, span, &why);
    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}

/* ---- files ---- */

int talon_judge_file(struct talon_judge *judge, const char *path, struct talon_error *err)
{
    struct tl_check *check = &judge->check;
    struct fal_error why = {{0}};
    int rc = take_source(judge, TL_FROM_FILES, err);

    if (rc != 0)
        return rc;
    if (check->packets > 0 && (check->timeline || tl_check_is_timeline(path))) {
        rc = fal_fail(&why, FAL_ERR_FORM, "%s: timelines are no parts of one capture (--join)",
                      path);
    } else {
        rc = tl_check_is_timeline(path) ? tl_check_timeline(check, path, &why)
                                        : tl_check_capture(check, path, &why);
        if (rc == 0 && check->packets == 0 && check->options->shard.total == 0)
            rc = fal_fail(&why, FAL_ERR_FORM, "%s has no Falcon packet that could be read",
                          path);
    }
    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}

/* ---- the end ---- */

int talon_judge_end(struct talon_judge *judge, struct talon_error *err)
{
    struct fal_error why = {{0}};
    int rc = 0;

    if (judge->ended)
        return 0;
    judge->ended = true;
    if (judge->feed != NULL)
        rc = tl_check_feed_end(judge->feed, &why);
    tl_check_finish(&judge->check);
    if (judge->options.finding != NULL && !tells_at_once(judge))
        for (size_t i = 0; i < judge->check.num_findings; i++)
            found(judge, &judge->check, &judge->check.findings[i]);
    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}
