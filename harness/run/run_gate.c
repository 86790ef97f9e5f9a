/* SPDX-License-Identifier: Apache-2.0
 * run_gate.c - decides which cases may run: by safety first, then by the ICS. */
#include "harness/run/run_impl.h"

#include "harness/session/wire_only.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS_LEN = 300 };

static bool tagged(const struct tl_scenario *scenario, const char *tag)
{
    for (size_t i = 0; i < scenario->num_tags; i++)
        if (strcmp(scenario->tags[i], tag) == 0)
            return true;
    return false;
}

/* A scenario all of whose requirements hang on items that are denied decides nothing. */
static const char *denied_ground(const struct tl_scenario *scenario, const struct tl_ics *ics)
{
    const char *item = NULL;

    for (size_t i = 0; i < scenario->covers.count; i++) {
        const char *needed = scenario->covers.list[i]->ics;
        int at = needed != NULL ? tl_ics_find(needed) : -1;

        if (at < 0 || ics->items[at] != TL_ICS_NO)
            return NULL;
        item = needed;
    }
    return item;
}

/* The ICS items that the set-up of the connection itself needs: unordered connections. */
static const char *denied_setup(const struct tl_scenario *scenario, const struct tl_ics *ics)
{
    static const char item[] = "unordered-connections";
    const struct tl_scenario *conn;
    int at = tl_ics_find(item);

    for (unsigned k = 0; at >= 0 && (conn = tl_scenario_conn(scenario, k)) != NULL; k++)
        for (size_t i = 0; i < conn->num_params; i++) {
            const struct tl_param_setup *setup = &conn->params[i];

            if (strcmp(setup->param->name, "ordered") == 0 && ics->items[at] == TL_ICS_NO &&
                setup->value.kind == TL_VALUE_NUMBER && setup->value.number == 0)
                return item;
        }
    return NULL;
}

/* Why the case cannot be played with a SUT without a control channel. */
static const char *without_control(const struct tl_run *run, const struct tl_scenario *scenario,
                                   char *text, size_t cap)
{
    const char *why = tl_wire_unplayable(scenario, run->encap);
    char asks[ASKS_LEN];

    if (scenario->copies > 1 || scenario->num_conns > 1)
        return "no control channel: the case needs several connections at once";
    if (why != NULL || tl_wire_find(run->target.wire, scenario, false) != NULL ||
        (run->sut_exec != NULL && tl_wire_ever(run->target.wire, scenario)))
        return why;
    if (!tl_wire_left(run->target.wire) && run->sut_exec == NULL)
        return "no control channel: no connection of --connections is left";
    tl_wire_asks(scenario, asks, sizeof asks);
    (void)snprintf(text, cap,
                   "no control channel: no connection of --connections is left "
                   "that has %s",
                   asks[0] != 0 ? asks : "the defaults");
    return text;
}

bool tl_run_gate(const struct tl_run *run, const struct tl_ics *ics,
                 const struct tl_planned *planned, struct tl_case *c)
{
    const struct tl_scenario *scenario = planned->scenario;
    const char *ground;
    char text[ASKS_LEN + 80];

    if (!run->may_wedge && tagged(scenario, TL_TAG_MAY_WEDGE)) {
        c->disposition = TL_SKIPPED;
        c->why = strdup(TL_TAG_MAY_WEDGE);
        return false;
    }
    ground = tl_run_copies_of(run, scenario) > 1
                 ? tl_run_uncopied(scenario, run->target.kind == TL_TARGET_UDP)
                 : NULL;
    if (ground == NULL && run->target.wire != NULL && run->target.control == NULL)
        ground = without_control(run, scenario, text, sizeof text);
    if (ground != NULL) {
        c->disposition = TL_SKIPPED;
        c->why = strdup(ground);
        return false;
    }
    for (size_t i = 0; i < scenario->num_needs; i++) {
        if (tl_ics_holds(ics, &scenario->needs[i]) != TL_ICS_NO)
            continue;
        tl_ics_condition_print(&scenario->needs[i], text, sizeof text);
        c->disposition = TL_NOT_APPLICABLE;
        c->why = strdup(text);
        return false;
    }
    ground = denied_setup(scenario, ics);
    if (ground == NULL)
        ground = denied_ground(scenario, ics);
    if (ground == NULL)
        return true;
    c->disposition = TL_NOT_APPLICABLE;
    c->why = strdup(ground);
    return false;
}

int tl_run_report_ics(const struct tl_ics *given, const struct tl_ics *said,
                      const struct tl_ics *all, struct tl_results *results)
{
    results->ics = calloc(TL_ICS_COUNT, sizeof *results->ics);
    if (results->ics == NULL)
        return FAL_ERR_MEM;
    results->num_ics = TL_ICS_COUNT;
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        struct tl_ics_use *use = &results->ics[i];

        use->item = tl_ics_name((enum tl_ics_item)i);
        use->offered = all->items[i] == TL_ICS_OPEN ? -1 : all->items[i] == TL_ICS_YES;
        use->denied = given != NULL && given->items[i] != TL_ICS_OPEN &&
                      said->items[i] != TL_ICS_OPEN && given->items[i] != said->items[i];
    }
    return 0;
}

void tl_run_ics_of(const struct tl_results *results, struct tl_ics *out)
{
    const struct {
        char *to;
        const char *from;
    } names[] = {{out->identity.vendor, results->vendor},
                 {out->identity.product, results->product_name},
                 {out->identity.firmware, results->firmware}};

    *out = (struct tl_ics){.identity = {{0}, {0}, {0}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].from != NULL)
            (void)snprintf(names[i].to, TL_IDENTITY_MAX, "%s", names[i].from);
    for (size_t i = 0; i < results->num_ics && i < TL_ICS_COUNT; i++)
        out->items[i] = results->ics[i].offered < 0    ? TL_ICS_OPEN
                        : results->ics[i].offered == 0 ? TL_ICS_NO
                                                       : TL_ICS_YES;
}
