/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt_target.h"

#include "harness/address.h"

#include <stdio.h>
#include <string.h>

void hunt_target_init(struct hunt_target *target)
{
    *target = (struct hunt_target){.run = {.seed = 1, .timeout_ns = 10 * FAL_S, .again = ""},
                                   .sut = "builtin"};
}

/* What the error is about goes before it. */
static int about(struct fal_error *err, const char *option)
{
    struct fal_error why = *err;

    return fal_fail(err, FAL_ERR_FORM, "%s: %.300s", option, why.text);
}

static int read_sut(struct hunt_target *target, const char *text, struct fal_error *err)
{
    struct tl_builtin builtin = {.twins = {.random = false}};
    struct tl_target *to = &target->run.target;
    char host[TL_HOST_TEXT];
    uint16_t port;

    target->sut = text;
    if (strncmp(text, "builtin", 7) == 0) {
        if (tl_builtin_read(&builtin, text + 7, err) != 0)
            return about(err, "--sut");
        to->kind = TL_TARGET_BUILTIN;
        to->faults = builtin.faults;
        to->twins = builtin.twins;
        return 0;
    }
    if (strncmp(text, "udp:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut '%.100s'; expected builtin, builtin:fault=NAME, "
                        "builtin:twin=NAME or udp:HOST:PORT",
                        text);
    to->kind = TL_TARGET_UDP;
    to->address = text + 4;
    return tl_address_split(text + 4, host, &port, err) == 0 ? 0 : about(err, "--sut");
}

static int read_control(struct hunt_target *target, const char *text, struct fal_error *err)
{
    char host[TL_HOST_TEXT];
    uint16_t port;

    target->run.target.control = text;
    if (strncmp(text, "unix:", 5) == 0 && text[5] != 0)
        return 0;
    if (strncmp(text, "tcp:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "--control '%.100s'; expected tcp:HOST:PORT or unix:PATH", text);
    return tl_address_split(text + 4, host, &port, err) == 0 ? 0 : about(err, "--control");
}

static int read_encap(struct hunt_target *target, const char *text, struct fal_error *err)
{
    int encap = fal_encap_from(text);

    if (encap < 0 || encap == FAL_ENCAP_BARE)
        return fal_fail(err, FAL_ERR_FORM,
                        "--encap '%.40s'; expected udp, psp_transport, psp_tunnel, "
                        "esp_transport or esp_tunnel",
                        text);
    target->run.encap = (enum fal_encap)encap;
    return 0;
}

int hunt_target_option(struct hunt_target *target, const char *option, const char *value,
                       struct fal_error *err)
{
    if (strcmp(option, "--sut") == 0)
        return read_sut(target, value, err);
    if (strcmp(option, "--control") == 0)
        return read_control(target, value, err);
    if (strcmp(option, "--encap") == 0)
        return read_encap(target, value, err);
    return tl_given_params_add(&target->params, value, err) == 0 ? 0 : about(err, "--param");
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

    if (to->kind == TL_TARGET_UDP && to->control == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut udp: needs --control, by which connections are opened");
    if (to->kind == TL_TARGET_BUILTIN && to->control != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--control is for udp:; the built-in SUT needs none");
    return 0;
}
