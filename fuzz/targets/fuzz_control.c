/* SPDX-License-Identifier: Apache-2.0
 * fuzz_control.c - lines of the control protocol. The first byte says at which end they come
 * in: at the SUT's, where each line gets its answer and all that is said is well-formed; or at
 * the tester's, from a SUT that says what it likes (control_tester.c). The second byte is how
 * the stream of bytes is cut on its way. */
#include "fuzz/targets/control_tester.h"
#include "fuzz/targets/targets.h"
#include "harness/sut/sut.h"
#include "harness/wire/control_io.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 200, OUTS_MAX = 20000, TICKS_MAX = 50 };

struct control {
    struct tl_sut *sut;
    uint64_t now_ns, seq;
    unsigned replies, outs;
};

static void hold_line(struct control *control, const struct tl_sut_out *out)
{
    json_error_t err;
    json_t *object;
    uint64_t seq;

    if (out->len > TL_LINE_MAX)
        fuzz_broken("control: a line of %zu bytes", out->len);
    if (memchr(out->bytes, '\n', out->len) != NULL)
        fuzz_broken("control: a line with a newline");
    object = json_loadb((const char *)out->bytes, out->len, JSON_REJECT_DUPLICATES, &err);
    if (!json_is_object(object))
        fuzz_broken("control: a line that is no object: %s", err.text);
    if (json_object_get(object, "id") != NULL)
        control->replies++;
    seq = (uint64_t)json_integer_value(json_object_get(object, "seq"));
    if (json_object_get(object, "event") != NULL) {
        if (seq <= control->seq)
            fuzz_broken("control: event %u comes after %u", (unsigned)seq,
                        (unsigned)control->seq);
        control->seq = seq;
    }
    json_decref(object);
}

/* Takes what the SUT says; its frames come back to it, as from a peer that is a mirror. */
static void drain(struct control *control)
{
    struct tl_sut_out out;

    while (control->outs < OUTS_MAX && tl_sut_next(control->sut, &out)) {
        control->outs++;
        if (out.kind == TL_SUT_LINE) {
            hold_line(control, &out);
        } else {
            uint8_t *copy = malloc(out.len > 0 ? out.len : 1);
            size_t len = out.len;

            if (copy == NULL)
                continue;
            memcpy(copy, out.bytes, len);
            tl_sut_frame(control->sut, copy, len, control->now_ns);
            free(copy);
        }
    }
}

static void pass(struct control *control)
{
    for (unsigned i = 0; i < TICKS_MAX; i++) {
        uint64_t at_ns = tl_sut_deadline(control->sut);

        if (at_ns == FAL_NEVER || at_ns > control->now_ns + FAL_MS)
            return;
        control->now_ns = at_ns > control->now_ns ? at_ns : control->now_ns;
        tl_sut_tick(control->sut, control->now_ns);
        drain(control);
    }
}

static void take_line(struct control *control, const char *line, size_t len)
{
    unsigned before = control->replies;
    char *exact = malloc(len + 1);

    if (exact == NULL)
        return;
    memcpy(exact, line, len);
    exact[len] = '\0';
    tl_sut_line(control->sut, exact, len, control->now_ns);
    free(exact);
    drain(control);
    if (control->replies != before + 1 && control->outs < OUTS_MAX)
        fuzz_broken("control: a line got %u answers", control->replies - before);
    control->now_ns += 10 * FAL_US;
    pass(control);
}

/* The stream in pieces of `piece` bytes, as a socket may give it. */
static void stream(struct control *control, const uint8_t *data, size_t size, size_t piece)
{
    struct tl_line_reader reader;
    unsigned lines = 0;

    if (tl_line_reader_init(&reader) != 0)
        return;
    while (size > 0) {
        size_t room, len;
        char *space = tl_line_reader_space(&reader, &room), *line;
        enum tl_line got;

        if (room == 0)
            fuzz_broken("control: no room to read a line to");
        len = piece < size ? piece : size;
        len = len < room ? len : room;
        memcpy(space, data, len);
        tl_line_reader_added(&reader, len);
        data += len;
        size -= len;
        while ((got = tl_line_reader_next(&reader, &line, &len)) != TL_LINE_NONE)
            if (got == TL_LINE_WHOLE && lines++ < LINES_MAX)
                take_line(control, line, len);
            else if (got == TL_LINE_TOO_LONG)
                tl_sut_line_too_long(control->sut);
    }
    tl_line_reader_free(&reader);
}

void fuzz_control(const uint8_t *data, size_t size)
{
    const struct tl_sut_config config = {.seed = 1};
    struct control control = {0};

    if (size < 2)
        return;
    if ((data[0] & 1) != 0) {
        control_tester(data + 2, size - 2, data[1]);
        return;
    }
    control.sut = tl_sut_new(&config);
    if (control.sut != NULL)
        stream(&control, data + 2, size - 2, 1 + (size_t)data[1]);
    tl_sut_free(control.sut);
}
