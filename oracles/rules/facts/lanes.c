/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/lanes.h"

void fal_lanes_init(struct fal_lanes *lanes)
{
    *lanes = (struct fal_lanes){
        .within_ns = lanes->within_ns, .kept = lanes->kept, .settled = {INT64_MIN, INT64_MIN}};
}

/* Whether two packets surely are processed in the order of their arrival. */
static bool apart(const struct fal_lanes *lanes, uint64_t older_ns, uint64_t t_ns)
{
    return lanes->within_ns == 0 || (lanes->within_ns != FAL_NEVER && t_ns > older_ns &&
                                     t_ns - older_ns > lanes->within_ns);
}

static void settle(struct fal_lanes *lanes)
{
    for (unsigned w = 0; w < 2; w++)
        if (lanes->taking[w] > lanes->settled[w])
            lanes->settled[w] = lanes->taking[w];
    lanes->pending = false;
}

void fal_lanes_note(struct fal_lanes *lanes, const struct fal_lane_step *step)
{
    bool alone = !lanes->moved || apart(lanes, lanes->moved_ns, step->t_ns);

    if (lanes->pending && apart(lanes, lanes->taking_ns, step->t_ns))
        settle(lanes);
    if (step->rises) {
        lanes->moved = true;
        lanes->moved_ns = step->t_ns;
        lanes->pending = false; /* This packet may overtake the one that is pending. */
    }
    if (!step->counts || !alone || lanes->pending)
        return;
    lanes->pending = true;
    lanes->taking_ns = step->t_ns;
    for (unsigned w = 0; w < 2; w++)
        lanes->taking[w] = step->base[w];
    if (lanes->within_ns == 0)
        settle(lanes);
}
