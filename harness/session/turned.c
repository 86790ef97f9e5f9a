/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/turned.h"

#include "harness/session/session_impl.h"
#include "oracles/seq.h"

static void keep(void *ctx, const struct fal_finding *finding)
{
    struct tl_turned *turned = ctx;
    struct fal_finding *kept = turned->findings;

    if (finding->instance != FAL_BROKEN || turned->num_findings == TL_TURNED_FINDINGS)
        return;
    if (fal_finding_breach(finding) != FAL_VERDICT_FAIL)
        return; /* a conforming peer may do so */
    for (; kept < &turned->findings[turned->num_findings]; kept++)
        if (kept->rule == finding->rule && kept->requirement == finding->requirement)
            return;
    *kept = *finding;
    kept->subject = FAL_SUBJECT_TESTER;
    turned->num_findings++;
}

bool tl_turned_start(struct tl_turned *turned, bool disorder)
{
    const struct fal_judge_config config = {
        .finding = keep, .ctx = turned, .sut_alone = true, .payload_given = true};

    *turned = (struct tl_turned){.disorder = disorder};
    turned->judge = fal_judge_new(&config);
    return turned->judge != NULL;
}

void tl_turned_free(struct tl_turned *turned)
{
    fal_judge_free(turned->judge);
    turned->judge = NULL;
}

static void turn_run(const struct tl_turned *turned, struct fal_ev_run *run)
{
    run->vantage = FAL_VANTAGE_TESTER;
    run->lossless_in = run->lossless_out = false;
    run->no_duplicates_in = run->no_duplicates_out = false;
    run->in_order_in = run->in_order_out = false;
    run->alone = false;
    run->delay_min_ns = 0;
    run->delay_max_ns = turned->disorder ? FAL_NEVER : 0;
}

static void turn_connection(struct fal_connection *connection)
{
    struct fal_end sut = connection->sut;

    connection->sut = connection->tester;
    connection->tester = sut;
    connection->rue = (struct fal_rue_facts){.known = false};
    connection->params.rack_tlp = connection->tester_rack_tlp;
    for (int at = TL_PARAMS_OF_AN_END; at < TL_PARAMS_OF_BOTH; at++)
        connection->unknown_params |= FAL_PARAM_BIT(at);
    connection->unknown_params |= FAL_PARAM_BIT(FAL_PARAM_AT_resync_vendor);
}

/* A step that plays a duplicate of the network seals it anew. So seals tell nothing. */
static void unseal(struct fal_ev_packet *packet)
{
    packet->has_iv = false;
    packet->iv = 0;
    packet->spi = 0;
}

/* Raises the bases of a packet of the tester's endpoint to those that steps have stated. The
 * bits of an EACK count from its bases, so they move, too. */
static void raise_bases(struct fal_falcon *packet, const struct tl_turned_bases *bases)
{
    int32_t data = fal_seq_diff(bases->base[FAL_WINDOW_DATA], packet->recv_data_base_psn);
    int32_t req = fal_seq_diff(bases->base[FAL_WINDOW_REQ], packet->recv_req_base_psn);

    if (data > 0) {
        packet->recv_data_base_psn += (uint32_t)data;
        packet->data_ack_bitmap =
            data < 128 ? fal_u128_shr(packet->data_ack_bitmap, (unsigned)data) : 0;
        packet->data_rx_bitmap =
            data < 128 ? fal_u128_shr(packet->data_rx_bitmap, (unsigned)data) : 0;
    }
    if (req > 0) {
        packet->recv_req_base_psn += (uint32_t)req;
        packet->req_bitmap = req < 64 ? packet->req_bitmap >> req : 0;
    }
}

static void keep_bases(struct tl_turned *turned, uint32_t conn, enum fal_origin origin,
                       struct fal_falcon *packet)
{
    struct tl_turned_bases *bases = &turned->bases[conn];
    uint32_t *base = bases->base;

    if (origin != FAL_ORIGIN_STEP) {
        if (bases->stated)
            raise_bases(packet, bases);
        return;
    }
    if (!bases->stated) {
        base[FAL_WINDOW_DATA] = packet->recv_data_base_psn;
        base[FAL_WINDOW_REQ] = packet->recv_req_base_psn;
    }
    bases->stated = true;
    base[FAL_WINDOW_DATA] = fal_seq_max(base[FAL_WINDOW_DATA], packet->recv_data_base_psn);
    base[FAL_WINDOW_REQ] = fal_seq_max(base[FAL_WINDOW_REQ], packet->recv_req_base_psn);
}

void tl_turned_event(struct tl_turned *turned, const struct fal_event *event)
{
    struct fal_event other;

    if (turned->judge == NULL)
        return;
    switch (event->kind) {
    case FAL_EV_COMMAND: /* of the SUT's upper layer; that of the tester says nothing */
    case FAL_EV_REPLY:
    case FAL_EV_ULP:
    case FAL_EV_CM:
    case FAL_EV_CC:
    case FAL_EV_VERBS:
    case FAL_EV_NVME:
    case FAL_EV_MARK: /* of the path, of which nothing is believed */
    case FAL_EV_BENCH: return;
    case FAL_EV_RUN:
    case FAL_EV_CONNECTION:
    case FAL_EV_PACKET:
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_INTERNAL:
    case FAL_EV_TIMING:
    case FAL_EV_CLOSE:
    case FAL_EV_END: break;
    }
    other = *event;
    /* The order of packets of the same time counts, too. */
    if (event->kind == FAL_EV_PACKET && turned->any && other.t_ns <= turned->last_ns)
        other.t_ns = turned->last_ns + 1;
    if (turned->any && other.t_ns < turned->last_ns)
        other.t_ns = turned->last_ns;
    turned->any = true;
    turned->last_ns = other.t_ns;
    if (event->kind == FAL_EV_RUN)
        turn_run(turned, &other.u.run);
    if (event->kind == FAL_EV_CONNECTION)
        turn_connection(&other.u.connection);
    if (event->kind == FAL_EV_PACKET) {
        other.u.packet.dir = event->u.packet.dir == FAL_TO_SUT ? FAL_FROM_SUT : FAL_TO_SUT;
        other.u.packet.origin = FAL_ORIGIN_ENDPOINT;
        unseal(&other.u.packet);
        if (event->u.packet.dir == FAL_TO_SUT && event->conn < TL_TURNED_CONNS)
            keep_bases(turned, event->conn, event->u.packet.origin, &other.u.packet.falcon);
    }
    fal_judge_event(turned->judge, &other);
}

void tl_turned_finish(struct tl_turned *turned)
{
    if (turned->judge != NULL)
        fal_judge_finish(turned->judge);
}
