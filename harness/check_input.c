/* SPDX-License-Identifier: Apache-2.0
 * check_input.c - captures and timelines become events. A capture is judged twice: each side is
 * once the SUT. */
#include "harness/check.h"

#include "harness/capture.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 22 };

/* ---- captures ---- */

/* The Falcon bytes of a frame, opened: header and payload stand together. */
static struct fal_span falcon_bytes(const struct fal_frame *frame)
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

static bool judged(const struct tl_check *check, const struct tl_check_conn *conn, int side)
{
    if (!check->options->have_sut)
        return !conn->given || side == 0; /* a given connection says which side is the SUT */
    return tl_host_eq(conn->host[side], check->options->sut);
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

static void judge_frame(struct tl_check *check, const struct fal_frame *frame)
{
    struct fal_event event;
    struct fal_ev_packet *packet = &event.u.packet;
    struct fal_span bytes = falcon_bytes(frame);
    struct tl_check_conn *conn;
    uint64_t t_ns;
    int receiver = 0;
    bool whole = fal_frame_has(frame, FAL_LAYER_FALCON);

    /* ESP's null algorithm proves no less than plain UDP; GMAC that nobody verified does. */
    if ((!whole && !fal_frame_meant_falcon(frame, check->options->frame.falcon_port)) ||
        (frame->unauthenticated && fal_frame_has(frame, FAL_LAYER_PSP))) {
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
    packet->bytes = bytes.bytes;
    packet->len = (uint32_t)bytes.len;
    fal_event_packet(packet);
    conn = tl_check_find(check, frame, &packet->falcon, packet->header_len > 0, &receiver);
    if (conn == NULL) {
        check->strangers++;
        return;
    }
    t_ns = frame->ts_ns > check->first_ns ? frame->ts_ns - check->first_ns : 0;
    check->last_ns = t_ns > check->last_ns ? t_ns : check->last_ns;
    check->packets++;
    event.kind = FAL_EV_PACKET;
    event.index = check->index;
    event.t_ns = check->last_ns;
    event.conn = (uint32_t)(conn - check->conns) + 1;
    for (int sut = 0; sut < 2; sut++) {
        if (!judged(check, conn, sut))
            continue;
        if (!conn->told[sut])
            tell(check, conn, sut, check->last_ns);
        packet->dir = receiver == sut ? FAL_TO_SUT : FAL_FROM_SUT;
        tl_check_event(check, sut, &event);
    }
    check->index++;
}

int tl_check_capture(struct tl_check *check, const char *path, struct fal_error *err)
{
    struct tl_capture *capture = tl_capture_open(path, err);
    uint8_t *scratch = malloc(TL_FRAME_MAX);
    struct fal_event run = {.kind = FAL_EV_RUN, .u.run = check->options->run};
    struct fal_frame *frame = calloc(1, sizeof *frame);
    struct tl_captured got;
    int more = FAL_ERR_FORM;

    if (capture == NULL)
        goto done;
    if (scratch == NULL || frame == NULL) {
        more = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    (void)snprintf(run.u.run.title, sizeof run.u.run.title, "%s", path);
    for (int side = 0; side < 2; side++)
        tl_check_event(check, side, &run);
    check->index = 1;
    while (!check->out_of_memory && (more = tl_capture_next(capture, &got, err)) > 0) {
        if (got.number == 1)
            check->first_ns = got.ts_ns;
        frame->number = got.number;
        frame->ts_ns = got.ts_ns;
        (void)fal_frame_decode(got.bytes, got.caplen, got.len, got.linktype,
                               &check->options->frame, scratch, frame);
        judge_frame(check, frame);
    }
    if (check->out_of_memory)
        more = fal_fail(err, FAL_ERR_MEM, "%s: out of memory, or over a million connections",
                        path);
done:
    free(frame);
    free(scratch);
    tl_capture_close(capture);
    return more;
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

/* The next line, without its end, into *line, which grows to LINE_MAX_BYTES. 1; 0 at the end of
 * the file; FAL_ERR_RANGE when it is longer, FAL_ERR_MEM, FAL_ERR_IO. */
static int next_line(FILE *file, char **line, size_t *cap, size_t *len)
{
    int c;

    *len = 0;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (*len == *cap) {
            size_t more = *cap == 0 ? 4096 : 2 * *cap;
            char *bigger = more <= LINE_MAX_BYTES ? realloc(*line, more) : NULL;

            if (bigger == NULL)
                return more <= LINE_MAX_BYTES ? FAL_ERR_MEM : FAL_ERR_RANGE;
            *line = bigger;
            *cap = more;
        }
        (*line)[(*len)++] = (char)c;
    }
    if (ferror(file))
        return FAL_ERR_IO;
    return c != EOF || *len > 0;
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
            tl_check_event(check, 0, &event);
        }
    }
    json_decref(object);
    return result;
}

static int take_line(struct tl_check *check, int got, const char *line, size_t len,
                     uint64_t number, struct fal_event_storage *storage, struct fal_error *err)
{
    if (got == FAL_ERR_RANGE)
        return fal_fail(err, FAL_ERR_FORM, "longer than %d bytes", (int)LINE_MAX_BYTES);
    if (got < 0)
        return fal_fail(err, got, "%s", got == FAL_ERR_MEM ? "out of memory" : strerror(errno));
    return len == 0 && number > 1 ? 0 : one_line(check, line, len, number, storage, err);
}

int tl_check_timeline(struct tl_check *check, const char *path, struct fal_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "re");
    struct fal_event_storage storage = {0};
    struct fal_error what = {{0}};
    char *line = NULL;
    size_t cap = 0, len = 0;
    uint64_t number = 0;
    int result = 0, got;

    if (file == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: %s", path, strerror(errno));
    check->timeline = true;
    if (tl_check_both_sides(check) != 0)
        result = fal_fail(&what, FAL_ERR_MEM, "out of memory");
    while (result == 0 && (got = next_line(file, &line, &cap, &len)) != 0)
        result = take_line(check, got, line, len, ++number, &storage, &what);
    if (result != 0)
        (void)fal_fail(err, result, "%s:%llu: %s", standard ? "standard input" : path,
                       (unsigned long long)number, what.text);
    free(line);
    fal_event_storage_free(&storage);
    if (!standard)
        (void)fclose(file);
    return result;
}
