/* SPDX-License-Identifier: Apache-2.0
 * fuzz_events.c - traces of event pipelines: the reader of their lines, and the judge over any
 * trace. Bit 0 of the first byte chooses: lines of text, the first of them a setup; or bytes of
 * setup and events. A line that is read can be written and read again; judging a trace twice
 * gives the same results. */
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "harness/eventtrace/trace_read.h"
#include "oracles/beyond/eventpipe_shape.h"
#include "oracles/rules/eventpipe/ep_judge.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 1024 };

/* ---- lines ---- */

static void read_again(const struct fal_ep_event *event)
{
    struct fal_shape_text text = {NULL, 0, 0}, same = {NULL, 0, 0};
    struct fal_ep_event again = {.number = 0};
    struct fal_error err = {{0}};

    if (fal_shape_print(&fal_ep_event_shape, event, &text) == 0) {
        if (tl_event_line_read(text.text, text.len, &again, &err) != 0)
            fuzz_broken("events: a line that was written is refused: %s", err.text);
        if (fal_shape_print(&fal_ep_event_shape, &again, &same) == 0 &&
            (same.len != text.len || memcmp(same.text, text.text, text.len) != 0))
            fuzz_broken("events: writing and reading change a line: %.*s", (int)text.len,
                        text.text);
    }
    free(text.text);
    free(same.text);
}

static size_t read_lines(const char *text, size_t len, struct fal_ep_setup *setup,
                         struct fal_ep_event *events)
{
    struct fal_error err = {{0}};
    size_t num = 0;
    bool first = true;

    while (len > 0 && num < EVENTS_MAX) {
        const char *end = memchr(text, '\n', len);
        size_t line = end != NULL ? (size_t)(end - text) : len;
        int rc = first ? tl_event_setup_parse(text, line, setup, &err)
                       : tl_event_line_read(text, line, &events[num], &err);

        if (rc == FAL_ERR_FORM && err.text[0] == 0)
            fuzz_broken("events: a line is refused for no reason");
        if (rc != 0 && first)
            *setup = (struct fal_ep_setup){0};
        if (rc == 0 && !first)
            read_again(&events[num++]);
        first = false;
        text += line + (end != NULL);
        len -= line + (end != NULL);
    }
    return num;
}

/* ---- bytes ---- */

static size_t read_bytes(struct fuzz_reader *in, struct fal_ep_setup *setup,
                         struct fal_ep_event *events)
{
    uint8_t flags = fuzz_u8(in), at = 1;
    size_t num = 0;
    uint64_t now = 1;

    *setup = (struct fal_ep_setup){.round_robin = (flags & 1) != 0,
                                   .all_points = (flags & 2) != 0,
                                   .ends_at_rest = (flags & 4) != 0,
                                   .clocks_synchronised = (flags & 8) != 0,
                                   .rates_without_events = (flags & 16) != 0,
                                   .pipeline_ns = flags >> 5,
                                   .default_rate_bps = 3};
    for (int kind = 0; kind < FAL_EP_KINDS; kind++) {
        setup->classes[kind] = fuzz_u8(in) % 8;
        setup->th1[kind] = fuzz_u8(in) % 8;
        setup->th2[kind] = setup->th1[kind] + fuzz_u8(in) % 8;
    }
    while (in->left > 0 && num < EVENTS_MAX) {
        struct fal_ep_event *e = &events[num++];

        at = fuzz_u8(in);
        now += at >> 6;
        *e = (struct fal_ep_event){.at_ns = now, .number = num};
        e->point = (enum fal_ep_point)((at & 63) % (FAL_EP_WIRE + 1));
        e->act = (enum fal_ep_act)(fuzz_u8(in) % (FAL_EP_MOVE + 1));
        e->kind = (enum fal_ep_kind)(fuzz_u8(in) % FAL_EP_KINDS);
        e->queue = (enum fal_ep_queue)(e->kind % 3);
        e->flow = fuzz_u8(in) % 5;
        e->slice = e->processor = fuzz_u8(in) % 4;
        e->from = (enum fal_ep_state)(e->kind % 6);
        e->klass = fuzz_u8(in) % 9;
        e->to = (enum fal_ep_state)(e->klass % 6);
        e->cause = (enum fal_ep_cause)(e->flow % 5);
        e->seq = e->occupancy = fuzz_u8(in) % 16;
        e->count = fuzz_u8(in) % 6;
        e->last_seq = e->seq + e->count;
        e->bytes = e->digest = e->rate_bps = e->count;
    }
    return num;
}

/* ---- */

static struct fal_ep_judge *judge(const struct fal_ep_setup *setup,
                                  const struct fal_ep_event *events, size_t num)
{
    struct fal_ep_judge *j = fal_ep_judge_new(setup);

    for (size_t i = 0; j != NULL && i < num; i++)
        fal_ep_judge_event(j, &events[i]);
    if (j != NULL)
        fal_ep_judge_end(j);
    return j;
}

static void compare(const struct fal_tally *a, const struct fal_tally *b)
{
    for (size_t i = 0; i < a->num_rules; i++)
        if (a->rows[i].held != b->rows[i].held || a->rows[i].broken != b->rows[i].broken ||
            a->rows[i].excused != b->rows[i].excused)
            fuzz_broken("events: %s is judged otherwise the second time", a->rules[i].id);
}

void fuzz_events(const uint8_t *data, size_t size)
{
    struct fal_ep_event *events = calloc(EVENTS_MAX, sizeof *events);
    struct fal_ep_setup setup = {0};
    struct fuzz_reader in = {data, size};
    struct fal_ep_judge *once, *twice;
    size_t num;

    if (events == NULL)
        return;
    num = (fuzz_u8(&in) & 1) != 0 ? read_lines((const char *)in.at, in.left, &setup, events)
                                  : read_bytes(&in, &setup, events);
    once = judge(&setup, events, num);
    twice = judge(&setup, events, num);
    if (once != NULL && twice != NULL)
        compare(fal_ep_judge_tally(once), fal_ep_judge_tally(twice));
    fal_ep_judge_free(once);
    fal_ep_judge_free(twice);
    free(events);
}
