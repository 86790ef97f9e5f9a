/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_gate.h"

#include "harness/roce/roce_inject.h"
#include "oracles/simnet.h"

#include <stdlib.h>
#include <string.h>

enum { IP_AT = 14, VLAN_LEN = 4, FRAME_MAX = 512, CNP_DSCP = 48 };

int tl_roce_gate_init(struct tl_roce_gate *gate, const struct tl_roce_scenario *scenario,
                      struct tl_roce_log *log, tl_roce_forward_fn *forward, void *ctx)
{
    *gate =
        (struct tl_roce_gate){.scenario = scenario, .log = log, .forward = forward, .ctx = ctx};
    gate->matched = calloc(scenario->num_steps, sizeof *gate->matched);
    gate->injections = calloc(scenario->num_steps, sizeof *gate->injections);
    if (gate->matched == NULL || gate->injections == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_roce_step *step = &scenario->steps[i];
        bool now = step->verb == TL_ROCE_INJECT && step->after == NULL;

        gate->injections[i] = (struct tl_roce_injection){
            .step = step, .at_ns = now ? step->time_ns : UINT64_MAX, .left = step->times};
    }
    return 0;
}

void tl_roce_gate_free(struct tl_roce_gate *gate)
{
    free(gate->matched);
    free(gate->injections);
    gate->matched = NULL;
    gate->injections = NULL;
}

/* ---- acting on frames ---- */

/* What becomes of a frame. */
struct fate {
    bool dropped, twice, spoiled;
    uint64_t later_ns, again_ns;
    unsigned ecn;
};

static size_t ip_at(const uint8_t *bytes, size_t len)
{
    return len > IP_AT && bytes[12] == 0x81 && bytes[13] == 0 ? IP_AT + VLAN_LEN : IP_AT;
}

static void act(const struct tl_roce_step *step, uint8_t *bytes, size_t len, struct fate *fate)
{
    switch ((unsigned)step->verb) {
    case TL_ROCE_DROP: fate->dropped = true; break;
    case TL_ROCE_MARK:
        if (fal_frame_set_ecn(bytes, len, ip_at(bytes, len), (unsigned)step->ecn))
            fate->ecn = (unsigned)step->ecn;
        break;
    case TL_ROCE_DELAY: fate->later_ns += step->by_ns; break;
    case TL_ROCE_DUPLICATE:
        fate->twice = true;
        fate->again_ns = step->by_ns;
        break;
    case TL_ROCE_CORRUPT:
        bytes[len - 1] ^= 1;
        fate->spoiled = !fate->spoiled;
        break;
    default: break;
    }
}

/* A label was set: packets that Talon sends after it are due. */
static void label_set(struct tl_roce_gate *gate, const char *name, uint64_t now_ns)
{
    for (size_t i = 0; name != NULL && i < gate->scenario->num_steps; i++) {
        struct tl_roce_injection *injection = &gate->injections[i];

        if (injection->step->verb == TL_ROCE_INJECT && injection->step->after != NULL &&
            strcmp(injection->step->after, name) == 0 && injection->left > 0 &&
            injection->at_ns == UINT64_MAX)
            injection->at_ns = now_ns + injection->step->start_ns;
    }
}

static bool acts_on(struct tl_roce_gate *gate, size_t i, const struct tl_roce_seen *seen)
{
    const struct tl_roce_step *step = &gate->scenario->steps[i];
    const struct tl_roce_label *after = tl_roce_log_label(gate->log, step->after);

    if (step->verb < TL_ROCE_DROP || step->verb > TL_ROCE_CORRUPT ||
        (step->after != NULL && (after == NULL || !after->set)) ||
        !tl_roce_log_fits(gate->log, step, seen))
        return false;
    gate->matched[i]++;
    return gate->matched[i] >= step->nth && gate->matched[i] - step->nth < step->times;
}

/* Notes in the log that the frame of entry `index` leaves, and sends it on. */
static void pass(struct tl_roce_gate *gate, const struct tl_roce_passed *passed,
                 const struct tl_roce_seen *seen, unsigned from, struct fal_span frame)
{
    if (seen != NULL)
        tl_roce_log_passed(gate->log, passed);
    gate->forward(gate->ctx, passed->at_ns, from, frame.bytes, frame.len);
}

void tl_roce_gate_frame(struct tl_roce_gate *gate, uint64_t now_ns, unsigned from,
                        uint8_t *bytes, size_t len)
{
    struct tl_roce_seen *seen = tl_roce_log_frame(gate->log, now_ns, from, bytes, len);
    struct fate fate = {.ecn = seen != NULL ? seen->ecn : 0};
    size_t index = gate->log->num_seen - 1;
    struct tl_roce_passed passed;

    for (size_t i = 0; seen != NULL && i < gate->scenario->num_steps; i++) {
        const struct tl_roce_step *step = &gate->scenario->steps[i];
        const struct tl_roce_label *label = tl_roce_log_label(gate->log, step->as);

        if (!acts_on(gate, i, seen))
            continue;
        act(step, bytes, len, &fate);
        seen->acted = true;
        seen->dropped |= fate.dropped;
        if (label != NULL && !label->set) {
            tl_roce_log_set(gate->log, step, now_ns, index);
            label_set(gate, step->as, now_ns);
        }
    }
    if (fate.dropped)
        return;
    passed = (struct tl_roce_passed){.index = index,
                                     .at_ns = now_ns + fate.later_ns,
                                     .ecn = fate.ecn,
                                     .spoiled = fate.spoiled};
    pass(gate, &passed, seen, from, (struct fal_span){bytes, len});
    passed.at_ns += fate.again_ns;
    if (fate.twice)
        pass(gate, &passed, seen, from, (struct fal_span){bytes, len});
}

/* ---- packets of Talon's own ---- */

static void send_own(struct tl_roce_gate *gate, const struct tl_roce_step *step,
                     uint64_t now_ns)
{
    unsigned to = (unsigned)step->to, from = 1 - to;
    const struct tl_roce_conn *conn = &gate->log->conns[step->qp - 1];
    struct tl_roce_injected own;
    struct fal_roce_route route = gate->log->routes[from];
    struct tl_roce_seen *seen;
    uint8_t bytes[FRAME_MAX];
    int len;

    if (!conn->has_qpn[to])
        return; /* not learned yet */
    if (!gate->log->has_route[from])
        fal_roce_route_lab(&route, false, from == 1);
    tl_roce_inject_packet(gate->log, step, conn, &own);
    route.ecn = FAL_ECN_NOT_ECT;
    if (own.packet.bth.opcode == FAL_ROCE_OP_cnp) {
        route.ecn = FAL_ECN_ECT1;
        route.dscp = CNP_DSCP;
    }
    if (own.has_ecn)
        route.ecn = (uint8_t)own.ecn;
    len = fal_roce_frame_encode(&own.packet, &route, bytes, sizeof bytes, NULL);
    if (len < 0)
        return;
    if (own.bad_icrc)
        bytes[len - 1] ^= 1;
    seen = tl_roce_log_frame(gate->log, now_ns, from, bytes, (size_t)len);
    if (seen != NULL)
        seen->injected = true;
    tl_roce_log_set(gate->log, step, now_ns, gate->log->num_seen - 1);
    pass(gate,
         &(struct tl_roce_passed){
             .index = gate->log->num_seen - 1, .at_ns = now_ns, .ecn = route.ecn},
         seen, from, (struct fal_span){bytes, (size_t)len});
}

void tl_roce_gate_run(struct tl_roce_gate *gate, uint64_t now_ns)
{
    for (size_t i = 0; i < gate->scenario->num_steps; i++) {
        struct tl_roce_injection *injection = &gate->injections[i];

        while (injection->at_ns <= now_ns && injection->left > 0) {
            injection->left--;
            send_own(gate, injection->step, now_ns);
            label_set(gate, injection->step->as, now_ns);
            injection->at_ns =
                injection->left > 0 ? injection->at_ns + injection->step->every_ns : UINT64_MAX;
        }
    }
}

uint64_t tl_roce_gate_next_ns(const struct tl_roce_gate *gate)
{
    uint64_t next_ns = UINT64_MAX;

    for (size_t i = 0; i < gate->scenario->num_steps; i++)
        if (gate->injections[i].left > 0 && gate->injections[i].at_ns < next_ns)
            next_ns = gate->injections[i].at_ns;
    return next_ns;
}
