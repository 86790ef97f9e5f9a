/* SPDX-License-Identifier: Apache-2.0
 * v5_message_numbers_count.c - rule V5: the message numbers (RMSN) of RDMA requests. SENDs and
 * WRITEs with immediate data count messages, READs and atomic operations count packets; each
 * class has a counter of its own that begins at 1. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v5 = {
    .id = "V5",
    .title = "message numbers of RDMA count their class from 1",
    .requirements = FAL_IDS("RDMA-8.3.2-01", "RDMA-8.3.2-02", "RDMA-8.3.2-03", "RDMA-8.3.2-04",
                            "RDMA-8.3.2-05", "RDMA-8.3.2-07"),
    .role = "initiator",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a SEND, or a WRITE with immediate data, whose RMSN is not one more than "
        "that of the message before it by RSN, by a packet in the middle or at the end of a SEND "
        "with another RMSN than its first packet, and by a READ or atomic operation whose RMSN "
        "is not one more than that of the one before. The first of each class has 1. Not judged "
        "where requests in between were not seen. A plain SEND after which the number stays the "
        "same gives a warning (AMB-R05), and so do upper 24 bits that do not count (AMB-R27). On a "
        "queue pair that is known to be weakly ordered, the same number is a violation: the target "
        "cannot find the receive request of a packet that arrives out of order. "
        "The rule judges connections whose payload is the subject's own.",
};

enum { LOW_BITS = 0xff };

static bool starts(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    (void)of;
    return fal_rdma_class(fact->opcode) == FAL_RDMA_CLASS_START;
}

static bool pulls(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    (void)of;
    return fal_rdma_class(fact->opcode) == FAL_RDMA_CLASS_PULL;
}

/* The first packet of a SEND with that number. */
static bool first_of_message(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fal_rdma_is_send(fact->opcode) && fal_rdma_place(fact->opcode) == FAL_RDMA_FIRST &&
           fact->rmsn == of->rmsn;
}

/* Of two requests by RSN without a hole between them, whether the number of the upper grew by
 * those of the other class between them, too. */
static bool counts_both(const struct fal_ctx *c, const struct fal_rdma_fact *low,
                        const struct fal_rdma_fact *high)
{
    fal_rdma_wanted *other =
        fal_rdma_class(high->opcode) == FAL_RDMA_CLASS_PULL ? starts : pulls;
    uint32_t n = fal_rdma_count(c, low, high, other);

    return n > 0 && high->rmsn - low->rmsn == 1 + n;
}

/* The requirement that a wrong number violates; `low` NULL: there is none before. */
static const char *requirement(const struct fal_ctx *c, const struct fal_rdma_fact *low,
                               const struct fal_rdma_fact *high)
{
    if (low == NULL)
        return "RDMA-8.3.2-02";
    if (counts_both(c, low, high))
        return "RDMA-8.3.2-07";
    return fal_rdma_class(high->opcode) == FAL_RDMA_CLASS_PULL ? "RDMA-8.3.2-05"
                                                               : "RDMA-8.3.2-04";
}

/* Whether the queue pair places data by these numbers: the SUT said that it is weakly ordered.
 */
static bool weak(const struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    const struct fal_vqp *qp = NULL;

    if (c->bench->objects != NULL && c->track->verbs && fal_out(c) == FAL_FROM_SUT)
        qp = fal_objects_qp_of(c->bench->objects, c->conn, fact);
    return qp != NULL && qp->ordering == FAL_VERBS_WEAK;
}

/* `low` NULL: `high` is the first of its class. */
static void count(struct fal_ctx *c, const struct fal_seen *q, const struct fal_rdma_fact *low,
                  const struct fal_rdma_fact *high, bool at_low)
{
    enum fal_rdma_class class = fal_rdma_class(high->opcode);
    uint32_t before = low != NULL ? low->rmsn : 0, step = high->rmsn - before;
    struct fal_blame blame = {.effect = &q->at, .packet = q->packet};
    const char *reading = "";

    if (step == 1) {
        fal_holds(c);
        return;
    }
    blame.requirement = requirement(c, low, high);
    if (low != NULL)
        blame.cause[0] = at_low ? &high->at : &low->at;
    if (class == FAL_RDMA_CLASS_START && (step & LOW_BITS) == 1) {
        blame.warn = true;
        blame.requirement = "RDMA-8.3.2-01";
        reading = " (AMB-R27)";
    } else if (class == FAL_RDMA_CLASS_START && step == 0 && low != NULL &&
               !fal_rdma_has_imm(low->opcode)) {
        blame.warn = !weak(c, high);
        blame.requirement = "RDMA-8.3.2-03";
        reading = " (AMB-R05)";
    }
    if (at_low)
        fal_broken(c, &blame, "rmsn=%u, one less than that of the next of its class%s",
                   (unsigned)(high->rmsn - 1), reading);
    else
        fal_broken(c, &blame, "rmsn=%u, %s%s", (unsigned)(before + 1),
                   low != NULL ? "one more than that of the one before of its class"
                               : "in the first of its class",
                   reading);
}

/* The number of a packet that takes the next one, against its neighbours of that class. */
static void number(struct fal_ctx *c, const struct fal_seen *q,
                   const struct fal_rdma_fact *fact, fal_rdma_wanted *wanted)
{
    const struct fal_rdma_fact *beside;

    switch (fal_rdma_find(c, q->rsn, false, wanted, fact, &beside)) {
    case FAL_WALKED_FOUND: count(c, q, beside, fact, false); break;
    case FAL_WALKED_START: count(c, q, NULL, fact, false); break;
    case FAL_WALKED_HOLE: break; /* the packet that fills the hole decides, if it comes */
    }
    if (fal_rdma_find(c, q->rsn, true, wanted, fact, &beside) == FAL_WALKED_FOUND)
        count(c, q, fact, beside, true);
}

static void continues(struct fal_ctx *c, const struct fal_seen *q,
                      const struct fal_rdma_fact *fact)
{
    const struct fal_rdma_fact *first;

    switch (fal_rdma_find(c, q->rsn, false, first_of_message, fact, &first)) {
    case FAL_WALKED_FOUND: fal_holds(c); break;
    case FAL_WALKED_START:
        fal_broken(c,
                   &(struct fal_blame){
                       .requirement = "RDMA-8.3.2-04", .effect = &q->at, .packet = q->packet},
                   "the RMSN of a SEND that began before");
        break;
    case FAL_WALKED_HOLE: fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); break;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_rdma_fact *fact = fal_rdma_first(c, q);

    if (fact == NULL)
        return;
    switch (fal_rdma_class(fact->opcode)) {
    case FAL_RDMA_CLASS_START: number(c, q, fact, starts); break;
    case FAL_RDMA_CLASS_PULL: number(c, q, fact, pulls); break;
    case FAL_RDMA_CLASS_CONTINUE: continues(c, q, fact); break;
    case FAL_RDMA_CLASS_NONE: break;
    }
}

const struct fal_rule_impl fal_rule_v5 = {
    .about = &fal_about_v5,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_RDMA,
};
