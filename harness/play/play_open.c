/* SPDX-License-Identifier: Apache-2.0
 * play_open.c - a step that asks the SUT for one more connection, which it must open or refuse.
 */
#include "harness/play/players.h"

#include "harness/session/offer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The parameters that this connection was asked for, with those of the step. */
static bool params_of(struct tl_interp *interp, const struct tl_act *act,
                      struct fal_params *out)
{
    *out = interp->session->wished;
    for (size_t i = 0; i < act->num_params; i++) {
        uint64_t value;

        if (!tl_interp_number(interp, &act->params[i].value, &value))
            return false;
        if (fal_param_set(act->params[i].param, out, value) != 0) {
            char why[80];

            (void)snprintf(why, sizeof why, "open: %s: the value does not fit",
                           act->params[i].param->name);
            tl_interp_unplayable(interp, why);
            return false;
        }
    }
    return true;
}

/* A SUT that cannot set a parameter opens the connection and reports the value that it has
 * (docs/sut-protocol.md): that is not the connection which the step is about. */
static bool is_as_asked(struct tl_interp *interp, const struct tl_act *act,
                        const struct fal_params *asked, const struct fal_params *has)
{
    for (size_t i = 0; i < act->num_params; i++) {
        const struct fal_param *param = act->params[i].param;
        char text[TL_LACK_MAX];

        if (fal_param_get(param, has) == fal_param_get(param, asked))
            continue;
        (void)snprintf(text, sizeof text,
                       "the SUT opened the connection with %s %" PRIu64
                       "; this step needs %" PRIu64,
                       param->name, fal_param_get(param, has), fal_param_get(param, asked));
        tl_interp_unoffered(interp, NULL, "", text);
        return false;
    }
    return true;
}

/* The SUT has refused the connection. "busy" says that it lacks resources now, so it decides
 * nothing. The word `open` itself is supported, since the SUT opened this connection: so
 * "unsupported" is a refusal too. */
static bool is_refusal(const struct tl_session *session)
{
    return strcmp(session->answer_error, "failed") == 0 ||
           strcmp(session->answer_error, "unsupported") == 0;
}

/* The keys of a sealed connection belong to its session, so there can be no second one. */
static bool is_clear(struct tl_interp *interp)
{
    struct tl_miss *miss;

    if (interp->session->sealer == NULL)
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNSUPPORTED, 0);
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "the connection is sealed: another one cannot be opened beside it");
    return false;
}

void tl_interp_open(struct tl_interp *interp, const struct tl_act *act)
{
    struct tl_session *session = interp->session;
    const struct tl_need need = tl_need_of(act);
    struct fal_params asked, has;

    if (!is_clear(interp) || tl_interp_lacks(interp, &need) || !params_of(interp, act, &asked))
        return;
    has = asked;
    if (tl_session_open_other(session, &has)) {
        if (is_as_asked(interp, act, &asked, &has) && act->refused)
            tl_interp_not_refused(interp, "the SUT opened the connection");
    } else if (session->broken.reason == TL_REASON_NONE &&
               (!act->refused || !is_refusal(session))) {
        tl_interp_command_refused(interp, &need);
    }
}
