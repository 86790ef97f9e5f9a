/* SPDX-License-Identifier: Apache-2.0
 * play_cc.c - plays the step `cc`: commands about the congestion control of the SUT, and what
 * the result of a fed event must be. */
#include "harness/play/players.h"

#include "harness/session/bench_sut.h"
#include "harness/session/offer.h"
#include "oracles/cc/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_LEN = 160 };

/* The number of a value, or `otherwise` where the scenario gives none. */
static bool number_or(struct tl_interp *interp, const struct tl_value *value,
                      uint64_t otherwise, uint64_t *out)
{
    *out = otherwise;
    if (value->kind == TL_VALUE_NUMBER && value->number == 0)
        return true; /* as a value that was not read is */
    return tl_interp_number(interp, value, out);
}

/* ---- entries ---- */

static bool set_fields(struct tl_interp *interp, const struct tl_cc_fields *fields,
                       enum fal_cc_entry entry, void *host)
{
    for (size_t i = 0; i < fields->n; i++) {
        uint64_t number;
        char why[TEXT_LEN];

        if (!tl_interp_number(interp, &fields->list[i].value, &number))
            return false;
        if (tl_cc_value_set(&fields->list[i], entry, host, number) == 0)
            continue;
        (void)snprintf(why, sizeof why, "cc: %" PRIu64 " is too large for the field %s", number,
                       tl_cc_value_name(&fields->list[i]));
        tl_interp_unplayable(interp, why);
        return false;
    }
    return true;
}

static json_t *encoded(const struct tl_interp *interp, enum fal_cc_entry entry,
                       const void *host)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN];

    /* Each member was set within the range of its field. */
    if (fal_cc_encode(interp->session->bench->rue.format, entry, host, bytes, NULL) < 0)
        return NULL;
    return tl_protocol_entry(bytes);
}

/* The first event of a connection, with the fields of the step. */
static json_t *event_of(struct tl_interp *interp, const struct tl_cc_step *cc, uint64_t *now)
{
    struct fal_cc_event event = {
        .connection_id = interp->session->connection.sut.cid,
        .event_type = FAL_CC_ACK,
        .delay_select = FAL_CC_DELAY_FABRIC,
        .fcwnd_integer = FAL_CC_START_FCWND,
        .ncwnd = FAL_CC_START_NCWND,
        .retransmit_timeout = FAL_CC_START_RTO,
        .rtt_state = FAL_CC_START_DELAY,
        .delay_state = FAL_CC_START_DELAY,
        .base_delay_target = FAL_CC_START_DELAY_TARGET,
    };

    if (!set_fields(interp, &cc->entry, FAL_CC_ENTRY_EVENT, &event) ||
        !number_or(interp, &cc->now_ticks, event.t4, now))
        return NULL;
    return encoded(interp, FAL_CC_ENTRY_EVENT, &event);
}

/* The newest event that the SUT showed, as a result that changes nothing. */
static bool newest_event(const struct tl_session *session, struct fal_cc_result *out)
{
    for (uint64_t n = session->events.next; n-- > tl_session_first_event(session);) {
        const struct tl_seen_event *seen = tl_session_event(session, n);
        struct fal_cc_event event;

        if (!seen->is_entry || seen->entry_kind != TL_CC_EVENT ||
            fal_cc_decode(session->bench->rue.format, FAL_CC_ENTRY_EVENT, seen->entry,
                          FAL_CC_ENTRY_LEN, &event) < 0)
            continue;
        fal_cc_unchanged(&event, out);
        return true;
    }
    return false;
}

static json_t *result_of(struct tl_interp *interp, const struct tl_cc_step *cc)
{
    struct fal_cc_result result;

    if (!newest_event(interp->session, &result)) {
        tl_interp_unplayable(interp, "cc_result: the SUT has shown no event; expected a step "
                                     "`expect_cc` after `cc_engine` and before it");
        return NULL;
    }
    interp->session->rto_moved = true;
    return set_fields(interp, &cc->entry, FAL_CC_ENTRY_RESULT, &result)
               ? encoded(interp, FAL_CC_ENTRY_RESULT, &result)
               : NULL;
}

/* ---- commands ---- */

static json_t *params_of(const struct tl_cc_step *cc)
{
    json_t *params = json_object();

    for (size_t i = 0; i < cc->num_params; i++) {
        double value = cc->params[i].value;

        (void)json_object_set_new(params, cc->params[i].param->name,
                                  cc->params[i].param->whole ? json_integer(llround(value))
                                                             : json_real(value));
    }
    return params;
}

static json_t *levels_of(struct tl_interp *interp, const struct tl_cc_step *cc)
{
    json_t *thresholds = json_array();
    uint64_t every, alpha;

    if (!tl_interp_number(interp, &cc->every, &every) ||
        !number_or(interp, &cc->alpha, TL_RX_ALPHA_ONE, &alpha)) {
        json_decref(thresholds);
        return NULL;
    }
    if (every > UINT32_MAX / TL_RX_THRESHOLDS) {
        tl_interp_unplayable(interp, "rx_levels: expected an `every` below 2^32 / 31");
        json_decref(thresholds);
        return NULL;
    }
    for (json_int_t i = 1; i <= TL_RX_THRESHOLDS; i++)
        (void)json_array_append_new(thresholds, json_integer(i * (json_int_t)every));
    return json_pack("{s:s, s:s, s:I, s:o}", "do", tl_protocol_verb(cc->verb), "pool",
                     cc->pool == TL_RX_PACKETS ? "packets" : "buffers", "alpha",
                     (json_int_t)alpha, "thresholds", thresholds);
}

/* The command as JSON; NULL: the session is broken. */
static json_t *command_of(struct tl_interp *interp, const struct tl_cc_step *cc)
{
    const char *verb = tl_protocol_verb(cc->verb);
    json_t *entry;
    uint64_t now;

    switch ((int)cc->verb) {
    case TL_DO_CC_CONFIG:
        return json_pack("{s:s, s:s, s:o}", "do", verb, "conn",
                         interp->session->connection.name, "params", params_of(cc));
    case TL_DO_CC_TRACE: return json_pack("{s:s, s:b}", "do", verb, "on", cc->on);
    case TL_DO_CC_ENGINE:
        return json_pack("{s:s, s:s}", "do", verb, "who",
                         cc->who == TL_CC_SELF ? "self" : "tester");
    case TL_DO_CC_RESULT:
        entry = result_of(interp, cc);
        return entry != NULL ? json_pack("{s:s, s:o}", "do", verb, "entry", entry) : NULL;
    case TL_DO_CC_FEED:
        entry = event_of(interp, cc, &now);
        return entry != NULL ? json_pack("{s:s, s:I, s:s, s:o}", "do", verb, "now_ticks",
                                         (json_int_t)(now & FAL_CC_TIME_MAX), "state",
                                         cc->state == TL_CC_STATE_RESET ? "reset" : "keep",
                                         "entry", entry)
                             : NULL;
    default: return levels_of(interp, cc);
    }
}

/* ---- what comes back ---- */

int tl_interp_entry_fits(struct tl_interp *interp, const struct tl_cc_pattern *pattern,
                         const uint8_t *bytes, bool take, char *why, size_t cap)
{
    enum fal_cc_entry entry =
        pattern->kind == TL_CC_EVENT ? FAL_CC_ENTRY_EVENT : FAL_CC_ENTRY_RESULT;
    union {
        struct fal_cc_event event;
        struct fal_cc_result result;
    } host;

    if (fal_cc_decode(interp->session->bench->rue.format, entry, bytes, FAL_CC_ENTRY_LEN,
                      &host) < 0)
        return 0;
    for (size_t i = 0; i < pattern->fields.n; i++) {
        const struct tl_cc_value *due = &pattern->fields.list[i];
        uint64_t seen = tl_cc_value_in(due, entry, &host);
        struct fal_error err = {{0}};
        int rc = tl_value_match(&due->value, 0, &interp->scope, seen, &err);

        if (rc < 0)
            tl_interp_unplayable(interp, err.text);
        if (rc == 0 && why != NULL)
            (void)snprintf(why, cap, "%s is %" PRIu64, tl_cc_value_name(due), seen);
        if (rc != 1)
            return rc;
        if (take && due->value.kind == TL_VALUE_CAPTURE)
            tl_interp_bind(interp, due->value.name, seen, TL_INTEGER);
    }
    return 1;
}

bool tl_interp_entry_concerns(struct tl_interp *interp, const struct tl_cc_pattern *pattern,
                              const uint8_t *bytes)
{
    struct tl_cc_pattern type = {.kind = pattern->kind};

    for (size_t i = 0; i < pattern->fields.n; i++)
        if (strcmp(tl_cc_value_name(&pattern->fields.list[i]), "event_type") == 0)
            type.fields = (struct tl_cc_fields){&pattern->fields.list[i], 1};
    return tl_interp_entry_fits(interp, &type, bytes, false, NULL, 0) != 0;
}

static void check_result(struct tl_interp *interp, const struct tl_cc_step *cc)
{
    struct tl_session *session = interp->session;
    char why[TEXT_LEN] = "";
    struct tl_miss *miss;

    if (!session->has_answer_entry) {
        tl_session_break(session, TL_REASON_CONTROL_GARBAGE,
                         "the reply to `cc_feed` has no \"entry\" of 128 hex digits");
        return;
    }
    if (tl_interp_entry_fits(interp, &cc->result, session->answer_entry, true, why,
                             sizeof why) != 0)
        return;
    miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, 0);
    (void)snprintf(miss->seen, sizeof miss->seen, "%s", why);
}

bool tl_play_cc(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_cc_step *cc = step->u.cc;
    const struct tl_need need = {.verb = cc->verb};
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session), packet = session->packets.next;
    json_t *command;

    if (tl_interp_lacks(interp, &need))
        return true;
    command = command_of(interp, cc);
    if (command == NULL) {
        if (session->broken.reason == TL_REASON_NONE)
            tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return true;
    }
    tl_session_command(session, command);
    if (!tl_session_await_answer(session))
        return true;
    if (!session->answer_ok) {
        tl_interp_command_refused(interp, &need);
        return true;
    }
    if (cc->verb == TL_DO_CC_FEED)
        check_result(interp, cc);
    if (interp->state == TL_INTERP_RUNNING)
        tl_interp_moment(interp, begin, tl_session_now(session), packet);
    return true;
}
