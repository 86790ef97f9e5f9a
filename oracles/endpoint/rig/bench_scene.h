/* SPDX-License-Identifier: Apache-2.0
 * bench_scene.h - for the tests of this folder: a scene played by two endpoints, one with a
 * fault or a twin and one without, and what each must make of it. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_SCENE_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_SCENE_H

#include "oracles/endpoint/rig/bench_solo.h"

struct scene {
    int id; /* of the fault or the twin */
    uint64_t (*play)(struct solo *s);
    uint64_t with, without; /* what it returns */
    /* parameters; 0: the default */
    uint32_t fcwnd, fcwnd_fraction, ncwnd, tx_window, max_attempts, ar_threshold;
    uint64_t pipeline_ns;
};

/* The first four members; parameters may follow. */
#define SCENE(which, scene, result_with, result_without) \
    .id = (which), .play = (scene), .with = (result_with), .without = (result_without)

static inline struct solo *scene_open(const struct scene *scene, int fault, int twin)
{
    struct solo *s = solo_new();
    struct fal_params *params = &s->open.params;

    params->fcwnd_fraction = scene->fcwnd_fraction;
    if (scene->fcwnd > 0)
        params->fcwnd = scene->fcwnd;
    if (scene->ncwnd > 0)
        params->ncwnd = scene->ncwnd;
    if (scene->tx_window > 0)
        params->tx_window_req = params->tx_window_data = scene->tx_window;
    if (scene->max_attempts > 0)
        params->max_attempts = scene->max_attempts;
    if (scene->ar_threshold > 0)
        params->ar_threshold = scene->ar_threshold;
    params->pipeline_ns = scene->pipeline_ns;
    if (fault >= 0)
        solo_fault(s, (enum fal_fault_id)fault);
    if (twin >= 0)
        fal_twin_add(&s->open.twins, (enum fal_twin_id)twin);
    solo_open(s);
    return s;
}

static inline void scene_check(const struct scene *scene, int fault, int twin)
{
    struct solo *plain = scene_open(scene, -1, -1), *other = scene_open(scene, fault, twin);

    ck_assert_uint_eq(scene->play(plain), scene->without);
    ck_assert_uint_eq(scene->play(other), scene->with);
    if (fault >= 0)
        ck_assert_uint_gt(fal_endpoint_fault_acts(other->ep, (enum fal_fault_id)fault), 0);
    solo_free(plain);
    solo_free(other);
}

#endif
