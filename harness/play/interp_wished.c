/* SPDX-License-Identifier: Apache-2.0
 * interp_wished.c - checks that the SUT opened the connection that the scenario needs. */
#include "harness/play/players.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One value that the scenario asks for at the SUT's end, and the value the adapter opened. */
struct wished {
    const char *name;
    bool has;
    uint32_t wish, is;
};

static void append(char *text, size_t size, const char *name, uint32_t value)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, size - len, "%s%s=%" PRIu32, len > 0 ? " " : "", name, value);
}

bool tl_interp_as_wished(struct tl_interp *interp)
{
    const struct tl_end_setup *wish = &interp->scenario->sut;
    const struct fal_end *is = &interp->session->connection.sut;
    const struct wished all[] = {
        {"cid", wish->has_cid, wish->end.cid, is->cid},
        {"function", wish->has_function, wish->end.function, is->function},
        {"req_psn", wish->has_req_psn, wish->end.req_psn, is->req_psn},
        {"data_psn", wish->has_data_psn, wish->end.data_psn, is->data_psn},
        {"rsn", wish->has_rsn, wish->end.rsn, is->rsn},
    };
    char wished[120] = "", opened[120] = "";
    struct tl_miss *miss;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].has && all[i].wish != all[i].is) {
            append(wished, sizeof wished, all[i].name, all[i].wish);
            append(opened, sizeof opened, all[i].name, all[i].is);
        }
    if (wished[0] == 0)
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_SETUP, 0);
    (void)snprintf(miss->expected, sizeof miss->expected,
                   "%s at the SUT, which the scenario needs", wished);
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "the adapter opened with %s (it ignored `local`)", opened);
    return false;
}
