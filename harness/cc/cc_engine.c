/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_engine.h"

#include "codecs/base/nearest.h"
#include "harness/cc/cc_child.h"
#include "oracles/cc/cc_fault.h"

#include <stdlib.h>
#include <string.h>

enum kind { MODEL, LIBRARY, PROGRAM };

struct tl_cc_engine {
    enum kind kind;
    enum fal_cc_format format;
    /* MODEL */
    const struct fal_cc_fault *fault;
    struct fal_swift swift;
    struct state {
        uint32_t connection;
        struct fal_cc_state state;
    } * states;
    size_t num_states, cap_states;
    /* others */
    struct tl_cc_child *child;
};

/* ---- the model ---- */

static int no_fault(const char *name, struct fal_error *err)
{
    const char *names[64], *near;
    size_t n;
    const struct fal_cc_fault *faults = fal_cc_faults(&n);

    n = n < 64 ? n : 64;
    for (size_t i = 0; i < n; i++)
        names[i] = faults[i].name;
    near = fal_nearest(name, names, n);
    return fal_fail(err, FAL_ERR_FORM, "no fault '%.60s'%s%s%s (talon help swift lists them)",
                    name, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
}

static int open_model(struct tl_cc_engine *engine, const char *options,
                      const struct fal_swift_params *params, struct fal_error *err)
{
    static const char fault[] = ":fault=", reading[] = ":reading=";
    struct fal_swift_params own = *params;
    fal_cc_reading_set readings = 0;
    int rc = 0;

    if (strncmp(options, fault, sizeof fault - 1) == 0) {
        engine->fault = fal_cc_fault_find(options + sizeof fault - 1);
        if (engine->fault == NULL)
            return no_fault(options + sizeof fault - 1, err);
    } else if (strncmp(options, reading, sizeof reading - 1) == 0) {
        options += sizeof reading - 1;
        rc = fal_cc_readings_read(&readings, options, strlen(options), err);
    } else if (*options != 0) {
        rc = fal_fail(
            err, FAL_ERR_FORM,
            "'model%.60s'; expected model, model:fault=NAME or model:reading=NAME[,NAME]",
            options);
    }
    if (rc != 0)
        return rc;
    if (engine->fault != NULL && engine->fault->params != NULL)
        engine->fault->params(&own);
    rc = fal_swift_init(&engine->swift, &own, true, err);
    fal_swift_read(&engine->swift, readings);
    return rc;
}

static struct fal_cc_state *state_of(struct tl_cc_engine *engine, uint32_t connection)
{
    struct state *grown;

    for (size_t i = 0; i < engine->num_states; i++)
        if (engine->states[i].connection == connection)
            return &engine->states[i].state;
    if (engine->num_states == engine->cap_states) {
        size_t cap = engine->cap_states > 0 ? 2 * engine->cap_states : 8;

        grown = realloc(engine->states, cap * sizeof *grown);
        if (grown == NULL)
            return NULL;
        engine->states = grown;
        engine->cap_states = cap;
    }
    engine->states[engine->num_states] = (struct state){.connection = connection};
    return &engine->states[engine->num_states++].state;
}

static int ask_model(struct tl_cc_engine *engine, struct tl_cc_line *line,
                     struct fal_error *err)
{
    struct fal_cc_state *state = state_of(engine, line->event.connection_id);

    if (state == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (!line->keep)
        *state = (struct fal_cc_state){0};
    fal_cc_fault_process(engine->fault, &engine->swift, state, line->now, &line->event,
                         &line->result);
    return 0;
}

/* ---- the others ---- */

static int open_child(struct tl_cc_engine *engine, const char *name,
                      const struct fal_swift_params *params, unsigned answer_s,
                      struct fal_error *err)
{
    bool library = engine->kind == LIBRARY;
    const char *what = strchr(name, ':') + 1;

    if (*what == 0)
        return fal_fail(err, FAL_ERR_FORM, "'%s'; expected %s", name,
                        library ? "lib:FILE.so" : "exec:COMMAND");
    return tl_cc_child_open(
        &engine->child,
        &(struct tl_cc_child_config){library, what, engine->format, params, answer_s}, err);
}

static int ask_child(struct tl_cc_engine *engine, struct tl_cc_line *line,
                     struct fal_error *err)
{
    uint8_t event[FAL_CC_ENTRY_LEN] = {0}, result[FAL_CC_ENTRY_LEN];
    int rc;

    FAL_IGNORE(fal_cc_encode(engine->format, FAL_CC_ENTRY_EVENT, &line->event, event, NULL));
    rc = tl_cc_child_ask(engine->child, !line->keep, line->now, event, result, err);
    if (rc == 0 && fal_cc_decode(engine->format, FAL_CC_ENTRY_RESULT, result, sizeof result,
                                 &line->result) < 0)
        rc = fal_fail(err, FAL_ERR_IO, "its result cannot be read");
    return rc;
}

/* ---- both ---- */

int tl_cc_engine_open(struct tl_cc_engine **out, const char *name, enum fal_cc_format format,
                      const struct fal_swift_params *params, unsigned answer_s,
                      struct fal_error *err)
{
    struct tl_cc_engine *engine = calloc(1, sizeof *engine);
    int rc;

    *out = NULL;
    if (engine == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    engine->format = format;
    if (strncmp(name, "model", 5) == 0 && (name[5] == 0 || name[5] == ':')) {
        rc = open_model(engine, name + 5, params, err);
    } else if (strncmp(name, "lib:", 4) == 0 || strncmp(name, "exec:", 5) == 0) {
        engine->kind = name[0] == 'l' ? LIBRARY : PROGRAM;
        rc = open_child(engine, name, params, answer_s, err);
    } else {
        rc = fal_fail(err, FAL_ERR_FORM,
                      "no engine '%.60s'; expected model, lib:FILE.so or exec:COMMAND", name);
    }
    if (rc != 0)
        tl_cc_engine_close(engine);
    else
        *out = engine;
    return rc;
}

void tl_cc_engine_close(struct tl_cc_engine *engine)
{
    if (engine == NULL)
        return;
    tl_cc_child_close(engine->child);
    free(engine->states);
    free(engine);
}

int tl_cc_engine_ask(struct tl_cc_engine *engine, struct tl_cc_line *line,
                     struct fal_error *err)
{
    line->format = engine->format;
    return engine->kind == MODEL ? ask_model(engine, line, err) : ask_child(engine, line, err);
}
