/* SPDX-License-Identifier: Apache-2.0
 * steps.c - the symptom of a step that was missed: the packet that it expects did not come at
 * all, or came and differs. */
#include "harness/blame/symptoms.h"

#include "harness/play/interp.h"

#include <string.h>

/* A step that expects a packet, and what came. */
struct missed {
    const struct tl_trace *trace;
    const struct tl_interp *interp;
    const struct fal_pattern *pattern;
    const struct tl_seen_packet *seen; /* in time; or NULL */
    struct fal_relative rel;
    struct fal_vars vars;
    struct fal_falcon shape; /* a packet of the expected type */
    uint64_t t_ns;
};

static bool value(const struct missed *m, const char *field, fal_u128 *out)
{
    return fal_pattern_value(m->pattern, &m->rel, &m->vars, &m->shape, field, out);
}

static bool is_set(const struct missed *m, const char *field)
{
    fal_u128 v = 0;

    return value(m, field, &v) && v != 0;
}

/* An EACK is expected and a BACK came: what the EACK must show. */
static struct tl_symptoms back_instead(const struct missed *m)
{
    struct tl_symptoms out = {.count = 0};

    if (is_set(m, "req_bitmap"))
        tl_symptoms_add(&out, TL_SYMPTOM_BACK_FOR_REQUESTS);
    if (is_set(m, "data_rx_bitmap"))
        tl_symptoms_add(&out, TL_SYMPTOM_BACK_FOR_HOLE);
    if (is_set(m, "data_ack_bitmap"))
        tl_symptoms_add(&out, TL_SYMPTOM_BACK_FOR_ACKS);
    return out;
}

/* The newest packet of the tester that wants an acknowledgement. */
static uint64_t newest_asked(const struct missed *m)
{
    uint64_t n = m->trace->next;

    while ((n = tl_trace_before(m->trace, n, FAL_TO_SUT)) != UINT64_MAX) {
        const struct tl_seen_packet *p = tl_trace_packet(m->trace, n);

        if (p->t_ns <= m->t_ns && fal_falcon_reliable(p->falcon.packet_type))
            return n;
    }
    return UINT64_MAX;
}

static struct tl_symptoms no_ack(const struct missed *m)
{
    uint64_t asked = newest_asked(m);
    struct tl_symptoms out = {.count = 0};

    if (m->seen != NULL && m->seen->falcon.packet_type == FAL_BACK)
        out = back_instead(m);
    if (out.count == 0 && asked != UINT64_MAX)
        out = tl_owed_ack(m->trace, asked, m->t_ns);
    if (out.count == 0 && m->seen == NULL && asked != UINT64_MAX)
        out = tl_no_ack(m->trace, asked);
    return out;
}

static struct tl_symptoms no_nack(const struct missed *m)
{
    struct tl_symptoms out = {.count = 0};
    fal_u128 code = 0;

    if (tl_was_refused(m->trace, newest_asked(m), m->t_ns))
        tl_symptoms_add(&out, TL_SYMPTOM_NO_NACK_AGAIN);
    if (value(m, "nack_code", &code))
        tl_symptoms_add(&out, tl_no_nack((unsigned)code));
    return out;
}

/* A packet of the SUT that the SUT had sent before, or a Resync of it. */
static struct tl_symptoms not_again(const struct missed *m)
{
    enum fal_window w = fal_falcon_window(&m->shape);
    struct tl_symptoms out = {.count = 0};
    fal_u128 psn = 0;

    if (!value(m, "psn", &psn))
        return out;
    tl_symptoms_add(&out, m->shape.packet_type == FAL_RESYNC
                              ? tl_no_resync(m->trace, w, (uint32_t)psn, m->t_ns)
                              : tl_no_repeat(m->trace, w, (uint32_t)psn, m->t_ns));
    return out;
}

/* The type that the pattern expects; false: any. "packet packet_type={back,eack}" is an EACK:
 * its acknowledgement is what matters. */
static bool expected_type(const struct missed *m, uint8_t *type)
{
    uint64_t code = 0;

    if (m->pattern->any_type || m->pattern->layout == NULL)
        return false;
    if (!fal_name_find(&fal_names_packet_type, m->pattern->layout->name, &code))
        return false;
    *type = (uint8_t)code;
    return true;
}

static bool same_type(const struct missed *m, const struct tl_step *step)
{
    for (size_t i = 0; i < step->u.expect.count; i++) {
        const struct fal_pattern *pattern = step->u.expect.any_of[i];

        if (m->seen != NULL &&
            (pattern->any_type ||
             pattern->layout == fal_falcon_layout(m->seen->falcon.packet_type)))
            return true;
    }
    return false;
}

static struct tl_symptoms of_packet(struct missed *m, const struct tl_step *step,
                                    const char **field)
{
    uint8_t type = FAL_EACK;
    bool known = expected_type(m, &type);
    fal_u128 of = FAL_PUSH_DATA;

    if (same_type(m, step)) {
        const struct fal_field *differs =
            fal_pattern_differs(m->pattern, &m->rel, &m->vars, &m->seen->falcon);

        *field = differs != NULL ? differs->name : NULL;
        if (differs != NULL && strcmp(differs->name, "own") == 0 && !is_set(m, "own") &&
            m->seen->falcon.own != 0) {
            struct tl_symptoms out = {.count = 0};

            tl_symptoms_add(&out, tl_own_kept(&m->seen->falcon));
            return out;
        }
        if (known && type != FAL_EACK)
            return (struct tl_symptoms){.count = 0};
    }
    fal_falcon_init(&m->shape, (enum fal_packet_type)type);
    if (type == FAL_RESYNC && value(m, "resync_packet_type", &of))
        m->shape.resync_packet_type = (uint8_t)of;
    if (fal_falcon_reliable(type))
        return not_again(m);
    return type == FAL_NACK ? no_nack(m) : no_ack(m);
}

/* A completion that must not be, or with another code: whether one came too early. */
static struct tl_symptoms of_completion(const struct tl_trace *trace,
                                        const struct tl_step *step)
{
    struct tl_symptoms out = {.count = 0};

    if (step->u.expect_ulp.side != TL_SIDE_SUT ||
        step->u.expect_ulp.pattern->kind != FAL_ULP_COMPLETION)
        return out;
    for (uint64_t n = trace->first_event; n < trace->next_event && out.count == 0; n++) {
        const struct tl_seen_event *e = &trace->events[n % trace->event_cap];

        if (!e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_COMPLETION &&
            e->ulp.code == 0)
            tl_symptoms_add(&out, tl_completed_early(trace, e->ulp.rsn, e->t_ns));
    }
    return out;
}

/* A request was not delivered. */
static struct tl_symptoms of_request(const struct tl_trace *trace, const struct tl_step *step,
                                     uint64_t t_ns)
{
    struct missed m = {.trace = trace, .t_ns = t_ns};
    struct tl_symptoms out = {.count = 0};

    if (step->verb == TL_EXPECT_ULP && step->u.expect_ulp.side == TL_SIDE_SUT)
        tl_symptoms_add(&out, tl_why_refused(trace, newest_asked(&m)));
    return out;
}

/* The fatal error of a connection did not come: whether the attempts had been made. */
static struct tl_symptoms of_fatal(const struct tl_trace *trace, const struct tl_step *step,
                                   uint64_t t_ns)
{
    struct tl_symptoms out = {.count = 0};

    if (step->verb == TL_EXPECT_ULP && strcmp(step->u.expect_ulp.pattern->what, "fatal") == 0)
        tl_symptoms_add(&out, tl_no_fatal(trace, t_ns));
    return out;
}

static struct tl_symptoms of_event(const struct tl_trace *trace, const struct tl_step *step,
                                   uint64_t t_ns)
{
    if (step->u.expect_ulp.pattern->is_cm)
        return of_fatal(trace, step, t_ns);
    return step->u.expect_ulp.pattern->kind == FAL_ULP_REQUEST ? of_request(trace, step, t_ns)
                                                               : of_completion(trace, step);
}

struct tl_symptoms tl_step_symptoms(const struct tl_trace *trace, struct tl_interp *interp,
                                    const char **field)
{
    const struct tl_miss *miss = &interp->miss;
    const struct tl_step *step = &interp->scenario->steps[miss->step];
    const struct tl_seen_packet *seen = tl_trace_packet(trace, miss->packet);
    struct missed m = {
        .trace = trace,
        .interp = interp,
        .seen = seen != NULL && seen->t_ns <= miss->t_ns ? seen : NULL,
        .rel = tl_session_relative(interp->session, FAL_FROM_SUT),
        .vars = tl_scope_vars(&interp->scope),
        .t_ns = miss->t_ns,
    };

    *field = NULL;
    if (step->verb == TL_EXPECT_NO_EVENT || step->verb == TL_EXPECT_ULP)
        return of_event(trace, step, miss->t_ns);
    if (step->verb != TL_EXPECT || step->u.expect.count == 0 ||
        (miss->reason != TL_REASON_UNMET && miss->reason != TL_REASON_LATE))
        return (struct tl_symptoms){.count = 0};
    m.pattern = step->u.expect.any_of[0];
    return of_packet(&m, step, field);
}
