/* SPDX-License-Identifier: Apache-2.0
 * interp_wished.c - checks that the SUT opened the connection that the scenario needs. */
#include "harness/play/players.h"

#include "codecs/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LEN = 160 };

/* "a 1, b 2" */
static void append(char *text, const char *name, const char *value)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, LIST_LEN - len, "%s%s %s", len > 0 ? ", " : "", name, value);
}

/* The case needs another connection than the SUT opened. */
static void end_without(struct tl_interp *interp, const char *is, const char *because,
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
    const struct wished all[] = {
        {"cid", wish->has_cid, wish->end.cid, is->cid},
        {"function", wish->has_function, wish->end.function, is->function},
        {"req_psn", wish->has_req_psn, wish->end.req_psn, is->req_psn},
        {"data_psn", wish->has_data_psn, wish->end.data_psn, is->data_psn},
        {"rsn", wish->has_rsn, wish->end.rsn, is->rsn},
    };
    char wished[LIST_LEN] = "", opened[LIST_LEN] = "", number[16];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].has || all[i].wish == all[i].is)
            continue;
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].wish);
        append(wished, all[i].name, number);
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].is);
        append(opened, all[i].name, number);
    }
    if (wished[0] == 0)
        return true;
    end_without(interp, opened, " (its adapter ignores `local`)", wished);
    return false;
}

static void print_param(const struct fal_param *param, const struct fal_params *params,
                        char *out, size_t cap)
{
    uint64_t value = fal_param_get(param, params);

    if (param->kind == FAL_PARAM_DURATION)
        (void)fal_text_duration(value, out, cap);
    else if (param->kind == FAL_PARAM_SWITCH)
        (void)snprintf(out, cap, "%s", value != 0 ? "true" : "false");
    else
        (void)snprintf(out, cap, "%" PRIu64, value);
}

/* Whether the case needs the value that it wished: it says it, or the user does. With any other
 * parameter it plays with the value that the SUT has. */
static bool needs(const struct tl_interp *interp, const struct fal_param *param)
{
    const struct tl_scenario *s = interp->scenario;

    for (size_t i = 0; i < s->num_params; i++)
        if (s->params[i].param == param)
            return true;
    return false;
}

/* The parameters: the SUT reports those that it has set otherwise (docs/sut-protocol.md). */
static bool params_as_wished(struct tl_interp *interp)
{
    const struct fal_params *wish = &interp->session->wished;
    const struct fal_params *is = &interp->session->connection.params;
    char wished[LIST_LEN] = "", opened[LIST_LEN] = "", value[32];
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++) {
        if (fal_param_get(&table[i], wish) == fal_param_get(&table[i], is) ||
            !needs(interp, &table[i]))
            continue;
        print_param(&table[i], wish, value, sizeof value);
        append(wished, table[i].name, value);
        print_param(&table[i], is, value, sizeof value);
        append(opened, table[i].name, value);
    }
    if (wished[0] == 0)
        return true;
    end_without(interp, opened, "", wished);
    return false;
}

bool tl_interp_as_wished(struct tl_interp *interp)
{
    return numbers_as_wished(interp) && params_as_wished(interp);
}
