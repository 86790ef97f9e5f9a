/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/verbs/upper_verbs.h"

#include <stdlib.h>
#include <string.h>

static struct tl_upper_verbs *verbs_of(struct tl_upper *upper)
{
    if (upper->verbs == NULL)
        upper->verbs = calloc(1, sizeof *upper->verbs);
    return upper->verbs;
}

void tl_upper_words_forget(struct tl_upper *upper)
{
    if (upper->verbs != NULL)
        upper->verbs->num_names = upper->verbs->num_posts = 0;
}

void tl_upper_words_free(struct tl_upper *upper)
{
    if (upper->verbs != NULL)
        free(upper->verbs->names);
    free(upper->verbs);
    upper->verbs = NULL;
}

/* ---- connections of queue pairs ---- */

static struct tl_upper_name *find(const struct tl_upper_verbs *verbs, const char *name)
{
    for (size_t i = verbs->num_names; name[0] != 0 && i > 0; i--)
        if (strcmp(verbs->names[i - 1].name, name) == 0)
            return &verbs->names[i - 1];
    return NULL;
}

/* The SUT's handle of the connection, or "". */
static const char *conn_of(const struct tl_upper_verbs *verbs, const char *name)
{
    const struct tl_upper_name *found = find(verbs, name);

    return found != NULL ? found->conn : "";
}

/* False when out of memory. */
static bool learn(struct tl_upper_verbs *verbs, const char *name, const char *conn)
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

static void note_post(struct tl_upper_verbs *verbs, const struct fal_verbs *ask,
                      const char *conn)
{
    struct tl_upper_post *post = &verbs->posts[verbs->num_posts++ % TL_UPPER_POSTS];

    (void)snprintf(post->qp, sizeof post->qp, "%s", ask->qp);
    (void)snprintf(post->conn, sizeof post->conn, "%s", conn);
    post->wr_id = ask->wr_id;
}

/* The connection of an event about a queue pair. The completion of a datagram has that of its
 * post; the latest of that name counts. */
static const char *conn_of_event(const struct tl_upper_verbs *verbs,
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
static void fill_asked(struct tl_upper_verbs *verbs, struct tl_upper_asked *asked)
{
    const struct fal_verbs *ask = &verbs->asked;
    const char *conn = ask->conn;

    if (conn[0] == 0)
        conn = conn_of(verbs, ask->ah);
    if (conn[0] == 0)
        conn = conn_of(verbs, ask->qp);
    asked->is_word = true;
    asked->word = ask->kind;
    (void)snprintf(asked->conn_name, sizeof asked->conn_name, "%s", conn);
    (void)snprintf(asked->qp, sizeof asked->qp, "%s", ask->qp);
    if (ask->kind == FAL_VERBS_POST_SEND && ask->ah[0] != 0)
        note_post(verbs, ask, conn);
}

bool tl_upper_word_asked(struct tl_upper *upper, struct tl_upper_asked *asked,
                         enum fal_verbs_kind word, const json_t *command)
{
    struct tl_upper_verbs *verbs = verbs_of(upper);

    if (verbs == NULL)
        return false;
    if (fal_verbs_read(word, false, command, &verbs->asked, NULL) == 0)
        fill_asked(verbs, asked);
    return true;
}

bool tl_upper_word_ordered(struct tl_upper *upper, struct tl_upper_asked *asked,
                           const struct fal_verbs *ask)
{
    struct tl_upper_verbs *verbs = verbs_of(upper);

    if (verbs == NULL)
        return false;
    verbs->asked = *ask;
    fill_asked(verbs, asked);
    return true;
}

void tl_upper_word_event(const struct tl_upper *upper, const struct tl_upper_asked *asked,
                         struct fal_event *event)
{
    fal_event_begin(event, FAL_EV_VERBS, 0);
    event->u.verbs = (struct fal_ev_verbs){
        .phase = FAL_VERBS_ASKED, .id = asked->id, .verbs = &upper->verbs->asked};
}

/* ---- replies and events ---- */

enum tl_upper_got tl_upper_word_answered(struct tl_upper *upper,
                                         const struct tl_upper_asked *asked,
                                         struct tl_upper_line *out)
{
    struct tl_upper_verbs *verbs = upper->verbs;
    const char *handle = asked->qp;

    verbs->answered = (struct fal_verbs){.kind = asked->word};
    if (out->ok && upper->object != NULL &&
        fal_verbs_read(asked->word, true, upper->object, &verbs->answered, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    if (asked->word == FAL_VERBS_AH_CREATE)
        handle = verbs->answered.ah;
    if (out->ok && !learn(verbs, handle, asked->conn_name)) {
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    out->event.kind = FAL_EV_VERBS;
    out->event.u.verbs = (struct fal_ev_verbs){
        .phase = FAL_VERBS_ANSWERED, .id = asked->id, .ok = out->ok, .verbs = &verbs->answered};
    return TL_UPPER_REPLY;
}

enum tl_upper_got tl_upper_word_told(struct tl_upper *upper, enum fal_verbs_kind word,
                                     uint64_t seq, struct tl_upper_line *out)
{
    struct tl_upper_verbs *verbs = verbs_of(upper);

    if (verbs == NULL) {
        (void)fal_fail(&out->err, FAL_ERR_MEM, "out of memory");
        return TL_UPPER_GARBAGE;
    }
    if (fal_verbs_read(word, false, upper->object, &verbs->told, &out->err) != 0)
        return TL_UPPER_GARBAGE;
    (void)snprintf(out->conn_name, sizeof out->conn_name, "%s",
                   conn_of_event(verbs, &verbs->told));
    out->event.kind = FAL_EV_VERBS;
    out->event.u.verbs =
        (struct fal_ev_verbs){.phase = FAL_VERBS_TOLD, .seq = seq, .verbs = &verbs->told};
    return TL_UPPER_EVENT;
}
