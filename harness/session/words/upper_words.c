/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/words/upper_words.h"

#include <stdlib.h>
#include <string.h>

static struct tl_upper_words *state_of(struct tl_upper *upper)
{
    if (upper->words == NULL)
        upper->words = calloc(1, sizeof *upper->words);
    return upper->words;
}

void tl_upper_words_forget(struct tl_upper *upper)
{
    if (upper->words != NULL)
        upper->words->num_names = upper->words->num_posts = 0;
}

void tl_upper_words_free(struct tl_upper *upper)
{
    if (upper->words != NULL)
        free(upper->words->names);
    free(upper->words);
    upper->words = NULL;
}

/* ---- connections of queue pairs ---- */

static struct tl_upper_name *find(const struct tl_upper_words *verbs, const char *name)
{
    for (size_t i = verbs->num_names; name[0] != 0 && i > 0; i--)
        if (strcmp(verbs->names[i - 1].name, name) == 0)
            return &verbs->names[i - 1];
    return NULL;
}

/* The SUT's handle of the connection, or "". */
static const char *conn_of(const struct tl_upper_words *verbs, const char *name)
{
    const struct tl_upper_name *found = find(verbs, name);

    return found != NULL ? found->conn : "";
}

/* False when out of memory. */
static bool learn(struct tl_upper_words *verbs, const char *name, const char *conn)
{
    struct tl_upper_name *row = find(verbs, name);

    if (name[0] == 0 || conn[0] == 0)
        return true;
    if (row == NULL && verbs->num_names == verbs->cap_names) {
        size_t cap = verbs->cap_names == 0 ? 8 : verbs->cap_names * 2;
        struct tl_upper_name *names = realloc(verbs->names, cap * sizeof *names);

        if (names == NULL)
            return false;
        verbs->names = names;
        verbs->cap_names = cap;
    }
    if (row == NULL)
        row = &verbs->names[verbs->num_names++];
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    (void)snprintf(row->conn, sizeof row->conn, "%s", conn);
    return true;
}

/* ---- posts of UD queue pairs ---- */

static void note_post(struct tl_upper_words *verbs, const struct fal_verbs *ask,
                      const char *conn)
{
    struct tl_upper_post *post = &verbs->posts[verbs->num_posts++ % TL_UPPER_POSTS];

    (void)snprintf(post->qp, sizeof post->qp, "%s", ask->qp);
    (void)snprintf(post->conn, sizeof post->conn, "%s", conn);
    post->wr_id = ask->wr_id;
}

/* The connection of an event about a queue pair. The completion of a datagram has that of its
 * post; the latest of that name counts. */
static const char *conn_of_event(const struct tl_upper_words *verbs,
                                 const struct fal_verbs *told)
{
    bool sent = told->kind == FAL_VERBS_WC && told->opcode < FAL_VERBS_DONE_RECV;

    for (size_t back = 1; sent && back <= verbs->num_posts && back <= TL_UPPER_POSTS; back++) {
        const struct tl_upper_post *post =
            &verbs->posts[(verbs->num_posts - back) % TL_UPPER_POSTS];

        if (post->wr_id == told->wr_id && strcmp(post->qp, told->qp) == 0)
            return post->conn;
    }
    return conn_of(verbs, told->qp);
}

/* ---- commands ---- */

/* A UD queue pair has no connection; its request belongs to that of its address handle. */
static void fill_verbs(struct tl_upper_words *state, struct tl_upper_asked *asked)
{
    const struct fal_verbs *ask = &state->asked.verbs;
    const char *conn = ask->conn;

    if (conn[0] == 0)
        conn = conn_of(state, ask->ah);
    if (conn[0] == 0)
        conn = conn_of(state, ask->qp);
    (void)snprintf(asked->conn_name, sizeof asked->conn_name, "%s", conn);
    (void)snprintf(asked->qp, sizeof asked->qp, "%s", ask->qp);
    if (ask->kind == FAL_VERBS_POST_SEND && ask->ah[0] != 0)
        note_post(state, ask, conn);
}

static void fill_asked(struct tl_upper_words *state, struct tl_upper_asked *asked,
                       const struct tl_words *words)
{
    asked->words = words;
    asked->word = tl_word_kind(&state->asked);
    if (words->upper == TL_UPPER_VERBS)
        fill_verbs(state, asked);
    else /* namespaces and devices belong to the SUT; a row of the translation to a connection
          */
        (void)snprintf(asked->conn_name, sizeof asked->conn_name, "%s", state->asked.nvme.conn);
}

/* The words among which a command of that name is, and its number; NULL: it is none. */
static const struct tl_words *words_with(const char *verb, unsigned *kind)
{
    for (int i = TL_UPPER_RAW + 1; verb != NULL && i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);

        *kind = tl_words_find(words, verb);
        if (*kind < words->commands)
            return words;
    }
    return NULL;
}

bool tl_upper_is_word(const char *verb)
{
    unsigned kind;

    return words_with(verb, &kind) != NULL;
}

bool tl_upper_word_asked(struct tl_upper *upper, struct tl_upper_asked *asked,
                         const json_t *command)
{
    unsigned kind;
    const struct tl_words *words =
        words_with(json_string_value(json_object_get(command, "do")), &kind);
    struct tl_upper_words *state;

    if (words == NULL)
        return true;
    state = state_of(upper);
    if (state == NULL)
        return false;
    if (tl_word_read(words, kind, false, command, &state->asked, NULL) == 0)
        fill_asked(state, asked, words);
    return true;
}

bool tl_upper_word_ordered(struct tl_upper *upper, struct tl_upper_asked *asked,
                           const struct tl_protocol_command *command)
{
    struct tl_upper_words *state = state_of(upper);

    if (state == NULL)
        return false;
    state->asked = *command->word;
    fill_asked(state, asked, tl_words_with(command->verb));
    return true;
}

void tl_upper_word_event(const struct tl_upper *upper, const struct tl_upper_asked *asked,
                         struct fal_event *event)
{
    fal_event_begin(event, asked->words->event, 0);
    tl_word_to_event(asked->words, &upper->words->asked, FAL_VERBS_ASKED, event);
    if (event->kind == FAL_EV_VERBS)
        event->u.verbs.id = asked->id;
    else
        event->u.nvme.id = asked->id;
}

/* ---- replies and events ---- */

/* A queue pair or an address handle has its connection from now on. False when out of memory.
 */
static bool learn_verbs(struct tl_upper_words *state, const struct tl_upper_asked *asked)
{
    return learn(state,
                 asked->word == FAL_VERBS_AH_CREATE ? state->answered.verbs.ah : asked->qp,
                 asked->conn_name);
}

enum tl_upper_got tl_upper_word_answered(struct tl_upper *upper,
                                         const struct tl_upper_asked *asked,
                                         struct tl_upper_line *out)
{
    struct tl_upper_words *state = upper->words;
    bool verbs = asked->words->upper == TL_UPPER_VERBS;

    memset(&state->answered, 0, sizeof state->answered);
    tl_word_begin(asked->word, &state->answered);
    if (out->ok && upper->object != NULL &&
        tl_word_read(asked->words, asked->word, true, upper->object, &state->answered,
                     &out->err) != 0)
        return TL_UPPER_GARBAGE;
    if (out->ok && verbs && !learn_verbs(state, asked)) {
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    tl_word_to_event(asked->words, &state->answered, FAL_VERBS_ANSWERED, &out->event);
    if (verbs) {
        out->event.u.verbs.id = asked->id;
        out->event.u.verbs.ok = out->ok;
    } else {
        out->event.u.nvme.id = asked->id;
        out->event.u.nvme.ok = out->ok;
    }
    return TL_UPPER_REPLY;
}

enum tl_upper_got tl_upper_word_told(struct tl_upper *upper,
                                     const struct tl_protocol_event *event,
                                     struct tl_upper_line *out)
{
    const struct tl_words *words = tl_words_told_as(event->kind);
    struct tl_upper_words *state = state_of(upper);

    if (state == NULL) {
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    if (tl_word_read(words, event->word, false, upper->object, &state->told, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    tl_word_to_event(words, &state->told, FAL_VERBS_TOLD, &out->event);
    if (words->upper == TL_UPPER_VERBS) {
        (void)snprintf(out->conn_name, sizeof out->conn_name, "%s",
                       conn_of_event(state, &state->told.verbs));
        out->event.u.verbs.seq = event->seq;
    } else {
        out->event.u.nvme.seq = event->seq;
    }
    return TL_UPPER_EVENT;
}
