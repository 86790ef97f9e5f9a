/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/rue.h"

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/retransmit.h"

enum {
    BACK_INFO_BITS = 22,
    NACK_INFO_BITS = 24,
    OWN_BITS = 2,
};

enum { PS_PER_NS = 1000 };

static uint64_t gap_ns(const struct fal_rue_config *config, uint32_t gap)
{
    return (uint64_t)gap * config->gap_tick_ps / PS_PER_NS;
}

/* A gap in the unit of results, rounded up, at most what its field holds. */
static uint32_t gap_of(const struct fal_rue_config *config, uint64_t ns)
{
    uint64_t gap = (ns * PS_PER_NS + config->gap_tick_ps - 1) / config->gap_tick_ps;

    if (gap < FAL_CC_GAP_MAX && gap_ns(config, (uint32_t)gap) < ns)
        gap++;
    return gap < FAL_CC_GAP_MAX ? (uint32_t)gap : FAL_CC_GAP_MAX;
}

/* ---- the queue ---- */

/* Sets the configuration, with values for what it leaves out. */
static void configure(struct fal_rue *rue, const struct fal_rue_config *config)
{
    struct fal_rue_config *c = &rue->config;

    *c = *config;
    if (c->depth[0] == 0 && c->depth[1] == 0 && c->depth[2] == 0)
        for (uint32_t i = 0; i < 3; i++)
            c->depth[i] = 256u << i;
    if (c->p1_ns == 0)
        c->p1_ns = FAL_RUE_P1_NS;
    if (c->p2_packets == 0)
        c->p2_packets = FAL_RUE_P2_PACKETS;
    if (c->base_delay_target == 0)
        c->base_delay_target = FAL_CC_START_DELAY_TARGET;
    if (c->gap_tick_ps == 0)
        c->gap_tick_ps = FAL_TICK_PS;
}

void fal_rue_init(struct fal_rue *rue, const struct fal_rue_config *config)
{
    *rue = (struct fal_rue){.produced = 0};
    configure(rue, config);
}

void fal_rue_change(struct fal_rue *rue, const struct fal_rue_config *config)
{
    configure(rue, config);
    if (!config->outside)
        rue->waiting = 0; /* nobody will give results of these events */
}

void fal_cc_init(struct fal_cc *cc, const struct fal_rue_config *config, uint32_t path,
                 const struct fal_params *params)
{
    *cc = (struct fal_cc){.depart_ns = FAL_NEVER,
                          .path = path,
                          .fcwnd_fraction = (uint16_t)params->fcwnd_fraction,
                          .gap = gap_of(config, params->packet_gap_ns),
                          .base_delay_target = config->base_delay_target,
                          .delay_state = FAL_CC_START_DELAY,
                          .rtt_state = FAL_CC_START_DELAY};
}

bool fal_rue_p1(const struct fal_ep_conn *conn)
{
    return conn->ep->now_ns - conn->cc.event_ns > conn->ep->rue.config.p1_ns;
}

bool fal_rue_p2(const struct fal_ep_conn *conn)
{
    return fal_decide(conn, p2, conn->cc.acked > conn->ep->rue.config.p2_packets);
}

/* 10.6.1, AMB-43. */
static bool wanted(const struct fal_ep_conn *conn)
{
    const struct fal_rue *rue = &conn->ep->rue;
    bool p1 = fal_rue_p1(conn), p2 = fal_rue_p2(conn);

    if (rue->waiting < rue->config.depth[0])
        return true;
    if (rue->waiting < rue->config.depth[1])
        return p1 || p2;
    return rue->waiting < rue->config.depth[2] && p1 && p2;
}

/* ---- events ---- */

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

static uint32_t rto_ticks(const struct fal_ep_conn *conn)
{
    return at_most(fal_ns_ticks(conn->params.rto_ns), FAL_CC_TIME_MAX);
}

/* The values of the connection that each event states. */
struct fal_cc_event fal_rue_event_of(const struct fal_ep_conn *conn,
                                     enum fal_cc_event_type type)
{
    const struct fal_cc *cc = &conn->cc;

    return (struct fal_cc_event){
        .connection_id = conn->local.cid,
        .event_type = (uint8_t)type,
        .fcwnd_fraction = cc->fcwnd_fraction,
        .fcwnd_integer = (uint16_t)at_most(conn->params.fcwnd, FAL_CC_WINDOW_MAX),
        .inter_packet_gap = cc->gap,
        .ncwnd = (uint16_t)at_most(conn->params.ncwnd, FAL_CC_WINDOW_MAX),
        .retransmit_timeout = rto_ticks(conn),
        .num_packets_acked = cc->acked,
        .delay_select = (uint8_t)conn->ep->rue.config.delay,
        .fabric_window_time_marker = cc->fabric_marker,
        .nic_window_time_marker = cc->nic_marker,
        .ncwnd_direction = cc->direction,
        .base_delay_target = cc->base_delay_target,
        .delay_state = cc->delay_state,
        .rtt_state = cc->rtt_state,
        .cc_opaque = cc->opaque,
    };
}

/* Applies a result (10.6.2.2). A value equal to the present one changes nothing, so that
 * windows and timeouts beyond the width of their fields stay. */
static void apply(struct fal_ep_conn *conn, struct fal_cc_result *result)
{
    struct fal_cc *cc = &conn->cc;

    fal_filter(conn, rue_result, result);
    if (result->fcwnd_integer != at_most(conn->params.fcwnd, FAL_CC_WINDOW_MAX))
        conn->params.fcwnd = result->fcwnd_integer;
    if (result->ncwnd != at_most(conn->params.ncwnd, FAL_CC_WINDOW_MAX))
        conn->params.ncwnd = result->ncwnd;
    if (result->retransmit_timeout != rto_ticks(conn) && result->retransmit_timeout > 0)
        fal_retransmit_timeout(conn, fal_ticks_ns(result->retransmit_timeout));
    if (fal_decide(conn, path_changes, result->randomize_path != 0))
        cc->path = (uint32_t)fal_rng_next(&conn->ep->path_rng);
    cc->fcwnd_fraction = result->fcwnd_fraction;
    cc->gap = result->inter_packet_gap;
    if (cc->gap == 0 || conn->params.fcwnd > 0)
        cc->depart_ns = FAL_NEVER;
    cc->metadata = result->cc_metadata;
    cc->fabric_marker = result->fabric_window_time_marker;
    cc->nic_marker = result->nic_window_time_marker;
    cc->direction = result->ncwnd_direction;
    cc->base_delay_target = result->base_delay_target;
    cc->delay_state = result->delay_state;
    cc->rtt_state = result->rtt_state;
    cc->opaque = result->cc_opaque;
    fal_ep_conn_note(conn, "rue: fcwnd %u ncwnd %u gap %u rto %u", conn->params.fcwnd,
                     conn->params.ncwnd, cc->gap, rto_ticks(conn));
}

void fal_rue_apply(struct fal_ep_conn *conn, const struct fal_cc_result *result)
{
    struct fal_cc_result own = *result;

    apply(conn, &own);
}

static uint32_t now_ticks(const struct fal_ep_conn *conn)
{
    return fal_clock_ticks(&conn->ep->clock, conn->ep->now_ns) & FAL_CC_TIME_MAX;
}

/* Applies a result of an event to the connection that it names. Returns that connection; NULL:
 * there is none. */
static struct fal_ep_conn *deliver(struct fal_endpoint *ep, struct fal_cc_result *result)
{
    struct fal_ep_conn *conn =
        fal_ep_conn_find(ep, fal_cidmap_find(&ep->cids, result->connection_id));

    if (conn == NULL)
        return NULL;
    conn->cc.asked = false;
    conn = fal_decide(conn, addressee, conn);
    if (!conn->dead) {
        apply(conn, result);
        fal_remind(conn, rue_applied);
    }
    return conn;
}

static void produce(struct fal_ep_conn *conn, struct fal_cc_event *event)
{
    struct fal_rue *rue = &conn->ep->rue;
    const struct fal_endpoint_out out = {.kind = FAL_OUT_RUE};
    struct fal_cc_result result;
    uint8_t *room;

    event->gen = (rue->produced / FAL_RUE_RING + 1) & 1; /* a fresh ring holds zeros */
    rue->produced++;
    fal_filter(conn, rue_event, event);
    if (!rue->config.outside) {
        fal_cc_unchanged(event, &result);
        rue->config.policy.process(rue->config.policy.ctx, &conn->cc.state, now_ticks(conn),
                                   event, &result);
        (void)deliver(conn->ep, &result);
        return;
    }
    room = fal_ep_conn_out(conn, &out, FAL_CC_ENTRY_LEN);
    if (room == NULL)
        return;
    /* Each member is made to fit its field. */
    FAL_IGNORE(fal_cc_encode(fal_decide(conn, entry_format, rue->config.format),
                             FAL_CC_ENTRY_EVENT, event, room, NULL));
    rue->waiting++;
    conn->cc.asked = true;
}

/* An event is due: it goes to the RUE, unless the queue is too full for it. */
static bool begin(struct fal_ep_conn *conn)
{
    const struct fal_rue *rue = &conn->ep->rue;

    /* Fixed windows: the result would be what the event says. */
    return (rue->config.outside || rue->config.policy.process != NULL) &&
           fal_decide(conn, event_wanted, wanted(conn));
}

static void end(struct fal_ep_conn *conn, struct fal_cc_event *event)
{
    conn->cc.event_ns = conn->ep->now_ns;
    conn->cc.acked_bytes = 0;
    conn->cc.acked = fal_decide(conn, acked_after_event, (uint16_t)0);
    produce(conn, event);
}

void fal_rue_acked(struct fal_ep_conn *conn, uint32_t payload_len)
{
    conn->cc.acked_bytes += payload_len;
    if (conn->cc.acked < FAL_CC_ACKED_MAX)
        conn->cc.acked++;
}

/* Whether a bitmap shows a loss: a packet missing with one at least so far beyond received
 * (9.1.4). */
static bool shows_loss(fal_u128 received, uint32_t threshold)
{
    int high = fal_u128_top(received);

    for (unsigned n = 0; (int64_t)n + threshold < high; n++)
        if (!fal_u128_test(received, n))
            return true;
    return false;
}

/* AMB-07: the low bits of words 6 and 7, OWN among them; or rue_info alone. */
static uint32_t metadata_of(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    uint32_t with_own = (ack->rue_info << OWN_BITS | ack->own) & FAL_CC_TIME_MAX;

    if (ack->packet_type == FAL_NACK)
        return ack->rue_info;
    return fal_decide(conn, metadata, with_own, ack);
}

static void ack_event(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                      const struct fal_falcon *ack)
{
    const struct fal_clock *clock = &conn->ep->clock;
    uint32_t threshold = conn->params.ooo_threshold;
    bool nack = ack->packet_type == FAL_NACK, eack = ack->packet_type == FAL_EACK;
    struct fal_cc_event event;

    if (!begin(conn))
        return;
    event = fal_rue_event_of(conn, nack ? FAL_CC_NACK : FAL_CC_ACK);
    event.t1 = ack->t1 & FAL_CC_TIME_MAX;
    event.t2 = ack->t2 & FAL_CC_TIME_MAX;
    event.t3 = (in->seal.present ? fal_clock_t1(clock, in->seal.iv) : 0) & FAL_CC_TIME_MAX;
    event.t4 = now_ticks(conn);
    event.nack_code = nack ? ack->nack_code : 0;
    event.forward_hops = ack->hop_count;
    event.rx_buffer_level = ack->rx_buffer_occupancy;
    event.cc_metadata = metadata_of(conn, ack);
    event.eack = eack;
    event.eack_drop = eack && (shows_loss(ack->req_bitmap, threshold) ||
                               shows_loss(ack->data_rx_bitmap, threshold));
    event.ecn_accumulated = ack->ecn_rx_count;
    end(conn, &event);
}

static void retransmit_event(struct fal_ep_conn *conn, uint8_t count, enum fal_cc_reason reason)
{
    struct fal_cc_event event;

    if (!begin(conn))
        return;
    event = fal_rue_event_of(conn, FAL_CC_RETRANSMIT);
    event.retransmit_count = (uint8_t)at_most(count, FAL_CC_RETRANSMITS_MAX);
    event.retransmit_reason = fal_decide(conn, retransmit_reason, (uint8_t)reason);
    end(conn, &event);
}

void fal_rue_ack(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                 const struct fal_falcon *ack, bool accepted)
{
    uint8_t lost = conn->cc.eack ? conn->cc.lost : 0;

    conn->cc.eack = false;
    if (fal_decide(conn, ack_event, accepted, ack))
        ack_event(conn, in, ack);
    if (lost > 0)
        retransmit_event(conn, lost, FAL_CC_EARLY);
}

void fal_rue_eack(struct fal_ep_conn *conn)
{
    conn->cc.eack = true;
    conn->cc.lost = 0;
}

void fal_rue_retransmit(struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                        enum fal_cc_reason reason)
{
    if (packet->retransmits < UINT8_MAX)
        packet->retransmits++;
    if (!conn->cc.eack)
        retransmit_event(conn, packet->retransmits, reason);
    else if (packet->retransmits > conn->cc.lost)
        conn->cc.lost = packet->retransmits;
}

/* ---- results ---- */

struct fal_ep_conn *fal_rue_result(struct fal_endpoint *ep, const struct fal_endpoint_in *in,
                                   int *rc)
{
    struct fal_cc_result result;
    struct fal_ep_conn *conn;

    if (fal_cc_decode(ep->rue.config.format, FAL_CC_ENTRY_RESULT, in->bytes, in->len, &result) <
        0) {
        *rc = FAL_ERR_SHORT;
        return NULL;
    }
    if (ep->rue.waiting > 0)
        ep->rue.waiting--;
    conn = deliver(ep, &result);
    *rc = conn == NULL ? FAL_ERR_RANGE : 0;
    return conn;
}

/* ---- pacing ---- */

bool fal_rue_may_depart(const struct fal_ep_conn *conn)
{
    bool due = conn->cc.depart_ns == FAL_NEVER || conn->cc.depart_ns <= conn->ep->now_ns;

    return fal_decide(conn, may_depart, due);
}

void fal_rue_departed(struct fal_ep_conn *conn)
{
    conn->cc.depart_ns = FAL_NEVER;
    if (conn->cc.gap > 0 && fal_decide(conn, paced, conn->params.fcwnd == 0))
        conn->cc.depart_ns = conn->ep->now_ns +
                             gap_ns(&conn->ep->rue.config, fal_decide(conn, gap, conn->cc.gap));
}

void fal_rue_expire(struct fal_ep_conn *conn)
{
    if (conn->cc.depart_ns <= conn->ep->now_ns)
        conn->cc.depart_ns = FAL_NEVER;
}

/* ---- metadata ---- */

uint32_t fal_rue_info(const struct fal_ep_conn *conn, enum fal_packet_type type)
{
    unsigned bits = type == FAL_NACK ? NACK_INFO_BITS : BACK_INFO_BITS;
    uint32_t info = conn->cc.metadata & ((1u << bits) - 1);

    return fal_decide(conn, rue_info, info, bits);
}
