/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/cc/cc_forks.h"

#include <string.h>

static const struct fal_band_axis_row axes[FAL_BAND_AXES] = {
#define ROW(id, group, name, fields, n, a, b, c) \
    [FAL_BAND_AXIS_##id] = {name, FAL_BAND_##group, fields, n, {a, b, c}},
    FAL_BAND_AXES_OF(ROW)
#undef ROW
};

static const char *const field_names[FAL_BAND_FIELDS] = {
#define ROW(id, name) [FAL_BAND_##id] = (name),
    FAL_BAND_FIELDS_OF(ROW)
#undef ROW
};

const struct fal_band_axis_row *fal_band_axis(enum fal_band_axis axis)
{
    return &axes[axis];
}

const char *fal_band_field_name(enum fal_band_field field)
{
    return field < FAL_BAND_FIELDS ? field_names[field] : "several fields together";
}

/* The first axis of each group; the next group begins after its last. */
static const uint8_t first_axis[FAL_BAND_GROUPS + 1] = {
    [FAL_BAND_SMOOTHING] = FAL_BAND_AXIS_ORIENTATION,
    [FAL_BAND_ROUND_TRIP] = FAL_BAND_AXIS_RTT,
    [FAL_BAND_TARGET] = FAL_BAND_AXIS_FLOW_ALPHA,
    [FAL_BAND_FABRIC] = FAL_BAND_AXIS_COUNTING,
    [FAL_BAND_PACE] = FAL_BAND_AXIS_RETRANSMIT_GAP,
    [FAL_BAND_TIMEOUT] = FAL_BAND_AXIS_ACK_RTO,
    [FAL_BAND_NIC] = FAL_BAND_AXIS_NIC_FACTOR,
    [FAL_BAND_PLB] = FAL_BAND_AXIS_FRACTION,
    [FAL_BAND_GROUPS] = FAL_BAND_AXES,
};

/* All axes have two alternatives, except perhaps the last of a group. */
void fal_band_choose(struct fal_band_fork *fork, enum fal_band_group group, unsigned index)
{
    unsigned axis = first_axis[group], last = first_axis[group + 1] - 1U;

    for (; axis < last; axis++, index >>= 1)
        fork->of[axis] = index & 1;
    fork->of[last] = (uint8_t)index;
}

unsigned fal_band_chosen(const struct fal_band_fork *fork, enum fal_band_group group)
{
    unsigned index = 0, radix = 1;

    for (int axis = 0; axis < FAL_BAND_AXES; axis++)
        if (axes[axis].group == group) {
            index += radix * fork->of[axis];
            radix *= axes[axis].n;
        }
    return index;
}

void fal_band_forks_all(struct fal_band_forks *forks)
{
    memset(forks, 0xff, sizeof *forks);
    for (int s = 0; s < FAL_BAND_S; s++) {
        forks->timeout[s] = (1U << FAL_BAND_O) - 1;
        for (int r = 0; r < FAL_BAND_R; r++)
            forks->pace[s][r] = (1U << FAL_BAND_P) - 1;
    }
}

void fal_band_forks_one(struct fal_band_forks *forks, const struct fal_band_fork *fork)
{
    unsigned s = fal_band_chosen(fork, FAL_BAND_SMOOTHING);
    unsigned r = fal_band_chosen(fork, FAL_BAND_ROUND_TRIP);
    unsigned t = fal_band_chosen(fork, FAL_BAND_TARGET);

    memset(forks, 0, sizeof *forks);
    forks->smoothing = (uint8_t)(1U << s);
    forks->timeout[s] = (uint8_t)(1U << fal_band_chosen(fork, FAL_BAND_TIMEOUT));
    forks->pace[s][r] = (uint16_t)(1U << fal_band_chosen(fork, FAL_BAND_PACE));
    forks->nic[s][r] = (uint16_t)(1U << fal_band_chosen(fork, FAL_BAND_NIC));
    forks->fabric[s][r][t] = (uint16_t)(1U << fal_band_chosen(fork, FAL_BAND_FABRIC));
    forks->plb[s][t] = (uint16_t)(1U << fal_band_chosen(fork, FAL_BAND_PLB));
}

/* Whether a combination of this smoothing and round trip is left in each group that depends on
 * them alone. */
static bool left_of_rtt(const struct fal_band_forks *forks, int s, int r)
{
    return (forks->smoothing >> s & 1) != 0 && forks->timeout[s] != 0 &&
           forks->pace[s][r] != 0 && forks->nic[s][r] != 0;
}

/* Removes parts that belong to no possible fork of that smoothing. */
static void prune(struct fal_band_forks *forks, int s)
{
    bool any = false, of_target[FAL_BAND_T] = {false};

    for (int r = 0; r < FAL_BAND_R; r++) {
        bool of_rtt = false;

        for (int t = 0; t < FAL_BAND_T; t++) {
            if (!left_of_rtt(forks, s, r) || forks->plb[s][t] == 0)
                forks->fabric[s][r][t] = 0;
            if (forks->fabric[s][r][t] != 0)
                of_rtt = of_target[t] = any = true;
        }
        if (!of_rtt)
            forks->pace[s][r] = forks->nic[s][r] = 0;
    }
    for (int t = 0; t < FAL_BAND_T; t++)
        if (!of_target[t])
            forks->plb[s][t] = 0;
    if (!any) {
        forks->smoothing &= (uint8_t) ~(1U << s);
        forks->timeout[s] = 0;
    }
}

void fal_band_forks_prune(struct fal_band_forks *forks)
{
    for (int s = 0; s < FAL_BAND_S; s++)
        prune(forks, s);
}

bool fal_band_forks_any(const struct fal_band_forks *forks)
{
    for (int s = 0; s < FAL_BAND_S; s++)
        for (int r = 0; r < FAL_BAND_R; r++) {
            if (!left_of_rtt(forks, s, r))
                continue;
            for (int t = 0; t < FAL_BAND_T; t++)
                if (forks->fabric[s][r][t] != 0 && forks->plb[s][t] != 0)
                    return true;
        }
    return false;
}

bool fal_band_forks_has(const struct fal_band_forks *forks, const struct fal_band_fork *fork)
{
    unsigned s = fal_band_chosen(fork, FAL_BAND_SMOOTHING);
    unsigned r = fal_band_chosen(fork, FAL_BAND_ROUND_TRIP);
    unsigned t = fal_band_chosen(fork, FAL_BAND_TARGET);

    return (forks->smoothing >> s & 1) != 0 &&
           (forks->timeout[s] >> fal_band_chosen(fork, FAL_BAND_TIMEOUT) & 1) != 0 &&
           (forks->pace[s][r] >> fal_band_chosen(fork, FAL_BAND_PACE) & 1) != 0 &&
           (forks->nic[s][r] >> fal_band_chosen(fork, FAL_BAND_NIC) & 1) != 0 &&
           (forks->fabric[s][r][t] >> fal_band_chosen(fork, FAL_BAND_FABRIC) & 1) != 0 &&
           (forks->plb[s][t] >> fal_band_chosen(fork, FAL_BAND_PLB) & 1) != 0;
}

/* The combinations of a group in which that axis has that alternative. */
static unsigned mask_of(enum fal_band_axis axis, unsigned alternative, unsigned combinations)
{
    struct fal_band_fork fork = {{0}};
    unsigned mask = 0;

    for (unsigned i = 0; i < combinations; i++) {
        fal_band_choose(&fork, axes[axis].group, i);
        if (fork.of[axis] == alternative)
            mask |= 1U << i;
    }
    return mask;
}

/* Removes all forks in which that axis does not have that alternative. */
static void keep_only(struct fal_band_forks *forks, enum fal_band_axis axis,
                      unsigned alternative)
{
    static const uint8_t combinations[FAL_BAND_GROUPS] = {
        [FAL_BAND_SMOOTHING] = FAL_BAND_S, [FAL_BAND_ROUND_TRIP] = FAL_BAND_R,
        [FAL_BAND_TARGET] = FAL_BAND_T,    [FAL_BAND_FABRIC] = FAL_BAND_F,
        [FAL_BAND_PACE] = FAL_BAND_P,      [FAL_BAND_TIMEOUT] = FAL_BAND_O,
        [FAL_BAND_NIC] = FAL_BAND_N,       [FAL_BAND_PLB] = FAL_BAND_L,
    };
    enum fal_band_group group = axes[axis].group;
    unsigned keep = mask_of(axis, alternative, combinations[group]);

    if (group == FAL_BAND_SMOOTHING)
        forks->smoothing &= (uint8_t)keep;
    for (int s = 0; s < FAL_BAND_S; s++) {
        if (group == FAL_BAND_TIMEOUT)
            forks->timeout[s] &= (uint8_t)keep;
        for (int r = 0; r < FAL_BAND_R; r++) {
            if (group == FAL_BAND_PACE ||
                (group == FAL_BAND_ROUND_TRIP && (keep >> r & 1) == 0))
                forks->pace[s][r] &= (uint16_t)(group == FAL_BAND_PACE ? keep : 0);
            if (group == FAL_BAND_NIC)
                forks->nic[s][r] &= (uint16_t)keep;
            for (int t = 0; t < FAL_BAND_T; t++)
                if (group == FAL_BAND_FABRIC)
                    forks->fabric[s][r][t] &= (uint16_t)keep;
        }
        for (int t = 0; t < FAL_BAND_T; t++)
            if (group == FAL_BAND_PLB || (group == FAL_BAND_TARGET && (keep >> t & 1) == 0))
                forks->plb[s][t] &= (uint16_t)(group == FAL_BAND_PLB ? keep : 0);
    }
}

unsigned fal_band_forks_left(const struct fal_band_forks *forks, enum fal_band_axis axis)
{
    unsigned left = 0;

    for (unsigned a = 0; a < axes[axis].n; a++) {
        struct fal_band_forks some = *forks;

        keep_only(&some, axis, a);
        if (fal_band_forks_any(&some))
            left |= 1U << a;
    }
    return left;
}
