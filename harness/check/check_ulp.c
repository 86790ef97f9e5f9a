/* SPDX-License-Identifier: Apache-2.0
 * check_ulp.c - events of the upper layer beside a capture. The clocks of the capture and of
 * the ULP log differ. The earliest possible time is used for a command and the latest possible
 * time for an event of the SUT, so that the difference of clocks never fails the SUT. */
#include "harness/check/check_ulp_impl.h"

#include "codecs/base/time_text.h"
#include "harness/doc/json_member.h"
#include "oracles/payload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 1 << 16 };

/* Events and capture that are so far apart are of two clocks. */
#define ANOTHER_TIME_NS ((int64_t)(60 * FAL_S))

void tl_check_ulp_close(struct tl_ulp *ulp)
{
    if (ulp == NULL)
        return;
    for (size_t i = 0; i < ulp->num; i++)
        fal_event_storage_free(&ulp->held[i].storage);
    if (ulp->lines.file != NULL)
        (void)fclose(ulp->lines.file);
    free(ulp->lines.line);
    free(ulp->held);
    free(ulp->conns);
    free(ulp->path);
    free(ulp);
}

bool tl_check_ulp_ordered(const struct tl_ulp *ulp)
{
    return ulp->ordered;
}

uint64_t tl_check_ulp_events(const struct tl_ulp *ulp)
{
    return ulp->events;
}

uint64_t tl_check_ulp_unplaced(const struct tl_ulp *ulp)
{
    return ulp->unplaced;
}

bool tl_check_ulp_of_run(const struct tl_ulp *ulp)
{
    return ulp->timeline;
}

bool tl_check_ulp_bad(const struct tl_ulp *ulp)
{
    return ulp->has_like && ulp->like.bad != FAL_BAD_NOT;
}

void tl_check_ulp_like(const struct tl_ulp *ulp, struct fal_ev_packet *packet)
{
    if (!ulp->has_like)
        return;
    packet->origin = ulp->like.origin;
    packet->step = ulp->like.step;
    packet->bad = ulp->like.bad;
    packet->error_ns = ulp->like.error_ns;
    if (packet->has_iv || packet->spi != 0 || ulp->like.spi == 0)
        return;
    /* The capture of a run holds sealed packets opened; the timeline has what their seals said.
     */
    packet->has_iv = ulp->like.has_iv;
    packet->iv = ulp->like.iv;
    packet->spi = ulp->like.spi;
    packet->carrier = ulp->like.carrier;
}

/* t + offset, as far as there is such a time. */
static uint64_t shifted(uint64_t t_ns, int64_t by_ns)
{
    uint64_t by = by_ns < 0 ? -(uint64_t)by_ns : (uint64_t)by_ns;

    if (by_ns < 0)
        return t_ns > by ? t_ns - by : 0;
    return t_ns < INT64_MAX - by ? t_ns + by : INT64_MAX;
}

int tl_check_ulp_meets(const struct tl_ulp *ulp, uint64_t first_ns, uint64_t last_ns,
                       struct fal_error *err)
{
    if (ulp->events == 0 || (ulp->timeline && !ulp->options->have_ulp_offset) ||
        (ulp->begin_ns <= shifted(last_ns, ANOTHER_TIME_NS) &&
         shifted(ulp->end_ns, ANOTHER_TIME_NS) >= first_ns))
        return 0;
    return fal_fail(
        err, FAL_ERR_FORM,
        "%.200s: its events are from %s to %s, the capture from %s to %s (--ulp-offset)",
        ulp->path, fal_time_text(ulp->begin_ns).text, fal_time_text(ulp->end_ns).text,
        fal_time_text(first_ns).text, fal_time_text(last_ns).text);
}

/* ---- the first line ---- */

static int read_header(struct tl_ulp *ulp, const json_t *root, struct fal_error *err)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    struct tl_ulp_head head = {.complete = true};
    struct fal_misfit wrong;
    int rc = 0;

    if (schema == NULL)
        return fal_fail(err, FAL_ERR_FORM, "schema: missing; expected " TL_ULP_SCHEMA);
    ulp->timeline = strcmp(schema, FAL_TIMELINE_SCHEMA) == 0;
    ulp->aligned = !ulp->timeline;
    if (!ulp->timeline && strcmp(schema, TL_ULP_SCHEMA) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "schema: '%.60s' is neither " TL_ULP_SCHEMA " nor " FAL_TIMELINE_SCHEMA,
                        schema);
    if (!ulp->timeline)
        rc = fal_shape_read(&tl_ulp_head_shape, root, &head, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, "", err);
    ulp->offset_ns = head.offset_ns;
    ulp->error_ns = head.error_ns;
    ulp->has_error = head.has_error || ulp->options->have_ulp_error;
    ulp->ordered = head.ordered;
    ulp->incomplete = !head.complete;
    ulp->whole = head.has_complete && head.complete;
    if (ulp->options->have_ulp_offset) {
        ulp->offset_ns = ulp->options->ulp_offset_ns;
        ulp->aligned = true;
    }
    if (ulp->options->have_ulp_error)
        ulp->error_ns = ulp->options->ulp_error_ns;
    return 0;
}

static int in_line(const struct tl_ulp *ulp, int status, struct fal_error *err)
{
    struct fal_error why = *err;

    return fal_fail(err, status, "%.200s:%" PRIu64 ": %.250s", ulp->path, ulp->lines.number,
                    why.text);
}

struct tl_ulp *tl_check_ulp_open(const struct tl_check_options *options, struct fal_error *err)
{
    struct tl_ulp *ulp = calloc(1, sizeof *ulp);
    json_t *root;
    int status;

    if (ulp == NULL || (ulp->path = strdup(options->ulp)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    ulp->options = options;
    ulp->begin_ns = UINT64_MAX;
    ulp->lines.file = fopen(ulp->path, "re");
    if (ulp->lines.file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", ulp->path,
                       strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        goto fail;
    }
    status = tl_file_line(&ulp->lines, err);
    if (status == 0)
        (void)fal_fail(err, FAL_ERR_FORM, "the file is empty");
    root = status == 1 ? tl_json_line(ulp->lines.line, ulp->lines.len, err) : NULL;
    status = root != NULL ? read_header(ulp, root, err) : FAL_ERR_FORM;
    json_decref(root);
    if (status == 0)
        return ulp;
    (void)in_line(ulp, status, err);
fail:
    tl_check_ulp_close(ulp);
    return NULL;
}

/* Keeps a line that was handed in, as one that was read. */
static int keep_line(struct tl_ulp *ulp, struct fal_span line, struct fal_error *err)
{
    struct tl_file_lines *lines = &ulp->lines;

    if (line.len > TL_FILE_LINE_MAX)
        return fal_fail(err, FAL_ERR_FORM, "the line has more than %d bytes", TL_FILE_LINE_MAX);
    if (line.len > lines->cap) {
        char *grown = realloc(lines->line, line.len);

        if (grown == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        lines->line = grown;
        lines->cap = line.len;
    }
    if (line.len > 0)
        memcpy(lines->line, line.bytes, line.len);
    lines->len = line.len;
    lines->number++;
    return 0;
}

struct tl_ulp *tl_check_ulp_fed(const struct tl_check_options *options, struct fal_span head,
                                struct fal_error *err)
{
    struct tl_ulp *ulp = calloc(1, sizeof *ulp);
    json_t *root = NULL;
    int status;

    if (ulp == NULL || (ulp->path = strdup("events")) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    ulp->options = options;
    ulp->begin_ns = UINT64_MAX;
    ulp->fed = ulp->ended = true;
    status = keep_line(ulp, head, err);
    root = status == 0 ? tl_json_line(ulp->lines.line, ulp->lines.len, err) : NULL;
    status = root != NULL ? read_header(ulp, root, err) : FAL_ERR_FORM;
    json_decref(root);
    if (status == 0 && ulp->timeline)
        status = fal_fail(err, FAL_ERR_FORM,
                          "expected events " TL_ULP_SCHEMA
                          " beside frames; give a timeline as a file (--ulp)");
    if (status == 0)
        return ulp;
    (void)in_line(ulp, status, err);
fail:
    tl_check_ulp_close(ulp);
    return NULL;
}

/* ---- reading ahead ---- */

static bool matters(enum fal_event_kind kind)
{
    switch (kind) {
    case FAL_EV_RUN:
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_ULP:
    case FAL_EV_CM:
    case FAL_EV_CC:
    case FAL_EV_VERBS:
    case FAL_EV_NVME:
    case FAL_EV_MARK:
    case FAL_EV_CLOSE: return true;
    case FAL_EV_CONNECTION: /* handled at once */
    case FAL_EV_PACKET:
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_BENCH:
    case FAL_EV_INTERNAL:
    case FAL_EV_END: break;
    }
    return false;
}

/* Whether the SUT was asked for something. */
static bool is_command(const struct fal_event *event)
{
    return event->kind == FAL_EV_COMMAND ||
           (event->kind == FAL_EV_VERBS && event->u.verbs.phase == FAL_VERBS_ASKED) ||
           (event->kind == FAL_EV_NVME && event->u.nvme.phase == FAL_VERBS_ASKED);
}

static uint64_t time_of(const struct tl_ulp *ulp, const struct fal_event *event, uint64_t t_ns)
{
    int64_t error = ulp->error_ns > INT64_MAX ? INT64_MAX : (int64_t)ulp->error_ns;

    return shifted(shifted(t_ns, ulp->offset_ns), is_command(event) ? -error : error);
}

/* Puts it where its time is; of equal times the earlier line comes first. */
static int hold(struct tl_ulp *ulp, struct tl_ulp_held *held, struct fal_error *err)
{
    size_t at = ulp->num;

    if (ulp->num == ulp->cap) {
        size_t cap = ulp->cap == 0 ? 16 : 2 * ulp->cap;
        struct tl_ulp_held *bigger =
            cap <= HELD_MAX ? realloc(ulp->held, cap * sizeof *bigger) : NULL;

        if (bigger == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory: too many events at a time");
        ulp->held = bigger;
        ulp->cap = cap;
    }
    while (at > 0 && ulp->held[at - 1].at_ns > held->at_ns)
        at--;
    memmove(&ulp->held[at + 1], &ulp->held[at], (ulp->num - at) * sizeof *ulp->held);
    ulp->held[at] = *held;
    ulp->num++;
    return 0;
}

/* Events that are numbered, and one is missing. */
static void check_seq(struct tl_ulp *ulp, const struct fal_event *event)
{
    uint64_t seq = event->kind == FAL_EV_ULP  ? event->u.ulp.seq
                   : event->kind == FAL_EV_CM ? event->u.cm.seq
                   : event->kind == FAL_EV_CC ? event->u.cc.seq
                   : event->kind == FAL_EV_VERBS && event->u.verbs.phase == FAL_VERBS_TOLD
                       ? event->u.verbs.seq
                   : event->kind == FAL_EV_NVME && event->u.nvme.phase == FAL_VERBS_TOLD
                       ? event->u.nvme.seq
                       : 0;

    if (seq == 0)
        return;
    ulp->incomplete = ulp->incomplete || seq != ulp->last_seq + 1;
    ulp->last_seq = seq;
}

/* Says how long before its place an event of the SUT may have happened. time_of places it as
 * late as the error of its time allows: that is up to twice the error. If nobody gave the
 * error, or if talon run wrote the time at which it read the event, there is no limit. */
static void bound(const struct tl_ulp *ulp, struct fal_event *event)
{
    if (event->kind != FAL_EV_ULP)
        return;
    event->u.ulp.has_within = ulp->has_error && !ulp->timeline;
    event->u.ulp.within_ns = !event->u.ulp.has_within        ? 0
                             : ulp->error_ns < INT64_MAX / 2 ? 2 * ulp->error_ns
                                                             : INT64_MAX;
}

static uint64_t hash_of(struct fal_span bytes)
{
    return fal_payload_hash(bytes.bytes, bytes.len) | 1;
}

/* One line into the events held. *packet: it was a timeline's packet. */
static int take_object(struct tl_ulp *ulp, struct tl_check *check, json_t *object, bool *packet,
                       struct fal_error *err)
{
    struct tl_ulp_held held = {0};
    uint32_t conn = 0;
    int status = 0;
    const char *word = json_string_value(json_object_get(object, "event"));
    bool names = word == NULL || strcmp(word, "connection") != 0;

    if (!ulp->timeline)
        status =
            tl_check_ulp_translate(&ulp->words, object, ulp->lines.line, ulp->lines.len, err);
    if (status == 0 && names)
        status = tl_ulp_find_conn(ulp, check, object, &held, &conn, err);
    if (status == 0 && !json_is_integer(json_object_get(object, "conn")))
        (void)json_object_del(object, "conn");
    if (status == 0)
        status = fal_event_from_json(object, &held.event, &held.storage, err);
    if (status == 0 && held.event.t_ns < ulp->last_ns)
        status = fal_fail(err, FAL_ERR_FORM, "t_ns goes back: %" PRIu64 " after %" PRIu64,
                          held.event.t_ns, ulp->last_ns);
    if (status != 0)
        goto done;
    ulp->last_ns = held.event.t_ns;
    *packet = held.event.kind == FAL_EV_PACKET;
    if (held.event.kind == FAL_EV_CONNECTION)
        status = tl_ulp_take_connection(ulp, check, &held.event, err);
    if (*packet)
        held.hash =
            hash_of((struct fal_span){held.event.u.packet.bytes, held.event.u.packet.len});
    if (status != 0 || (!matters(held.event.kind) && !*packet))
        goto done;
    if (names)
        held.event.conn = conn;
    check_seq(ulp, &held.event);
    bound(ulp, &held.event);
    held.at_ns = time_of(ulp, &held.event, held.event.t_ns);
    status = hold(ulp, &held, err);
    if (status == 0)
        return 0;
done:
    fal_event_storage_free(&held.storage);
    return status;
}

/* At the end of a file that says of itself that it is complete: each event before its last line
 * has been read, as after a barrier. The barrier was asked for as early as the error allows. */
static int hold_barrier(struct tl_ulp *ulp, struct fal_error *err)
{
    struct tl_ulp_held command = {.event.kind = FAL_EV_COMMAND, .barrier = true};
    struct tl_ulp_held mark = {.event = {.kind = FAL_EV_MARK, .u.mark.mark = FAL_MARK_BARRIER}};
    int status;

    if (!ulp->whole || ulp->timeline || ulp->lines.number < 2)
        return 0;
    memcpy(command.event.u.command.verb, "barrier", sizeof "barrier");
    command.at_ns = time_of(ulp, &command.event, ulp->last_ns);
    mark.at_ns = time_of(ulp, &mark.event, ulp->last_ns);
    status = hold(ulp, &command, err);
    return status == 0 ? hold(ulp, &mark, err) : status;
}

/* Reads a line: 1; 0 at the end. */
static int read_line(struct tl_ulp *ulp, struct tl_check *check, bool *packet,
                     struct fal_error *err)
{
    json_t *object;
    int status;

    *packet = false;
    if (ulp->ended)
        return 0;
    status = tl_file_line(&ulp->lines, err);
    if (status == 0) {
        ulp->ended = true;
        status = hold_barrier(ulp, err);
    }
    if (status == 1 && ulp->lines.len > 0) {
        object = tl_json_line(ulp->lines.line, ulp->lines.len, err);
        status = object == NULL ? FAL_ERR_FORM : take_object(ulp, check, object, packet, err);
        json_decref(object);
        status = status == 0 ? 1 : status;
    }
    return status < 0 ? in_line(ulp, status, err) : status;
}

int tl_check_ulp_line(struct tl_ulp *ulp, struct tl_check *check, struct fal_span line,
                      struct fal_error *err)
{
    json_t *object;
    bool packet;
    int status = keep_line(ulp, line, err);

    if (status == 0 && line.len > 0) {
        object = tl_json_line(ulp->lines.line, ulp->lines.len, err);
        status = object == NULL ? FAL_ERR_FORM : take_object(ulp, check, object, &packet, err);
        json_decref(object);
    }
    if (status == 0)
        return 0;
    ulp->incomplete = true;
    return in_line(ulp, status, err);
}

int tl_check_ulp_end(struct tl_ulp *ulp, struct fal_error *err)
{
    return ulp->fed ? hold_barrier(ulp, err) : 0;
}

int tl_check_ulp_begin(struct tl_ulp *ulp, struct tl_check *check, uint64_t frame_ns,
                       uint64_t *first_ns, struct fal_error *err)
{
    bool packet = false;
    int status = 1;

    while (status > 0 && !packet && (ulp->num == 0 || !ulp->aligned))
        status = read_line(ulp, check, &packet, err);
    if (!ulp->aligned && packet) { /* the first packet of each is the same one */
        ulp->offset_ns = (int64_t)(frame_ns - ulp->last_ns);
        for (size_t i = 0; i < ulp->num; i++)
            ulp->held[i].at_ns = time_of(ulp, &ulp->held[i].event, ulp->held[i].event.t_ns);
    }
    ulp->aligned = true;
    *first_ns = ulp->num > 0 ? ulp->held[0].at_ns : UINT64_MAX;
    return status < 0 ? status : 0;
}

/* ---- judging ---- */

static void tell_barrier(struct tl_check *check, const struct tl_ulp_held *held)
{
    for (size_t i = 0; i < check->num_conns; i++) {
        struct fal_event event = held->event;

        event.conn = (uint32_t)i + 1;
        /* A connection of ends that are not the SUT has no upper layer here. */
        (void)tl_check_control(check, held->at_ns, &event);
    }
}

static void tell(struct tl_ulp *ulp, struct tl_check *check, struct tl_ulp_held *held)
{
    struct fal_event *event = &held->event;

    if (held->barrier) {
        tell_barrier(check, held);
        return;
    }
    if (held->by_cid)
        event->conn = tl_ulp_by_cid(check, held->cid);
    if ((held->by_cid && event->conn == 0) || event->conn > check->num_conns ||
        !tl_check_control(check, held->at_ns, event)) {
        ulp->unplaced++;
        ulp->incomplete = true;
        return;
    }
    if (event->kind == FAL_EV_RUN || event->kind == FAL_EV_MARK)
        return;
    ulp->events++;
    ulp->begin_ns = held->at_ns < ulp->begin_ns ? held->at_ns : ulp->begin_ns;
    ulp->end_ns = held->at_ns > ulp->end_ns ? held->at_ns : ulp->end_ns;
}

/* Once: the judges know that events are missing. */
static void tell_missing(struct tl_ulp *ulp, struct tl_check *check)
{
    struct fal_event event = {.kind = FAL_EV_CM};

    if (!ulp->incomplete)
        return;
    ulp->incomplete = false;
    memcpy(event.u.cm.what, "dropped", sizeof "dropped");
    (void)tl_check_control(check, 0, &event);
}

/* Whether an event comes before a frame of that time. At the same time a timeline decides by
 * its own packets; else a command comes first, because the frame may be its effect, and the
 * SUT's events come after, because the frame may be their cause. */
static bool comes_before(const struct tl_ulp *ulp, const struct tl_ulp_held *held,
                         uint64_t frame_ns, bool listed)
{
    if (held->at_ns != frame_ns)
        return held->at_ns < frame_ns;
    return listed || (!ulp->timeline && is_command(&held->event));
}

/* Whether the frame is among the timeline's packets of its time. */
static bool is_listed(const struct tl_ulp *ulp, uint64_t frame_ns, uint64_t hash)
{
    for (size_t i = 0; i < ulp->num && ulp->held[i].at_ns <= frame_ns; i++)
        if (ulp->held[i].at_ns == frame_ns && ulp->held[i].hash == hash)
            return true;
    return false;
}

/* Judges the events before a frame. */
static void tell_before(struct tl_ulp *ulp, struct tl_check *check, uint64_t frame_ns,
                        struct fal_span frame)
{
    uint64_t hash = frame.len > 0 ? hash_of(frame) : 0;
    bool listed = hash != 0 && is_listed(ulp, frame_ns, hash);
    size_t n = 0, left = 0;

    ulp->has_like = false;
    for (; n < ulp->num && ulp->held[n].at_ns <= frame_ns; n++) {
        struct tl_ulp_held held = ulp->held[n];

        if (!comes_before(ulp, &held, frame_ns, listed)) {
            ulp->held[left++] = held;
            continue;
        }
        if (listed && held.at_ns == frame_ns && held.hash == hash) {
            listed = false; /* what follows at this time comes after it */
            ulp->like = held.event.u.packet;
            ulp->has_like = true;
        }
        tell_missing(ulp, check);
        if (held.hash == 0)
            tell(ulp, check, &held);
        fal_event_storage_free(&held.storage);
    }
    if (left < n && n > 0)
        memmove(ulp->held + left, ulp->held + n, (ulp->num - n) * sizeof *ulp->held);
    ulp->num -= n - left;
    tell_missing(ulp, check);
}

int tl_check_ulp_until(struct tl_ulp *ulp, struct tl_check *check, uint64_t until_ns,
                       struct fal_span frame, struct fal_error *err)
{
    uint64_t ahead = shifted(
        until_ns, (int64_t)(ulp->error_ns < INT64_MAX / 4 ? 2 * ulp->error_ns : INT64_MAX / 2));
    bool packet;
    int status = ulp->failed ? 0 : 1;

    while (status > 0 && shifted(ulp->last_ns, ulp->offset_ns) <= ahead)
        status = read_line(ulp, check, &packet, err);
    if (status < 0)
        ulp->failed = ulp->incomplete = true;
    tell_before(ulp, check, until_ns, frame);
    return status < 0 ? status : 0;
}
