/* SPDX-License-Identifier: Apache-2.0
 * form.c - the form of packets: WF1 to WF3, and NP4 for CNPs. */
#include "oracles/rules/roce/state.h"

#include <stdio.h>

enum { TEXT = 200, WORD = 4 };

/* Syndromes (InfiniBand, volume 1, 9.7.5.1.2; from memory): bits 6 and 5 are the kind. */
enum { KIND_ACK = 0, KIND_RNR = 1, KIND_RESERVED = 2, KIND_NAK = 3, NAK_CODES = 5 };

static void wf1(struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);
    int known = fal_rj_opcode_known(seen->opcode);
    bool goes_on = fal_rj_opcode_goes_on(seen->opcode);
    char text[TEXT];

    if (known < 0) {
        fal_rj_excused(j, FAL_ROCE_WF1, "manufacturer-opcode");
        return;
    }
    if (known == 0)
        (void)snprintf(text, sizeof text, "expected a defined opcode; found 0x%02x",
                       seen->opcode);
    else if (seen->tver != 0)
        (void)snprintf(text, sizeof text, "expected transport version 0; found %u", seen->tver);
    else if (goes_on && seen->pad != 0)
        (void)snprintf(text, sizeof text,
                       "expected no pad in a first or middle packet (opcode 0x%02x); found %u",
                       seen->opcode, seen->pad);
    else
        text[0] = 0;
    if (text[0] != 0) {
        fal_rj_found(j, FAL_ROCE_WF1, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
        return;
    }
    if (seen->reserved)
        fal_rj_found(j, FAL_ROCE_WF1, FAL_VERDICT_WARN, &place, seen->dest_qp,
                     "expected reserved bits of the BTH to be 0; found 1 (some switches and "
                     "NICs use them)");
    else
        fal_rj_held(j, FAL_ROCE_WF1);
}

/* What is wrong with a syndrome; NULL: nothing. */
static const char *wrong_syndrome(uint8_t syndrome)
{
    unsigned kind = syndrome >> 5 & 3, value = syndrome & 0x1f;

    if ((syndrome & 0x80) != 0)
        return "expected bit 7 of the syndrome to be 0";
    if (kind == KIND_RESERVED)
        return "expected the syndrome of an ACK, RNR NAK or NAK; found a reserved one";
    if (kind == KIND_NAK && value >= NAK_CODES)
        return "expected a NAK code from 0 to 4";
    return NULL;
}

static void wf2(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_answers *answers = &j->flows[flow].answers;
    const struct fal_roce_place place = fal_rj_place(seen);
    const char *wrong = wrong_syndrome(seen->syndrome);
    char text[TEXT];

    if (wrong != NULL) {
        (void)snprintf(text, sizeof text, "%s; the syndrome is 0x%02x", wrong, seen->syndrome);
        fal_rj_found(j, FAL_ROCE_WF2, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
        return;
    }
    /* Responses that are sent again may have the number of their first copy. */
    if (fal_rj_role(seen->opcode) == FAL_ROLE_ACK && answers->had_msn &&
        fal_rj_psn_diff(seen->msn, answers->msn) < 0) {
        if (j->setup.vantage != FAL_ROCE_AT_SUT) {
            fal_rj_excused(j, FAL_ROCE_WF2, "out-reorder");
            return;
        }
        (void)snprintf(text, sizeof text,
                       "expected a message number (MSN) from %u on; found %u",
                       (unsigned)answers->msn, (unsigned)seen->msn);
        fal_rj_found(j, FAL_ROCE_WF2, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
        return;
    }
    if (fal_rj_role(seen->opcode) == FAL_ROLE_ACK) {
        answers->had_msn = true;
        answers->msn = seen->msn;
    }
    fal_rj_held(j, FAL_ROCE_WF2);
}

/* A NIC writes the ICRC behind the place where its own packets are captured. */
static bool may_miss_icrc(const struct fal_roce_judge *j, uint32_t flow)
{
    const struct fal_rj_setup *s = &j->setup;

    if (s->icrc_captured)
        return false;
    return s->vantage == FAL_ROCE_AT_SUT ? j->paths[j->flows[flow].path].src_judged
                                         : s->vantage != FAL_ROCE_AT_SWITCH;
}

static void wf3(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);

    switch (seen->icrc) {
    case FAL_ROCE_ICRC_NOT_CHECKED:
        fal_rj_excused(j, FAL_ROCE_WF3, seen->cut ? "frame-cut" : "not-checked");
        return;
    case FAL_ROCE_ICRC_RIGHT: fal_rj_held(j, FAL_ROCE_WF3); return;
    case FAL_ROCE_ICRC_WRONG:
    case FAL_ROCE_ICRC_ABSENT: break;
    }
    if (may_miss_icrc(j, flow))
        fal_rj_excused(j, FAL_ROCE_WF3, "unauthenticated");
    else
        fal_rj_found(j, FAL_ROCE_WF3, FAL_VERDICT_FAIL, &place, seen->dest_qp,
                     seen->icrc == FAL_ROCE_ICRC_WRONG
                         ? "expected an ICRC over the packet; found another value"
                         : "expected an ICRC; found zeros, or no room for it");
}

/* What is wrong with a CNP, by what was declared; NULL: nothing. */
static const char *wrong_cnp(const struct fal_roce_judge *j, uint32_t flow,
                             const struct fal_roce_seen *seen)
{
    const struct fal_rj_setup *s = &j->setup;
    bool icrc_bad = seen->icrc == FAL_ROCE_ICRC_WRONG || seen->icrc == FAL_ROCE_ICRC_ABSENT;

    if (!seen->cut && !seen->cnp_zeros)
        return "expected 16 zero bytes after the BTH";
    if (icrc_bad && !may_miss_icrc(j, flow))
        return "expected a right ICRC";
    if (s->cnp_becn && !seen->becn)
        return "expected BECN = 1, as declared; found 0";
    if (s->have_cnp_ecn && seen->ecn != s->cnp_ecn)
        return "the ECN field of the IP header is not the declared one";
    if (s->have_cnp_dscp && seen->dscp != s->cnp_dscp)
        return "the DSCP of the IP header is not the declared one";
    return NULL;
}

/* Whether another host than the sender of the CNP is connected to the queue pair. */
static bool comes_from_elsewhere(const struct fal_roce_judge *j, uint32_t flow,
                                 const struct fal_roce_seen *seen)
{
    const struct fal_roce_path *path = &j->paths[j->flows[flow].path];
    bool elsewhere = false;

    for (size_t i = 0; i < j->setup.num_pairs; i++)
        for (unsigned to = 0; to < 2; to++) {
            const struct fal_rj_pair *p = &j->setup.pairs[i];

            if (p->qp[to] != seen->dest_qp || !fal_rj_same_host(&p->host[to], &path->dst))
                continue;
            if (fal_rj_same_host(&p->host[!to], &path->src))
                return false;
            elsewhere = true;
        }
    return elsewhere;
}

static void np4(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);
    const char *wrong = wrong_cnp(j, flow, seen);

    if (!j->paths[j->flows[flow].path].src_judged)
        return;
    if (wrong == NULL && comes_from_elsewhere(j, flow, seen))
        wrong = "expected the addresses of the marked packets, swapped; the queue pair is "
                "connected to another host";
    if (wrong != NULL)
        fal_rj_found(j, FAL_ROCE_NP4, FAL_VERDICT_FAIL, &place, seen->dest_qp, wrong);
    else if (seen->cut)
        fal_rj_excused(j, FAL_ROCE_NP4, "frame-cut");
    else
        fal_rj_held(j, FAL_ROCE_NP4);
}

void fal_rj_form(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    bool judged = j->paths[j->flows[flow].path].src_judged;

    if (!judged)
        return;
    wf1(j, seen);
    if (seen->has_aeth)
        wf2(j, flow, seen);
    wf3(j, flow, seen);
    if (seen->opcode == FAL_ROCE_OPCODE_CNP)
        np4(j, flow, seen);
}
