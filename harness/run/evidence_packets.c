/* SPDX-License-Identifier: Apache-2.0
 * evidence_packets.c - the packets of a case as a capture whose comments state what is wrong
 * with them. */
#include "harness/run/evidence.h"

#include "codecs/frame/checksum.h"
#include "codecs/header/headers.h"
#include "codecs/pcapng/pcapng.h"
#include "harness/doc/version.h"
#include "oracles/timeline_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINKTYPE_RAW = 101,
    TSRESOL_NS = 9,
    COMMENT_LEN = 1500,
    PROBLEM_COMMENTS = 6,
    FALCON_PORT = 7777,
    HEADERS_LEN = 28,
    FALCON_MAX = 65507,
};
/* RFC 5737: addresses that no host has. The capture adds them and the ports to the packets, so
 * that any reader can show the two ends by name. */
#define TESTER_ADDRESS UINT32_C(0xc0000201)
#define SUT_ADDRESS    UINT32_C(0xc0000202)

struct writer {
    const struct tl_case *c;
    bool begun;
    uint8_t *frame; /* HEADERS_LEN + FALCON_MAX */
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
    (void)snprintf(
        out, cap, "%s: %s%s%s%s%s%s%s%s%s", fal_verdict_name(p->verdict), step,
        p->rule != NULL ? "rule " : "", p->rule != NULL ? p->rule->id : p->reason.word,
        p->expected != NULL ? "; expected " : "", p->expected != NULL ? p->expected : "",
        p->seen != NULL ? "; seen " : "", p->seen != NULL ? p->seen : "",
        p->requirement != NULL ? "; " : "", p->requirement != NULL ? p->requirement->id : "");
}

/* The packet in IPv4 and UDP; returns the frame's length. */
static uint32_t put_around(struct writer *w, const struct fal_ev_packet *packet)
{
    bool to_sut = packet->dir == FAL_TO_SUT;
    uint32_t len = packet->len < FALCON_MAX ? packet->len : FALCON_MAX;
    size_t ip_len = fal_ipv4_layout.size_bytes;
    uint8_t *at = w->frame + ip_len;
    struct fal_ipv4 ip;
    struct fal_udp udp;

    fal_layout_init(&fal_ipv4_layout, &ip);
    ip.src = to_sut ? TESTER_ADDRESS : SUT_ADDRESS;
    ip.dst = to_sut ? SUT_ADDRESS : TESTER_ADDRESS;
    ip.total_length = (uint16_t)(HEADERS_LEN + len);
    fal_ipv4_layout.encode(&ip, w->frame);
    ip.header_checksum = fal_checksum(w->frame, ip_len);
    fal_ipv4_layout.encode(&ip, w->frame);
    fal_layout_init(&fal_udp_layout, &udp);
    udp.src_port =
        packet->path > 0 && packet->path <= UINT16_MAX ? (uint16_t)packet->path : FALCON_PORT;
    udp.dst_port = FALCON_PORT;
    udp.length = (uint16_t)(fal_udp_layout.size_bytes + len);
    fal_udp_layout.encode(&udp, at);
    memcpy(at + fal_udp_layout.size_bytes, packet->bytes, len);
    udp.checksum = fal_checksum_udp4(&ip, at, udp.length);
    /* Its receiver must drop it. The wrong checksum says so to every reader of the capture. */
    if (packet->bad != FAL_BAD_NOT)
        udp.checksum = udp.checksum == UINT16_MAX ? 1 : (uint16_t)~udp.checksum;
    fal_udp_layout.encode(&udp, at);
    return HEADERS_LEN + len;
}

/* The id that links a packet to the steps: the step's number, from 1 (0: none), in the upper
 * bits, and the index of its event on the timeline below. */
static uint64_t id_of(const struct fal_event *event)
{
    uint64_t step = event->u.packet.step >= 0 ? (uint64_t)event->u.packet.step + 1 : 0;

    return step << 32 | (event->index & UINT32_MAX);
}

static struct fal_span span_of(const char *text)
{
    return (struct fal_span){(const uint8_t *)text, strlen(text)};
}

/* The comments of a packet: the problems that it shows, why its receiver must drop it, and the
 * step that sent or awaited it. */
static void add_comments(const struct writer *w, const struct fal_event *event,
                         char (*texts)[COMMENT_LEN], struct fal_pcapng_packet *out)
{
    const struct fal_ev_packet *packet = &event->u.packet;

    for (size_t i = 0; i < w->c->num_problems && out->num_comments < PROBLEM_COMMENTS; i++) {
        if (!shows(&w->c->problems[i], event->index))
            continue;
        say_problem(&w->c->problems[i], texts[out->num_comments], COMMENT_LEN);
        out->num_comments++;
    }
    if (packet->bad != FAL_BAD_NOT)
        (void)snprintf(texts[out->num_comments++], COMMENT_LEN,
                       "its receiver must drop it (%s); %s", fal_bad_names[packet->bad],
                       fal_bad_requirement(packet->bad));
    if (packet->step >= 0 && (packet->origin == FAL_ORIGIN_STEP || packet->dir == FAL_FROM_SUT))
        (void)snprintf(texts[out->num_comments++], COMMENT_LEN, "%s step %" PRId32,
                       packet->dir == FAL_TO_SUT ? "sent by" : "awaited by", packet->step + 1);
    for (size_t i = 0; i < out->num_comments; i++)
        out->comments[i] = span_of(texts[i]);
}

static bool add_packet(struct writer *w, const struct fal_event *event)
{
    char texts[PROBLEM_COMMENTS + 2][COMMENT_LEN];
    const struct fal_ev_packet *packet = &event->u.packet;
    uint32_t len = put_around(w, packet);
    struct fal_pcapng_packet out = {
        .ts_ns = event->t_ns,
        .caplen = len,
        .len = len,
        .bytes = w->frame,
        .has_id = true,
        .id = id_of(event),
        .has_flags = true,
        .flags = packet->dir == FAL_FROM_SUT ? FAL_PCAPNG_INBOUND : FAL_PCAPNG_OUTBOUND,
    };

    add_comments(w, event, texts, &out);
    return append(w, fal_pcapng_write_packet(&out, w->block, FAL_PCAPNG_BLOCK_MAX));
}

/* A comment about the vantage. */
static bool begin_at(struct writer *w, const char *vantage)
{
    static const struct fal_pcapng_name names[] = {{TESTER_ADDRESS, "tester"},
                                                   {SUT_ADDRESS, "sut"}};
    char description[200], comment[COMMENT_LEN];
    struct fal_pcapng_interface interface = {
        .linktype = LINKTYPE_RAW,
        .tsresol = TSRESOL_NS,
        .name = span_of(vantage),
    };

    (void)snprintf(description, sizeof description,
                   "Falcon packets as seen at the %.20s, opened; nanoseconds since the case "
                   "began; IP and UDP are drawn around them",
                   vantage);
    (void)snprintf(comment, sizeof comment, "%.300s: %.600s; %s", w->c->id,
                   w->c->title != NULL ? w->c->title : "", fal_verdict_name(w->c->verdict));
    interface.description = span_of(description);
    interface.comment = span_of(comment);
    w->begun = true;
    return append(w, fal_pcapng_write_interface(&interface, w->block, FAL_PCAPNG_BLOCK_MAX)) &&
           append(w, fal_pcapng_write_names(names, sizeof names / sizeof *names, w->block,
                                            FAL_PCAPNG_BLOCK_MAX));
}

static bool is_event(const char *line, size_t len, const char *kind)
{
    return memmem(line, len, kind, strlen(kind)) != NULL;
}

/* An event that is a run or a packet. */
static int add_event(struct writer *w, const json_t *object, struct fal_event_storage *storage,
                     struct fal_error *err)
{
    const char *vantage = json_string_value(json_object_get(object, "vantage"));
    struct fal_event event;
    int rc = fal_event_from_json(object, &event, storage, err);
    bool ok = true;

    if (rc != 0)
        return rc;
    if (event.kind == FAL_EV_RUN && !w->begun && vantage != NULL)
        ok = begin_at(w, vantage);
    if (event.kind == FAL_EV_PACKET)
        ok = (w->begun || begin_at(w, "tester")) && add_packet(w, &event);
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "the packets: out of memory");
}

/* A line of the timeline. 0, or FAL_ERR_FORM, FAL_ERR_MEM. */
static int add_line(struct writer *w, const char *line, size_t len,
                    struct fal_event_storage *storage, struct fal_error *err)
{
    json_error_t where;
    json_t *object;
    int rc;

    if (!is_event(line, len, "\"event\":\"packet\"") &&
        !is_event(line, len, "\"event\":\"run\""))
        return 0;
    object = json_loadb(line, len, 0, &where);
    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "the timeline: %s", where.text);
    rc = add_event(w, object, storage, err);
    json_decref(object);
    return rc;
}

static bool begin(struct writer *w)
{
    w->block = malloc(FAL_PCAPNG_BLOCK_MAX);
    w->frame = malloc(HEADERS_LEN + FALCON_MAX);
    return w->block != NULL && w->frame != NULL &&
           append(w, fal_pcapng_write_section("talon " TL_VERSION, w->block,
                                              FAL_PCAPNG_BLOCK_MAX));
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
    if (rc == 0 && !w.begun && !begin_at(&w, "tester"))
        rc = fal_fail(err, FAL_ERR_MEM, "the packets: out of memory");
    fal_event_storage_free(&storage);
    free(w.block);
    free(w.frame);
    if (rc != 0) {
        free(w.out);
        return rc;
    }
    *out = w.out;
    *out_len = w.len;
    return 0;
}
