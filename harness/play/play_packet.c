/* SPDX-License-Identifier: Apache-2.0
 * play_packet.c - plays send, expect and expect_none. */
#include "harness/play/players.h"

#include "codecs/base/time_text.h"
#include "codecs/text/text.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DRAIN_MAX = 64 /* frames taken before a packet is sent on a live link */ };

/* ---- send ---- */

static bool planned_ns(struct tl_interp *interp, const struct tl_step *step, uint64_t *at)
{
    uint64_t ns = 0;

    if (step->time != FAL_TIME_NONE && !tl_interp_duration(interp, &step->from, &ns))
        return false;
    switch (step->time) {
    case FAL_TIME_AFTER: *at = interp->anchor.late_ns + ns; break;
    case FAL_TIME_AT:
        *at = (step->anchor >= 0 ? interp->moments[step->anchor].late_ns
                                 : interp->start_late_ns) +
              ns;
        break;
    case FAL_TIME_NONE:
    case FAL_TIME_WITHIN:
    case FAL_TIME_RANGE:
        *at = tl_session_now(interp->session); /* when its turn comes */
        break;
    }
    return true;
}

/* Makes the payload that the line's part for the upper layer describes at `out`; its length, or
 * -1 with the reason told. A push without len= gets that length. */
static long long ulp_payload(struct tl_interp *interp, const struct tl_step *step,
                             struct fal_falcon *packet, uint8_t *out)
{
    const struct fal_pattern *pattern = step->u.send.pattern;
    struct tl_session *session = interp->session;
    struct fal_relative rel = tl_session_relative(session, FAL_TO_SUT);
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_ulp_payload part;
    struct fal_error err = {{0}};
    size_t len;

    if (fal_pattern_ulp(pattern, &rel, &vars, packet, &part, &err) != 0) {
        tl_interp_unplayable(interp, err.text);
        return -1;
    }
    len = fal_ulp_payload_len(&part);
    if (len > TL_PAYLOAD_MAX) {
        tl_interp_unplayable(interp, "the packet cannot be encoded");
        return -1;
    }
    if (packet->packet_type == FAL_PUSH_DATA && fal_pattern_payload_len(pattern, packet) < 0)
        packet->request_length = (uint16_t)len;
    return (long long)fal_ulp_payload_write(&part, packet->rsn, session->config.seed, out, len);
}

/* Makes the payload of the step's packet behind the room for the longest header; its length, or
 * -1 with the reason told. */
static long long payload_of(struct tl_interp *interp, const struct tl_step *step,
                            struct fal_falcon *packet)
{
    const struct fal_pattern *pattern = step->u.send.pattern;
    struct tl_session *session = interp->session;
    uint8_t *out = session->scratch + FAL_HEADER_MAX;
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_error err = {{0}};
    long long len, made = 0;

    if (fal_pattern_payload_now(pattern, &vars, &len, &err) != 0) {
        tl_interp_unplayable(interp, err.text);
        return -1;
    }
    if (len < 0)
        len = fal_pattern_payload_len(pattern, packet);
    if (len > TL_PAYLOAD_MAX) {
        tl_interp_unplayable(interp, "the packet cannot be encoded");
        return -1;
    }
    if (step->u.send.payload != NULL) {
        if (len < 0 && packet->packet_type == FAL_PUSH_DATA)
            packet->request_length = (uint16_t)step->u.send.payload_len;
        memcpy(out, step->u.send.payload, step->u.send.payload_len);
        return (long long)step->u.send.payload_len;
    }
    if (pattern->ulp.protocol != 0) {
        made = ulp_payload(interp, step, packet, out);
        if (made < 0 || len < 0)
            return made;
        if (made < len)
            memset(out + made, 0, (size_t)(len - made));
        return len; /* payload_len= says how much of it is sent */
    }
    if (len < 0)
        len = 0;
    fal_payload_fill(packet->rsn, session->config.seed, out, (size_t)len);
    return len;
}

/* The bytes of the step's packet, in the session's scratch: what the endpoint would send now,
 * with the given fields. Returns their length, 0 when it cannot be built; *header gets the
 * header's. */
static size_t build(struct tl_interp *interp, const struct tl_step *step,
                    struct fal_falcon *packet, size_t *header)
{
    const struct fal_pattern *pattern = step->u.send.pattern;
    struct tl_session *session = interp->session;
    struct fal_relative rel = tl_session_relative(session, FAL_TO_SUT);
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    const struct fal_field *bad = NULL;
    struct fal_error err = {{0}};
    struct fal_falcon probe;
    uint64_t type = 0;
    long long len;
    int rc;

    (void)fal_name_find(&fal_names_packet_type, pattern->layout->name, &type);
    if (fal_endpoint_draft(session->endpoint, session->conn, (enum fal_packet_type)type,
                           tl_session_now(session), packet) != 0) {
        tl_interp_unplayable(interp, "the tester's endpoint has no such packet to send now");
        return 0;
    }
    if (fal_pattern_apply(pattern, &rel, &vars, packet, &err) != 0) {
        tl_interp_unplayable(interp, err.text);
        return 0;
    }
    len = payload_of(interp, step, packet);
    if (len < 0)
        return 0;
    /* A packet type that was overwritten must not change the layout it is written in. */
    probe = *packet;
    probe.packet_type = (uint8_t)type;
    rc = fal_falcon_encode(&probe, NULL, 0, session->scratch, FAL_HEADER_MAX, &bad);
    if (rc < 0) {
        tl_interp_unplayable(interp, "the packet cannot be encoded");
        return 0;
    }
    if (probe.packet_type != packet->packet_type)
        (void)pattern->layout->encode(packet, session->scratch);
    /* The payload was made where the longest header ends. */
    memmove(session->scratch + rc, session->scratch + FAL_HEADER_MAX, (size_t)len);
    *header = (size_t)rc;
    return (size_t)rc + (size_t)len;
}

/* Whether no peer could take it for what it is. */
static bool is_broken(const struct tl_malform *m)
{
    return m != NULL && (m->has_truncate || m->has_pad || m->has_flip ||
                         m->damage != TL_DAMAGE_NONE || tl_flaw_bad(m->carrier) != FAL_BAD_NOT);
}

/* Sent in the endpoint's name, unless the step says otherwise or it is no packet of this
 * connection that a peer could take. */
static bool to_adopt(const struct tl_interp *interp, const struct tl_step *step,
                     const struct fal_falcon *packet, size_t payload_len)
{
    if (!step->u.send.adopt || step->u.send.pattern->hex_len > 0 ||
        is_broken(step->u.send.malform) ||
        (step->u.send.seal != NULL && step->u.send.seal->bad != FAL_BAD_NOT))
        return false;
    return packet->version == 1 && packet->dest_cid == interp->session->connection.sut.cid &&
           fal_falcon_layout(packet->packet_type) == step->u.send.pattern->layout &&
           (packet->packet_type != FAL_PUSH_DATA || packet->request_length == payload_len);
}

/* Breaks the packet as the step says; its new length, 0 when that cannot be. */
static size_t break_packet(struct tl_interp *interp, const struct tl_malform *m, size_t len)
{
    uint8_t *bytes = interp->session->scratch;
    uint64_t n;

    if (m->has_truncate) {
        if (!tl_interp_number(interp, &m->truncate, &n))
            return 0;
        if (n >= len) {
            tl_interp_unplayable(interp, "truncate: nothing of the packet would be left");
            return 0;
        }
        len -= (size_t)n;
    }
    if (m->has_pad) {
        if (!tl_interp_number(interp, &m->pad, &n))
            return 0;
        if (len > TL_PAYLOAD_MAX || n > TL_PAYLOAD_MAX - len) {
            tl_interp_unplayable(interp, "pad: more than 65535 bytes");
            return 0;
        }
        memset(bytes + len, 0, (size_t)n);
        len += (size_t)n;
    }
    if (m->has_flip) {
        if (!tl_interp_number(interp, &m->flip, &n))
            return 0;
        if (n / 8 >= len) {
            tl_interp_unplayable(interp, "flip: the packet has no such bit");
            return 0;
        }
        bytes[n / 8] ^= (uint8_t)(0x80 >> (n % 8));
    }
    return len;
}

/* Damaging a seal needs a sealed connection. */
static bool link_can(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_malform *m = step->u.send.malform;
    struct tl_miss *miss;

    if (interp->session->sealer != NULL ||
        (step->u.send.seal == NULL && (m == NULL || m->damage == TL_DAMAGE_NONE)))
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNSUPPORTED, 0);
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "the connection is not sealed (set --encap, or \"encap\" of the "
                   "connection)");
    return false;
}

/* Seals the packet as the tester's endpoint would, with the changes of the step. */
static struct tl_sealing sealing_of(struct tl_interp *interp, const struct tl_step *step)
{
    static const enum tl_spoil spoils[] = {TL_SPOIL_NOTHING, TL_SPOIL_ICV, TL_SPOIL_PAYLOAD,
                                           TL_SPOIL_HEADER,  TL_SPOIL_CUT, TL_SPOIL_FLAGS,
                                           TL_SPOIL_CLEAR};
    const struct tl_malform *m = step->u.send.malform;
    const struct tl_seal_setup *seal = step->u.send.seal;
    struct tl_sealing how = tl_session_sealing(interp->session);
    uint64_t value;

    if (m != NULL && m->damage != TL_DAMAGE_NONE) {
        how.spoil = spoils[m->damage];
        how.bad = FAL_BAD_SEAL;
    }
    if (m != NULL && tl_flaw_bad(m->carrier) != FAL_BAD_NOT)
        how.bad = tl_flaw_bad(m->carrier); /* noticed first */
    if (seal == NULL)
        return how;
    tl_interp_bind(interp, "spi", how.seal.spi, TL_INTEGER);
    if (seal->has_spi && tl_interp_number(interp, &seal->spi, &value))
        how.seal.spi = (uint32_t)value;
    if (seal->has_vc && tl_interp_number(interp, &seal->vc, &value)) {
        how.seal.has_vc = true;
        how.seal.vc = value;
    }
    if (seal->has_older && tl_interp_duration(interp, &seal->older, &value))
        how.seal.iv -= how.seal.iv > value * 1000 ? value * 1000 : how.seal.iv;
    if (seal->has_behind && tl_interp_duration(interp, &seal->behind, &value))
        how.seal.iv = interp->session->newest_iv - value * 1000;
    if (seal->has_ahead && tl_interp_duration(interp, &seal->ahead, &value))
        how.seal.iv = interp->session->newest_iv + value * 1000;
    if (seal->clear)
        how.seal = (struct fal_seal){.flaw = FAL_SEAL_NONE};
    if (seal->bad != FAL_BAD_NOT && !tl_bad_below(how.bad))
        how.bad = seal->bad;
    return how;
}

/* The IP header of the packet that is sent next. */
static bool mark_header(struct tl_interp *interp, const struct tl_ip_setup *ip)
{
    uint64_t ttl = 0, ecn = 0;

    if ((ip->has_ttl && !tl_interp_number(interp, &ip->ttl, &ttl)) ||
        (ip->has_ecn && !tl_interp_number(interp, &ip->ecn, &ecn)))
        return false;
    if (ttl > UINT8_MAX || (ip->has_ttl && ttl == 0) || ecn > 3) {
        tl_interp_unplayable(interp, "ip: ttl is 1 to 255, ecn 0 to 3");
        return false;
    }
    tl_session_mark_frame(interp->session, ip->has_ecn ? (int)ecn : -1, (unsigned)ttl);
    return true;
}

/* The faults in the headers that carry the packet; false: the link cannot send them. */
static bool spoil_carrier(struct tl_interp *interp, const struct tl_malform *m)
{
    struct tl_link *link = tl_session_link(interp->session);
    const char *why = "links of this type do not support it";
    struct tl_miss *miss;

    if (m == NULL || m->carrier == TL_FLAW_NONE)
        return true;
    if (link->ops->spoil != NULL)
        why = link->ops->spoil(link, m->carrier);
    if (why == NULL)
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNOFFERED, 0);
    (void)snprintf(miss->seen, sizeof miss->seen, "this link cannot send %s: %s",
                   tl_flaw_names[m->carrier], why);
    return false;
}

/* Sends the `len` bytes in scratch in the name of the present step. When they left. */
static uint64_t send_bytes(struct tl_interp *interp, size_t len, const struct tl_sealing *how)
{
    struct tl_packet packet = tl_packet_of(interp->session->scratch, len);

    packet.origin = FAL_ORIGIN_STEP;
    packet.step = (int32_t)interp->step;
    return tl_session_send(interp->session, &packet, how);
}

static void send_now(struct tl_interp *interp, const struct tl_step *step)
{
    struct tl_session *session = interp->session;
    const struct fal_pattern *pattern = step->u.send.pattern;
    uint64_t before = tl_session_now(session), sent;
    struct fal_falcon packet = {0};
    struct tl_sealing how;
    size_t header = 0, len = pattern->hex_len;

    if (len > 0)
        memcpy(session->scratch, pattern->hex, len);
    else
        len = build(interp, step, &packet, &header);
    if (len > 0 && step->u.send.malform != NULL)
        len = break_packet(interp, step->u.send.malform, len);
    if (len == 0)
        return;
    if ((step->u.send.ip != NULL && !mark_header(interp, step->u.send.ip)) ||
        !spoil_carrier(interp, step->u.send.malform))
        return;
    /* scratch is used again by what follows the send, so the endpoint is told first; it answers
     * nothing before the next input. */
    if (to_adopt(interp, step, &packet, len - header) &&
        fal_endpoint_adopt(session->endpoint, session->conn, &packet, session->scratch + header,
                           len - header, before) == FAL_ERR_MEM)
        tl_session_break(session, TL_REASON_MEMORY, "the tester's endpoint: out of memory");
    how = sealing_of(interp, step);
    sent = send_bytes(interp, len, &how);
    tl_interp_moment(interp, before, sent, session->packets.next);
    interp->anchor.since_ns = interp->anchor.from_ns = sent;
    tl_session_drain(session);
}

bool tl_play_send(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    struct tl_session *session = interp->session;
    bool live = tl_session_live(session), timed = step->time != FAL_TIME_NONE;
    uint64_t now;

    if (fresh && !planned_ns(interp, step, &interp->wake_ns))
        return true;
    now = tl_session_now(session); /* not before it is planned: a reaction is played once */
    if (now < interp->wake_ns)
        return false;
    /* On a live link what has arrived meanwhile is read first, so that the timeline keeps its
     * order. */
    if (live && !idle && interp->drained++ < DRAIN_MAX)
        return false;
    if (live && timed && now - interp->wake_ns > session->config.late_ns) {
        struct tl_miss *miss =
            tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_TESTER_LATE, 0);

        tl_session_late(session, now - interp->wake_ns);
        (void)snprintf(miss->why, sizeof miss->why,
                       "the tester would have sent %s after its time",
                       fal_time_rounded(now - interp->wake_ns).text);
        return true;
    }
    if (link_can(interp, step))
        send_now(interp, step);
    return true;
}

/* ---- expect ---- */

struct capture {
    struct tl_interp *interp;
    const struct fal_pattern *pattern;
};

/* Binds @name; its type is that of its field: of an RNR timeout, the delay. */
static void bind_capture(void *ctx, const char *name, fal_u128 value)
{
    const struct capture *capture = ctx;
    const struct fal_pattern *pattern = capture->pattern;
    enum tl_expr_type type = TL_INTEGER;

    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_term *term = &pattern->terms[pattern->items[i].term];
        const struct fal_field *field = pattern->items[i].field;

        if (term->kind != FAL_TERM_CAPTURE || strcmp(term->var, name) != 0)
            continue;
        if (field->kind == FAL_PSN || field->kind == FAL_RSN)
            type = TL_SEQUENCE;
        if (strcmp(field->name, "rnr_timeout") == 0) {
            type = TL_TIME;
            value = fal_rnr_timeout_ns((unsigned)value);
        }
    }
    tl_interp_bind(capture->interp, name, value, type);
}

/* Whether the data of the upper layer are the bytes that the line names; their number fits. */
static int data_fits(struct tl_interp *interp, const struct fal_pattern *pattern,
                     const struct tl_seen_packet *packet, struct fal_error *why)
{
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_ulp_payload due;

    if (!pattern->ulp.has_tag)
        return 1;
    if (fal_pattern_data(pattern, &vars, &due, NULL) != 0)
        return 0;
    if (fal_ulp_payload_hash(&due, interp->session->config.seed) == packet->data_hash)
        return 1;
    return fal_fail(why, 0,
                    "data: the %" PRIu32 " bytes are not those of tag %" PRIu64
                    " from byte %" PRIu32,
                    due.data_len, due.tag, due.offset);
}

int tl_interp_fits(struct tl_interp *interp, const struct fal_pattern *pattern,
                   const struct tl_seen_packet *packet, bool take, struct fal_error *why)
{
    struct fal_relative rel = tl_session_relative(interp->session, packet->dir);
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct capture capture = {interp, pattern};
    struct fal_ulp ulp;
    struct fal_seen_packet seen = {&packet->falcon, packet->payload_len, NULL};
    struct fal_error differs;
    int rc;

    if (pattern->hex_len > 0)
        return packet->len == pattern->hex_len && packet->len <= TL_FRAME_HEAD &&
               memcmp(packet->head, pattern->hex, pattern->hex_len) == 0;
    if (packet->header_len <= 0)
        return 0;
    if (pattern->ulp.protocol != 0) {
        tl_session_ulp(packet, &ulp);
        seen.ulp = &ulp;
    }
    rc = fal_pattern_match(pattern, &rel, &vars, &seen,
                           take ? &(struct fal_capture){bind_capture, &capture} : NULL,
                           why != NULL ? &differs : NULL);
    if (rc < 0) {
        FAL_IGNORE(fal_pattern_match(pattern, &rel, &vars, &seen, NULL, &differs));
        tl_interp_unplayable(interp, differs.text);
    }
    if (rc == 1)
        rc = data_fits(interp, pattern, packet, why != NULL ? &differs : NULL);
    if (rc == 0 && why != NULL &&
        (pattern->any_type || pattern->layout == fal_falcon_layout(packet->falcon.packet_type)))
        tl_exprs_reveal(&interp->scenario->exprs, differs.text, why->text, sizeof why->text);
    return rc < 0 ? -1 : rc;
}

/* Whether the packet is one of those; `why` gets the first difference to the pattern that is of
 * its type. */
static bool matches(struct tl_interp *interp, const struct tl_step *step,
                    const struct tl_seen_packet *packet, bool take, struct fal_error *why)
{
    for (size_t i = 0; i < step->u.expect.count; i++)
        if (tl_interp_fits(interp, step->u.expect.any_of[i], packet, take, why) == 1)
            return true;
    return false;
}

/* Of the packets that arrived since the last match, the one most like the expected packet: the
 * newest of an expected type, else the newest. */
void tl_nearest_packet(struct tl_interp *interp, const struct tl_step *step,
                       struct tl_miss *miss)
{
    const struct tl_session *session = interp->session;
    const struct tl_seen_packet *best = NULL;
    struct fal_error why = {{0}};
    uint64_t from = interp->next_packet;

    if (from < tl_session_first_packet(session))
        from = tl_session_first_packet(session);
    for (uint64_t n = session->packets.next; n-- > from;) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);
        struct fal_error differs = {{0}};

        if (packet->dir != FAL_FROM_SUT)
            continue;
        (void)matches(interp, step, packet, false, &differs);
        if (best == NULL || differs.text[0] != 0) {
            best = packet;
            miss->packet = n;
            why = differs;
        }
        if (differs.text[0] != 0)
            break;
    }
    if (best == NULL) {
        (void)snprintf(miss->seen, sizeof miss->seen, "nothing from the SUT");
        return;
    }
    tl_session_print(session, best, miss->seen, sizeof miss->seen);
    miss->other_type = why.text[0] == 0;
    (void)snprintf(miss->why, sizeof miss->why, "%s",
                   miss->other_type ? "it is of another type" : why.text);
}

static void wrong_time(struct tl_interp *interp, const struct tl_seen_packet *packet,
                       uint64_t number)
{
    struct tl_session *session = interp->session;
    bool early = packet->t_ns < interp->earliest_ns;
    uint64_t by =
        early ? interp->earliest_ns - packet->t_ns : packet->t_ns - interp->deadline_ns;
    /* A late arrival may be the path's doing, or a busy machine's. */
    struct tl_miss *miss = tl_interp_missed(
        interp, early || !tl_session_live(session) ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC,
        early ? TL_REASON_TOO_EARLY : TL_REASON_LATE, 0);

    if (early)
        tl_interp_early(interp, miss, by);
    miss->packet = number;
    miss->t_ns = packet->t_ns;
    tl_session_print(session, packet, miss->seen, sizeof miss->seen);
    (void)snprintf(miss->why, sizeof miss->why, "it arrived %s too %s", fal_time_text(by).text,
                   early ? "early" : "late");
}

uint64_t tl_find_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                        uint64_t earliest_ns, uint64_t deadline_ns)
{
    struct tl_session *session = interp->session;
    uint64_t n = from;

    if (n < tl_session_first_packet(session))
        n = tl_session_first_packet(session);
    for (; n < session->packets.next; n++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);

        if (packet->dir == FAL_FROM_SUT && packet->t_ns >= earliest_ns &&
            packet->t_ns <= deadline_ns && matches(interp, step, packet, false, NULL))
            return n;
    }
    return UINT64_MAX;
}

void tl_take_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t number)
{
    const struct tl_seen_packet *packet = tl_session_packet(interp->session, number);

    (void)matches(interp, step, packet, true, NULL);
    tl_interp_note_copy(interp, number);
    if (interp->next_packet <= number)
        interp->next_packet = number + 1;
    if (packet->t_ns < interp->earliest_ns || packet->t_ns > interp->deadline_ns)
        wrong_time(interp, packet, number);
    else if (interp->answered != NULL && packet->t_ns >= interp->anchor.since_ns)
        interp->answered(interp->answered_ctx, packet->t_ns - interp->anchor.since_ns);
    /* It left before it arrived, but after what it answers. */
    tl_interp_matched(interp, packet->t_ns);
    interp->anchor.packet = number + 1;
    interp->anchor.since_ns = interp->anchor.from_ns = packet->t_ns;
}

/* Takes the first packet from the SUT that fits, among those that no earlier step has taken. */
static bool take_packet(struct tl_interp *interp, const struct tl_step *step)
{
    uint64_t n = tl_find_packet(interp, step, interp->scanned, 0, FAL_NEVER);

    if (n == UINT64_MAX) {
        interp->scanned = interp->session->packets.next;
        return false;
    }
    if (interp->state == TL_INTERP_RUNNING)
        tl_take_packet(interp, step, n);
    return true;
}

bool tl_play_expect(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    struct tl_session *session = interp->session;
    bool live = tl_session_live(session);
    struct tl_miss *miss;

    if (fresh) {
        if (!tl_interp_window(interp, step))
            return true;
        interp->scanned = interp->next_packet;
        interp->wake_ns = interp->deadline_ns + (live ? TL_GRACE_NS : 0);
    }
    if (take_packet(interp, step) || interp->state != TL_INTERP_RUNNING)
        return true;
    if (!idle || tl_session_now(session) < interp->wake_ns)
        return false;
    miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, interp->anchor.early_ns);
    miss->needs_lossless = true;
    miss->loss = TL_REASON_OUT_LOSS;
    tl_nearest_packet(interp, step, miss);
    return true;
}

/* ---- expect_none ---- */

bool tl_play_expect_none(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle)
{
    struct tl_session *session = interp->session;
    uint64_t ns;

    if (fresh) {
        if (!tl_interp_duration(interp, &step->from, &ns))
            return true;
        interp->wake_ns = interp->anchor.from_ns + ns;
        interp->scanned = interp->anchor.packet;
    }
    if (interp->scanned < tl_session_first_packet(session))
        interp->scanned = tl_session_first_packet(session);
    for (; interp->scanned < session->packets.next; interp->scanned++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, interp->scanned);
        struct tl_miss *miss;

        /* A frame that the kernel stamped before the trigger is not an answer to it. */
        if (packet->dir != FAL_FROM_SUT || packet->t_ns > interp->wake_ns ||
            packet->t_ns < interp->anchor.since_ns ||
            !matches(interp, step, packet, false, NULL))
            continue;
        miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, 0);
        miss->needs_lossless = true;
        miss->loss = TL_REASON_IN_LOSS;
        miss->packet = interp->scanned;
        miss->t_ns = packet->t_ns;
        tl_interp_unexpected(interp, miss, interp->anchor.from_ns, interp->wake_ns);
        tl_session_print(session, packet, miss->seen, sizeof miss->seen);
        return true;
    }
    if (interp->state != TL_INTERP_RUNNING)
        return true;
    if (!idle || tl_session_now(session) < interp->wake_ns)
        return false;
    tl_interp_nothing_came(interp);
    return true;
}
