/* SPDX-License-Identifier: Apache-2.0
 * interp_refused.c - an implementation may drop any request that is not head of line when it
 * has no resources for it; it answers with a NACK (8.2.4, FTP-8.2.4-01, FTP-11-19). Steps that
 * know nothing of such NACKs then wait for a packet or event that cannot come in time. */
#include "harness/play/players.h"

#include <string.h>

/* Whether the pattern is of a NACK; if `refusal`, not of one with another code alone. */
static bool is_of_nack(const struct fal_pattern *pattern, bool refusal)
{
    if (pattern->layout == NULL || strcmp(pattern->layout->name, "nack") != 0)
        return false;
    if (!refusal)
        return true;
    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_item *item = &pattern->items[i];
        const struct fal_term *term = &pattern->terms[item->term];

        if (strcmp(item->field->name, "nack_code") == 0 && item->match == FAL_MATCH_EQ &&
            term->kind == FAL_TERM_NUMBER && fal_u128_lo(term->value) != FAL_NACK_RESOURCE)
            return false;
    }
    return true;
}

static bool expects_nack(const struct tl_step *step, bool refusal)
{
    if (step->verb != TL_EXPECT && step->verb != TL_EXPECT_NONE)
        return false;
    for (size_t i = 0; i < step->u.expect.count; i++)
        if (is_of_nack(step->u.expect.any_of[i], refusal))
            return true;
    return false;
}

static bool is_about_resources(const struct tl_scenario *scenario)
{
    for (size_t i = 0; i < scenario->num_tags; i++)
        if (strcmp(scenario->tags[i], TL_TAG_RESOURCES) == 0)
            return true;
    return false;
}

bool tl_interp_refused(const struct tl_interp *interp)
{
    const struct tl_session *session = interp->session;
    bool refused = false;

    if (tl_scenario_needs_pools(interp->scenario) ||
        tl_scenario_sets_limits(interp->scenario) || is_about_resources(interp->scenario))
        return false;
    for (uint64_t n = session->packets.next;
         !refused && n-- > tl_session_first_packet(session);) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);

        refused = packet->dir == FAL_FROM_SUT && packet->header_len > 0 &&
                  packet->falcon.packet_type == FAL_NACK &&
                  packet->falcon.nack_code == FAL_NACK_RESOURCE;
    }
    /* A refusal instead of the NACK that is due stands for no lack of resources. */
    for (size_t i = 0; refused && i < interp->scenario->num_steps; i++)
        refused = !expects_nack(&interp->scenario->steps[i], i != interp->step);
    return refused;
}
