/* SPDX-License-Identifier: Apache-2.0
 * interp_wished.c - checks that the SUT opened the connection that the scenario needs. */
#include "harness/play/players.h"

#include "harness/play/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void tl_interp_list(char *text, const char *name, const char *value)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, TL_LIST_LEN - len, "%s%s %s", len > 0 ? ", " : "", name, value);
}

void tl_interp_end_without(struct tl_interp *interp, const char *is, const char *because,
                           const char *wish)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_SETUP, 0);

    (void)snprintf(miss->seen, sizeof miss->seen, "the SUT has %s%s; this case needs %s", is,
                   because, wish);
}

/* One value that the scenario asks for at the SUT's end, and the value the adapter opened. */
struct wished {
    const char *name;
    bool has;
    uint32_t wish, is;
};

/* The numbers of the SUT's end. */
static bool numbers_as_wished(struct tl_interp *interp)
{
    const struct tl_end_setup *wish = &interp->scenario->sut;
    const struct fal_end *is = &interp->session->connection.sut;
    const struct tl_absolute absolute = tl_absolute_of(interp->scenario);
    const struct wished all[] = {
        {"cid", wish->has_cid, wish->end.cid, is->cid},
        {"function", wish->has_function, wish->end.function, is->function},
        {"req_psn", wish->has_req_psn, wish->end.req_psn, is->req_psn},
        {"data_psn", wish->has_data_psn, wish->end.data_psn, is->data_psn},
        {"rsn", wish->has_rsn, wish->end.rsn, is->rsn},
    };
    char wished[TL_LIST_LEN] = "", opened[TL_LIST_LEN] = "", number[16];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool address = i < 2;
        bool needed =
            address ? absolute.address : absolute.sequence || tl_number_is_edge(all[i].wish);

        if (!all[i].has || all[i].wish == all[i].is || !needed)
            continue;
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].wish);
        tl_interp_list(wished, all[i].name, number);
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].is);
        tl_interp_list(opened, all[i].name, number);
    }
    if (wished[0] == 0)
        return true;
    tl_interp_end_without(interp, opened, " (its adapter ignores `local`)", wished);
    return false;
}

bool tl_interp_as_wished(struct tl_interp *interp)
{
    return numbers_as_wished(interp) && tl_interp_params_as_wished(interp);
}
