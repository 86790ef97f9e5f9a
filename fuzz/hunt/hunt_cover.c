/* SPDX-License-Identifier: Apache-2.0
 * hunt_cover.c - the features that a case has shown: the states of the two ends as seen in the
 * packets, the events of the upper layers, and the results of the rules. */
#include "fuzz/hunt/hunt.h"

#include "harness/session/session.h"

#include <string.h>

void hunt_feature(struct hunt_features *f, uint16_t feature)
{
    if (f->count[feature] == 0)
        f->found[f->num_found++] = feature;
    if (f->count[feature] < UINT8_MAX)
        f->count[feature]++;
}

static void feature(struct hunt_features *f, uint64_t what)
{
    what *= UINT64_C(0x9e3779b97f4a7c15);
    hunt_feature(f, (uint16_t)((what >> 40) % HUNT_FEATURES));
}

/* None, one, some, many, more than a window of requests. */
static unsigned size_of(uint64_t n)
{
    return n == 0 ? 0 : n == 1 ? 1 : n < 8 ? 2 : n < 64 ? 3 : 4;
}

/* How far one direction has come in its two windows. */
struct way {
    bool begun[2];
    uint32_t next[2], base[2];
};

static unsigned open_in(const struct way *way, unsigned w)
{
    int32_t open = (int32_t)(way->next[w] - way->base[w]);

    return open <= 0 ? 0 : size_of((uint64_t)open);
}

static void claim(struct way *other, unsigned w, uint32_t base)
{
    if (!other->begun[w] || (int32_t)(base - other->base[w]) > 0)
        other->base[w] = base;
}

/* The properties of a packet that make a difference. */
static uint64_t kind_of(const struct fal_falcon *p, struct way *way, uint32_t payload)
{
    uint64_t kind = p->packet_type;
    unsigned w = p->packet_type == FAL_PULL_REQUEST ? 1 : 0;

    switch (p->packet_type) {
    case FAL_PUSH_DATA:
    case FAL_PULL_DATA:
    case FAL_PULL_REQUEST: {
        int32_t ahead = (int32_t)(p->psn - way->next[w]);
        unsigned place = !way->begun[w] || ahead == 0 ? 0 : ahead > 0 ? 1 : 2;

        if (place < 2) {
            way->next[w] = p->psn + 1;
            way->begun[w] = true;
        }
        kind |= (uint64_t)(place | (p->ack_req != 0 ? 4u : 0) | (payload == 0 ? 8u : 0)) << 8;
        break;
    }
    case FAL_RESYNC:
        kind |= (uint64_t)(p->resync_code | (unsigned)p->resync_packet_type << 8) << 8;
        break;
    case FAL_NACK: kind |= (uint64_t)(p->nack_code | (unsigned)p->window << 8) << 8; break;
    case FAL_EACK:
        kind |=
            (uint64_t)(p->own | (p->req_bitmap != 0 ? 4u : 0) |
                       (p->data_ack_bitmap == 0 ? 0 : 8u) | (p->data_rx_bitmap == 0 ? 0 : 16u))
            << 8;
        break;
    default: break;
    }
    return kind;
}

static void packets(struct hunt_features *f, const struct tl_session *session)
{
    struct way ways[2] = {{.begun = {false, false}}};
    uint64_t before = 0;

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        const struct tl_seen_packet *p = tl_session_packet(session, i);
        struct way *way, *other;
        uint64_t kind, state;

        if (p == NULL || p->header_len <= 0)
            continue;
        way = &ways[p->dir];
        other = &ways[1 - p->dir];
        kind = kind_of(&p->falcon, way, p->payload_len) << 1 | (p->dir == FAL_FROM_SUT);
        claim(other, 0, p->falcon.recv_data_base_psn);
        claim(other, 1, p->falcon.recv_req_base_psn);
        state = open_in(&ways[0], 0) | open_in(&ways[0], 1) << 4 | open_in(&ways[1], 0) << 8 |
                (uint64_t)open_in(&ways[1], 1) << 12;
        feature(f, UINT64_C(1) << 60 | kind << 24 | before);
        feature(f, UINT64_C(2) << 60 | kind << 16 | state);
        before = kind & 0x1fff;
    }
}

static void events(struct hunt_features *f, const struct tl_session *session)
{
    for (uint64_t i = tl_session_first_event(session); i < session->events.next; i++) {
        const struct tl_seen_event *e = tl_session_event(session, i);

        if (e == NULL)
            continue;
        feature(f, UINT64_C(4) << 60 | (uint64_t)e->side << 50 | (uint64_t)e->is_cm << 49 |
                       (uint64_t)e->ulp.kind << 40 | (uint64_t)e->ulp.op << 36 |
                       (uint64_t)(e->ulp.code & 0xff) << 16 | (uint64_t)e->ulp.answer << 8 |
                       (uint64_t)(e->is_cm ? (uint8_t)e->what[0] : 0));
    }
}

/* Results stand in the order of the rules, mostly: the next rule's number is near the last. */
static size_t number_of(const struct fal_rule *rule, size_t last)
{
    size_t n;
    const struct fal_rule *const *all = fal_rules(&n);

    for (size_t i = last; i < n && i < last + 2; i++)
        if (all[i] == rule)
            return i;
    return fal_rule_number(rule);
}

static void rules(struct hunt_features *f, const struct tl_session *session)
{
    const struct fal_rule_result *r;
    size_t number = 0;

    for (size_t i = 0; (r = fal_judge_result(session->judge, i)) != NULL; i++) {
        uint64_t rule = UINT64_C(5) << 60 |
                        (uint64_t)(number = number_of(r->rule, number)) << 20 |
                        (uint64_t)r->subject << 19;

        feature(f, rule | size_of(r->holds) << 8 | 1);
        feature(f, rule | size_of(r->undecided) << 8 | 2);
        for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
            if (r->excused[e] > 0)
                feature(f, rule | size_of(r->excused[e]) << 8 | (3 + e));
    }
}

void hunt_features_of(struct hunt_features *f, const struct tl_session *session)
{
    while (f->num_found > 0)
        f->count[f->found[--f->num_found]] = 0;
    f->packets = session->packets.next;
    packets(f, session);
    events(f, session);
    rules(f, session);
}

static uint8_t class_of(uint8_t count)
{
    return count == 1 ? 1 : count < 16 ? 2 : 4;
}

/* Adds one count that is not 0. Returns whether it is new. */
static bool add_count(uint8_t *known, uint8_t count, size_t *all)
{
    uint8_t bit = class_of(count);

    if ((*known & bit) == bit)
        return false;
    *all += *known == 0;
    *known |= bit;
    return true;
}

/* Most of a map is zero: eight at a time. */
static size_t add(uint8_t *classes, const uint8_t *counts, size_t len, size_t *all)
{
    size_t fresh = 0;

    for (size_t at = 0; at < len; at += 8) {
        uint64_t eight;

        memcpy(&eight, counts + at, 8);
        for (size_t i = at; eight != 0 && i < at + 8; i++)
            fresh += counts[i] != 0 && add_count(&classes[i], counts[i], all);
    }
    return fresh;
}

size_t hunt_seen_add(struct hunt_seen *seen, const struct hunt_features *f, const uint8_t *map,
                     size_t map_len)
{
    size_t fresh = 0;

    for (size_t i = 0; i < f->num_found; i++)
        fresh += add_count(&seen->classes[f->found[i]], f->count[f->found[i]], &seen->features);
    if (map != NULL && seen->edges != NULL && map_len <= seen->num_edges)
        fresh += add(seen->edges, map, map_len & ~(size_t)7, &seen->edges_seen);
    return fresh;
}
