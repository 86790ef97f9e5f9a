/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/verbs/session_verbs.h"

#include "harness/wire/protocol.h"

#include <stdlib.h>
#include <string.h>

static struct tl_session_words *words_of(struct tl_session *session)
{
    if (session->words == NULL)
        session->words = calloc(1, sizeof *session->words);
    if (session->words == NULL)
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
    return session->words;
}

void tl_session_words_free(struct tl_session *session)
{
    if (session->words != NULL)
        free(session->words->ring);
    free(session->words);
}

/* ---- commands ---- */

/* NULL when out of memory. */
static json_t *line_of(const struct fal_verbs *ask)
{
    json_t *line = fal_verbs_write(ask, false);

    if (line != NULL &&
        json_object_set_new(line, "do", json_string(fal_verbs_names[ask->kind])) == 0)
        return line;
    json_decref(line);
    return NULL;
}

void tl_session_verbs_ask(struct tl_session *session, const struct fal_verbs *ask)
{
    struct fal_verbs copy = *ask; /* it is only read; the member of the command is not const */
    struct tl_protocol_command order = {.verb = tl_protocol_do(ask->kind),
                                        .conn = ask->conn[0] != 0 ? copy.conn : NULL,
                                        .verbs = &copy};

    if (tl_session_takes_orders(session))
        tl_session_order(session, &order);
    else
        tl_session_command(session, line_of(ask));
}

bool tl_session_verbs(struct tl_session *session, const struct fal_verbs *ask,
                      struct fal_verbs *answer)
{
    tl_session_verbs_ask(session, ask);
    if (!tl_session_await_answer(session) || !session->answer_ok)
        return false;
    if (answer != NULL && session->words != NULL)
        *answer = session->words->answer;
    return true;
}

void tl_session_word_answered(struct tl_session *session, const struct fal_ev_verbs *event)
{
    struct tl_session_words *words = words_of(session);

    if (words != NULL && event->ok)
        words->answer = *event->verbs;
}

const struct fal_verbs *tl_session_verbs_answer(const struct tl_session *session)
{
    return session->words != NULL ? &session->words->answer : NULL;
}

/* ---- events ---- */

void tl_session_keep_word(struct tl_session *session, enum tl_side side,
                          const struct fal_verbs *verbs, uint64_t t_ns)
{
    struct tl_session_words *words = words_of(session);

    if (words == NULL)
        return;
    if (words->next >= words->cap && words->cap < TL_WORDS_KEPT) {
        size_t cap = words->cap == 0 ? 32 : words->cap * 2;
        struct tl_seen_word *ring = realloc(words->ring, cap * sizeof *ring);

        if (ring == NULL) {
            tl_session_break(session, TL_REASON_MEMORY, "out of memory");
            return;
        }
        words->ring = ring;
        words->cap = cap;
    }
    words->ring[words->next++ % words->cap] =
        (struct tl_seen_word){.t_ns = t_ns, .side = side, .verbs = *verbs};
}

uint64_t tl_session_words_next(const struct tl_session *session)
{
    return session->words != NULL ? session->words->next : 0;
}

const struct tl_seen_word *tl_session_word(const struct tl_session *session, uint64_t number)
{
    const struct tl_session_words *words = session->words;

    if (words == NULL || number >= words->next ||
        (words->next > words->cap && number < words->next - words->cap))
        return NULL;
    return &words->ring[number % words->cap];
}
