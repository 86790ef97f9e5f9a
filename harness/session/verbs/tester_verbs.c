/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/verbs/tester_verbs.h"

#include "harness/session/session_impl.h"
#include "harness/session/verbs/session_verbs.h"
#include "oracles/ulp/engine.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SEED_PART = 0x74765242, /* keys and numbers differ from those of the built-in SUT */
    TEXT_LEN = 160,
};

static int begin(struct tl_session *session)
{
    struct fal_rng rng = fal_rng_split(session->config.seed, SEED_PART);
    const struct fal_verbs_config config = {.endpoint = session->endpoint,
                                            .seed = fal_rng_next(&rng)};
    int rc;

    if (session->tester_verbs != NULL)
        return 0;
    session->tester_verbs = fal_verbs_new(&config);
    if (session->tester_verbs == NULL)
        return FAL_ERR_MEM;
    rc = fal_verbs_attach(session->tester_verbs, session->conn, &session->connection.params);
    if (rc != 0)
        tl_session_tester_verbs_free(session);
    return rc;
}

static void note(struct tl_session *session, const char *what, const struct fal_verbs *verbs)
{
    char text[TEXT_LEN];

    if (session->config.timeline == NULL) /* nobody reads the text */
        return;
    if (verbs->kind == FAL_VERBS_WC)
        (void)snprintf(text, sizeof text,
                       "tester's verbs: wc qp=%s wr_id=%" PRIu64 " status=%" PRIu32
                       " byte_len=%" PRIu32,
                       verbs->qp, verbs->wr_id, verbs->status, verbs->byte_len);
    else
        (void)snprintf(text, sizeof text, "tester's verbs: %s%s%s%s", what,
                       fal_verbs_names[verbs->kind], verbs->qp[0] != 0 ? " qp=" : "",
                       verbs->qp);
    tl_session_text(session, FAL_EV_INTERNAL, -1, text);
}

static void keep_events(struct tl_session *session)
{
    struct fal_verbs event;

    while (fal_verbs_next(session->tester_verbs, &event)) {
        note(session, "", &event);
        tl_session_keep_word_event(session, TL_SIDE_TESTER, &event, tl_session_now(session));
    }
    if (fal_verbs_out_of_memory(session->tester_verbs))
        tl_session_break(session, TL_REASON_MEMORY, "the tester's verbs: out of memory");
}

int tl_session_tester_verbs(struct tl_session *session, const struct fal_verbs *ask,
                            struct fal_verbs *answer, struct fal_error *err)
{
    int rc = begin(session);

    if (rc == FAL_ERR_RANGE)
        return fal_fail(err, rc, "the tester's end of the connection is not open");
    if (rc == 0) {
        rc = fal_verbs_command(session->tester_verbs, ask->conn[0] != 0 ? session->conn : 0,
                               ask, answer, tl_session_now(session), err);
        answer->kind = ask->kind;
        note(session, rc == 0 ? "" : "refused: ", ask);
    }
    if (rc == FAL_ERR_MEM) {
        tl_session_break(session, TL_REASON_MEMORY, "the tester's verbs: out of memory");
        return rc;
    }
    tl_session_drain(session);
    keep_events(session);
    return rc;
}

bool tl_session_tester_verbs_take(struct tl_session *session,
                                  const struct fal_endpoint_out *out)
{
    if (session->tester_verbs == NULL ||
        !fal_verbs_take(session->tester_verbs, out, tl_session_now(session)))
        return false;
    keep_events(session);
    return true;
}

uint64_t tl_session_tester_verbs_deadline(const struct tl_session *session)
{
    return session->tester_verbs != NULL ? fal_verbs_deadline(session->tester_verbs)
                                         : FAL_NEVER;
}

bool tl_session_tester_verbs_tick(struct tl_session *session)
{
    uint64_t now = tl_session_now(session);

    if (tl_session_tester_verbs_deadline(session) > now)
        return false;
    fal_verbs_tick(session->tester_verbs, now);
    tl_session_drain(session);
    keep_events(session);
    return true;
}

void tl_session_tester_verbs_free(struct tl_session *session)
{
    if (session->tester_verbs != NULL)
        fal_verbs_free(session->tester_verbs);
    session->tester_verbs = NULL;
}
