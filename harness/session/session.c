/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/session_impl.h"
#include "harness/session/words/session_words.h"
#include "harness/session/words/tester_words.h"

#include "codecs/base/error.h"
#include "harness/link/pulse.h"
#include "harness/session/offer.h"
#include "harness/session/turned.h"
#include "oracles/rng.h"
#include "oracles/rule_ratios.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_PART = 0x434b }; /* derived from the seed: the tester's clock at time 0 */

#define CLOCK_MAX_PS (UINT64_C(1) << 62)

void tl_session_break(struct tl_session *session, enum tl_reason reason, const char *format,
                      ...)
{
    const struct tl_bench *bench = session->bench;
    struct tl_link *link = bench != NULL ? bench->link : NULL;
    va_list args;

    if (session->broken.reason != TL_REASON_NONE)
        return;
    session->broken.reason = reason;
    session->broken.asked = session->waits_for != 0;
    if (link != NULL && link->ops->stopped != NULL)
        session->broken.stop = link->ops->stopped(link);
    va_start(args, format);
    (void)vsnprintf(session->broken.what.text, sizeof session->broken.what.text, format, args);
    va_end(args);
}

static uint64_t link_now(const struct tl_session *session)
{
    struct tl_link *link = session->bench->link;

    return link->ops->now_ns(link);
}

void tl_session_unsupported(struct tl_session *session, const struct tl_need *need,
                            const char *why)
{
    if (need != NULL)
        tl_offer_refused(session->bench, need, why);
    if (session->unplayed.known)
        return;
    session->unplayed = (struct tl_unplayed){true, tl_session_now(session)};
}

uint64_t tl_session_now(const struct tl_session *session)
{
    return link_now(session) - session->base_ns;
}

/* Puts an event on the timeline and before the judge. The timeline's time never goes back: a
 * frame whose kernel stamp lies before something that was recorded already is moved behind it,
 * which can only excuse the SUT. */
void tl_session_emit(struct tl_session *session, struct fal_event *event, uint64_t t_ns)
{
    if (t_ns < session->last_ns)
        t_ns = session->last_ns;
    session->last_ns = t_ns;
    event->t_ns = t_ns;
    event->index = session->next_event++;
    fal_judge_event(session->judge, event);
    if (session->config.event != NULL)
        session->config.event(session->config.event_ctx, event);
    if (session->turned != NULL)
        tl_turned_event(session->turned, event);
    if (session->config.timeline == NULL)
        return;
    session->line.len = 0;
    if (fal_event_print(event, &session->line) != 0 ||
        fwrite(session->line.text, 1, session->line.len, session->config.timeline) !=
            session->line.len)
        tl_session_break(session, TL_REASON_MEMORY, "the timeline: out of memory");
}

void tl_session_text(struct tl_session *session, enum fal_event_kind kind, int32_t step,
                     const char *text)
{
    struct fal_event event;

    fal_event_begin(&event, kind, session->conn != 0);
    event.u.text.step = step;
    event.u.text.text = text;
    tl_session_emit(session, &event, tl_session_now(session));
}

void tl_session_bench(struct tl_session *session, const struct fal_ev_bench *bench)
{
    struct fal_event event;

    fal_event_begin(&event, FAL_EV_BENCH, session->conn != 0);
    event.u.bench = *bench;
    tl_session_emit(session, &event, tl_session_now(session));
}

void tl_session_mark(struct tl_session *session, enum fal_mark mark, uint64_t value)
{
    struct fal_event event;

    fal_event_begin(&event, FAL_EV_MARK, 0);
    event.u.mark.mark = mark;
    event.u.mark.value = value;
    tl_session_emit(session, &event, tl_session_now(session));
}

/* The judge reports each violation when it finds it. The session keeps the first one of each
 * kind with its text; the judge counts the others. */
static void keep_finding(void *ctx, const struct fal_finding *finding)
{
    struct tl_session *session = ctx;

    if (finding->instance != FAL_BROKEN || session->num_findings == TL_FINDINGS_KEPT)
        return;
    for (size_t i = 0; i < session->num_findings; i++) {
        const struct fal_finding *kept = &session->findings[i];

        if (kept->rule == finding->rule && kept->requirement == finding->requirement &&
            kept->subject == finding->subject && kept->asked == finding->asked)
            return;
    }
    session->findings[session->num_findings++] = *finding;
}

/* The tester did something `by_ns` later than it should have. */
void tl_session_late(struct tl_session *session, uint64_t by_ns)
{
    if (!session->bench->caps.live || by_ns <= session->config.late_ns)
        return;
    if (by_ns > session->late_ns)
        session->late_ns = by_ns;
    session->late_at_ns = tl_session_now(session);
    tl_session_mark(session, FAL_MARK_TESTER_LATE, by_ns);
}

/* Everything of an earlier case is still on its way, or in a socket: it is taken and forgotten.
 */
static void forget_the_past(struct tl_session *session)
{
    struct tl_link *link = session->bench->link;
    uint64_t until = link->ops->now_ns(link);
    struct tl_link_got got;

    if (!session->bench->caps.live)
        return;
    while (link->ops->wait(link, until, &got) == TL_LINK_FRAME)
        ;
    (void)link->ops->drops(link);
    if (link->ops->timing != NULL) /* time lost before the case was */
        link->ops->timing(link, &(struct tl_link_timing){0});
}

static void reset(struct tl_session *session)
{
    struct tl_protocol_command order = {.verb = TL_DO_RESET, .scope = TL_RESET_DEVICE};
    struct tl_upper_line reply;
    const struct tl_need need = {.verb = TL_DO_RESET};
    char text[TL_LACK_MAX];
    struct fal_error err = {{0}};
    int rc = tl_session_takes_orders(session)
                 ? tl_bench_order(session->bench, &order, &reply, &err)
                 : tl_bench_call(session->bench,
                                 json_pack("{s:s, s:s}", "do", "reset", "scope", "device"),
                                 &reply, &err);

    if (rc == FAL_ERR_TYPE) {
        tl_offer_print(&need, "unsupported", "", text, sizeof text);
        tl_session_break(session, TL_REASON_OPEN, "%s", text);
        session->broken.unsupported = true;
        tl_offer_refused(session->bench, &need, "");
        return;
    }
    if (rc != 0) {
        session->bench->dead = true;
        session->bench->why = err;
        tl_session_break(session, TL_REASON_CONTROL, "%s", err.text);
        return;
    }
    forget_the_past(session);
}

/* Asks for what the SUT has counted so far. */
static void note_counters(struct tl_bench *bench)
{
    struct tl_upper_line reply;
    struct fal_error err;

    bench->life.received = bench->life.sent = 0;
    if ((bench->caps.lossless_in && bench->caps.lossless_out) ||
        tl_offer_lacks_verb(bench, TL_DO_COUNTERS) ||
        tl_bench_call(bench, json_pack("{s:s}", "do", "counters"), &reply, &err) != 0)
        return;
    tl_session_counts(&reply, &bench->life.received, &bench->life.sent);
}

/* Goes on with the device of the case before: closes its connection. False: the SUT cannot. */
static bool close_last(struct tl_session *session)
{
    struct tl_bench *bench = session->bench;
    struct tl_upper_line reply;
    struct fal_error err = {{0}};
    int rc = 0;

    if (bench->life.conn[0] != 0)
        rc = tl_bench_call(bench,
                           json_pack("{s:s, s:s}", "do", "close", "conn", bench->life.conn),
                           &reply, &err);
    bench->life.conn[0] = 0;
    if (rc == FAL_ERR_TYPE)
        return false;
    if (rc == FAL_ERR_IO || rc == FAL_ERR_MEM) {
        bench->dead = true;
        bench->why = err;
        tl_session_break(session, TL_REASON_CONTROL, "%s", err.text);
        return true;
    }
    /* "failed": the connection is gone already, since the case closed it. */
    tl_bench_rest(bench);
    note_counters(bench);
    return true;
}

/* Brings the device into the state in which a case begins. */
static void begin_case(struct tl_session *session)
{
    struct tl_bench_life *life = &session->bench->life;

    if (life->on && life->begun && close_last(session))
        return;
    reset(session);
    life->begun = true;
    life->received = life->sent = 0;
}

static void begin_timeline(struct tl_session *session)
{
    const struct tl_link_caps *caps = &session->bench->caps;
    const struct tl_bench_facts *facts = session->bench->facts;
    struct fal_event event;
    struct fal_ev_run *run = &event.u.run;
    size_t len = strnlen(session->config.title, sizeof run->title - 1);

    fal_event_begin(&event, FAL_EV_RUN, 0);
    memcpy(run->title, session->config.title, len);
    run->seed = session->config.seed;
    run->live = caps->live;
    run->vantage = FAL_VANTAGE_TESTER;
    run->lossless_in = caps->lossless_in;
    run->lossless_out = caps->lossless_out;
    run->no_duplicates_in = run->no_duplicates_out = caps->no_duplicates;
    run->in_order_in = run->in_order_out = caps->in_order;
    run->delay_min_ns = caps->delay_min_ns;
    run->delay_max_ns = caps->delay_max_ns;
    run->clock_error_ns = caps->clock_error_ns;
    run->ordered_events = session->bench->ordered_events;
    run->alone = session->bench->upper != NULL && !session->bench->shared &&
                 session->config.bridge == NULL;
    tl_session_emit(session, &event, 0);
    if (facts != NULL && facts->host[0] != 0)
        tl_session_text(session, FAL_EV_NOTE, -1, facts->host);
    if (facts != NULL && facts->path[0] != 0)
        tl_session_text(session, FAL_EV_NOTE, -1, facts->path);
}

static bool start_turned(struct tl_session *session)
{
    if (!session->config.judge_steps)
        return true;
    session->turned = malloc(sizeof *session->turned);
    return session->turned != NULL &&
           tl_turned_start(session->turned, session->config.disorder);
}

struct tl_session *tl_session_new(const struct tl_session_config *config)
{
    struct tl_session *session = malloc(sizeof *session);
    struct fal_endpoint_config endpoint = {.seed = config->seed,
                                           .max_connections = 1,
                                           .faults = config->faults,
                                           .internal_notes = true,
                                           .wordless_notes = config->timeline == NULL};
    struct fal_judge_config judge = {.finding = keep_finding,
                                     .ctx = session,
                                     .sut_alone = config->bridge != NULL,
                                     .asking = config->bridge == NULL ? config->asking : NULL};
    struct fal_rng rng = fal_rng_split(config->seed, CLOCK_PART);

    if (session == NULL)
        return NULL;
    memset(session, 0, offsetof(struct tl_session, time.steps));
    session->config = *config;
    session->bench = config->bench;
    if (tl_encap_seals(config->encap)) {
        endpoint.clock_ps = fal_rng_below(&rng, CLOCK_MAX_PS) + 1;
        session->clock_ps = session->newest_iv = endpoint.clock_ps;
    }
    session->endpoint = fal_endpoint_new(&endpoint);
    session->judge = fal_judge_new(&judge);
    session->scratch = malloc(TL_PAYLOAD_MAX + FAL_HEADER_MAX);
    if (session->endpoint == NULL || session->judge == NULL || session->scratch == NULL ||
        !start_turned(session)) {
        tl_session_free(session);
        return NULL;
    }
    if (config->timeline != NULL)
        fprintf(config->timeline, "{\"schema\":\"" FAL_TIMELINE_SCHEMA "\"}\n");
    if (session->bench->upper != NULL)
        tl_upper_texts(session->bench->upper, config->timeline != NULL);
    if (session->bench->wire != NULL)
        forget_the_past(session);
    else if (config->bridge == NULL)
        begin_case(session);
    if (session->bench->link->ops->disturbed != NULL)
        session->bench->link->ops->disturbed(session->bench->link, session->duplicated,
                                             session->overtaken);
    if (session->bench->link->ops->lost != NULL)
        session->bench->link->ops->lost(session->bench->link, session->lost);
    if (session->bench->pulse != NULL)
        tl_pulse_beat(session->bench->pulse);
    else
        tl_session_trials(session, session->trials);
    session->base_ns = link_now(session);
    session->end_ns = config->timeout_ns;
    begin_timeline(session);
    return session;
}

void tl_session_free(struct tl_session *session)
{
    if (session == NULL)
        return;
    tl_session_gate_clear(session);
    tl_session_tester_words_free(session);
    fal_endpoint_free(session->endpoint);
    fal_judge_free(session->judge);
    if (session->turned != NULL)
        tl_turned_free(session->turned);
    free(session->turned);
    tl_session_seal_free(session);
    tl_session_words_free(session);
    free(session->packets.ring);
    free(session->events.ring);
    free(session->scratch);
    free(session->line.text);
    free(session);
}

/* The parameters of the tester's end: those of the connection. The resources and filters that
 * the SUT reports are the SUT's alone, and so is what its IXIT says of its lanes and timers. So
 * are an RTO and a longer coalescing timeout that it uses instead of those that were wished:
 * the tester keeps to the scenario, and acknowledges before a shorter RTO expires. */
static struct fal_params own_params(const struct tl_session *session)
{
    struct fal_params own = session->connection.params;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (int at = TL_PARAMS_OF_AN_END; at < TL_PARAMS_OF_BOTH; at++)
        /* The value comes from the same parameter. */
        FAL_IGNORE(
            fal_param_set(&table[at], &own, fal_param_get(&table[at], &session->wished)));
    own.pipeline_ns = own.tick_ns = 0;
    own.rto_varies = false;
    own.coalescing_ns = tl_session_least(own.coalescing_ns, session->wished.coalescing_ns);
    if (own.rto_ns < session->wished.rto_ns)
        own.coalescing_ns = tl_session_least(own.coalescing_ns, own.rto_ns / 4);
    own.rto_ns = session->wished.rto_ns;
    return own;
}

/* While a step waits for an undeclared SUT: what an undeclared value may be at most, and more
 * for a SUT that is slower; twice the longest answer, as longer ones may come. */
static uint64_t patience_ns(const struct fal_connection *connection)
{
    uint64_t cap = fal_learned_capped_ns(&connection->params, FAL_UNLIMITED);
    uint64_t longest = connection->learned_max_ns;

    if ((connection->learned_params & FAL_PARAM_BIT(FAL_PARAM_AT_turnaround)) == 0)
        return connection->params.turnaround_ns;
    if (fal_learned_below(connection, cap))
        return cap;
    if (longest == 0) /* nothing was measured */
        longest = fal_undeclared_cap_ns(&connection->params, FAL_TIMER_RTO);
    return 2 * longest;
}

bool tl_session_decides(const struct tl_session *session, uint64_t ns)
{
    const struct fal_connection *connection = &session->connection;
    struct fal_params shortest = connection->params;

    shortest.rto_ns = session->least_rto_ns;
    return (connection->learned_params & FAL_PARAM_BIT(FAL_PARAM_AT_turnaround)) == 0 ||
           fal_learned_below(connection, tl_session_least(ns, session->least_rto_ns)) ||
           fal_learned_below(connection, fal_learned_capped_ns(&shortest, FAL_UNLIMITED));
}

static int open_endpoint(struct tl_session *session)
{
    struct fal_endpoint_conn conn = {
        .params = own_params(session),
        .local = session->connection.tester,
        .peer = session->connection.sut,
        .auto_ack = session->config.acks,
        .auto_retransmit = session->config.retransmission,
        .twins = session->config.twins,
        .security = session->security,
    };
    struct fal_event event;
    int rc =
        fal_endpoint_open(session->endpoint, &conn, tl_session_now(session), &session->conn);

    if (rc != 0) {
        tl_session_break(session, TL_REASON_ENDPOINT,
                         rc == FAL_ERR_MEM ? "out of memory"
                                           : "the tester's endpoint rejects these parameters");
        return rc;
    }
    session->patience_ns = patience_ns(&session->connection);
    session->least_rto_ns =
        tl_session_least(conn.params.rto_ns, session->connection.params.rto_ns);
    session->connection.rue = session->bench->rue;
    fal_event_begin(&event, FAL_EV_CONNECTION, 1);
    event.u.connection = session->connection;
    event.u.connection.encap_known = session->sealer != NULL;
    event.u.connection.encap = session->config.encap;
    event.u.connection.pcid_known = session->config.pcids.on;
    event.u.connection.pcid = session->config.pcids.tester;
    event.u.connection.tester_rack_tlp = fal_twin_in(&session->config.twins, FAL_TWIN_RACK_TLP);
    event.u.connection.engine = session->config.upper != TL_UPPER_RAW;
    tl_session_emit(session, &event, tl_session_now(session));
    return 0;
}

/* Both ends are known. */
static int opened(struct tl_session *session)
{
    struct tl_bench *bench = session->bench;

    bench->old_cids[bench->num_old_cids++ % TL_BENCH_OLD_CIDS] = session->connection.tester.cid;
    memcpy(bench->life.conn, session->connection.name, sizeof bench->life.conn);
    return open_endpoint(session);
}

/* The command as JSON, without keys; NULL: the session is broken. */
static json_t *open_command(struct tl_session *session, const struct fal_connection *connection,
                            const struct tl_end_setup *wishes)
{
    const char *address = session->bench->caps.local_address;
    json_t *command = tl_upper_open(connection);

    if (command == NULL ||
        json_object_set_new(command, "local", tl_upper_wishes(wishes)) != 0 ||
        (address != NULL &&
         json_object_set_new(command, "peer_address", json_string(address)) != 0) ||
        (session->config.upper != TL_UPPER_RAW &&
         json_object_set_new(command, "upper",
                             json_string(tl_protocol_upper(session->config.upper))) != 0)) {
        json_decref(command);
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return NULL;
    }
    return command;
}

bool tl_session_open_other(struct tl_session *session, struct fal_params *params)
{
    struct fal_connection *other = &session->other;
    bool open;

    *other = session->connection;
    other->params = *params;
    other->tester.cid = other->tester.cid > 1 ? other->tester.cid - 1 : other->tester.cid + 1;
    session->opening = true;
    tl_session_command(session, open_command(session, other, &(struct tl_end_setup){0}));
    open = tl_session_await_answer(session) && session->answer_ok;
    session->opening = false;
    if (!open)
        return false;
    *params = other->params;
    tl_session_command(session, json_pack("{s:s, s:s}", "do", "close", "conn", other->name));
    return tl_session_await_answer(session);
}

/* The command of the session's own connection. */
static json_t *own_open_command(struct tl_session *session, const struct tl_end_setup *wishes)
{
    json_t *command = open_command(session, &session->connection, wishes);

    if (command == NULL || tl_session_seal_open(session, command) == 0)
        return command;
    json_decref(command);
    return NULL;
}

/* The same as a struct. */
static int open_by_order(struct tl_session *session, const struct tl_end_setup *wishes,
                         struct tl_upper_line *reply, struct fal_error *err)
{
    const struct tl_protocol_opening opening = {
        .local = *wishes, .params = tl_upper_params(&session->connection.params)};
    struct tl_protocol_command command = {.verb = TL_DO_OPEN,
                                          .encap = session->config.encap,
                                          .upper = session->config.upper,
                                          .peer = session->connection.tester,
                                          .opening = &opening};
    json_t *sa;
    int rc = tl_session_seal_order(session, &command, &sa);

    if (rc == 0)
        rc = tl_bench_order(session->bench, &command, reply, err);
    json_decref(sa);
    return rc;
}

/* What the ICS states of the Vendor Defined word of Resyncs (7.6), unless the user gave the
 * parameter. If the ICS leaves the item open, nothing is known of the word. */
static void take_claims(struct tl_session *session)
{
    const struct tl_given_params *given = session->config.given;
    const struct tl_ics *ics = session->config.ics;
    struct fal_connection *connection = &session->connection;
    enum tl_ics_answer answer = ics != NULL ? ics->items[TL_ICS_RESYNC_VENDOR] : TL_ICS_OPEN;

    if (given != NULL && given->given[FAL_PARAM_AT_resync_vendor])
        return;
    connection->params.resync_vendor = answer == TL_ICS_YES;
    if (answer == TL_ICS_OPEN)
        connection->unknown_params |= FAL_PARAM_BIT(FAL_PARAM_AT_resync_vendor);
    else
        connection->unknown_params &= ~FAL_PARAM_BIT(FAL_PARAM_AT_resync_vendor);
}

int tl_session_open(struct tl_session *session, const struct fal_connection *setup,
                    const struct tl_end_setup *wishes)
{
    struct fal_error err = {{0}};
    struct tl_bench *bench = session->bench;
    struct tl_upper_line reply;
    json_t *command;
    int rc;

    if (session->broken.reason != TL_REASON_NONE)
        return FAL_ERR_IO;
    session->connection = *setup;
    take_claims(session);
    session->wished = session->connection.params;
    session->connection.initial_known = true;
    if (bench->wire != NULL)
        return opened(session);
    if (tl_session_takes_orders(session)) {
        rc = open_by_order(session, wishes, &reply, &err);
        if (session->broken.reason != TL_REASON_NONE) /* without memory for the keys */
            return rc;
    } else {
        command = own_open_command(session, wishes);
        if (command == NULL)
            return FAL_ERR_MEM;
        rc = tl_bench_call(bench, command, &reply, &err);
    }
    if (rc == FAL_ERR_RANGE) { /* "failed" or "busy": the SUT may have such a connection */
        tl_session_break(session, TL_REASON_REFUSED,
                         "%s; an adapter that can never have such a connection answers "
                         "\"unsupported\"",
                         err.text);
        return rc;
    }
    if (rc == 0)
        rc = tl_upper_opened_line(&reply, &session->connection, &err);
    if (rc == 0)
        rc = tl_session_seal_opened(session, &reply, &err);
    if (rc != 0) {
        tl_session_break(session, TL_REASON_OPEN, "%s", err.text);
        session->broken.unsupported = rc == FAL_ERR_TYPE;
        return rc;
    }
    session->connection.initial_known = true;
    return opened(session);
}
