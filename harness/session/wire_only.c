/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/wire_only.h"

#include "harness/session/session.h"

#include "harness/check/connections.h"
#include "harness/scenario/scenario.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONNS = 100000 };

struct entry {
    struct fal_connection setup;
    bool used;
};

struct tl_wire {
    struct tl_wire_path path;
    struct entry *entries;
    size_t count;
};

/* ---- the file ---- */

static int whole_end(const struct tl_known_end *end, const char *name, struct fal_error *err)
{
    const struct {
        const char *key;
        bool given;
    } members[] = {{"cid", end->has_cid},
                   {"function", end->has_function},
                   {"req_psn", end->has_req_psn},
                   {"data_psn", end->has_data_psn},
                   {"rsn", end->has_rsn}};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!members[i].given)
            return fal_fail(err, FAL_ERR_FORM, "%s.%s: missing; expected a whole number", name,
                            members[i].key);
    return 0;
}

static int read_entry(const json_t *entry, const json_t *common, struct fal_connection *setup,
                      struct fal_error *err)
{
    struct tl_known_conn known;
    uint64_t given = 0;

    *setup = (struct fal_connection){.initial_known = true, .unknown_params = FAL_PARAM_ALL};
    fal_params_default(&setup->params, true);
    if (tl_known_conn_read(entry, &known, err) != 0 || whole_end(&known.sut, "sut", err) != 0 ||
        whole_end(&known.tester, "tester", err) != 0)
        return FAL_ERR_FORM;
    (void)snprintf(setup->name, sizeof setup->name, "%s",
                   known.name[0] != 0 ? known.name : "wire");
    setup->sut = known.sut.end;
    setup->tester = known.tester.end;
    tl_known_params(common, &setup->params, &given);
    tl_known_params(known.params, &setup->params, &given);
    setup->unknown_params &= ~given;
    return 0;
}

static int read_list(struct tl_wire *wire, const json_t *root, const json_t *list,
                     struct fal_error *err)
{
    const json_t *common = json_object_get(root, "params");
    size_t n = json_array_size(list);

    if (n == 0 || n > MAX_CONNS)
        return fal_fail(err, FAL_ERR_FORM, "1 to %d connections are expected", MAX_CONNS);
    wire->entries = calloc(n, sizeof *wire->entries);
    if (wire->entries == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (; wire->count < n; wire->count++) {
        struct fal_error why = {{0}};

        if (read_entry(json_array_get(list, wire->count), common,
                       &wire->entries[wire->count].setup, &why) != 0)
            return fal_fail(err, FAL_ERR_FORM, "connections[%zu]: %.300s", wire->count,
                            why.text);
    }
    return 0;
}

int tl_wire_load(const char *path, struct tl_wire **out, struct fal_error *err)
{
    struct tl_check_options options = {.run = {.title = {0}}};
    struct tl_wire *wire = calloc(1, sizeof *wire);
    struct fal_error why = {{0}};
    json_error_t where;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    const json_t *list = NULL;
    int rc = FAL_ERR_MEM;

    *out = NULL;
    if (wire == NULL)
        (void)fal_fail(&why, rc, "out of memory");
    else if (root == NULL)
        rc = fal_fail(&why, where.line < 0 ? FAL_ERR_IO : FAL_ERR_FORM, "%d:%d: %s", where.line,
                      where.column, where.text);
    else
        rc = tl_check_setup(root, &options, &list, &why);
    if (rc == 0)
        rc = read_list(wire, root, list, &why);
    json_decref(root);
    if (rc != 0) {
        tl_wire_free(wire);
        return fal_fail(err, rc, "%.150s: %.220s", path, why.text);
    }
    wire->path.lossless_in = options.run.lossless_in;
    wire->path.lossless_out = options.run.lossless_out;
    wire->path.in_order = options.run.in_order_in && options.run.in_order_out;
    *out = wire;
    return 0;
}

void tl_wire_free(struct tl_wire *wire)
{
    if (wire == NULL)
        return;
    free(wire->entries);
    free(wire);
}

struct tl_wire_path tl_wire_path(const struct tl_wire *wire)
{
    return wire->path;
}

/* ---- scenarios ---- */

static bool captures(const struct tl_event_pattern *pattern)
{
    for (size_t i = 0; i < TL_EVENT_MEMBERS; i++)
        if (pattern->given[i] && pattern->values[i].kind == TL_VALUE_CAPTURE)
            return true;
    return false;
}

static bool of_sut(const struct tl_step *step)
{
    return (step->verb == TL_EXPECT_ULP || step->verb == TL_EXPECT_NO_EVENT) &&
           step->u.expect_ulp.side == TL_SIDE_SUT;
}

/* Of any_order and alt: one that begins with an event would wait for it. */
static bool waits_for_event(const struct tl_scenario *s, const struct tl_step *step)
{
    for (size_t i = 0; i < step->u.block.count; i++)
        if (of_sut(&s->steps[step->u.block.heads[i]]))
            return true;
    return false;
}

static const char *step_unplayable(const struct tl_scenario *s, const struct tl_step *step)
{
    switch (step->verb) {
    case TL_ULP:
        return step->u.ulp.side == TL_SIDE_SUT ? "no control channel: the step commands the "
                                                 "SUT"
                                               : NULL;
    case TL_WORD:
    case TL_CC: return "no control channel: the step commands the SUT";
    case TL_EXPECT_ULP:
        return of_sut(step) && captures(step->u.expect_ulp.pattern)
                   ? "no control channel: the step uses events of the SUT"
                   : NULL;
    case TL_MEASURE:
    case TL_AWAIT:
        return step->u.measure->kind == TL_WORKLOAD || (step->u.measure->kind == TL_EVENTS &&
                                                        step->u.measure->side == TL_SIDE_SUT)
                   ? "no control channel: the step counts events of the SUT"
                   : NULL;
    case TL_ANY_ORDER:
    case TL_ALT:
        return waits_for_event(s, step)
                   ? "no control channel: the step waits for an event of the SUT"
                   : NULL;
    case TL_ON:
        return step->u.on.rule->is_event && step->u.on.rule->side == TL_SIDE_SUT
                   ? "no control channel: the step waits for an event of the SUT"
                   : NULL;
    case TL_SEND:
    case TL_EXPECT:
    case TL_EXPECT_NONE:
    case TL_EXPECT_NO_EVENT:
    case TL_WAIT:
    case TL_NOTE:
    case TL_LET:
    case TL_ACKS:
    case TL_UNTIL_QUIET:
    case TL_OFF:
    case TL_RELEASE:
    case TL_IF:
    case TL_JUMP:
    case TL_REPEAT:
    case TL_REPEAT_END: break;
    }
    return NULL;
}

const char *tl_wire_unplayable(const struct tl_scenario *scenario, enum fal_encap encap)
{
    const char *why = NULL;

    if (scenario->playback != NULL)
        return "no control channel: a recording must open its own connection";
    if ((scenario->has_encap ? scenario->encap : encap) != FAL_ENCAP_UDP)
        return "no control channel: keys cannot be exchanged";
    if (scenario->policy.count > 0)
        return "no control channel: the scenario sets the answers of the SUT's upper layer";
    for (size_t i = 0; i < scenario->num_streams; i++)
        if (scenario->streams[i].side == TL_SIDE_SUT)
            return "no control channel: the SUT must start its traffic";
    for (size_t i = 0; i < scenario->num_steps && why == NULL; i++)
        why = step_unplayable(scenario, &scenario->steps[i]);
    return why;
}

static bool end_suits(const struct tl_end_setup *wish, const struct fal_end *end)
{
    return (!wish->has_cid || wish->end.cid == end->cid) &&
           (!wish->has_function || wish->end.function == end->function) &&
           (!wish->has_req_psn || wish->end.req_psn == end->req_psn) &&
           (!wish->has_data_psn || wish->end.data_psn == end->data_psn) &&
           (!wish->has_rsn || wish->end.rsn == end->rsn);
}

/* Whether the connection is already as the scenario would set it up. */
static bool suits(const struct fal_connection *setup, const struct tl_scenario *scenario)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const struct tl_setup_from from = {.defaults = setup->params};
    struct fal_connection wished;
    bool same;

    if (!end_suits(&scenario->sut, &setup->sut) ||
        !end_suits(&scenario->tester, &setup->tester))
        return false;
    same = tl_scenario_setup(scenario, &from, &wished, NULL) == 0;
    for (size_t i = 0; i < n; i++)
        same = same && fal_param_get(&table[i], &wished.params) ==
                           fal_param_get(&table[i], &setup->params);
    return same;
}

const struct fal_connection *tl_wire_find(struct tl_wire *wire,
                                          const struct tl_scenario *scenario, bool take)
{
    for (size_t i = 0; i < wire->count; i++) {
        struct entry *entry = &wire->entries[i];

        if (entry->used || !suits(&entry->setup, scenario))
            continue;
        entry->used = take;
        return &entry->setup;
    }
    return NULL;
}

bool tl_wire_ever(const struct tl_wire *wire, const struct tl_scenario *scenario)
{
    for (size_t i = 0; i < wire->count; i++)
        if (suits(&wire->entries[i].setup, scenario))
            return true;
    return false;
}

bool tl_wire_has_cid(const struct tl_wire *wire, uint32_t cid)
{
    for (size_t i = 0; i < wire->count; i++)
        if (wire->entries[i].setup.tester.cid == cid)
            return true;
    return false;
}

static void put(char *out, size_t cap, const char *name, const char *value)
{
    size_t len = strlen(out);

    (void)snprintf(out + len, cap - len, "%s%s=%s", len > 0 ? " " : "", name, value);
}

static void put_end(char *out, size_t cap, const char *side, const struct tl_end_setup *end)
{
    const struct {
        bool given;
        const char *name;
        uint32_t value;
    } rows[] = {{end->has_cid, "cid", end->end.cid},
                {end->has_function, "function", end->end.function},
                {end->has_req_psn, "req_psn", end->end.req_psn},
                {end->has_data_psn, "data_psn", end->end.data_psn},
                {end->has_rsn, "rsn", end->end.rsn}};
    char name[24], value[16];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(name, sizeof name, "%s.%s", side, rows[i].name);
        (void)snprintf(value, sizeof value, "%" PRIu32, rows[i].value);
        if (rows[i].given)
            put(out, cap, name, value);
    }
}

void tl_wire_asks(const struct tl_scenario *scenario, char *out, size_t cap)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    struct fal_connection wished = {.initial_known = false};
    struct tl_setup_from from = {.seed = 0};
    char value[64];

    out[0] = 0;
    fal_params_default(&from.defaults, true);
    if (tl_scenario_setup(scenario, &from, &wished, NULL) != 0)
        wished.params = from.defaults;
    for (size_t i = 0; i < n; i++) {
        uint64_t number = fal_param_get(&table[i], &wished.params);

        if (number == fal_param_get(&table[i], &from.defaults))
            continue;
        (void)snprintf(value, sizeof value, "%" PRIu64, number);
        if (table[i].kind == FAL_PARAM_DURATION)
            tl_session_print_time(number, value, sizeof value);
        put(out, cap, table[i].name, value);
    }
    put_end(out, cap, "sut", &scenario->sut);
    put_end(out, cap, "tester", &scenario->tester);
}

bool tl_wire_left(const struct tl_wire *wire)
{
    for (size_t i = 0; i < wire->count; i++)
        if (!wire->entries[i].used)
            return true;
    return false;
}

void tl_wire_renew(struct tl_wire *wire)
{
    for (size_t i = 0; i < wire->count; i++)
        wire->entries[i].used = false;
}
