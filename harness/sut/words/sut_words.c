/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/words/sut_words.h"

#include "harness/engine/engine.h"

#include <string.h>

/* ---- what it offers ---- */

unsigned tl_sut_words_level(const struct tl_sut *sut, enum tl_upper_layer upper)
{
    const struct tl_words *words = tl_words_of(upper);
    unsigned least = 4;

    if (words == NULL || tl_engine_ops(upper) == NULL)
        return 0;
    for (unsigned i = 0; i < words->commands; i++) {
        enum tl_do verb = (enum tl_do)((unsigned)words->first + i);
        unsigned level = tl_protocol_word_level(verb);

        if (!tl_limits_allow(&sut->config.limits, verb) && level < least)
            least = level;
    }
    return least > 2 ? least - 1 : 0;
}

void tl_sut_words_levels(const struct tl_sut *sut, json_t *levels)
{
    for (int i = 0; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);

        for (unsigned l = 2; l <= tl_sut_words_level(sut, (enum tl_upper_layer)i); l++)
            (void)json_array_append_new(levels, json_sprintf("L%u%c", l, words->letter));
    }
}

void tl_sut_words_hello(const struct tl_sut *sut, json_t *identity)
{
    json_t *list = json_pack("[s]", tl_protocol_upper(TL_UPPER_RAW));

    for (int i = 0; i < TL_UPPERS; i++)
        if (tl_sut_words_level(sut, (enum tl_upper_layer)i) > 0)
            (void)json_array_append_new(list,
                                        json_string(tl_protocol_upper((enum tl_upper_layer)i)));
    if (json_array_size(list) > 1)
        (void)json_object_set(identity, "upper", list);
    json_decref(list);
}

/* ---- the engines ---- */

static void *engine_of(struct tl_sut *sut, enum tl_upper_layer upper)
{
    struct fal_rng rng =
        fal_rng_split(sut->config.seed, upper == TL_UPPER_VERBS ? 0x76657262 : 0x6e766d65);
    const struct tl_engine_config config = {.endpoint = sut->endpoint,
                                            .seed = fal_rng_next(&rng),
                                            .faults = sut->config.faults,
                                            .twins = sut->config.twins.set};

    if (sut->engines[upper] == NULL)
        sut->engines[upper] = tl_engine_ops(upper)->make(&config);
    return sut->engines[upper];
}

void tl_sut_words_faults(const struct tl_sut *sut, uint64_t *chances, uint64_t *acts)
{
    for (int i = 0; i < TL_UPPERS; i++) {
        uint64_t could, have;

        if (sut->engines[i] == NULL)
            continue;
        tl_engine_ops((enum tl_upper_layer)i)->faults(sut->engines[i], &could, &have);
        *chances += could;
        *acts += have;
    }
}

int tl_sut_words_attach(struct tl_sut *sut, struct tl_sut_conn *conn, enum tl_upper_layer upper)
{
    void *engine = engine_of(sut, upper);
    int rc;

    if (engine == NULL)
        return FAL_ERR_MEM;
    rc = tl_engine_ops(upper)->attach(engine, conn->number, &conn->config.params);
    if (rc == 0)
        conn->upper = upper;
    return rc;
}

void tl_sut_words_detach(struct tl_sut *sut, const struct tl_sut_conn *conn)
{
    if (conn->upper != TL_UPPER_RAW)
        tl_engine_ops(conn->upper)->detach(sut->engines[conn->upper], conn->number);
}

void tl_sut_words_reset(struct tl_sut *sut)
{
    for (int i = 0; i < TL_UPPERS; i++)
        if (sut->engines[i] != NULL)
            tl_engine_ops((enum tl_upper_layer)i)->reset(sut->engines[i]);
}

void tl_sut_words_free(struct tl_sut *sut)
{
    for (int i = 0; i < TL_UPPERS; i++)
        if (sut->engines[i] != NULL)
            tl_engine_ops((enum tl_upper_layer)i)->free(sut->engines[i]);
}

bool tl_sut_words_take(struct tl_sut *sut, const struct tl_sut_conn *conn,
                       const struct fal_endpoint_out *out, uint64_t now_ns)
{
    return tl_engine_ops(conn->upper)->take(sut->engines[conn->upper], out, now_ns);
}

void tl_sut_words_tell(struct tl_sut *sut)
{
    union tl_word word;

    for (int i = 0; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);

        while (sut->engines[i] != NULL &&
               tl_engine_ops(words->upper)->next(sut->engines[i], &word)) {
            struct tl_protocol_event event = {
                .kind = words->event, .word = tl_word_kind(&word), .members = &word};

            tl_sut_tell(sut, NULL, &event);
        }
    }
}

void tl_sut_words_tick(struct tl_sut *sut, uint64_t now_ns)
{
    for (int i = 0; i < TL_UPPERS; i++) {
        const struct tl_engine_ops *ops = tl_engine_ops((enum tl_upper_layer)i);

        if (sut->engines[i] == NULL || ops->deadline(sut->engines[i]) > now_ns)
            continue;
        ops->tick(sut->engines[i], now_ns);
        tl_sut_pump(sut, now_ns);
    }
}

uint64_t tl_sut_words_deadline(const struct tl_sut *sut)
{
    uint64_t least = FAL_NEVER;

    for (int i = 0; i < TL_UPPERS; i++) {
        uint64_t due = sut->engines[i] != NULL
                           ? tl_engine_ops((enum tl_upper_layer)i)->deadline(sut->engines[i])
                           : FAL_NEVER;

        least = due < least ? due : least;
    }
    return least;
}

/* ---- words ---- */

/* The endpoint's number of the connection that the word names; 0: none. False: it is unknown,
 * or has another upper layer. */
static bool number_of(const struct tl_sut *sut, const struct tl_protocol_command *command,
                      enum tl_upper_layer upper, uint32_t *number, struct fal_error *err)
{
    const struct tl_sut_conn *conn;

    *number = 0;
    if (command->conn == NULL)
        return true;
    conn = tl_sut_conn_of(sut, command, err);
    if (conn == NULL)
        return false;
    if (conn->upper != upper) {
        (void)fal_fail(err, FAL_ERR_RANGE,
                       "conn: %s is a %s connection; `%s` needs one that was opened with "
                       "\"upper\": \"%s\"",
                       conn->name, tl_protocol_upper(conn->upper),
                       tl_protocol_verb(command->verb), tl_protocol_upper(upper));
        return false;
    }
    *number = conn->number;
    return true;
}

static enum tl_sut_done say_word(const struct tl_words *words, const union tl_word *answer,
                                 json_t *reply, enum tl_do verb, struct fal_error *err)
{
    json_t *members = tl_word_write(words, answer, true);
    int rc = members != NULL ? json_object_update(reply, members) : -1;

    json_decref(members);
    return rc == 0 ? TL_SUT_DONE : tl_sut_refused(FAL_ERR_MEM, tl_protocol_verb(verb), err);
}

enum tl_sut_done tl_sut_word(struct tl_sut *sut, struct tl_protocol_command *command,
                             json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    const struct tl_words *words = tl_words_with(command->verb);
    const struct tl_engine_ops *ops = tl_engine_ops(words->upper);
    union tl_word answer;
    uint32_t number;
    void *engine;
    int rc;

    if (ops == NULL) {
        (void)fal_fail(err, FAL_ERR_TYPE, "this adapter has no %s", words->layer);
        return TL_SUT_UNSUPPORTED;
    }
    engine = engine_of(sut, words->upper);
    if (engine == NULL)
        return tl_sut_refused(FAL_ERR_MEM, tl_protocol_verb(command->verb), err);
    if (!number_of(sut, command, words->upper, &number, err))
        return TL_SUT_FAILED;
    memset(&answer, 0, sizeof answer);
    rc = ops->command(engine, number, command->word, &answer, now_ns, err);
    if (rc == FAL_ERR_MEM)
        return tl_sut_refused(rc, tl_protocol_verb(command->verb), err);
    if (rc != 0)
        return rc == TL_ENGINE_BUSY ? TL_SUT_BUSY : TL_SUT_FAILED;
    tl_word_begin(tl_word_kind(command->word), &answer);
    return say_word(words, &answer, reply, command->verb, err);
}
