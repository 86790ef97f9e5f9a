/* SPDX-License-Identifier: Apache-2.0
 * path_falcon.c - what Falcon itself shows of a path without an echo: the round trip of a pull
 * including the SUT's turnaround (an upper bound), hops and CE marks as ACKs report them
 * (7.7.1), and how many requests were answered at the first attempt. */
#include "harness/site/path_check.h"

#include "harness/session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
    CID = 0x7a7a7,
    FUNCTION = 1,
    LENGTH = 8,
    MARKED = 8, /* number of pulls that are sent with CE */
    CE = 3,
    PATIENCE_MS = 200,
    ACKS_MS = 50, /* time for delayed acknowledgements to arrive */
    P99 = 99,
    PERCENT = 100,
};

struct told {
    int hops;
    uint32_t ce;
    bool any;
};

/* The fields of the newest ACK. */
static struct told last_ack(const struct tl_session *session)
{
    struct told told = {.hops = -1};

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);

        if (packet == NULL || packet->dir != FAL_FROM_SUT || packet->header_len <= 0 ||
            (packet->falcon.packet_type != FAL_BACK && packet->falcon.packet_type != FAL_EACK))
            continue;
        told = (struct told){
            .hops = packet->falcon.hop_count, .ce = packet->falcon.ecn_rx_count, .any = true};
    }
    return told;
}

/* The time of the newest packet of that kind; FAL_NEVER: none since `first`. */
static uint64_t when(const struct tl_session *session, uint64_t first, enum fal_dir dir,
                     enum fal_packet_type type, uint32_t *count)
{
    uint64_t t_ns = FAL_NEVER;

    *count = 0;
    for (uint64_t i = first; i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);

        if (packet == NULL || packet->dir != dir || packet->header_len <= 0 ||
            packet->falcon.packet_type != type)
            continue;
        if (++*count == 1)
            t_ns = packet->t_ns;
    }
    return t_ns;
}

/* One pull, from its request to its data. Returns 1: answered, with *rtt_ns; 0: not in time. */
static int pull(struct tl_session *session, uint64_t tag, struct tl_path_one *out,
                uint64_t *rtt_ns)
{
    const struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                       .conn = session->conn,
                                       .op = FAL_OP_PULL,
                                       .tag = tag,
                                       .length = LENGTH};
    uint64_t first = session->packets.next, until, asked, answered = FAL_NEVER;
    uint32_t asks = 0, answers = 0;

    if (tl_session_input(session, &in, NULL) != 0)
        return 0;
    until = tl_session_now(session) + PATIENCE_MS * FAL_MS;
    while (session->broken.reason == TL_REASON_NONE && answered == FAL_NEVER &&
           !tl_session_pump(session, until))
        answered = when(session, first, FAL_FROM_SUT, FAL_PULL_DATA, &answers);
    asked = when(session, first, FAL_TO_SUT, FAL_PULL_REQUEST, &asks);
    out->sent += asks;
    out->received += answers > 0;
    out->duplicates += answers > 1 ? answers - 1 : 0;
    if (asked == FAL_NEVER || answered == FAL_NEVER || asks > 1)
        return 0; /* if a request was sent twice, it is unknown which copy was answered */
    *rtt_ns = answered - asked;
    return 1;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void let_pass(struct tl_session *session, uint64_t ns)
{
    uint64_t until = tl_session_now(session) + ns;

    while (session->broken.reason == TL_REASON_NONE && !tl_session_pump(session, until))
        ;
}

/* Sends some requests with CE: does the SUT count them? */
static void mark_some(struct tl_session *session, uint64_t tag, struct tl_path_one *out)
{
    struct tl_link *link = tl_session_link(session);
    struct told before, after;
    uint64_t none;

    let_pass(session, ACKS_MS * FAL_MS);
    before = last_ack(session);
    for (unsigned i = 0; i < MARKED; i++) {
        link->ops->mark(link, CE, 0);
        (void)pull(session, tag + i, out, &none);
    }
    let_pass(session, ACKS_MS * FAL_MS);
    after = last_ack(session);
    out->hops_to = after.hops;
    if (before.any && after.any && after.ce != before.ce)
        out->ecn_to[CE] =
            CE; /* otherwise marks were lost, or the SUT does not count: unknown */
}

static void pull_all(struct tl_session *session, const struct tl_path_options *options,
                     struct tl_path_one *out)
{
    uint64_t *rtts = calloc(options->probes, sizeof *rtts), rtt_ns;
    uint32_t n = 0;

    if (rtts == NULL) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    for (unsigned i = 0; i < options->probes && session->broken.reason == TL_REASON_NONE; i++) {
        if (pull(session, i + 1, out, &rtt_ns) > 0)
            rtts[n++] = rtt_ns;
        let_pass(session, options->interval_ns);
    }
    if (n > 0) {
        qsort(rtts, n, sizeof *rtts, by_size);
        out->rtt_min_ns = rtts[0];
        out->rtt_median_ns = rtts[n / 2];
        out->rtt_p99_ns = rtts[(uint64_t)n * P99 / PERCENT];
        out->rtt_max_ns = rtts[n - 1];
    }
    free(rtts);
    mark_some(session, options->probes + 1, out);
}

int tl_path_falcon(struct tl_bench *bench, const struct tl_path_options *options,
                   struct tl_path_one *out, struct fal_error *err)
{
    const struct tl_session_config config = {.bench = bench,
                                             .title = "path-check",
                                             .seed = options->seed,
                                             .timeout_ns = 600 * FAL_S,
                                             .late_ns = FAL_S,
                                             .acks = true,
                                             .retransmission = true,
                                             .ulp = true,
                                             .encap = FAL_ENCAP_UDP};
    struct fal_connection setup = {.tester = {.cid = CID, .function = FUNCTION}};
    struct tl_session *session = tl_session_new(&config);
    int rc = 0;

    if (session == NULL) {
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    fal_params_default(&setup.params, bench->caps.live);
    if (tl_session_open(session, &setup, &(struct tl_end_setup){0}) == 0)
        pull_all(session, options, out);
    if (session->broken.reason != TL_REASON_NONE)
        rc = fal_fail(err, FAL_ERR_IO, "%s", session->broken.what.text);
done:
    tl_session_free(session);
    return rc;
}
