/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/words/tester_words.h"

#include "harness/engine/engine.h"
#include "harness/session/session_impl.h"
#include "harness/session/words/session_words.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SEED_PART = 0x74765242, /* keys and numbers differ from those of the built-in SUT */
    TEXT_LEN = 160,
};

static int begin(struct tl_session *session, enum tl_upper_layer upper)
{
    const struct tl_engine_ops *ops = tl_engine_ops(upper);
    struct fal_rng rng = fal_rng_split(session->config.seed, SEED_PART);
    const struct tl_engine_config config = {.endpoint = session->endpoint,
                                            .seed = fal_rng_next(&rng)};
    int rc;

    if (session->engines[upper] != NULL)
        return 0;
    session->engines[upper] = ops->make(&config);
    if (session->engines[upper] == NULL)
        return FAL_ERR_MEM;
    rc = ops->attach(session->engines[upper], session->conn, &session->connection.params);
    if (rc != 0)
        tl_session_tester_words_free(session);
    return rc;
}

static void note(struct tl_session *session, const struct tl_words *words, const char *what,
                 const union tl_word *word)
{
    char text[TEXT_LEN], member[TEXT_LEN / 2];

    if (session->config.timeline == NULL) /* nobody reads the text */
        return;
    tl_session_print_word(words, word, member, sizeof member);
    (void)snprintf(text, sizeof text, "tester's %s: %s%s", words->name, what, member);
    tl_session_text(session, FAL_EV_INTERNAL, -1, text);
}

static void broken(struct tl_session *session, const struct tl_words *words)
{
    tl_session_break(session, TL_REASON_MEMORY, "the tester's %s: out of memory", words->name);
}

static void keep_events(struct tl_session *session, const struct tl_words *words)
{
    const struct tl_engine_ops *ops = tl_engine_ops(words->upper);
    void *engine = session->engines[words->upper];
    union tl_word event;

    while (ops->next(engine, &event)) {
        note(session, words, "", &event);
        tl_session_keep_word_event(session, TL_SIDE_TESTER, words, &event);
    }
    if (ops->out_of_memory(engine))
        broken(session, words);
}

int tl_session_tester_word(struct tl_session *session, const struct tl_words *words,
                           union tl_word *ask, union tl_word *answer, struct fal_error *err)
{
    const char *conn = tl_word_conn(words, ask);
    int rc = begin(session, words->upper);

    if (rc == FAL_ERR_RANGE)
        return fal_fail(err, rc, "the tester's end of the connection is not open");
    if (rc == 0) {
        rc = tl_engine_ops(words->upper)
                 ->command(session->engines[words->upper],
                           conn != NULL && conn[0] != 0 ? session->conn : 0, ask, answer,
                           tl_session_now(session), err);
        tl_word_begin(tl_word_kind(ask), answer);
        note(session, words, rc == 0 ? "" : "refused: ", ask);
    }
    if (rc == FAL_ERR_MEM) {
        broken(session, words);
        return rc;
    }
    tl_session_drain(session);
    keep_events(session, words);
    return rc;
}

bool tl_session_tester_words_take(struct tl_session *session,
                                  const struct fal_endpoint_out *out)
{
    for (int i = 0; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);

        if (session->engines[i] == NULL ||
            !tl_engine_ops(words->upper)
                 ->take(session->engines[i], out, tl_session_now(session)))
            continue;
        keep_events(session, words);
        return true;
    }
    return false;
}

uint64_t tl_session_tester_words_deadline(const struct tl_session *session)
{
    uint64_t least = FAL_NEVER;

    for (int i = 0; i < TL_UPPERS; i++) {
        uint64_t due =
            session->engines[i] != NULL
                ? tl_engine_ops((enum tl_upper_layer)i)->deadline(session->engines[i])
                : FAL_NEVER;

        least = due < least ? due : least;
    }
    return least;
}

bool tl_session_tester_words_tick(struct tl_session *session)
{
    uint64_t now = tl_session_now(session);
    bool any = false;

    for (int i = 0; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);

        if (session->engines[i] == NULL ||
            tl_engine_ops(words->upper)->deadline(session->engines[i]) > now)
            continue;
        tl_engine_ops(words->upper)->tick(session->engines[i], now);
        tl_session_drain(session);
        keep_events(session, words);
        any = true;
    }
    return any;
}

void tl_session_tester_words_free(struct tl_session *session)
{
    for (int i = 0; i < TL_UPPERS; i++) {
        if (session->engines[i] != NULL)
            tl_engine_ops((enum tl_upper_layer)i)->free(session->engines[i]);
        session->engines[i] = NULL;
    }
}
