/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/roce/state.h"

enum { LENGTH_MAX = INT32_MAX, JUMP_AFTER = 16, CUT = 4 };

static struct fal_roce_wqe *nth_open(struct fal_roce_qp *qp, unsigned n)
{
    return &qp->req.open[(qp->req.head + n) % FAL_ROCE_POSTS_MAX];
}

struct fal_roce_wqe *fal_roce_req_of(struct fal_roce_qp *qp, uint32_t psn)
{
    for (unsigned i = 0; i < qp->req.count; i++) {
        struct fal_roce_wqe *w = nth_open(qp, i);
        int32_t at = fal_psn_diff(psn, w->first);

        if (at >= 0 && (uint32_t)at < w->num)
            return w;
    }
    return NULL;
}

int fal_roce_end_post(struct fal_roce_end *end, unsigned index,
                      const struct fal_roce_post *post)
{
    struct fal_roce_qp *qp = index < end->num_qps ? end->qps[index] : NULL;
    struct fal_roce_wqe *w;
    uint32_t packets;

    if (qp == NULL || post->length > LENGTH_MAX)
        return FAL_ERR_RANGE;
    if (qp->req.count == FAL_ROCE_POSTS_MAX || qp->req.failed)
        return FAL_ERR_SHORT;
    packets = post->length == 0 ? 1 : (post->length + qp->setup.mtu - 1) / qp->setup.mtu;
    w = nth_open(qp, qp->req.count++);
    *w = (struct fal_roce_wqe){
        .post = *post, .message = qp->req.messages++, .first = qp->req.tail, .num = packets};
    qp->req.tail = fal_psn_add(qp->req.tail, packets);
    return 0;
}

/* READs that were sent and are not answered whole. */
static unsigned open_reads(const struct fal_roce_qp *qp)
{
    unsigned reads = 0;

    for (unsigned i = 0; i < qp->req.count; i++) {
        const struct fal_roce_wqe *w = &qp->req.open[(qp->req.head + i) % FAL_ROCE_POSTS_MAX];

        reads += w->post.op == FAL_ROCE_POST_READ && fal_psn_diff(w->first, qp->req.next) < 0;
    }
    return reads;
}

bool fal_roce_req_ready(const struct fal_roce_qp *qp)
{
    const struct fal_roce_requester *req = &qp->req;

    return !req->failed && req->next != req->tail &&
           fal_psn_diff(req->next, req->una) < (int32_t)qp->setup.window &&
           open_reads(qp) < FAL_ROCE_READS_MAX;
}

uint64_t fal_roce_req_ready_ns(const struct fal_roce_qp *qp)
{
    return qp->req.pause_ns > qp->req.sent_ns ? qp->req.pause_ns : qp->req.sent_ns;
}

void fal_roce_req_timer(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    uint64_t timeout_ns = qp->setup.timeout_ns;

    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_EARLY_TIMEOUT))
        timeout_ns /= 4;
    if (timeout_ns == 0 || qp->req.una == qp->req.sent_end || qp->req.failed ||
        fal_roce_end_bad(end, FAL_ROCE_FAULT_NO_TIMEOUT))
        qp->req.timer_ns = UINT64_MAX;
    else
        qp->req.timer_ns = end->now_ns + timeout_ns;
}

void fal_roce_req_fail(struct fal_roce_end *end, struct fal_roce_qp *qp, const char *why)
{
    qp->req.failed = true;
    qp->req.timer_ns = UINT64_MAX;
    for (unsigned i = 0; i < qp->req.count; i++) {
        const struct fal_roce_event event = {.kind = FAL_ROCE_FAILED,
                                             .at_ns = end->now_ns,
                                             .qp = qp->index,
                                             .id = nth_open(qp, i)->post.id,
                                             .why = why};

        fal_roce_tell(end, &event);
    }
    qp->req.count = 0;
    qp->req.next = qp->req.una = qp->req.sent_end = qp->req.tail;
}

void fal_roce_req_back(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn)
{
    (void)end;
    qp->req.next = psn;
    qp->req.since_ack_req = 0;
    qp->req.only_one = false;
}

void fal_roce_req_expired(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    if (++qp->req.timeouts > qp->setup.retries) {
        fal_roce_req_fail(end, qp, "retries exceeded");
        return;
    }
    fal_roce_req_back(end, qp, qp->req.una);
    fal_roce_req_timer(end, qp);
}

/* ---- packets ---- */

/* First, middle, last, only: offsets from the opcode of `first`. */
static unsigned opcode_of(const struct fal_roce_wqe *w, uint32_t at)
{
    static const struct {
        uint8_t first, middle, last, only;
    } rows[] = {
        [FAL_ROCE_POST_SEND] = {FAL_ROCE_OP_rc_send_first, FAL_ROCE_OP_rc_send_middle,
                                FAL_ROCE_OP_rc_send_last, FAL_ROCE_OP_rc_send_only},
        [FAL_ROCE_POST_WRITE] = {FAL_ROCE_OP_rc_write_first, FAL_ROCE_OP_rc_write_middle,
                                 FAL_ROCE_OP_rc_write_last, FAL_ROCE_OP_rc_write_only},
        [FAL_ROCE_POST_WRITE_IMM] = {FAL_ROCE_OP_rc_write_first, FAL_ROCE_OP_rc_write_middle,
                                     FAL_ROCE_OP_rc_write_last_imm,
                                     FAL_ROCE_OP_rc_write_only_imm},
        [FAL_ROCE_POST_READ] = {FAL_ROCE_OP_rc_read_request, FAL_ROCE_OP_rc_read_request,
                                FAL_ROCE_OP_rc_read_request, FAL_ROCE_OP_rc_read_request},
    };

    if (w->num == 1)
        return rows[w->post.op].only;
    return at == 0            ? rows[w->post.op].first
           : at + 1 == w->num ? rows[w->post.op].last
                              : rows[w->post.op].middle;
}

static bool wants_ack(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_wqe *w, uint32_t at)
{
    struct fal_roce_requester *req = &qp->req;
    bool full = fal_psn_diff(req->next, req->una) + 1 == (int32_t)qp->setup.window;
    bool wants = at + 1 == w->num || full || fal_roce_end_does(end, FAL_ROCE_VARIANT_ACK_EACH);

    if (w->post.op == FAL_ROCE_POST_READ)
        return false;
    if (++req->since_ack_req == qp->setup.ack_every)
        wants = true;
    if (wants)
        req->since_ack_req = 0;
    return wants;
}

/* Packet `at` of the post. */
static void build(struct fal_roce_end *end, const struct fal_roce_qp *qp,
                  const struct fal_roce_wqe *w, uint32_t at, struct fal_roce_packet *p)
{
    uint32_t mtu = qp->setup.mtu, offset = at * mtu;

    fal_roce_init(p, opcode_of(w, at));
    p->bth.psn = fal_psn_add(w->first, at);
    p->reth.virtual_address = w->post.address;
    p->reth.r_key = w->post.r_key;
    p->reth.length = w->post.length;
    p->immdt.immediate_data = w->post.immediate;
    if (w->post.op == FAL_ROCE_POST_READ) {
        p->reth.virtual_address += offset;
        p->reth.length -= offset;
        return;
    }
    p->data_len = w->post.length - offset < mtu ? w->post.length - offset : mtu;
    for (uint32_t i = 0; i < p->data_len; i++)
        end->data[i] = fal_roce_byte(qp->setup.qpn, w->message, offset + i);
    p->data = end->data;
}

static unsigned data_ecn(const struct fal_roce_end *end)
{
    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_NO_ECT))
        return FAL_ECN_NOT_ECT;
    return fal_roce_end_bad(end, FAL_ROCE_FAULT_ECT1_DATA) ? FAL_ECN_ECT1 : FAL_ECN_ECT0;
}

/* What follows from a packet of `bytes` that the queue pair sent: pace and port. */
static void account(struct fal_roce_end *end, struct fal_roce_qp *qp, size_t bytes)
{
    uint64_t rate = fal_dcqcn_rp_rate_bps(&qp->rp);

    qp->req.sent_ns = end->now_ns + fal_roce_time_ns(bytes, rate);
    end->port_ns = end->now_ns + fal_roce_time_ns(bytes, end->setup.dcqcn.line_rate_bps);
    fal_dcqcn_rp_sent(&qp->rp, bytes, end->now_ns);
}

void fal_roce_send_data(struct fal_roce_end *end, struct fal_roce_qp *qp,
                        struct fal_roce_out *out)
{
    size_t bytes = FAL_ROCE_HEAD_BYTES + fal_roce_size(out->packet.kind) -
                   fal_roce_layout.size_bytes + (out->packet.data_len + 3) / 4 * 4;

    out->ecn = (uint8_t)data_ecn(end);
    account(end, qp, bytes);
    fal_roce_emit(end, qp, out);
}

/* A packet is sent again. */
static void build_copy(struct fal_roce_end *end, struct fal_roce_qp *qp,
                       struct fal_roce_packet *p)
{
    qp->state.repeats++;
    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_COPY_ASKS) &&
        p->bth.opcode != FAL_ROCE_OP_rc_read_request)
        p->bth.ack_req = 1;
    if (p->data_len > 0 && fal_roce_end_bad(end, FAL_ROCE_FAULT_COPY_CHANGED))
        end->data[0] ^= 0xff;
    if (p->data_len > CUT && fal_roce_end_bad(end, FAL_ROCE_FAULT_COPY_CUT))
        p->data_len -= CUT;
}

void fal_roce_req_send(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_roce_requester *req = &qp->req;
    struct fal_roce_wqe *w = fal_roce_req_of(qp, req->next);
    struct fal_roce_out out = {.ecn = 0};
    uint32_t at;

    if (w == NULL) { /* cannot be: `next` is below the tail and not below the oldest open one */
        req->next = req->una;
        return;
    }
    at = (uint32_t)fal_psn_diff(req->next, w->first);
    build(end, qp, w, at, &out.packet);
    out.packet.bth.ack_req = wants_ack(end, qp, w, at);
    if (fal_psn_diff(req->next, req->sent_end) < 0)
        build_copy(end, qp, &out.packet);
    req->next = w->post.op == FAL_ROCE_POST_READ ? fal_psn_add(w->first, w->num)
                                                 : fal_psn_add(req->next, 1);
    if (fal_psn_diff(req->next, req->sent_end) > 0)
        req->sent_end = req->next;
    if (req->only_one) {
        req->only_one = false;
        req->next = req->only_end;
    }
    if (qp->req.timer_ns == UINT64_MAX)
        fal_roce_req_timer(end, qp);
    if (++req->packets == JUMP_AFTER && fal_roce_end_bad(end, FAL_ROCE_FAULT_PSN_JUMP))
        return;
    fal_roce_send_data(end, qp, &out);
}
