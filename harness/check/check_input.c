/* SPDX-License-Identifier: Apache-2.0
 * check_input.c - captures and timelines become events. A capture is judged twice: each side is
 * once the SUT. */
#include "harness/check/check.h"

#include "codecs/base/error.h"
#include "harness/capture/capture.h"
#include "harness/check/check_ulp.h"
#include "harness/doc/line_file.h"
#include "harness/wire/sealer.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two interfaces see one packet within this time. */
#define DOUBLES_NS FAL_MS

/* The readers of a capture. */
struct desk {
    struct tl_capture *capture;
    struct tl_ulp *ulp;
    struct fal_frame *frame; /* the one at hand, opened */
    uint8_t *scratch;
};

/* ---- captures ---- */

struct fal_span tl_check_packet_bytes(const struct fal_frame *frame)
{
    const struct fal_layer *layer = fal_frame_layer(frame, FAL_LAYER_FALCON);

    if (layer != NULL)
        return (struct fal_span){frame->payload.bytes - layer->len,
                                 frame->payload.len + layer->len};
    return frame->raw; /* a reserved type, or too short for its type */
}

static void tell(struct tl_check *check, struct tl_check_conn *conn, int sut, uint64_t t_ns)
{
    struct fal_event event = {.kind = FAL_EV_CONNECTION,
                              .index = check->index,
                              .t_ns = t_ns,
                              .conn = (uint32_t)(conn - check->conns) + 1,
                              .u.connection = conn->setup};

    if (sut == 1) {
        event.u.connection.sut = conn->setup.tester;
        event.u.connection.tester = conn->setup.sut;
    }
    tl_check_event(check, sut, &event);
    conn->told[sut] = true;
}

int tl_check_sut_side(const struct tl_check *check, const struct tl_check_conn *conn)
{
    if (check->options->have_sut)
        for (int side = 0; side < 2; side++)
            if (tl_host_eq(conn->host[side], check->options->sut))
                return side;
    return conn->given && !check->options->have_sut ? 0 : -1;
}

/* If SUTs are known, vantage and path are stated for them, and with events of their upper
 * layers silence means that nothing happened; so other ends are not judged. */
static bool judged(const struct tl_check *check, const struct tl_check_conn *conn, int side)
{
    if (!check->options->have_sut && !conn->given)
        return check->options->ulp == NULL && !check->any_given;
    return tl_check_sut_side(check, conn) == side;
}

/* Time of the judges, which never goes back. */
static uint64_t judge_time(struct tl_check *check, uint64_t at_ns)
{
    uint64_t t_ns = at_ns > check->first_ns ? at_ns - check->first_ns : 0;

    if (t_ns > check->last_ns)
        check->last_ns = t_ns;
    return check->last_ns;
}

bool tl_check_control(struct tl_check *check, uint64_t at_ns, struct fal_event *event)
{
    struct tl_check_conn *conn = event->conn > 0 ? &check->conns[event->conn - 1] : NULL;
    int side = conn != NULL ? tl_check_sut_side(check, conn) : -1;

    if (conn != NULL && side < 0)
        return false;
    event->t_ns = judge_time(check, at_ns);
    if (side >= 0 && !conn->told[side])
        tell(check, conn, side, event->t_ns);
    event->index = check->index++;
    tl_check_tell_story(check, event, side == 0);
    for (int sut = 0; sut < 2; sut++)
        if (side < 0 || side == sut)
            tl_check_event(check, sut, event);
    return true;
}

/* PSP's and ESP's IV is the packet's departure (7.1). */
static void set_iv(const struct fal_frame *frame, struct fal_ev_packet *packet)
{
    if (fal_frame_has(frame, FAL_LAYER_PSP)) {
        packet->has_iv = true;
        packet->iv = frame->psp.iv;
        packet->spi = frame->psp.spi;
    } else if (fal_frame_has(frame, FAL_LAYER_ESP)) {
        packet->has_iv = frame->esp_has_iv;
        packet->iv = frame->esp_has_iv ? frame->esp_iv.iv : 0;
        packet->spi = frame->esp.spi;
    }
}

/* Packets may have gone unseen before this, of one connection or of all. */
static void mark_gap(struct tl_check *check, uint32_t conn, uint64_t count)
{
    static const enum fal_mark marks[] = {FAL_MARK_GAP_IN, FAL_MARK_GAP_OUT};

    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < 2; i++) {
            struct fal_event event = {.kind = FAL_EV_MARK,
                                      .index = check->index,
                                      .t_ns = check->last_ns,
                                      .conn = conn,
                                      .u.mark = {marks[i], count}};

            tl_check_event(check, side, &event);
        }
    }
    check->index++;
}

bool tl_check_is_falcon(const struct tl_check *check, const struct fal_frame *frame)
{
    /* A packet under ESP's null algorithm proves as much as plain UDP; an unverified GMAC
     * proves less. */
    return (fal_frame_has(frame, FAL_LAYER_FALCON) ||
            fal_frame_meant_falcon(frame, check->options->frame.falcon_port)) &&
           !(frame->unauthenticated && fal_frame_has(frame, FAL_LAYER_PSP));
}

static void judge_frame(struct tl_check *check, const struct tl_ulp *ulp,
                        const struct fal_frame *frame)
{
    struct fal_event event;
    struct fal_ev_packet *packet = &event.u.packet;
    struct fal_span bytes = tl_check_packet_bytes(frame);
    struct tl_check_conn *conn;
    int receiver = 0;

    if (!tl_check_is_falcon(check, frame)) {
        check->strangers++;
        return;
    }
    if (frame->damaged) { /* the path may have done it: it says nothing of its sender */
        check->damaged++;
        return;
    }
    memset(&event, 0, offsetof(struct fal_event, u.packet.issues)); /* those are long */
    packet->origin = FAL_ORIGIN_FOREIGN;
    packet->step = -1;
    packet->frame = (uint32_t)frame->number;
    packet->path = fal_frame_has(frame, FAL_LAYER_UDP) ? frame->udp.src_port : 0;
    packet->truncated = frame->truncated || frame->fragment;
    set_iv(frame, packet);
    packet->carrier = tl_carrier_of(frame);
    packet->bytes = bytes.bytes;
    packet->len = (uint32_t)bytes.len;
    if (fal_frame_has(frame, FAL_LAYER_FALCON)) { /* was decoded with the frame */
        packet->falcon = frame->falcon;
        packet->header_len = (int)(bytes.len - frame->payload.len);
        fal_event_decoded(packet);
    } else {
        fal_event_packet(packet);
    }
    if (ulp != NULL)
        tl_check_ulp_like(ulp, packet);
    conn = tl_check_find(check, frame, &packet->falcon, packet->header_len > 0, &receiver);
    if (conn == NULL) {
        check->strangers++;
        return;
    }
    event.kind = FAL_EV_PACKET;
    event.index = check->index;
    event.t_ns = judge_time(check, frame->ts_ns);
    event.conn = (uint32_t)(conn - check->conns) + 1;
    check->packets++;
    check->unnamed += !judged(check, conn, 0) && !judged(check, conn, 1);
    tl_check_tell_story(check, &event, receiver == 0);
    for (int sut = 0; sut < 2; sut++) {
        if (!judged(check, conn, sut))
            continue;
        if (!conn->told[sut])
            tell(check, conn, sut, event.t_ns);
        packet->dir = receiver == sut ? FAL_TO_SUT : FAL_FROM_SUT;
        tl_check_event(check, sut, &event);
    }
    check->index++;
}

/* ---- what a capture does to frames ---- */

static uint64_t fold(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Compares only fields that no hop changes: a copy made by the sender has another
 * identification, or IV. */
static uint64_t hash_frame(const struct fal_frame *frame)
{
    struct fal_span bytes = tl_check_packet_bytes(frame);
    struct tl_host from = tl_host_of(frame, true), to = tl_host_of(frame, false);
    uint64_t h = fold(
        fold(fold(fold(1, fal_u128_hi(from.ip)), fal_u128_lo(from.ip)), fal_u128_hi(to.ip)),
        fal_u128_lo(to.ip));

    h = fold(fold(h, from.port), to.port);
    if (fal_frame_has(frame, FAL_LAYER_IPV4))
        h = fold(h, frame->ipv4.identification);
    if (fal_frame_has(frame, FAL_LAYER_UDP))
        h = fold(h, frame->udp.src_port);
    if (fal_frame_has(frame, FAL_LAYER_PSP))
        h = fold(h, frame->psp.iv);
    if (fal_frame_has(frame, FAL_LAYER_ESP))
        h = fold(h, frame->esp.sequence_number);
    for (size_t i = 0; i < bytes.len; i++)
        h = fold(h, bytes.bytes[i]);
    return h | 1;
}

/* Whether the frame is one that was captured before: at another interface, or so soon that it
 * is a mirror's. */
static bool is_double(struct tl_check *check, const struct fal_frame *frame, uint32_t interface)
{
    uint64_t hash = hash_frame(frame), apart;
    struct tl_check_double *seen = &check->recent[hash / 2 % TL_CHECK_DOUBLES];
    uint64_t within = check->options->doubles_ns;

    apart = frame->ts_ns > seen->t_ns ? frame->ts_ns - seen->t_ns : seen->t_ns - frame->ts_ns;
    if (seen->hash == hash && seen->interface != interface && within < DOUBLES_NS)
        within = DOUBLES_NS;
    if (seen->hash == hash && within > 0 && apart <= within) {
        check->doubles++;
        return true;
    }
    *seen = (struct tl_check_double){hash, frame->ts_ns, interface};
    return false;
}

bool tl_check_seen_before(struct tl_check *check, const struct fal_frame *frame,
                          const struct tl_captured *got, bool several)
{
    return (check->options->doubles_ns > 0 || several) &&
           is_double(check, frame, got->marks != NULL ? got->marks->interface : 0);
}

static void look_at(struct tl_check *check, const struct desk *desk,
                    const struct tl_captured *got)
{
    if (got->marks != NULL && got->marks->drops > 0) {
        check->dropped += got->marks->drops;
        mark_gap(check, 0, 0);
    }
    if (got->ts_ns < check->frame_ns) {
        struct fal_event step = {.kind = FAL_EV_MARK, .u.mark.mark = FAL_MARK_CLOCK_STEP};

        check->disorder++;
        if (check->frame_ns - got->ts_ns > check->options->run.clock_error_ns)
            (void)tl_check_control(check, 0, &step);
    }
    check->frame_ns = got->ts_ns;
    if (tl_check_seen_before(check, desk->frame, got, tl_capture_interfaces(desk->capture) > 1))
        return;
    judge_frame(check, desk->ulp, desk->frame);
}

/* Statistics report frames that were missed at an unknown earlier place: verdicts since the
 * last statistics may depend on them. */
static void note_dropped(struct tl_check *check, uint64_t dropped)
{
    if (dropped == check->told_dropped)
        return;
    check->dropped += dropped - check->told_dropped;
    check->told_dropped = dropped;
    check->dropped_late = true;
    mark_gap(check, 0, 0);
}

/* ---- files ---- */

/* Whether everything that a judge judges is known to be the SUT. */
static bool sut_known(const struct tl_check *check, int side)
{
    return check->options->have_sut || (check->any_given && side == 0);
}

/* If either end may be the SUT, ports are ignored, and only guarantees that hold in both
 * directions are kept. */
static void either_way(struct fal_ev_run *run)
{
    run->vantage = FAL_VANTAGE_MIDDLE;
    run->lossless_in = run->lossless_out = run->lossless_in && run->lossless_out;
    run->in_order_in = run->in_order_out = run->in_order_in && run->in_order_out;
    run->no_duplicates_in = run->no_duplicates_out =
        run->no_duplicates_in && run->no_duplicates_out;
}

static int begin(struct tl_check *check, struct desk *desk, const char *path, uint64_t frame_ns,
                 struct fal_error *err)
{
    struct fal_event run = {.kind = FAL_EV_RUN, .u.run = check->options->run};
    uint64_t first_ns = UINT64_MAX;
    int failed = 0;

    (void)snprintf(run.u.run.title, sizeof run.u.run.title, "%s", path);
    run.u.run.may_miss = run.u.run.may_miss || check->options->lossy_capture;
    if (desk->ulp != NULL)
        run.u.run.ordered_events = tl_check_ulp_ordered(desk->ulp);
    for (int side = 0; side < 2; side++) {
        struct fal_event whose = run;

        if (!sut_known(check, side))
            either_way(&whose.u.run);
        tl_check_event(check, side, &whose);
    }
    check->index = 1;
    check->frame_ns = frame_ns;
    if (desk->ulp != NULL)
        failed = tl_check_ulp_begin(desk->ulp, check, frame_ns, &first_ns, err);
    check->first_ns = first_ns < frame_ns ? first_ns : frame_ns;
    return failed;
}

/* Takes a frame, and the upper-layer events before it. */
static int take_frame(struct tl_check *check, struct desk *desk, const struct tl_captured *got,
                      struct fal_error *err)
{
    int failed = 0;

    note_dropped(check, tl_capture_dropped(desk->capture));
    desk->frame->number = got->number + check->frames_before;
    desk->frame->ts_ns = got->ts_ns;
    /* The capture was opened: its link type is known. */
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){got->bytes, got->caplen, got->len, got->linktype},
        &check->options->frame, desk->scratch, desk->frame));
    if (desk->ulp != NULL)
        failed = tl_check_ulp_until(desk->ulp, check, got->ts_ns,
                                    tl_check_packet_bytes(desk->frame), err);
    look_at(check, desk, got);
    return failed;
}

static int read_capture(struct tl_check *check, struct desk *desk, const char *path,
                        struct fal_error *err)
{
    struct tl_captured got;
    struct fal_error late = {{0}};
    uint64_t first_ns = 0;
    int more = 0, failed = 0;

    while (!check->out_of_memory && (more = tl_capture_next(desk->capture, &got, err)) > 0) {
        struct fal_error why = {{0}};
        int status = 0;

        if (check->index == 0) {
            first_ns = got.ts_ns;
            status = begin(check, desk, path, got.ts_ns, &why);
        }
        if (status == 0)
            status = take_frame(check, desk, &got, &why);
        if (status != 0 && failed == 0) {
            failed = status;
            late = why;
        }
        check->frames = got.number;
    }
    note_dropped(check, tl_capture_dropped(desk->capture));
    if (desk->ulp != NULL && check->index > 0 && failed == 0)
        failed =
            tl_check_ulp_until(desk->ulp, check, UINT64_MAX, (struct fal_span){NULL, 0}, &late);
    if (desk->ulp != NULL && check->index > 0 && failed == 0)
        failed = tl_check_ulp_meets(desk->ulp, first_ns, check->frame_ns, &late);
    if (check->out_of_memory)
        return fal_fail(err, FAL_ERR_MEM, "%s: out of memory, or over a million connections",
                        path);
    if (more == 0 && failed != 0) {
        *err = late;
        more = failed;
    }
    return more;
}

int tl_check_capture(struct tl_check *check, const char *path, struct fal_error *err)
{
    struct desk desk = {.capture = tl_capture_open(path, err)};
    int result = FAL_ERR_FORM;

    if (desk.capture == NULL)
        goto done;
    desk.scratch = malloc(TL_FRAME_MAX);
    desk.frame = calloc(1, sizeof *desk.frame);
    if (desk.scratch == NULL || desk.frame == NULL) {
        result = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    if (check->options->ulp != NULL &&
        (desk.ulp = tl_check_ulp_open(check->options, err)) == NULL)
        goto done;
    check->frames_before += check->frames;
    check->frames = 0;
    check->told_dropped = 0;
    result = read_capture(check, &desk, path, err);
    if (desk.ulp != NULL) {
        check->ulp_events += tl_check_ulp_events(desk.ulp);
        check->ulp_unplaced += tl_check_ulp_unplaced(desk.ulp);
    }
done:
    tl_check_ulp_close(desk.ulp);
    free(desk.frame);
    free(desk.scratch);
    tl_capture_close(desk.capture);
    return result;
}

/* ---- timelines ---- */

bool tl_check_is_timeline(const char *path)
{
    char start[256] = {0};
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
    int c;

    if (strcmp(path, "-") == 0) { /* a capture's first byte is no brace */
        c = getchar();
        (void)ungetc(c, stdin);
        return c == '{';
    }
    if (file == NULL)
        return false;
    (void)fread(start, 1, sizeof start - 1, file);
    (void)fclose(file);
    return strchr(start, '{') != NULL && strstr(start, "\"talon/timeline/") != NULL;
}

static int one_line(struct tl_check *check, const char *line, size_t len, uint64_t number,
                    struct fal_event_storage *storage, struct fal_error *err)
{
    json_error_t where;
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
    struct fal_event event;
    const char *schema;
    int result = 0;

    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "column %d: %s", where.column, where.text);
    schema = json_string_value(json_object_get(object, "schema"));
    if (number == 1) {
        if (schema == NULL || strcmp(schema, FAL_TIMELINE_SCHEMA) != 0)
            result = fal_fail(err, FAL_ERR_FORM, "the first line is not {\"schema\": \"%s\"}",
                              FAL_TIMELINE_SCHEMA);
    } else {
        result = fal_event_from_json(object, &event, storage, err);
        if (result == 0) {
            check->packets += event.kind == FAL_EV_PACKET;
            tl_check_tell_story(check, &event, event.u.packet.dir == FAL_TO_SUT);
            tl_check_event(check, 0, &event);
        }
    }
    json_decref(object);
    return result;
}

int tl_check_timeline(struct tl_check *check, const char *path, struct fal_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct tl_file_lines lines = {.file = standard ? stdin : fopen(path, "re")};
    struct fal_event_storage storage = {0};
    struct fal_error what = {{0}};
    int result = 0, got;

    if (lines.file == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    check->timeline = true;
    if (!check->options->sut_alone && tl_check_both_sides(check) != 0)
        result = fal_fail(&what, FAL_ERR_MEM, "out of memory");
    while (result == 0 && (got = tl_file_line(&lines, &what)) != 0) {
        result = got;
        if (got > 0)
            result =
                lines.len == 0 && lines.number > 1
                    ? 0
                    : one_line(check, lines.line, lines.len, lines.number, &storage, &what);
    }
    if (result != 0)
        (void)fal_fail(err, result, "%s:%llu: %s", standard ? "standard input" : path,
                       (unsigned long long)lines.number, what.text);
    free(lines.line);
    fal_event_storage_free(&storage);
    if (!standard)
        (void)fclose(lines.file);
    return result;
}
