/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt_target.h"

#include "harness/link/link_raw.h"
#include "harness/run/run_sut.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void hunt_target_init(struct hunt_target *target)
{
    *target = (struct hunt_target){.run = {.seed = 1, .timeout_ns = 10 * FAL_S, .again = ""},
                                   .sut = "builtin"};
}

unsigned hunt_target_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors > 0 && processors < HUNT_JOBS_MAX ? (unsigned)processors : 1;
}

int hunt_target_sut(void *into, const char *value, struct fal_error *err)
{
    struct hunt_target *target = into;
    int rc = tl_run_sut_read(value, &target->run.target, err);

    if (rc == 0 && target->run.target.kind == TL_TARGET_BRIDGE)
        return fal_fail(err, FAL_ERR_FORM, "bridge: sends nothing that could be mutated");
    return rc;
}

int hunt_target_control(void *into, const char *value, struct fal_error *err)
{
    (void)into;
    return tl_run_control_check(value, err);
}

int hunt_target_param(void *into, const char *value, struct fal_error *err)
{
    return tl_given_params_add(&((struct hunt_target *)into)->params, value, err);
}

void hunt_target_ready(struct hunt_target *target)
{
    const char *control = target->run.target.control;

    (void)snprintf(target->again, sizeof target->again, " --sut %.250s%s%.250s", target->sut,
                   control != NULL ? " --control " : "", control != NULL ? control : "");
    target->run.again = target->again;
    target->run.params = &target->params;
}

int hunt_target_check(const struct hunt_target *target, struct fal_error *err)
{
    const struct tl_target *to = &target->run.target;
    struct fal_error why = {{0}};
    struct tl_raw_address raw;

    if (to->kind == TL_TARGET_RAW &&
        tl_raw_address_read(to->address, &to->live.allowed, &raw, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--sut: %.300s", why.text);
    if (tl_target_live(to->kind) && to->control == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut udp: and raw: need --control, by which connections are opened");
    if (!tl_target_live(to->kind) && to->control != NULL)
        return fal_fail(err, FAL_ERR_FORM, "--control is for udp: and raw:; others need none");
    return 0;
}
