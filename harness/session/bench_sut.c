/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/bench_sut.h"
#include "harness/session/offer.h"
#include "harness/sut/link_sim.h"

#include "harness/doc/version.h"
#include "harness/link/link_bridge.h"
#include "harness/link/pulse.h"
#include "harness/session/echo_link.h"
#include "harness/session/wire_only.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNMEASURED = 4 }; /* least allowances for a path that could not be measured */

enum tl_upper_got tl_bench_line(struct tl_bench *bench, const struct tl_link_got *got,
                                struct tl_upper_line *out)
{
    if (got->said != NULL)
        return tl_upper_said(bench->upper, got->said, out);
    return got->object != NULL
               ? tl_upper_object(bench->upper, got->object, out)
               : tl_upper_line(bench->upper, (const char *)got->bytes, got->len, out);
}

bool tl_bench_number(struct tl_bench *bench, const json_t *command,
                     struct tl_bench_command *out, struct fal_event *event)
{
    *out = (struct tl_bench_command){.line = NULL};
    if (bench->link->ops->send_object != NULL)
        out->object = tl_upper_command_object(bench->upper, command, &out->id, event);
    else
        out->line = tl_upper_command(bench->upper, command, &out->id, event);
    return out->object != NULL || out->line != NULL;
}

int tl_bench_write(struct tl_bench *bench, struct tl_bench_command *command,
                   struct fal_error *err)
{
    struct tl_link *link = bench->link;
    int rc = command->object != NULL
                 ? link->ops->send_object(link, command->object, err)
                 : link->ops->send_line(link, command->line, strlen(command->line), err);

    json_decref(command->object);
    free(command->line);
    *command = (struct tl_bench_command){.line = NULL};
    return rc;
}

/* Takes an event of the link. Returns 1: *reply is the answer to `id`; 2: the same, an error;
 * 0: something else, or the link was woken (mux.h); or an error of this side. */
static int take(struct tl_bench *bench, enum tl_link_event event, const struct tl_link_got *got,
                int64_t id, struct tl_upper_line *reply, struct fal_error *err)
{
    switch (event) {
    case TL_LINK_FRAME:
    case TL_LINK_OTHER:
    case TL_LINK_TIMEOUT: return 0;
    case TL_LINK_CLOSED: return fal_fail(err, FAL_ERR_IO, "the SUT closed its control channel");
    case TL_LINK_ERROR: return fal_fail(err, FAL_ERR_IO, "%s", got->error.text);
    case TL_LINK_LINE: break;
    }
    switch (tl_bench_line(bench, got, reply)) {
    case TL_UPPER_GARBAGE:
        return fal_fail(err, FAL_ERR_FORM, "control channel: %s", reply->err.text);
    case TL_UPPER_REPLY: return reply->id != id ? 0 : reply->ok ? 1 : 2;
    case TL_UPPER_EVENT:
    case TL_UPPER_STALE: break;
    }
    return 0;
}

/* Says which command got which error. */
static int refused(const char *verb, const json_t *reply, struct fal_error *err)
{
    const char *error = json_string_value(json_object_get(reply, "error"));
    const char *why = json_string_value(json_object_get(reply, "why"));
    bool unsupported = error != NULL && strcmp(error, "unsupported") == 0;

    return fal_fail(err, unsupported ? FAL_ERR_TYPE : FAL_ERR_RANGE,
                    "the adapter answered `%s` with \"%s%s%.200s\"", verb,
                    error != NULL ? error : "an error", why != NULL ? ": " : "",
                    why != NULL ? why : "");
}

/* A command that was written, and until when its answer is awaited. */
struct asked {
    const char *verb;
    int64_t id;
    uint64_t deadline_ns;
};

/* Waits for the answer until its deadline. A link that several copies share returns a timeout
 * before it when another copy wakes this one (tl_mux_wake). */
static int await(struct tl_bench *bench, const struct asked *asked, struct tl_upper_line *reply,
                 struct fal_error *err)
{
    struct tl_link *link = bench->link;
    int rc = 0;

    while (rc == 0) {
        struct tl_link_got got;
        enum tl_link_event event = link->ops->wait(link, asked->deadline_ns, &got);

        rc = take(bench, event, &got, asked->id, reply, err);
        if (rc == 0 && link->ops->now_ns(link) >= asked->deadline_ns)
            rc = fal_fail(err, FAL_ERR_IO, "the SUT does not answer on its control channel");
    }
    return rc == 2 ? refused(asked->verb, reply->object, err) : rc > 0 ? 0 : rc;
}

int tl_bench_call(struct tl_bench *bench, json_t *command, struct tl_upper_line *reply,
                  struct fal_error *err)
{
    const char *verb = json_string_value(json_object_get(command, "do"));
    struct asked asked = {.deadline_ns =
                              bench->link->ops->now_ns(bench->link) + TL_REPLY_TIMEOUT_NS};
    struct tl_bench_command numbered;
    bool ok = command != NULL && tl_bench_number(bench, command, &numbered, NULL);
    char name[40];
    int rc;

    (void)snprintf(name, sizeof name, "%s", verb != NULL ? verb : "");
    asked.verb = name;
    json_decref(command);
    if (!ok)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    asked.id = numbered.id;
    rc = tl_bench_write(bench, &numbered, err);
    return rc != 0 ? rc : await(bench, &asked, reply, err);
}

int tl_bench_order(struct tl_bench *bench, struct tl_protocol_command *command,
                   struct tl_upper_line *reply, struct fal_error *err)
{
    struct asked asked = {.verb = tl_protocol_verb(command->verb),
                          .deadline_ns =
                              bench->link->ops->now_ns(bench->link) + TL_REPLY_TIMEOUT_NS};
    int rc;

    if (!tl_upper_order(bench->upper, command, NULL))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = bench->link->ops->send_command(bench->link, command, err);
    asked.id = (int64_t)command->id;
    return rc != 0 ? rc : await(bench, &asked, reply, err);
}

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "?";
}

/* Reads the identity and the features that the SUT reports. */
static void take_statement(struct tl_bench *bench, const json_t *reply)
{
    struct tl_identity *identity = &bench->ics.identity;
    const struct {
        const char *key;
        char *to;
    } names[] = {{"vendor", identity->vendor},
                 {"product", identity->product},
                 {"firmware", identity->firmware}};

    bench->ics = (struct tl_ics){.identity = {{0}, {0}, {0}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_string(json_object_get(reply, names[i].key)))
            (void)snprintf(names[i].to, TL_IDENTITY_MAX, "%s", member(reply, names[i].key));
    tl_ics_from_object(json_object_get(reply, "ics"), &bench->ics);
}

/* An adapter that does not say how many cases it serves at the same time serves one. */
static unsigned parallel_of(const json_t *reply)
{
    json_int_t n = json_integer_value(json_object_get(reply, "parallel"));

    return n > 0 && n < TL_LANES_MAX ? (unsigned)n : n > 0 ? TL_LANES_MAX : 1;
}

/* The number of a word; 0: it is none of them, which the reader of the reply refuses. */
static unsigned word_of(const json_t *object, const char *name, const char *const *words)
{
    for (unsigned i = 0; words[i] != NULL; i++)
        if (strcmp(member(object, name), words[i]) == 0)
            return i;
    return 0;
}

/* Reads when the SUT makes events, and the form of their queues. */
static void read_queues(const json_t *cc, struct fal_rue_facts *rue)
{
    static const char *const empty[] = {"always", "p1", "p2", "either", "both", NULL};
    static const char *const metric[] = {"packets", "bytes", "cells", "other", NULL};
    const json_t *policy = json_object_get(cc, "event_policy");
    const json_t *queues = json_object_get(cc, "event_queues");

    rue->has_policy = json_is_object(policy);
    rue->when_empty = (enum fal_rue_empty)word_of(policy, "when_empty", empty);
    rue->p2_metric = (enum fal_rue_metric)word_of(policy, "p2_metric", metric);
    rue->p1_ns = (uint64_t)json_integer_value(json_object_get(policy, "p1_ns"));
    rue->p2 = (uint64_t)json_integer_value(json_object_get(policy, "p2"));
    rue->has_queues = json_is_object(queues);
    rue->event_queues = (uint32_t)json_integer_value(json_object_get(queues, "number"));
    rue->event_ring = (uint32_t)json_integer_value(json_object_get(queues, "entries"));
}

/* Reads what the SUT says of its Rate Update Engine. Without `moves_limits`, the engine may
 * move them. */
static struct fal_rue_facts rue_of(const json_t *cc)
{
    const json_t *tick = json_object_get(cc, "gap_tick_ps");
    const json_t *latency = json_object_get(cc, "rue_latency_ns");
    struct fal_rue_facts rue = {.gap_tick_ps = 131072};

    if (!json_is_object(cc))
        return (struct fal_rue_facts){.known = false};
    rue.known = true;
    rue.moves_limits = !json_is_false(json_object_get(cc, "moves_limits"));
    rue.swift = strcmp(member(cc, "algorithm"), "swift") == 0;
    if (strcmp(member(cc, "format"), fal_name_of(&fal_names_cc_format, FAL_CC_GEN1_LSB)) == 0)
        rue.format = FAL_CC_GEN1_LSB;
    if (json_is_integer(tick))
        rue.gap_tick_ps = (uint32_t)json_integer_value(tick);
    rue.has_latency = json_is_integer(latency);
    rue.latency_ns = (uint64_t)json_integer_value(latency);
    read_queues(cc, &rue);
    return rue;
}

static int hello(struct tl_bench *bench, struct fal_error *err)
{
    struct tl_upper_line line;
    const json_t *reply;
    int rc = tl_bench_call(bench,
                           json_pack("{s:s, s:i, s:s}", "do", "hello", "version", 1, "tester",
                                     "talon " TL_VERSION),
                           &line, err);

    if (rc != 0)
        return rc;
    reply = line.object;
    if (json_integer_value(json_object_get(reply, "version")) != 1)
        return fal_fail(err, FAL_ERR_FORM,
                        "the SUT does not support version 1 of the control protocol");
    (void)snprintf(bench->product, sizeof bench->product, "%.40s %.60s %.40s",
                   member(reply, "vendor"), member(reply, "product"),
                   member(reply, "firmware"));
    take_statement(bench, reply);
    if (json_integer_value(json_object_get(reply, "echo_port")) <= UINT16_MAX)
        bench->echo_port = (uint16_t)json_integer_value(json_object_get(reply, "echo_port"));
    bench->parallel = parallel_of(reply);
    bench->level = tl_protocol_levels(json_object_get(reply, "levels"));
    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++)
        bench->word_levels[i] =
            tl_protocol_word_levels((enum tl_upper_layer)i, json_object_get(reply, "levels"));
    bench->ordered_events = json_is_true(json_object_get(reply, "ordered_events"));
    bench->rue = rue_of(json_object_get(reply, "cc"));
    return 0;
}

/* Lets time pass. Events meanwhile belong to no case. */
static void pause_for(struct tl_bench *bench, uint64_t ns)
{
    struct tl_link *link = bench->link;
    uint64_t until = link->ops->now_ns(link) + ns;
    struct tl_upper_line line;
    struct tl_link_got got;

    while (link->ops->now_ns(link) < until) {
        switch (link->ops->wait(link, until, &got)) {
        case TL_LINK_LINE: (void)tl_bench_line(bench, &got, &line); break;
        case TL_LINK_FRAME:
        case TL_LINK_OTHER: break;
        case TL_LINK_TIMEOUT:
        case TL_LINK_CLOSED:
        case TL_LINK_ERROR: return; /* the next call will say so */
        }
    }
}

void tl_bench_rest(struct tl_bench *bench)
{
    struct tl_link *link = bench->link;
    uint64_t ns = bench->path_ns;

    if (link->ops->under_way_ns != NULL)
        ns += link->ops->under_way_ns(link);
    pause_for(bench, ns);
}

/* The longest round trip through the SUT's process. It widens limits, and is never used to fail
 * the SUT. */
int tl_bench_measure(struct tl_bench *bench, unsigned pings, uint64_t gap_ns,
                     struct fal_error *err)
{
    struct tl_link *link = bench->link;

    if (bench->path_ns < TL_PATH_FLOOR_NS)
        bench->path_ns = TL_PATH_FLOOR_NS;
    for (unsigned i = 0; i < pings && bench->wire == NULL; i++) {
        uint64_t begin, took;
        struct tl_upper_line reply;
        int rc;

        pause_for(bench, gap_ns);
        begin = link->ops->now_ns(link);
        rc = tl_bench_call(bench, json_pack("{s:s}", "do", "barrier"), &reply, err);
        /* An adapter without barriers takes as long to say so. */
        if (rc != 0 && rc != FAL_ERR_TYPE)
            return rc;
        took = link->ops->now_ns(link) - begin;
        if (bench->answer_max_ns == 0 || took < bench->answer_min_ns)
            bench->answer_min_ns = took;
        if (took > bench->answer_max_ns)
            bench->answer_max_ns = took;
        if (took > bench->path_ns)
            bench->path_ns = took;
    }
    return 0;
}

/* There is no control channel. The user states what is known of the path. */
static void only_a_wire(struct tl_bench *bench)
{
    const struct tl_wire_path path = tl_wire_path(bench->wire);

    bench->caps.lossless_in |= path.lossless_in;
    bench->caps.lossless_out |= path.lossless_out;
    bench->caps.in_order |= path.in_order;
    bench->path_ns = UNMEASURED * TL_PATH_FLOOR_NS;
}

/* How late the tester runs on a busy machine; added to all times that it waits for. */
static void measure_timers(struct tl_bench *bench)
{
    struct tl_link *link = bench->link;
    struct tl_link_timing lost;

    if (link->ops->timing == NULL)
        return;
    link->ops->timing(link, &lost); /* of opening */
    for (unsigned i = 0; i < TL_BENCH_TIMERS; i++) {
        pause_for(bench, FAL_MS);
        link->ops->timing(link, &lost);
        if (lost.timer_ns > bench->timer_late_ns)
            bench->timer_late_ns = lost.timer_ns;
    }
    if (bench->timer_late_ns > bench->path_ns)
        bench->path_ns = bench->timer_late_ns;
}

/* The facts measured before the run: they widen the limits; a path file of the user replaces
 * them. */
static void take_facts(struct tl_bench *bench)
{
    const struct tl_bench_facts *facts = bench->facts;

    if (facts == NULL)
        return;
    bench->caps.clock_error_ns += facts->stamp_error_ns;
    if (!facts->has_limits)
        return;
    bench->caps.in_order = facts->limits.in_order;
    bench->caps.no_duplicates = facts->limits.no_duplicates;
    bench->caps.delay_max_ns = facts->limits.delay_max_ns;
    if (bench->path_ns < facts->limits.round_trip_ns)
        bench->path_ns = facts->limits.round_trip_ns;
}

int tl_bench_greet(struct tl_bench *bench, struct fal_error *err)
{
    int rc = FAL_ERR_MEM;

    bench->level = TL_LEVEL_MAX;
    bench->caps = bench->link->ops->caps(bench->link);
    take_facts(bench);
    if (bench->wire != NULL) {
        only_a_wire(bench);
        return 0;
    }
    bench->upper = tl_upper_new();
    if (bench->caps.live)
        bench->refusals = calloc(1, sizeof *bench->refusals);
    if (bench->upper == NULL || (bench->caps.live && bench->refusals == NULL)) {
        (void)fal_fail(err, rc, "out of memory");
    } else {
        tl_upper_hashes(bench->upper, bench->hashes);
        rc = hello(bench, err);
    }
    if (rc == 0 && bench->caps.live)
        rc = tl_bench_measure(bench, TL_BENCH_PINGS, 0, err);
    if (rc == 0 && bench->caps.live)
        measure_timers(bench);
    if (rc != 0)
        tl_bench_close(bench);
    return rc;
}

enum { UNSTEADY = 2 };

/* The longest round trip of a simulated network; where that has no bound, the shortest. */
static uint64_t round_trip_ns(const struct fal_impairment impair[2])
{
    uint64_t sum_ns = 0;

    for (unsigned dir = 0; dir < 2; dir++) {
        uint64_t most_ns = fal_impairment_delay_max_ns(&impair[dir]);

        sum_ns += most_ns != FAL_NEVER ? most_ns : fal_impairment_delay_min_ns(&impair[dir]);
        /* A time that is measured from one packet to another that it caused may contain the
         * variation of several. */
        if (most_ns != FAL_NEVER)
            sum_ns += UNSTEADY * (impair[dir].jitter_ns +
                                  (impair[dir].reorder_ppm > 0 ? impair[dir].reorder_ns : 0));
    }
    return sum_ns;
}

/* Opens the link. 1: of a bridge, which has no control channel for a hello. */
static int open_link(struct tl_bench *bench, const struct tl_target *target, uint64_t seed,
                     struct fal_error *err)
{
    struct tl_link_sim_config sim = {.seed = seed,
                                     .faults = target->faults,
                                     .twins = target->twins,
                                     .limits = target->limits,
                                     .slow = target->slow,
                                     .engine = target->engine};

    *bench = (struct tl_bench){.level = TL_LEVEL_MAX,
                               .wire = target->control == NULL ? target->wire : NULL,
                               .facts = target->facts};
    switch (target->kind) {
    case TL_TARGET_LIB:
    case TL_TARGET_EXEC:
    case TL_TARGET_BUILTIN:
        sim.lib = target->kind == TL_TARGET_LIB ? target->address : NULL;
        sim.answer_s = target->answer_s;
        sim.host = target->host;
        sim.fresh = target->fresh;
        sim.warden = target->warden;
        sim.exec = target->kind == TL_TARGET_EXEC ? target->address : NULL;
        sim.impair[FAL_TO_SUT] = target->impair[FAL_TO_SUT];
        sim.impair[FAL_FROM_SUT] = target->impair[FAL_FROM_SUT];
        sim.rules = target->rules;
        sim.num_rules = target->num_rules;
        sim.objects = true;
        if (target->kind == TL_TARGET_BUILTIN) /* without memory each payload is hashed anew */
            sim.hashes = bench->hashes = fal_payload_hashes_new();
        bench->link = tl_link_sim_open(&sim, err);
        bench->path_ns = round_trip_ns(target->impair);
        break;
    case TL_TARGET_UDP:
        bench->link = tl_link_udp_open(target->address, target->control, &target->live, err);
        break;
    case TL_TARGET_BRIDGE:
        bench->link = tl_link_bridge_open(target->address, err);
        if (bench->link == NULL)
            return FAL_ERR_IO;
        bench->caps =
            bench->link->ops->caps(bench->link); /* there is no control channel for a hello */
        bench->path_ns = TL_PATH_FLOOR_NS;
        return 1;
    case TL_TARGET_RAW:
        bench->link = tl_link_raw_open(target->address, target->control, &target->live, err);
        break;
    }
    bench->linked = bench->link != NULL;
    return bench->linked ? 0 : FAL_ERR_IO;
}

int tl_bench_open(struct tl_bench *bench, const struct tl_target *target, uint64_t seed,
                  struct fal_error *err)
{
    int rc = open_link(bench, target, seed, err);

    if (rc != 0)
        return rc > 0 ? 0 : rc;
    rc = tl_bench_greet(bench, err);
    if (rc == 0)
        bench->pulse = tl_echo_pulse(target, bench->echo_port, seed);
    return rc;
}

int tl_bench_open_like(struct tl_bench *bench, const struct tl_target *target, uint64_t seed,
                       const struct tl_bench *like, struct fal_error *err)
{
    int rc = open_link(bench, target, seed, err);

    if (rc != 0)
        return rc;
    bench->caps = bench->link->ops->caps(bench->link);
    take_facts(bench);
    bench->upper = tl_upper_new();
    if (bench->upper == NULL) {
        tl_bench_close(bench);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    tl_upper_hashes(bench->upper, bench->hashes);
    tl_upper_skip(bench->upper);
    memcpy(bench->product, like->product, sizeof bench->product);
    bench->ics = like->ics;
    bench->parallel = like->parallel;
    bench->level = like->level;
    memcpy(bench->word_levels, like->word_levels, sizeof bench->word_levels);
    bench->echo_port = like->echo_port;
    bench->ordered_events = like->ordered_events;
    bench->rue = like->rue;
    return 0;
}

void tl_bench_close(struct tl_bench *bench)
{
    tl_upper_free(bench->upper);
    free(bench->refusals);
    bench->refusals = NULL;
    if (bench->link != NULL)
        bench->link->ops->free(bench->link);
    free(bench->hashes);
    tl_pulse_free(bench->pulse);
    bench->hashes = NULL;
    bench->pulse = NULL;
    bench->upper = NULL;
    bench->link = NULL;
}

bool tl_bench_was_open(const struct tl_bench *bench, uint32_t cid)
{
    size_t n =
        bench->num_old_cids < TL_BENCH_OLD_CIDS ? bench->num_old_cids : TL_BENCH_OLD_CIDS;

    for (size_t i = 0; i < n; i++)
        if (bench->old_cids[i] == cid)
            return true;
    return bench->wire != NULL && tl_wire_has_cid(bench->wire, cid);
}

/* ---- the sentence about a bench that cannot be opened ---- */

enum { WHAT = 230, WHERE = 60 };

/* The option that is wrong. Its value follows, unless the message has it already. */
static void name_it(const struct tl_bench *bench, const struct tl_target *target,
                    const char *why, char out[WHERE + 40])
{
    static const char *const kinds[] = {
        [TL_TARGET_BUILTIN] = "builtin", [TL_TARGET_LIB] = "lib:",
        [TL_TARGET_EXEC] = "exec:",      [TL_TARGET_UDP] = "udp:",
        [TL_TARGET_RAW] = "raw:",        [TL_TARGET_BRIDGE] = "bridge:",
    };
    const char *address = target->address != NULL ? target->address : "";
    const char *control = target->control != NULL ? target->control : "";
    bool known = *control != 0 && strstr(why, control + strcspn(control, ":") + 1) != NULL;

    if (known || (bench->linked && *control != 0))
        (void)snprintf(out, WHERE + 40, known ? "--control" : "--control %.*s", WHERE, control);
    else if (*address != 0 && strstr(why, address) != NULL)
        (void)snprintf(out, WHERE + 40, "--sut");
    else
        (void)snprintf(out, WHERE + 40, "--sut %s%.*s", kinds[target->kind], WHERE, address);
}

/* The next step of the user; the errors of a live link that cannot be opened have it already.
 */
static const char *advice(const struct tl_bench *bench, const struct tl_target *target)
{
    switch (target->kind) {
    case TL_TARGET_EXEC:
        return "; expected a program that answers `begin` and `hello` on its standard output; "
               "run the command by hand, then talon sut-check exec:COMMAND";
    case TL_TARGET_LIB:
        return bench->linked ? "; expected an answer to `hello`; test it with talon sut-check "
                               "lib:FILE.so"
                             : "";
    case TL_TARGET_UDP:
    case TL_TARGET_RAW:
        return bench->linked ? "; expected an answer to `hello`; test the adapter with talon "
                               "sut-check --control ADDR"
                             : "";
    case TL_TARGET_BUILTIN:
    case TL_TARGET_BRIDGE: break;
    }
    return "";
}

void tl_bench_explain(const struct tl_bench *bench, const struct tl_target *target,
                      struct fal_error *err)
{
    const struct fal_error why = *err;
    char where[WHERE + 40];

    name_it(bench, target, why.text, where);
    (void)fal_fail(err, FAL_ERR_IO, "%s: %.*s%s", where, WHAT, why.text, advice(bench, target));
}
