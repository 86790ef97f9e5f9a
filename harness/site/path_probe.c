/* SPDX-License-Identifier: Apache-2.0
 * path_probe.c - sends probes over one link and evaluates the answers. */
#include "harness/site/path_check.h"

#include "harness/link/echo.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    LATE_MS = 20,
    WAIT_MS = 300, /* wait for a probe that may be lost */
    TRIES = 3,
    BURST_PART = 4,
    PACKET_MAX = 65535,
    LEAST_MTU = 576,
    HEADERS4 = 28, /* IP and UDP */
    HEADERS6 = 48,
    PAYLOAD_MAX = 65000,
    EXCHANGED = 1 << 30, /* numbers of probes that are sent one by one */
    PERCENT = 100,
    P99 = 99,
};

/* CS0, CS1, AF11, AF21, AF31, AF41, EF, CS6 */
const uint8_t tl_path_dscps[TL_PATH_DSCPS] = {0, 8, 10, 18, 26, 34, 46, 48};

struct seen {
    uint64_t sent_ns, rtt_ns;
    uint32_t arrival;
    bool back;
};

struct prober {
    struct tl_link *link;
    struct tl_path_one *out;
    uint32_t run, next, last_arrival;
    uint64_t wait_ns;
    struct seen *seen; /* of the probes of a series */
    uint32_t num;
    uint32_t back;
    uint8_t *bytes;
};

/* ---- one by one ---- */

static int send_probe(struct prober *p, uint32_t number, uint8_t back, size_t len,
                      uint64_t *sent_ns, struct fal_error *err)
{
    const struct tl_probe probe = {.number = number, .back = back, .run = p->run};

    tl_probe_write(&probe, p->bytes);
    return p->link->ops->send(p->link, p->bytes, len, sent_ns, err);
}

/* Waits for the answer to probe `number`. Returns 1: it came; 0: not in time; or an error. */
static int answer_to(struct prober *p, uint32_t number, struct tl_probe *probe,
                     struct tl_link_got *got, struct fal_error *err)
{
    uint64_t until = p->link->ops->now_ns(p->link) + p->wait_ns;

    for (;;) {
        switch (p->link->ops->wait(p->link, until, got)) {
        case TL_LINK_FRAME:
            if (tl_probe_read(got->bytes, got->len, probe) && probe->run == p->run &&
                probe->number == number)
                return 1;
            break;
        case TL_LINK_TIMEOUT: return 0;
        case TL_LINK_LINE:
        case TL_LINK_OTHER: break;
        case TL_LINK_CLOSED:
        case TL_LINK_ERROR: return fal_fail(err, FAL_ERR_IO, "%s", got->error.text);
        }
    }
}

/* Sends a probe up to that many times until it is answered. Returns as answer_to. */
static int exchange(struct prober *p, uint8_t tos, uint8_t back, struct tl_probe *probe,
                    struct tl_link_got *got, struct fal_error *err)
{
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t number = EXCHANGED + p->next++;
        uint64_t sent_ns;
        int rc;

        p->link->ops->dress(p->link, tos >> 2, p->out->flow_label);
        p->link->ops->mark(p->link, tos & 3, TL_PROBE_TTL);
        rc = send_probe(p, number, back, TL_PROBE_LEN, &sent_ns, err);
        if (rc == 0)
            rc = answer_to(p, number, probe, got, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* ---- a series ---- */

static void take(struct prober *p, const struct tl_link_got *got)
{
    struct tl_probe probe;
    struct seen *seen;

    if (!tl_probe_read(got->bytes, got->len, &probe) || probe.run != p->run ||
        probe.number >= p->num)
        return;
    seen = &p->seen[probe.number];
    if (seen->back) {
        p->out->duplicates++;
        return;
    }
    seen->back = true;
    seen->arrival = probe.arrival;
    seen->rtt_ns = got->at_ns > seen->sent_ns ? got->at_ns - seen->sent_ns : 0;
    p->back++;
    if (probe.arrival < p->last_arrival)
        p->out->reordered_back++;
    else
        p->last_arrival = probe.arrival;
}

/* Receives answers until that time, or until that many have come. */
static int collect(struct prober *p, uint32_t enough, uint64_t until_ns, struct fal_error *err)
{
    struct tl_link_got got;

    while (p->back < enough) {
        switch (p->link->ops->wait(p->link, until_ns, &got)) {
        case TL_LINK_FRAME: take(p, &got); break;
        case TL_LINK_TIMEOUT: return 0;
        case TL_LINK_LINE:
        case TL_LINK_OTHER: break;
        case TL_LINK_CLOSED:
        case TL_LINK_ERROR: return fal_fail(err, FAL_ERR_IO, "%s", got.error.text);
        }
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Statistics of the probes that were alone on the wire: the first `paced`. */
static int sum_up(struct prober *p, uint32_t paced, struct fal_error *err)
{
    struct tl_path_one *out = p->out;
    uint64_t *rtts = calloc(paced + 1, sizeof *rtts);
    uint32_t n = 0, newest = 0;

    if (rtts == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (uint32_t i = 0; i < p->num; i++) {
        if (!p->seen[i].back)
            continue;
        if (i < paced)
            rtts[n++] = p->seen[i].rtt_ns;
        if (p->seen[i].arrival < newest)
            out->reordered_to++;
        else
            newest = p->seen[i].arrival;
    }
    out->sent = p->num;
    out->received = p->back;
    if (n > 0) {
        qsort(rtts, n, sizeof *rtts, by_size);
        out->rtt_min_ns = rtts[0];
        out->rtt_median_ns = rtts[n / 2];
        out->rtt_p99_ns = rtts[(uint64_t)n * P99 / PERCENT];
        out->rtt_max_ns = rtts[n - 1];
    }
    free(rtts);
    return 0;
}

static int series(struct prober *p, const struct tl_path_options *o, struct fal_error *err)
{
    struct tl_link *link = p->link;
    uint32_t paced = o->probes, burst = o->probes / BURST_PART;
    uint64_t begin = link->ops->now_ns(link);
    int rc = 0;

    p->num = paced + burst;
    p->seen = calloc(p->num, sizeof *p->seen);
    if (p->seen == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    link->ops->dress(link, 0, p->out->flow_label);
    for (uint32_t i = 0; rc == 0 && i < p->num; i++) {
        rc = send_probe(p, i, 2, TL_PROBE_LEN, &p->seen[i].sent_ns, err);
        if (rc == 0 && i < paced)
            rc = collect(p, p->num, begin + (i + 1) * o->interval_ns, err);
    }
    if (rc == 0)
        rc = collect(p, p->num, link->ops->now_ns(link) + p->wait_ns, err);
    if (rc == 0) /* a duplicate may be the last to arrive */
        rc = collect(p, UINT32_MAX, link->ops->now_ns(link) + LATE_MS * FAL_MS, err);
    if (rc == 0)
        rc = sum_up(p, paced, err);
    free(p->seen);
    p->seen = NULL;
    return rc;
}

/* ---- headers ---- */

static int headers(struct prober *p, struct fal_error *err)
{
    struct tl_path_one *out = p->out;
    struct tl_probe probe = {.number = 0};
    struct tl_link_got got = {.at_ns = 0};
    int rc = 0;

    for (uint8_t ecn = 0; rc >= 0 && ecn < 4; ecn++) {
        rc = exchange(p, ecn, ecn, &probe, &got, err);
        if (rc <= 0)
            continue;
        out->ecn_to[ecn] = probe.seen_tos & 3;
        out->ecn_back[ecn] = got.ecn;
        out->label_seen = probe.flow_label;
        out->hops_to = TL_PROBE_TTL - probe.seen_ttl;
        if (got.ttl > 0)
            out->hops_back = TL_PROBE_TTL - got.ttl;
    }
    for (unsigned i = 0; rc >= 0 && i < TL_PATH_DSCPS; i++) {
        uint8_t tos = (uint8_t)(tl_path_dscps[i] << 2);

        rc = exchange(p, tos, tos, &probe, &got, err);
        if (rc <= 0)
            continue;
        out->dscp_to[i] = probe.seen_tos >> 2;
        out->dscp_back[i] = got.dscp;
    }
    return rc < 0 ? rc : 0;
}

/* ---- MTU ---- */

/* Returns whether an IP packet of that size comes back. */
static int fits(struct prober *p, int size, int overhead, struct fal_error *err)
{
    struct fal_error refused;
    struct tl_probe probe;
    struct tl_link_got got;

    for (unsigned i = 0; i < TRIES - 1; i++) {
        uint32_t number = EXCHANGED + p->next++;
        uint64_t sent_ns;
        int rc;

        if (send_probe(p, number, 2, (size_t)(size - overhead), &sent_ns, &refused) != 0)
            return 0; /* even this host's own interface refuses it */
        rc = answer_to(p, number, &probe, &got, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int find_mtu(struct prober *p, bool ipv6, struct fal_error *err)
{
    static const int usual[] = {LEAST_MTU, 1280, 1500, 4352, 9000, 16384, PAYLOAD_MAX};
    int overhead = ipv6 ? HEADERS6 : HEADERS4, good = 0, bad = PACKET_MAX, rc = 1;
    int hint = p->out->mtu;

    if (hint > 0 && hint < PAYLOAD_MAX) {
        rc = fits(p, hint, overhead, err);
        if (rc > 0 && (rc = fits(p, hint + 1, overhead, err)) == 0)
            return 0;
        rc = rc < 0 ? rc : 1;
    }
    for (size_t i = 0; rc > 0 && i < sizeof usual / sizeof *usual; i++) {
        rc = fits(p, usual[i], overhead, err);
        if (rc > 0)
            good = usual[i];
        else
            bad = usual[i];
    }
    while (rc >= 0 && good > 0 && good < PAYLOAD_MAX && good + 1 < bad) {
        int middle = good + (bad - good) / 2;

        rc = fits(p, middle, overhead, err);
        if (rc > 0)
            good = middle;
        else
            bad = middle;
    }
    p->out->mtu = good > 0 ? good : -1;
    return rc < 0 ? rc : 0;
}

int tl_path_probe(struct tl_link *link, bool ipv6, const struct tl_path_options *options,
                  struct tl_path_one *out, struct fal_error *err)
{
    struct fal_rng rng = fal_rng_split(options->seed, out->port);
    struct prober p = {.link = link,
                       .out = out,
                       .run = (uint32_t)fal_rng_next(&rng),
                       .wait_ns = WAIT_MS * FAL_MS,
                       .bytes = calloc(1, PACKET_MAX)};
    int rc;

    if (p.bytes == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = series(&p, options, err);
    if (rc == 0 && out->received == 0)
        goto done; /* nothing comes back: there is nothing to measure */
    if (rc == 0 && 4 * out->rtt_max_ns > p.wait_ns)
        p.wait_ns = 4 * out->rtt_max_ns;
    else if (rc == 0 && out->received == out->sent && 8 * out->rtt_max_ns < p.wait_ns / 4)
        p.wait_ns /= 4;
    if (rc == 0)
        rc = headers(&p, err);
    if (rc == 0)
        rc = find_mtu(&p, ipv6, err);
done:
    free(p.bytes);
    return rc;
}
