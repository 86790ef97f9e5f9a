/* SPDX-License-Identifier: Apache-2.0
 * sut_cm.c - the built-in SUT's connection manager: open, set, reset, close. */
#include "harness/sut/cc/sut_cc.h"
#include "harness/sut/cc/sut_engine.h"
#include "harness/sut/words/sut_words.h"
#include "harness/wire/words.h"
#include "oracles/nvme/engine.h"

#include "codecs/base/error.h"
#include "harness/doc/json_member.h"

#include "codecs/header/ccqueue.h"
#include "oracles/endpoint/base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CID_MAX = 0xffffff, NUMBERS_MAX = 1 << 24 };

void tl_sut_conn_free(struct tl_sut_conn *conn)
{
    if (conn == NULL)
        return;
    fal_scripted_free(&conn->ulp);
    free(conn->swift);
    free(conn);
}

static bool cid_in_use(const struct tl_sut *sut, uint32_t cid)
{
    for (size_t i = 0; i < sut->num_conns; i++)
        if (sut->conns[i]->config.local.cid == cid)
            return true;
    return false;
}

static void apply_wishes(const struct tl_end_setup *wishes, struct fal_end *end)
{
    if (wishes->has_cid)
        end->cid = wishes->end.cid;
    if (wishes->has_function)
        end->function = wishes->end.function;
    if (wishes->has_req_psn)
        end->req_psn = wishes->end.req_psn;
    if (wishes->has_data_psn)
        end->data_psn = wishes->end.data_psn;
    if (wishes->has_rsn)
        end->rsn = wishes->end.rsn;
}

/* Chooses this end's values: the tester's wishes where possible, else by the seed. */
static int choose_local(struct tl_sut *sut, const struct tl_protocol_command *command,
                        struct fal_end *end, struct fal_error *err)
{
    *end = (struct fal_end){
        .function = sut->function,
        .req_psn = (uint32_t)fal_rng_next(&sut->rng),
        .data_psn = (uint32_t)fal_rng_next(&sut->rng),
        .rsn = (uint32_t)fal_rng_next(&sut->rng),
    };
    if (sut->config.limits.own_numbers)
        ; /* it ignores them */
    else if (command->opening != NULL)
        apply_wishes(&command->opening->local, end);
    else if (tl_protocol_end(command->local, "local", end, err) != 0)
        return FAL_ERR_FORM;
    while (end->cid == 0 || cid_in_use(sut, end->cid))
        end->cid = (uint32_t)fal_rng_below(&sut->rng, CID_MAX) + 1;
    return 0;
}

static int read_peer_address(const struct tl_sut *sut,
                             const struct tl_protocol_command *command,
                             struct tl_sut_conn *conn, struct fal_error *err)
{
    const char *text = command->peer_address;

    if (sut->config.peer_family == 0)
        return 0;
    if (text == NULL)
        return fal_fail(err, FAL_ERR_FORM, "peer_address: missing; expected HOST:PORT");
    if (tl_address_parse(text, &conn->peer, err) != 0)
        return FAL_ERR_FORM;
    if (!tl_address_private(&conn->peer))
        return fal_fail(err, FAL_ERR_FORM, "peer_address: %.80s is not loopback or private",
                        text);
    if (tl_address_family(&conn->peer) != sut->config.peer_family)
        return fal_fail(err, FAL_ERR_FORM, "peer_address: %.80s is of a different IP version",
                        text);
    if (tl_address_port(&conn->peer) == 0)
        return fal_fail(err, FAL_ERR_FORM, "peer_address: %.80s has no port", text);
    conn->has_peer = true;
    return 0;
}

/* Stores the connection where its endpoint number finds it. */
static int index_number(struct tl_sut *sut, struct tl_sut_conn *conn)
{
    if (conn->number >= NUMBERS_MAX)
        return FAL_ERR_MEM;
    if (conn->number >= sut->num_numbers) {
        size_t n = 2 * (size_t)conn->number + 16;
        struct tl_sut_conn **grown = realloc(sut->by_number, n * sizeof(*grown));

        if (grown == NULL)
            return FAL_ERR_MEM;
        memset(grown + sut->num_numbers, 0, (n - sut->num_numbers) * sizeof(*grown));
        sut->by_number = grown;
        sut->num_numbers = n;
    }
    sut->by_number[conn->number] = conn;
    return 0;
}

static int add_conn(struct tl_sut *sut, struct tl_sut_conn *conn)
{
    if (sut->conns == NULL) {
        sut->conns = calloc(TL_SUT_CONNS_MAX, sizeof(*sut->conns));
        if (sut->conns == NULL)
            return FAL_ERR_MEM;
    }
    if (index_number(sut, conn) != 0)
        return FAL_ERR_MEM;
    conn->id = ++sut->last_id;
    (void)snprintf(conn->name, sizeof conn->name, "c%" PRIu32, conn->id);
    conn->frames_before = sut->frames_received;
    sut->conns[sut->num_conns++] = conn;
    return 0;
}

static void remove_conn(struct tl_sut *sut, size_t at)
{
    struct tl_sut_conn *conn = sut->conns[at];

    tl_sut_words_detach(sut, conn);
    fal_endpoint_close(sut->endpoint, conn->number);
    if (tl_sut_conn_numbered(sut, conn->number) == conn)
        sut->by_number[conn->number] = NULL;
    tl_sut_queue_drop(&sut->queue, conn->number);
    tl_sut_timers_drop(&sut->timers, conn->id);
    memmove(&sut->conns[at], &sut->conns[at + 1],
            (--sut->num_conns - at) * sizeof(*sut->conns));
    tl_sut_conn_free(conn);
}

static int read_open(struct tl_sut *sut, const struct tl_protocol_command *command,
                     struct tl_sut_conn *conn, enum tl_sut_done *done, struct fal_error *err)
{
    *done = TL_SUT_UNSUPPORTED;
    if (command->encap == FAL_ENCAP_COUNT)
        return fal_fail(err, FAL_ERR_FORM, "encap: unknown encapsulation");
    if (command->upper == TL_UPPERS)
        return fal_fail(err, FAL_ERR_FORM, "upper: expected \"raw\", \"verbs\" or \"nvme\"");
    if (command->upper != TL_UPPER_RAW && tl_sut_words_level(sut, command->upper) == 0)
        return fal_fail(err, FAL_ERR_FORM, "upper: this adapter has no %s",
                        tl_words_of(command->upper)->layer);
    if ((command->encap == FAL_ENCAP_PSP_TUNNEL || command->encap == FAL_ENCAP_ESP_TUNNEL) &&
        fal_twin_in(&sut->config.twins.set, FAL_TWIN_TUNNELS_REFUSED))
        return fal_fail(err, FAL_ERR_FORM, "encap: %s: tunnel mode is not supported",
                        fal_encap_name(command->encap));
    *done = TL_SUT_FAILED;
    conn->config.peer = command->peer;
    if (command->opening != NULL)
        conn->config.params = command->opening->params;
    else
        fal_params_default(&conn->config.params, sut->config.live);
    if (read_peer_address(sut, command, conn, err) != 0 ||
        tl_protocol_params(command->params, &conn->config.params, err) != 0 ||
        choose_local(sut, command, &conn->config.local, err) != 0 ||
        tl_sut_encap(sut, command->encap, err) != 0)
        return FAL_ERR_FORM;
    tl_given_params_apply(&sut->config.limits.fixed, &conn->config.params);
    conn->config.auto_ack = conn->config.auto_retransmit = true;
    conn->config.twins = tl_twins_take(&sut->config.twins, &sut->twin_rng);
    if (fal_fault_in(&sut->config.faults, FAL_FAULT_RACK_EACK_OMITTED))
        fal_twin_add(
            &conn->config.twins,
            FAL_TWIN_RACK_TLP); /* the value that a planted fault claims but does not use */
    return 0;
}

/* Reports the connection, its parameters as requested, unless the SUT cannot set them: those
 * that are fixed, and RACK-TLP, which is a variant. */
static void say_opened(const struct tl_sut *sut, const struct tl_sut_conn *conn,
                       struct tl_protocol_said *said)
{
    const struct fal_endpoint_conn *config = &conn->config;

    said->opened = true;
    memcpy(said->reply.conn, conn->name, sizeof said->reply.conn);
    said->local = config->local;
    said->params = config->params;
    said->params.rack_tlp = fal_twin_in(&config->twins, FAL_TWIN_RACK_TLP);
    if (said->params.rack_tlp != config->params.rack_tlp)
        said->unlike_params = FAL_PARAM_BIT(FAL_PARAM_AT_rack_tlp);
    for (size_t i = 0; i < FAL_PARAM_ROWS; i++)
        if (sut->config.limits.fixed.given[i])
            said->unlike_params |= FAL_PARAM_BIT(i);
}

/* The first parameter that the tester wants to change and the SUT cannot, or NULL. */
static const char *fixed_by(const struct tl_sut *sut, const struct fal_params *from,
                            const struct fal_params *to)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        if (sut->config.limits.fixed.given[i] &&
            fal_param_get(&table[i], from) != fal_param_get(&table[i], to))
            return table[i].name;
    return NULL;
}

enum tl_sut_done tl_sut_open(struct tl_sut *sut, struct tl_protocol_command *command,
                             json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = NULL;
    enum tl_sut_done done = TL_SUT_DONE;
    int rc;

    if (sut->num_conns == TL_SUT_CONNS_MAX || sut->last_id == UINT32_MAX) {
        (void)fal_fail(err, FAL_ERR_RANGE,
                       "there are already %d connections, the most that are supported",
                       TL_SUT_CONNS_MAX);
        return TL_SUT_BUSY;
    }
    conn = calloc(1, sizeof *conn);
    if (conn == NULL)
        return tl_sut_refused(FAL_ERR_MEM, "open", err);
    if (read_open(sut, command, conn, &done, err) != 0)
        goto fail;
    done = TL_SUT_FAILED;
    if (tl_sut_secure(sut, command, &conn->config.security, reply, err) != 0)
        goto fail;
    rc = fal_endpoint_open(sut->endpoint, &conn->config, now_ns, &conn->number);
    if (rc != 0) {
        done = tl_sut_refused(rc, "open", err);
        if (rc == FAL_ERR_RANGE) /* it can never have such a connection */
            done = TL_SUT_UNSUPPORTED;
        goto fail;
    }
    if (add_conn(sut, conn) != 0) {
        fal_endpoint_close(sut->endpoint, conn->number);
        done = tl_sut_refused(FAL_ERR_MEM, "open", err);
        goto fail;
    }
    rc = command->upper != TL_UPPER_RAW ? tl_sut_words_attach(sut, conn, command->upper) : 0;
    if (rc != 0) {
        remove_conn(sut, sut->num_conns - 1); /* frees it */
        if (rc == FAL_ERR_MEM)
            return tl_sut_refused(FAL_ERR_MEM, "open", err);
        (void)fal_fail(err, FAL_ERR_RANGE,
                       "upper: %s needs \"ordered\": false and an mtu of at least %d bytes",
                       tl_words_of(command->upper)->layer, FAL_NVME_MTU);
        return TL_SUT_UNSUPPORTED;
    }
    tl_sut_cc_opened(sut, conn, now_ns);
    say_opened(sut, conn, &sut->reply);
    return TL_SUT_DONE;

fail:
    tl_sut_conn_free(conn);
    return done;
}

/* Returns whether nothing has been sent, received or posted on the connection, and its keys are
 * the first. A packet that was refused leaves no trace in the windows, so with a single
 * connection the SUT's counter tells. */
static bool fresh(const struct tl_sut *sut, const struct tl_sut_conn *conn)
{
    const struct fal_endpoint_conn *c = &conn->config;
    struct fal_endpoint_state s;

    return !conn->turned &&
           (sut->num_conns > 1 || sut->frames_received == conn->frames_before) &&
           fal_endpoint_state(sut->endpoint, conn->number, &s) == 0 &&
           fal_endpoint_quiet(sut->endpoint, conn->number) && s.tx_rnpsn == c->local.req_psn &&
           s.tx_dnpsn == c->local.data_psn && s.rx_rbpsn == c->peer.req_psn &&
           s.rx_dbpsn == c->peer.data_psn && s.nrsn == c->local.rsn && s.req_bitmap == 0 &&
           s.data_rx_bitmap == 0 && s.own == 0;
}

/* Opens the endpoint's connection again with other parameters. */
static int reopen(struct tl_sut *sut, struct tl_sut_conn *conn,
                  const struct fal_endpoint_conn *config, uint64_t now_ns)
{
    int rc;

    fal_endpoint_close(sut->endpoint, conn->number);
    sut->by_number[conn->number] = NULL;
    rc = fal_endpoint_open(sut->endpoint, config, now_ns, &conn->number);
    if (rc == 0)
        rc = index_number(sut, conn);
    if (rc == 0)
        tl_sut_cc_opened(sut, conn, now_ns);
    return rc;
}

static size_t position(const struct tl_sut *sut, const struct tl_sut_conn *conn)
{
    size_t at = 0;

    while (sut->conns[at] != conn)
        at++;
    return at;
}

/* Returns whether the two differ only in values that a congestion control engine may change. */
static bool steered(const struct fal_params *from, const struct fal_params *to)
{
    static const enum fal_param_at free[] = {FAL_PARAM_AT_fcwnd, FAL_PARAM_AT_ncwnd,
                                             FAL_PARAM_AT_fcwnd_fraction, FAL_PARAM_AT_rto,
                                             FAL_PARAM_AT_packet_gap};
    struct fal_params same = *to;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        /* The value comes from the same parameter. */
        FAL_IGNORE(fal_param_set(&table[free[i]], &same, fal_param_get(&table[free[i]], from)));
    for (size_t i = 0; i < n; i++)
        if (fal_param_get(&table[i], &same) != fal_param_get(&table[i], from))
            return false;
    return true;
}

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

/* Puts what a Rate Update Engine has changed since `open` into `params`. Units of results are
 * coarser than those of parameters: a value that agrees in the units of results stays. */
static void present(const struct tl_sut *sut, const struct tl_sut_conn *conn,
                    struct fal_params *params)
{
    struct fal_cc_event now;

    if (fal_endpoint_cc(sut->endpoint, conn->number, &now) != 0)
        return;
    if (now.fcwnd_integer != at_most(params->fcwnd, FAL_CC_WINDOW_MAX))
        params->fcwnd = now.fcwnd_integer;
    params->fcwnd_fraction = now.fcwnd_fraction;
    if (now.ncwnd != at_most(params->ncwnd, FAL_CC_WINDOW_MAX))
        params->ncwnd = now.ncwnd;
    if (now.retransmit_timeout != at_most(fal_ns_ticks(params->rto_ns), FAL_CC_TIME_MAX))
        params->rto_ns = fal_ticks_ns(now.retransmit_timeout);
    if (now.inter_packet_gap - tl_sut_engine_gap(&sut->config.engine, params->packet_gap_ns) >
        1)
        params->packet_gap_ns = tl_sut_engine_gap_ns(&sut->config.engine, now.inter_packet_gap);
}

/* Applies them as a result of the congestion control engine (10.6.2.2). */
static int steer(struct tl_sut *sut, const struct tl_sut_conn *conn,
                 const struct fal_params *params, bool randomize_path, uint64_t now_ns)
{
    struct fal_cc_event now;
    struct fal_cc_result result;
    int rc = fal_endpoint_cc(sut->endpoint, conn->number, &now);

    if (rc != 0)
        return rc;
    fal_cc_unchanged(&now, &result);
    result.randomize_path = randomize_path;
    result.fcwnd_fraction = (uint16_t)params->fcwnd_fraction;
    result.fcwnd_integer = (uint16_t)at_most(params->fcwnd, FAL_CC_WINDOW_MAX);
    result.ncwnd = (uint16_t)at_most(params->ncwnd, FAL_CC_WINDOW_MAX);
    result.inter_packet_gap = tl_sut_engine_gap(&sut->config.engine, params->packet_gap_ns);
    result.retransmit_timeout = at_most(fal_ns_ticks(params->rto_ns), FAL_CC_TIME_MAX);
    return fal_endpoint_apply(sut->endpoint, conn->number, &result, now_ns);
}

/* The endpoint takes its parameters when a connection is opened. So they can change only while
 * nothing has happened on it, except those that a congestion control engine changes at any
 * time. */
enum tl_sut_done tl_sut_set(struct tl_sut *sut, struct tl_protocol_command *command,
                            json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_conn_of(sut, command, err);
    struct fal_endpoint_conn config;
    const char *fixed;
    int rc;

    (void)reply;
    if (conn == NULL)
        return TL_SUT_FAILED;
    if (sut->cc.on || sut->cc.some)
        present(sut, conn, &conn->config.params);
    sut->cc.paths |= command->randomize_path;
    config = conn->config;
    if (tl_protocol_params(command->params, &config.params, err) != 0)
        return TL_SUT_FAILED;
    fixed = fixed_by(sut, &conn->config.params, &config.params);
    if (fixed != NULL) {
        (void)fal_fail(err, FAL_ERR_RANGE, "this adapter cannot change %s", fixed);
        return TL_SUT_FAILED;
    }
    if ((!fresh(sut, conn) || conn->upper != TL_UPPER_RAW) &&
        steered(&conn->config.params, &config.params)) {
        rc = steer(sut, conn, &config.params, command->randomize_path, now_ns);
        if (rc == 0)
            conn->config = config;
        return rc == 0 ? TL_SUT_DONE : tl_sut_refused(rc, "set", err);
    }
    if (!fresh(sut, conn) || conn->upper != TL_UPPER_RAW) {
        (void)fal_fail(
            err, FAL_ERR_RANGE,
            "after the first packet or post of a connection%s only fcwnd, ncwnd, rto and gap may change",
            conn->upper != TL_UPPER_RAW ? ", and on one that is not raw," : "");
        return TL_SUT_FAILED;
    }
    rc = reopen(sut, conn, &config, now_ns);
    if (rc == 0) {
        conn->config = config;
        if (command->randomize_path)
            rc = steer(sut, conn, &config.params, true, now_ns);
        return rc == 0 ? TL_SUT_DONE : tl_sut_refused(rc, "set", err);
    }
    if (reopen(sut, conn, &conn->config, now_ns) != 0)
        remove_conn(sut, position(sut, conn));
    return tl_sut_refused(rc, "set", err);
}

enum tl_sut_done tl_sut_close(struct tl_sut *sut, struct tl_protocol_command *command,
                              json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn = tl_sut_conn_of(sut, command, err);

    (void)reply;
    (void)now_ns;
    if (conn == NULL)
        return TL_SUT_FAILED;
    remove_conn(sut, position(sut, conn));
    return TL_SUT_DONE;
}

/* Removes the connections of a function, or all. */
static void reset_functions(struct tl_sut *sut, bool all, uint32_t function)
{
    for (size_t at = sut->num_conns; at-- > 0;)
        if (all || sut->conns[at]->config.local.function == function)
            remove_conn(sut, at);
}

enum tl_sut_done tl_sut_reset(struct tl_sut *sut, struct tl_protocol_command *command,
                              json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct tl_sut_conn *conn;

    (void)reply;
    switch (command->scope) {
    case TL_RESET_CONNECTION:
        conn = tl_sut_conn_of(sut, command, err);
        if (conn == NULL)
            return TL_SUT_FAILED;
        remove_conn(sut, position(sut, conn));
        break;
    case TL_RESET_FUNCTION:
        reset_functions(sut, !command->has_function, command->function);
        break;
    case TL_RESET_DEVICE:
        reset_functions(sut, true, 0);
        sut->frames_received = sut->frames_sent = sut->late_ns = 0;
        tl_sut_cc_begin(sut);
        tl_sut_words_reset(sut);
        /* This order cannot fail. */
        FAL_IGNORE(fal_endpoint_input(
            sut->endpoint,
            &(struct fal_endpoint_in){.kind = FAL_IN_CM, .order = FAL_CM_IGNORE_PCID}, now_ns,
            NULL));
        break;
    }
    sut->reply.reply.new_epoch = (uint64_t)++sut->epoch;
    sut->reply.survives = command->scope != TL_RESET_DEVICE;
    return TL_SUT_DONE;
}
