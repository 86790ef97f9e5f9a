/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/simnet_rules.h"

#include "oracles/simnet_wire.h"

/* Conditions on a packet do not hold for a frame that carries none. */
static bool fits(const struct fal_simnet_rule *rule, const struct fal_simnet_frame *frame)
{
    const struct fal_falcon *packet = frame->packet;
    bool any_packet = rule->type == FAL_SIMNET_ANY && rule->window == FAL_SIMNET_ANY &&
                      rule->psn == FAL_SIMNET_ANY && rule->rsn == FAL_SIMNET_ANY;
    bool any_number =
        any_packet || (rule->window == FAL_SIMNET_ANY && rule->psn == FAL_SIMNET_ANY &&
                       rule->rsn == FAL_SIMNET_ANY);

    if (rule->dir != FAL_SIMNET_ANY && rule->dir != (int)frame->dir)
        return false;
    if (any_packet)
        return true;
    if (packet == NULL || (rule->type != FAL_SIMNET_ANY && rule->type != packet->packet_type))
        return false;
    if (any_number)
        return true;
    if (fal_falcon_is_ack(packet->packet_type))
        return false;
    return (rule->window == FAL_SIMNET_ANY || rule->window == (int)fal_falcon_window(packet)) &&
           (rule->psn == FAL_SIMNET_ANY || rule->psn == packet->psn) &&
           (rule->rsn == FAL_SIMNET_ANY || rule->rsn == packet->rsn);
}

struct fal_simnet_verdict fal_simnet_rules_apply(struct fal_simnet_rules *rules,
                                                 const struct fal_simnet_frame *frame)
{
    struct fal_simnet_verdict verdict = {0};

    for (size_t i = 0; i < rules->count; i++) {
        struct fal_simnet_script *script = &rules->scripts[i];
        const struct fal_simnet_rule *rule = &script->rule;

        if (!fits(rule, frame) || ++script->fitting < rule->nth ||
            (rule->times > 0 && script->acts >= rule->times))
            continue;
        script->acts++;
        switch (rule->action) {
        case FAL_SIMNET_DROP: verdict.drop = true; break;
        case FAL_SIMNET_DUPLICATE: verdict.copies++; break;
        case FAL_SIMNET_DELAY:
            verdict.delay_ns = fal_simnet_later(verdict.delay_ns, rule->delay_ns);
            break;
        case FAL_SIMNET_CORRUPT: verdict.corrupt = true; break;
        case FAL_SIMNET_MARK_CE: verdict.mark = true; break;
        }
    }
    return verdict;
}
