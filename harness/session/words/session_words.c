/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/words/session_words.h"

#include "harness/session/session_impl.h"

#include <inttypes.h>
#include <stdio.h>
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
static json_t *line_of(const struct tl_words *words, const union tl_word *ask)
{
    json_t *line = tl_word_write(words, ask, false);

    if (line != NULL &&
        json_object_set_new(line, "do", json_string(words->names[tl_word_kind(ask)])) == 0)
        return line;
    json_decref(line);
    return NULL;
}

static void write_word(struct tl_session *session, const struct tl_words *words,
                       union tl_word *ask)
{
    const char *conn = tl_word_conn(words, ask);
    struct tl_protocol_command order = {
        .verb = (enum tl_do)((unsigned)words->first + tl_word_kind(ask)),
        .conn = conn != NULL && conn[0] != 0 ? conn : NULL,
        .word = ask};

    if (tl_session_takes_orders(session))
        tl_session_order(session, &order);
    else
        tl_session_command(session, line_of(words, ask));
}

bool tl_session_ask_word(struct tl_session *session, const struct tl_words *words,
                         union tl_word *ask, union tl_word *answer)
{
    write_word(session, words, ask);
    if (!tl_session_await_answer(session) || !session->answer_ok)
        return false;
    if (answer != NULL && session->words != NULL)
        *answer = session->words->answer;
    return true;
}

void tl_session_word_answered(struct tl_session *session, const struct fal_event *event)
{
    struct tl_session_words *words = words_of(session);

    if (words != NULL && session->answer_ok)
        tl_word_of_event(event, &words->answer);
}

/* ---- events ---- */

static void keep(struct tl_session *session, const struct tl_seen_word *word)
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
    words->ring[words->next++ % words->cap] = *word;
    tl_session_keep_word_number(session, word->side, word->words->name, word->t_ns);
}

void tl_session_keep_word_event(struct tl_session *session, enum tl_side side,
                                const struct tl_words *words, const union tl_word *word)
{
    const struct tl_seen_word seen = {
        .t_ns = tl_session_now(session), .side = side, .words = words, .word = *word};

    keep(session, &seen);
}

void tl_session_word_told(struct tl_session *session, const struct fal_event *event,
                          uint64_t t_ns)
{
    struct tl_seen_word seen = {
        .t_ns = t_ns, .side = TL_SIDE_SUT, .words = tl_words_told_as(event->kind)};

    tl_word_of_event(event, &seen.word);
    keep(session, &seen);
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

/* ---- text ---- */

static void print_verbs(const struct fal_verbs *verbs, char *out, size_t cap)
{
    const char *name = fal_verbs_names[verbs->kind];

    if (verbs->kind == FAL_VERBS_WC)
        (void)snprintf(out, cap,
                       "wc qp=%s wr_id=%" PRIu64 " status=%" PRIu32 " byte_len=%" PRIu32,
                       verbs->qp, verbs->wr_id, verbs->status, verbs->byte_len);
    else if (verbs->kind >= FAL_VERBS_COMMANDS)
        (void)snprintf(out, cap, "%s %s", name,
                       verbs->kind == FAL_VERBS_ASYNC ? verbs->what : verbs->cq);
    else
        (void)snprintf(out, cap, "%s%s%s", name, verbs->qp[0] != 0 ? " qp=" : "", verbs->qp);
}

static void print_nvme(const struct fal_nvme_word *nvme, char *out, size_t cap)
{
    const char *name = fal_nvme_word_names[nvme->kind];
    char hash[32] = "";

    if (nvme->has_hash)
        (void)snprintf(hash, sizeof hash, " hash=0x%016" PRIx64, nvme->hash);
    if (nvme->kind == FAL_NVME_CQE)
        (void)snprintf(out, cap, "%s cmd=%" PRIu64 " status=%" PRIu32 "%s", name, nvme->cmd,
                       nvme->status, hash);
    else if (nvme->kind == FAL_NVME_DEV_CMD)
        (void)snprintf(out, cap,
                       "%s dcmd=%" PRIu64 " dev=%" PRIu32 " op=%s nsid=%" PRIu32
                       " slba=%" PRIu64 " nlb0=%" PRIu32 " sqid=%" PRIu32 "%s",
                       name, nvme->dcmd, nvme->dev, fal_nvme_op_names[nvme->op], nvme->nsid,
                       nvme->slba, nvme->nlb0, nvme->sqid, hash);
    else if (nvme->kind == FAL_NVME_POST)
        (void)snprintf(
            out, cap,
            "%s cmd=%" PRIu64 " op=%s nsid=%" PRIu32 " slba=%" PRIu64 " nlb0=%" PRIu32, name,
            nvme->cmd, fal_nvme_op_names[nvme->op], nvme->nsid, nvme->slba, nvme->nlb0);
    else
        (void)snprintf(out, cap, "%s", name);
}

void tl_session_print_word(const struct tl_words *words, const union tl_word *word, char *out,
                           size_t cap)
{
    if (words->upper == TL_UPPER_NVME)
        print_nvme(&word->nvme, out, cap);
    else
        print_verbs(&word->verbs, out, cap);
}
