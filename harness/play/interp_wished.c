/* SPDX-License-Identifier: Apache-2.0
 * interp_wished.c - checks that the SUT opened the connection that the scenario needs. */
#include "harness/play/interp.h"

#include <inttypes.h>
#include <stdio.h>

bool tl_interp_as_wished(struct tl_interp *interp)
{
    const struct tl_end_setup *wish = &interp->scenario->sut;
    const struct fal_end *is = &interp->session->connection.sut;
    struct tl_miss *miss;

    if ((!wish->has_cid || wish->end.cid == is->cid) &&
        (!wish->has_function || wish->end.function == is->function) &&
        (!wish->has_req_psn || wish->end.req_psn == is->req_psn) &&
        (!wish->has_data_psn || wish->end.data_psn == is->data_psn) &&
        (!wish->has_rsn || wish->end.rsn == is->rsn))
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_SETUP, 0);
    (void)snprintf(miss->expected, sizeof miss->expected,
                   "the SUT's end of the connection as \"sut\" asks");
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "cid=%" PRIu32 " function=%" PRIu32 " req_psn=%" PRIu32 " data_psn=%" PRIu32
                   " rsn=%" PRIu32,
                   is->cid, is->function, is->req_psn, is->data_psn, is->rsn);
    return false;
}
