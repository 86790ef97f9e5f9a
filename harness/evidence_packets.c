/* SPDX-License-Identifier: Apache-2.0
 * evidence_packets.c - the packets of a case as a capture that says what is wrong with them. */
#include "harness/evidence.h"

#include "codecs/pcapng.h"
#include "harness/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKTYPE_USER0 = 147, TSRESOL_NS = 9, COMMENT_LEN = 1500, PROBLEM_COMMENTS = 6 };

struct writer {
    const struct tl_case *c;
    uint8_t *out;
    size_t len, cap;
    uint8_t *block; /* FAL_PCAPNG_BLOCK_MAX */
};

static bool append(struct writer *w, int len)
{
    size_t n = len > 0 ? (size_t)len : 0;

    if (len <= 0)
        return len == 0;
    if (w->len + n > w->cap) {
        size_t cap = (w->cap + n) * 2;
        uint8_t *grown = realloc(w->out, cap);

        if (grown == NULL)
            return false;
        w->out = grown;
        w->cap = cap;
    }
    memcpy(w->out + w->len, w->block, n);
    w->len += n;
    return true;
}

static bool shows(const struct tl_problem *p, uint64_t event)
{
    for (size_t i = 0; i < p->num_evidence; i++)
        if (p->evidence[i] == event)
            return true;
    return false;
}

static void say_problem(const struct tl_problem *p, char *out, size_t cap)
{
    char step[32] = "";

    if (p->step >= 0)
        (void)snprintf(step, sizeof step, "step %" PRId32 ": ", p->step + 1);
    (void)snprintf(out, cap, "%s: %s%s%s%s%s%s%s%s%s", fal_verdict_name(p->verdict), step,
                   p->rule != NULL ? "rule " : "", p->rule != NULL ? p->rule->id : p->reason,
                   p->expected != NULL ? "; expected " : "",
                   p->expected != NULL ? p->expected : "", p->seen != NULL ? "; seen " : "",
                   p->seen != NULL ? p->seen : "", p->requirement != NULL ? "; " : "",
                   p->requirement != NULL ? p->requirement->id : "");
}

static bool add_packet(struct writer *w, const struct fal_event *event)
{
    char texts[PROBLEM_COMMENTS + 1][COMMENT_LEN];
    const struct fal_ev_packet *packet = &event->u.packet;
    struct fal_pcapng_packet out = {
        .ts_ns = event->t_ns,
        .caplen = packet->len,
        .len = packet->len,
        .bytes = packet->bytes,
        .has_id = true,
        .id = event->index,
        .has_flags = true,
        .flags = packet->dir == FAL_FROM_SUT ? FAL_PCAPNG_INBOUND : FAL_PCAPNG_OUTBOUND,
    };

    for (size_t i = 0; i < w->c->num_problems && out.num_comments < PROBLEM_COMMENTS; i++) {
        char *text = texts[out.num_comments];

        if (!shows(&w->c->problems[i], event->index))
            continue;
        say_problem(&w->c->problems[i], text, COMMENT_LEN);
        out.comments[out.num_comments++] =
            (struct fal_span){(const uint8_t *)text, strlen(text)};
    }
    if (packet->origin == FAL_ORIGIN_STEP && packet->dir == FAL_TO_SUT && packet->step >= 0) {
        char *text = texts[out.num_comments];

        (void)snprintf(text, COMMENT_LEN, "sent by step %" PRId32, packet->step + 1);
        out.comments[out.num_comments++] =
            (struct fal_span){(const uint8_t *)text, strlen(text)};
    }
    return append(w, fal_pcapng_write_packet(&out, w->block, FAL_PCAPNG_BLOCK_MAX));
}

/* A line of the timeline. 0, or FAL_ERR_FORM, FAL_ERR_MEM. */
static int add_line(struct writer *w, const char *line, size_t len,
                    struct fal_event_storage *storage, struct fal_error *err)
{
    json_error_t where;
    struct fal_event event;
    json_t *object;
    int rc;

    if (memmem(line, len, "\"event\":\"packet\"", 16) == NULL)
        return 0;
    object = json_loadb(line, len, 0, &where);
    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "the timeline: %s", where.text);
    rc = fal_event_from_json(object, &event, storage, err);
    if (rc == 0 && event.kind == FAL_EV_PACKET && !add_packet(w, &event))
        rc = fal_fail(err, FAL_ERR_MEM, "the packets: out of memory");
    json_decref(object);
    return rc;
}

static bool begin(struct writer *w)
{
    static const char name[] = "falcon";
    const struct fal_pcapng_interface interface = {
        .linktype = LINKTYPE_USER0,
        .tsresol = TSRESOL_NS,
        .name = {(const uint8_t *)name, sizeof name - 1},
    };

    w->block = malloc(FAL_PCAPNG_BLOCK_MAX);
    return w->block != NULL &&
           append(w, fal_pcapng_write_section("talon " TL_VERSION, w->block,
                                              FAL_PCAPNG_BLOCK_MAX)) &&
           append(w, fal_pcapng_write_interface(&interface, w->block, FAL_PCAPNG_BLOCK_MAX));
}

int tl_evidence_packets(const char *timeline, size_t len, const struct tl_case *c,
                        uint8_t **out, size_t *out_len, struct fal_error *err)
{
    struct writer w = {.c = c};
    struct fal_event_storage storage = {0};
    const char *end = timeline + len;
    int rc = begin(&w) ? 0 : fal_fail(err, FAL_ERR_MEM, "the packets: out of memory");

    while (rc == 0 && timeline < end) {
        const char *newline = memchr(timeline, '\n', (size_t)(end - timeline));
        size_t n = newline != NULL ? (size_t)(newline - timeline) : (size_t)(end - timeline);

        rc = add_line(&w, timeline, n, &storage, err);
        timeline += n + (newline != NULL);
    }
    fal_event_storage_free(&storage);
    free(w.block);
    if (rc != 0) {
        free(w.out);
        return rc;
    }
    *out = w.out;
    *out_len = w.len;
    return 0;
}
