/* SPDX-License-Identifier: Apache-2.0
 * np.c - the notification point: NP1 to NP3. A flow carries data from A to B; its CNPs travel
 * from B to A in the flow of the other direction, its twin.
 *
 * NP1 is decided late: a marked packet whose time stamp lies within the clock error of the CNP
 * may stand behind it in the capture. */
#include "oracles/rules/roce/state.h"

#include <stdio.h>

enum { CE = 3, TEXT = 200 };

/* The receiver sends a CNP at most that long after the mark that it answers. */
static uint64_t answer_ns(const struct fal_roce_judge *j)
{
    return fal_rj_longest(&j->setup, j->setup.dcqcn.cnp_interval_ns + j->setup.turnaround_ns) +
           fal_rj_slack(&j->setup) + fal_rj_delay(&j->setup);
}

static bool marks_are_final(const struct fal_roce_judge *j)
{
    return j->setup.vantage == FAL_ROCE_AT_SUT || j->setup.no_marking_behind;
}

static bool may_be_copies(const struct fal_roce_judge *j)
{
    return j->setup.vantage != FAL_ROCE_AT_SUT && !j->setup.no_duplicates;
}

/* Whether no packet before the capture, or in a gap of it, can have caused a CNP at that time.
 */
static bool is_settled(const struct fal_roce_judge *j, uint64_t at_ns)
{
    return !j->was_gap || (j->setup.dcqcn.cnp_interval_ns > 0 && j->setup.have_turnaround &&
                           fal_rj_since(at_ns, j->start_ns) > answer_ns(j));
}

/* ---- NP1 ---- */

/* The marks that may have caused the CNPs of a flow: of its twin, or, while that is not known,
 * of all flows of the path. */
static uint64_t causes(const struct fal_roce_judge *j, uint32_t flow)
{
    const struct fal_roce_flow *f = &j->flows[flow];
    uint32_t back = j->paths[f->path].back;

    if (f->twin != FAL_ROCE_NO_FLOW)
        return j->flows[f->twin].marks.marked;
    return back != FAL_ROCE_NO_FLOW ? j->paths[back].marked : 0;
}

static void groundless_found(struct fal_roce_judge *j, uint32_t flow)
{
    struct fal_roce_flow *f = &j->flows[flow];
    uint64_t marked = causes(j, flow);
    char text[TEXT];

    (void)snprintf(text, sizeof text,
                   "expected a marked packet of the flow before each CNP to queue pair 0x%06x; "
                   "found %llu CNPs and %llu marked packets%s",
                   (unsigned)f->qp, (unsigned long long)f->cnps.settled,
                   (unsigned long long)marked,
                   f->twin == FAL_ROCE_NO_FLOW ? " of all flows between the hosts" : "");
    if (marked > 0 && may_be_copies(j))
        fal_rj_excused(j, FAL_ROCE_NP1, "out-dup");
    else
        fal_rj_found(j, FAL_ROCE_NP1, fal_rj_unseen(j), &f->cnps.groundless, f->qp, text);
    f->cnps.groundless.there = false;
    f->cnps.settled = marked; /* each one that is too many is found once */
}

/* Decides a CNP that waits for a mark, when none can come any more. */
static void settle_groundless(struct fal_roce_judge *j, uint32_t flow, uint64_t now_ns)
{
    const struct fal_roce_place *g = &j->flows[flow].cnps.groundless;

    if (g->there && now_ns > g->at_ns + fal_rj_slack(&j->setup))
        groundless_found(j, flow);
}

static void np1_cnp(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_flow *f = &j->flows[flow];

    settle_groundless(j, flow, seen->at_ns);
    if (!marks_are_final(j)) {
        fal_rj_excused(j, FAL_ROCE_NP1, "marking-behind-vantage");
        return;
    }
    if (!is_settled(j, seen->at_ns)) {
        fal_rj_excused(j, FAL_ROCE_NP1, "capture-start");
        return;
    }
    f->cnps.settled++;
    if (!f->cnps.first.there)
        f->cnps.first = fal_rj_place(seen);
    if (f->cnps.settled > causes(j, flow)) {
        if (!f->cnps.groundless.there)
            f->cnps.groundless = fal_rj_place(seen);
    } else if (f->twin == FAL_ROCE_NO_FLOW) {
        fal_rj_excused(j, FAL_ROCE_NP1, "pairing-unknown");
    } else {
        fal_rj_held(j, FAL_ROCE_NP1);
    }
}

/* A mark arrived: it may be the cause of CNPs that stand a little before it. */
static void np1_mark(struct fal_roce_judge *j, uint32_t cnps, uint64_t at_ns)
{
    struct fal_roce_flow *f = &j->flows[cnps];

    if (!f->cnps.groundless.there)
        return;
    settle_groundless(j, cnps, at_ns);
    if (f->cnps.settled <= causes(j, cnps))
        f->cnps.groundless.there = false;
}

void fal_rj_np_paired(struct fal_roce_judge *j, uint32_t data, uint32_t back)
{
    struct fal_roce_cnps *cnps = &j->flows[back].cnps;
    const struct fal_roce_marks *marks = &j->flows[data].marks;

    if (cnps->groundless.there || cnps->settled == 0)
        return;
    if (cnps->settled > marks->marked ||
        (marks->first.there &&
         marks->first.at_ns > cnps->first.at_ns + fal_rj_slack(&j->setup))) {
        cnps->groundless = cnps->first;
        groundless_found(j, back);
    }
}

/* CNPs of a flow whose twin was never known: it has no cause if all marked flows of the path
 * belong to other queue pairs. */
static void np1_stranger(struct fal_roce_judge *j, uint32_t flow)
{
    struct fal_roce_flow *f = &j->flows[flow];
    uint32_t back = j->paths[f->path].back;
    bool receivers = false;

    if (f->twin != FAL_ROCE_NO_FLOW || !f->cnps.first.there || f->cnps.groundless.there ||
        back == FAL_ROCE_NO_FLOW)
        return;
    for (uint32_t i = j->paths[back].flows; i != FAL_ROCE_NO_FLOW; i = j->flows[i].next) {
        const struct fal_roce_flow *data = &j->flows[i];
        uint32_t sender = f->qp;

        if (data->marks.marked > 0 && data->twin == FAL_ROCE_NO_FLOW &&
            (!fal_rj_given_peer(j, i, &sender) || sender == f->qp))
            return;
        receivers |= data->marks.marked > 0 && data->qp == f->qp;
    }
    fal_rj_found(
        j, receivers ? FAL_ROCE_NP4 : FAL_ROCE_NP1, fal_rj_unseen(j), &f->cnps.first, f->qp,
        receivers ? "expected a CNP that names the queue pair of the sender of the marked "
                    "packets; found the queue pair of their receiver"
                  : "expected a CNP for a queue pair whose packets were marked; all marked "
                    "packets belong to other queue pairs");
}

/* ---- NP2 ---- */

static void np2_cnp(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place *last = &j->flows[flow].cnps.last;
    uint64_t n = j->setup.dcqcn.cnp_interval_ns, apart, least;
    char text[TEXT];

    if (!last->there)
        return;
    if (n == 0) {
        fal_rj_excused(j, FAL_ROCE_NP2, "np-interval-undeclared");
        return;
    }
    if (!fal_rj_timed(&j->setup)) {
        fal_rj_excused(j, FAL_ROCE_NP2, "delay-undeclared");
        return;
    }
    apart = fal_rj_since(seen->at_ns, last->at_ns);
    least = fal_rj_shortest(&j->setup, n);
    if (apart + fal_rj_slack(&j->setup) >= least) {
        fal_rj_held(j, FAL_ROCE_NP2);
        return;
    }
    if (may_be_copies(j)) {
        fal_rj_excused(j, FAL_ROCE_NP2, "out-dup");
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected CNPs to queue pair 0x%06x at least %llu ns apart; found %llu ns, "
                   "after the CNP in frame %llu",
                   (unsigned)j->flows[flow].qp, (unsigned long long)least,
                   (unsigned long long)apart, (unsigned long long)last->number);
    const struct fal_roce_place place = fal_rj_place(seen);

    fal_rj_found(j, FAL_ROCE_NP2, FAL_VERDICT_FAIL, &place, j->flows[flow].qp, text);
}

/* ---- NP3 ---- */

/* The last CNP that the limiter of a flow counts; false: none yet. */
static bool last_cnp(const struct fal_roce_judge *j, uint32_t flow, uint64_t *at_ns)
{
    const struct fal_roce_flow *f = &j->flows[flow];
    uint32_t back = j->paths[f->path].back;

    if (j->setup.limiter == FAL_ROCE_PER_QP && f->twin != FAL_ROCE_NO_FLOW) {
        *at_ns = j->flows[f->twin].cnps.last.at_ns;
        return j->flows[f->twin].cnps.last.there;
    }
    if (j->setup.limiter == FAL_ROCE_PER_QP || j->setup.limiter == FAL_ROCE_PER_IP) {
        *at_ns = back != FAL_ROCE_NO_FLOW ? j->paths[back].last_cnp_ns : 0;
        return back != FAL_ROCE_NO_FLOW && j->paths[back].had_cnp;
    }
    *at_ns = j->last_cnp_ns;
    return j->had_cnp;
}

/* Whether a CNP of flow `cnps` may answer a mark of flow `data`. */
static bool answers(const struct fal_roce_judge *j, uint32_t data, uint32_t cnps)
{
    const struct fal_roce_flow *d = &j->flows[data], *c = &j->flows[cnps];

    if (j->setup.limiter == FAL_ROCE_PER_QP && d->twin != FAL_ROCE_NO_FLOW)
        return d->twin == cnps;
    if (j->setup.limiter == FAL_ROCE_PER_QP || j->setup.limiter == FAL_ROCE_PER_IP)
        return j->paths[d->path].back == c->path;
    return true;
}

/* Why NP3 cannot be judged here at all; NULL: it can. */
static const char *np3_excuse(const struct fal_roce_judge *j)
{
    const struct fal_rj_setup *s = &j->setup;

    if (s->congestion_management == FAL_ROCE_NOT_CLAIMED)
        return "rcm-not-claimed";
    if (s->congestion_management == FAL_ROCE_NOT_DECLARED)
        return "rcm-not-declared";
    if (s->dcqcn.cnp_interval_ns == 0)
        return "np-interval-undeclared";
    if (!s->have_turnaround)
        return "turnaround-undeclared";
    if (!fal_rj_timed(s))
        return "delay-undeclared";
    return s->vantage != FAL_ROCE_AT_SUT && !s->lossless_out ? "out-loss" : NULL;
}

/* A valid packet of a reliable connection, the next one that the receiver expects. */
static bool is_taken(const struct fal_roce_judge *j, uint32_t flow,
                     const struct fal_roce_seen *seen)
{
    const struct fal_roce_sends *s = j->flows[flow].sends;

    return fal_rj_role(seen->opcode) == FAL_ROLE_REQUEST && seen->icrc != FAL_ROCE_ICRC_WRONG &&
           (s != NULL ? seen->psn == s->frontier : !j->was_gap);
}

static void np3_mark(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_marks *m = &j->flows[flow].marks;
    const char *excuse = np3_excuse(j);
    uint64_t last_ns = 0, quiet;

    if (excuse != NULL) {
        fal_rj_excused(j, FAL_ROCE_NP3, excuse);
        return;
    }
    if (m->due.there || !is_taken(j, flow, seen))
        return;
    quiet = fal_rj_longest(&j->setup, j->setup.dcqcn.cnp_interval_ns) + fal_rj_slack(&j->setup);
    if (last_cnp(j, flow, &last_ns) ? fal_rj_since(seen->at_ns, last_ns) <= quiet
                                    : !is_settled(j, seen->at_ns))
        return;
    m->due = fal_rj_place(seen);
    m->due_psn = seen->psn;
    m->overdue = m->accepted = false;
    if (!m->listed) {
        m->listed = true;
        m->next_due = j->due;
        j->due = flow;
    }
}

static void np3_found(struct fal_roce_judge *j, uint32_t flow)
{
    struct fal_roce_marks *m = &j->flows[flow].marks;
    char text[TEXT];

    (void)snprintf(text, sizeof text,
                   "expected a CNP at most %llu ns after the marked packet %u, which was "
                   "acknowledged; found none",
                   (unsigned long long)answer_ns(j), (unsigned)m->due_psn);
    fal_rj_found(j, FAL_ROCE_NP3, fal_rj_unseen(j), &m->due, j->flows[flow].qp, text);
    m->due.there = false;
}

static bool is_late(const struct fal_roce_judge *j, const struct fal_roce_marks *m,
                    uint64_t now_ns)
{
    return fal_rj_since(now_ns, m->due.at_ns) > answer_ns(j);
}

/* Takes flows off the list that have nothing due, and finds what is overdue. */
void fal_rj_np_time(struct fal_roce_judge *j)
{
    uint32_t *link = &j->due;

    while (*link != FAL_ROCE_NO_FLOW) {
        uint32_t flow = *link;
        struct fal_roce_marks *m = &j->flows[flow].marks;

        m->overdue |= m->due.there && is_late(j, m, j->now_ns);
        if (m->overdue && m->accepted && m->due.there)
            np3_found(j, flow);
        if (m->due.there && !m->overdue) {
            link = &m->next_due;
            continue;
        }
        *link = m->next_due; /* what is overdue waits for its acknowledgement only */
        m->listed = false;
    }
}

void fal_rj_np_acked(struct fal_roce_judge *j, uint32_t flow, uint32_t unacked)
{
    struct fal_roce_marks *m = &j->flows[flow].marks;

    if (!m->due.there || fal_rj_psn_diff(unacked, m->due_psn) <= 0)
        return;
    m->accepted = true;
    if (m->overdue)
        np3_found(j, flow);
}

static void np3_cnp(struct fal_roce_judge *j, uint32_t cnps, uint64_t at_ns)
{
    for (uint32_t i = j->due; i != FAL_ROCE_NO_FLOW; i = j->flows[i].marks.next_due) {
        struct fal_roce_marks *m = &j->flows[i].marks;

        if (m->due.there && !m->overdue && answers(j, i, cnps) && !is_late(j, m, at_ns)) {
            m->due.there = false;
            fal_rj_held(j, FAL_ROCE_NP3);
        }
    }
}

/* ---- packets ---- */

void fal_rj_np_data(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_flow *f = &j->flows[flow];
    struct fal_roce_path *path = &j->paths[f->path];

    if (seen->ecn != CE || !path->dst_judged)
        return;
    path->marked++;
    f->marks.marked++;
    if (!f->marks.first.there)
        f->marks.first = fal_rj_place(seen);
    if (f->twin != FAL_ROCE_NO_FLOW) {
        np1_mark(j, f->twin, seen->at_ns);
    } else if (path->back != FAL_ROCE_NO_FLOW) {
        for (uint32_t i = j->paths[path->back].flows; i != FAL_ROCE_NO_FLOW;
             i = j->flows[i].next)
            np1_mark(j, i, seen->at_ns);
    }
    np3_mark(j, flow, seen);
}

void fal_rj_np_cnp(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_flow *f = &j->flows[flow];
    struct fal_roce_path *path = &j->paths[f->path];

    if (!path->src_judged)
        return;
    np1_cnp(j, flow, seen);
    np2_cnp(j, flow, seen);
    np3_cnp(j, flow, seen->at_ns);
    path->cnps++;
    path->had_cnp = j->had_cnp = true;
    path->last_cnp_ns = j->last_cnp_ns = seen->at_ns;
    f->cnps.last = fal_rj_place(seen);
}

void fal_rj_np_gap(struct fal_roce_judge *j)
{
    for (size_t i = 0; i < j->num_flows; i++) {
        struct fal_roce_flow *f = &j->flows[i];

        if (f->marks.due.there)
            fal_rj_excused(j, FAL_ROCE_NP3, "capture-gap");
        f->marks.due.there = f->marks.first.there = false;
        f->marks.marked = f->cnps.settled = 0;
        f->cnps.groundless.there = f->cnps.first.there = f->cnps.last.there = false;
    }
    for (size_t i = 0; i < j->num_paths; i++) {
        j->paths[i].marked = 0;
        j->paths[i].had_cnp = false;
    }
    j->had_cnp = false;
}

void fal_rj_np_end(struct fal_roce_judge *j)
{
    fal_rj_np_time(j);
    for (uint32_t i = 0; i < j->num_flows; i++) {
        const struct fal_roce_marks *m = &j->flows[i].marks;

        if (j->flows[i].cnps.groundless.there)
            groundless_found(j, i);
        else
            np1_stranger(j, i);
        if (m->due.there)
            fal_rj_excused(j, FAL_ROCE_NP3,
                           !m->overdue                            ? "capture-end"
                           : j->flows[i].twin == FAL_ROCE_NO_FLOW ? "pairing-unknown"
                                                                  : "not-accepted");
    }
}
