/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/roce/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { QPN_MAX = 0xffffff, MTU_MIN = 256, WINDOW = 128, SRC_PORT = 49152 };

static const uint64_t digest_start = UINT64_C(0xcbf29ce484222325);
static const uint64_t digest_prime = UINT64_C(0x100000001b3);

uint64_t fal_roce_digest(uint64_t digest, const uint8_t *bytes, size_t len)
{
    digest = digest == 0 ? digest_start : digest;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ bytes[i]) * digest_prime;
    return digest;
}

uint8_t fal_roce_byte(uint32_t qpn, uint64_t message, uint64_t offset)
{
    return (uint8_t)(qpn * 31 + message * 7 + offset + (offset >> 8));
}

struct fal_dcqcn fal_roce_params(const struct fal_roce_setup *setup)
{
    struct fal_dcqcn params = setup->dcqcn;

    if (fal_roce_does(&setup->odd, FAL_ROCE_VARIANT_ALPHA_AT_CNP))
        params.alpha_at_cnp = true;
    if (fal_roce_does(&setup->odd, FAL_ROCE_VARIANT_ALPHA_AT_SLOT))
        params.alpha_at_cnp = false;
    if (fal_roce_does(&setup->odd, FAL_ROCE_VARIANT_CLAMP_TARGET))
        params.clamp_target = true;
    return params;
}

/* The faults of the reaction point. */
static uint32_t rp_faults(const struct fal_roce_end *end)
{
    static const struct {
        enum fal_roce_fault fault;
        enum fal_dcqcn_fault bit;
    } rows[] = {
        {FAL_ROCE_FAULT_ALPHA_NEVER_DECAYS, FAL_DCQCN_ALPHA_NEVER_DECAYS},
        {FAL_ROCE_FAULT_DECREASE_PER_CNP, FAL_DCQCN_DECREASE_PER_CNP},
        {FAL_ROCE_FAULT_TARGET_LOST, FAL_DCQCN_TARGET_LOST},
        {FAL_ROCE_FAULT_HYPER_AT_ONCE, FAL_DCQCN_HYPER_AT_ONCE},
        {FAL_ROCE_FAULT_G_ORIENTATION, FAL_DCQCN_G_ORIENTATION},
        {FAL_ROCE_FAULT_BELOW_MIN, FAL_DCQCN_BELOW_MIN},
    };
    uint32_t faults = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fal_roce_end_bad(end, rows[i].fault))
            faults |= (uint32_t)rows[i].bit;
    return faults;
}

struct fal_roce_end *fal_roce_end_new(const struct fal_roce_setup *setup,
                                      const struct fal_roce_outlet *outlet)
{
    struct fal_roce_end *end = calloc(1, sizeof *end);

    assert(setup->dcqcn.line_rate_bps != 0);
    if (end == NULL)
        return NULL;
    end->setup = *setup;
    end->outlet = *outlet;
    return end;
}

void fal_roce_end_free(struct fal_roce_end *end)
{
    for (unsigned i = 0; end != NULL && i < end->num_qps; i++)
        free(end->qps[i]);
    free(end);
}

int fal_roce_end_add(struct fal_roce_end *end, const struct fal_roce_qp_setup *setup)
{
    const struct fal_dcqcn params = fal_roce_params(&end->setup);
    struct fal_roce_qp *qp;

    if (end->num_qps == FAL_ROCE_QPS_MAX || setup->qpn > QPN_MAX ||
        setup->remote_qpn > QPN_MAX || setup->psn > QPN_MAX || setup->expected_psn > QPN_MAX ||
        setup->mtu < MTU_MIN || setup->mtu > FAL_ROCE_MTU_MAX || setup->mtu % 4 != 0 ||
        setup->rnr_code > 31)
        return FAL_ERR_RANGE;
    qp = calloc(1, sizeof *qp);
    if (qp == NULL)
        return FAL_ERR_MEM;
    qp->setup = *setup;
    qp->index = end->num_qps;
    if (qp->setup.window == 0)
        qp->setup.window = WINDOW;
    qp->req.tail = qp->req.next = qp->req.una = qp->req.sent_end = setup->psn;
    qp->req.timer_ns = UINT64_MAX;
    qp->resp.expected = setup->expected_psn;
    qp->resp.receives = setup->receives;
    qp->resp.ack_ns = qp->resp.nak_ns = qp->cnp_ns = UINT64_MAX;
    fal_dcqcn_rp_init(&qp->rp, &params, end->now_ns);
    qp->rp.faults = rp_faults(end);
    end->qps[end->num_qps] = qp;
    return (int)end->num_qps++;
}

void fal_roce_end_receives(struct fal_roce_end *end, unsigned qp, uint32_t more)
{
    uint32_t *receives;

    if (qp >= end->num_qps)
        return;
    receives = &end->qps[qp]->resp.receives;
    *receives = more > UINT32_MAX - *receives ? UINT32_MAX : *receives + more;
}

void fal_roce_tell(struct fal_roce_end *end, const struct fal_roce_event *event)
{
    if (end->outlet.event != NULL)
        end->outlet.event(end->outlet.ctx, event);
}

void fal_roce_emit(struct fal_roce_end *end, struct fal_roce_qp *qp, struct fal_roce_out *out)
{
    out->packet.bth.dest_qp = out->packet.bth.opcode == FAL_ROCE_OP_cnp &&
                                      fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_TO_RECEIVER_QP)
                                  ? qp->setup.qpn
                                  : qp->setup.remote_qpn;
    out->packet.bth.m = 1;
    out->src_port = (uint16_t)(SRC_PORT + qp->setup.qpn % 1024);
    out->qp = qp->index;
    qp->state.packets++;
    end->outlet.send(end->outlet.ctx, end->now_ns, out);
}

/* ---- packets that come ---- */

static struct fal_roce_qp *qp_of(struct fal_roce_end *end, uint32_t qpn)
{
    for (unsigned i = 0; i < end->num_qps; i++)
        if (end->qps[i]->setup.qpn == qpn)
            return end->qps[i];
    return NULL;
}

static void take_cnp(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    qp->state.cnps_taken++;
    if (!end->setup.rcm || fal_roce_end_does(end, FAL_ROCE_VARIANT_NO_RCM) ||
        fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_IGNORED))
        return;
    for (unsigned i = 0; i < end->num_qps; i++)
        if (end->qps[i] == qp || fal_roce_end_bad(end, FAL_ROCE_FAULT_CNP_SLOWS_ALL))
            fal_dcqcn_rp_cnp(&end->qps[i]->rp, end->now_ns);
}

void fal_roce_end_take(struct fal_roce_end *end, uint64_t now_ns,
                       const struct fal_roce_packet *packet, unsigned ecn, bool icrc_good)
{
    unsigned opcode = packet->bth.opcode;
    struct fal_roce_qp *qp = qp_of(end, packet->bth.dest_qp);

    end->now_ns = now_ns;
    if (packet->state != FAL_ROCE_READ || qp == NULL ||
        (!icrc_good && !fal_roce_end_bad(end, FAL_ROCE_FAULT_ICRC_IGNORED)))
        return;
    if (opcode == FAL_ROCE_OP_cnp) {
        take_cnp(end, qp);
        return;
    }
    fal_roce_np_take(end, qp, packet, ecn);
    if (opcode >= FAL_ROCE_OP_rc_read_response_first && opcode <= FAL_ROCE_OP_rc_atomic_ack)
        fal_roce_req_answer(end, qp, packet);
    else if (opcode <= FAL_ROCE_OP_rc_send_only_inv)
        fal_roce_resp_take(end, qp, packet);
}

/* ---- time ---- */

/* When the queue pair may use the port; UINT64_MAX: it has nothing to send. */
static uint64_t ready_ns(const struct fal_roce_qp *qp)
{
    uint64_t at_ns = UINT64_MAX;

    if (fal_roce_resp_serves(qp))
        at_ns = qp->req.sent_ns;
    if (fal_roce_req_ready(qp) && fal_roce_req_ready_ns(qp) < at_ns)
        at_ns = fal_roce_req_ready_ns(qp);
    return at_ns;
}

/* One packet of the next queue pair in turn that has one. */
static bool send_one(struct fal_roce_end *end)
{
    for (unsigned i = 0; i < end->num_qps; i++) {
        struct fal_roce_qp *qp = end->qps[(end->turn + i) % end->num_qps];

        if (ready_ns(qp) > end->now_ns)
            continue;
        end->turn = (qp->index + 1) % end->num_qps;
        if (fal_roce_resp_serves(qp) && qp->req.sent_ns <= end->now_ns)
            fal_roce_resp_send(end, qp);
        else
            fal_roce_req_send(end, qp);
        return true;
    }
    return false;
}

void fal_roce_end_run(struct fal_roce_end *end, uint64_t now_ns)
{
    end->now_ns = now_ns;
    for (unsigned i = 0; i < end->num_qps; i++) {
        struct fal_roce_qp *qp = end->qps[i];

        fal_dcqcn_rp_until(&qp->rp, now_ns);
        fal_roce_np_due(end, qp);
        fal_roce_resp_due(end, qp);
        if (qp->req.timer_ns <= now_ns)
            fal_roce_req_expired(end, qp);
    }
    while (end->port_ns <= now_ns && send_one(end))
        ;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t fal_roce_end_next_ns(const struct fal_roce_end *end)
{
    uint64_t next_ns = UINT64_MAX;

    for (unsigned i = 0; i < end->num_qps; i++) {
        const struct fal_roce_qp *qp = end->qps[i];
        uint64_t send_ns = ready_ns(qp);

        if (send_ns < end->port_ns)
            send_ns = end->port_ns;
        next_ns = sooner(next_ns, send_ns);
        next_ns = sooner(next_ns, qp->req.timer_ns);
        next_ns = sooner(next_ns, fal_roce_resp_next_ns(qp));
        next_ns = sooner(next_ns, fal_roce_np_next_ns(end, qp));
    }
    return next_ns;
}

struct fal_roce_state_of fal_roce_end_state(const struct fal_roce_end *end, unsigned qp)
{
    struct fal_roce_state_of state = {0};

    if (qp >= end->num_qps)
        return state;
    state = end->qps[qp]->state;
    state.rate_bps = fal_dcqcn_rp_rate_bps(&end->qps[qp]->rp);
    state.failed = end->qps[qp]->req.failed || end->qps[qp]->resp.failed;
    state.idle = end->qps[qp]->req.count == 0;
    return state;
}
