/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt_target.h"

#include "harness/doc/address.h"
#include "harness/link/link.h"
#include "harness/link/link_raw.h"
#include "harness/sut/link_sim.h"

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

/* A bridge and a recording send nothing of their own that could be mutated. */
static const struct {
    const char *prefix;
    enum tl_target_kind kind;
} links[] = {
    {"lib:", TL_TARGET_LIB},
    {"exec:", TL_TARGET_EXEC},
    {"udp:", TL_TARGET_UDP},
    {"raw:", TL_TARGET_RAW}, /* its address is read when all options are known */
};

static int read_udp(const char *address, struct fal_error *err)
{
    const char *from = strstr(address, TL_UDP_FROM);
    size_t len = from != NULL ? (size_t)(from - address) : strlen(address);
    char sut[TL_HOST_TEXT + 16], host[TL_HOST_TEXT];
    uint16_t port;

    (void)snprintf(sut, sizeof sut, "%.*s", (int)(len < sizeof sut ? len : sizeof sut - 1),
                   address);
    if (tl_address_split(sut, host, &port, err) != 0 ||
        (from != NULL && tl_address_split(from + strlen(TL_UDP_FROM), host, &port, err) != 0))
        return about(err, "--sut");
    return 0;
}

static int read_sut(struct hunt_target *target, const char *text, struct fal_error *err)
{
    struct tl_builtin builtin = {.twins = {.random = false}};
    struct tl_target *to = &target->run.target;

    target->sut = text;
    if (strncmp(text, "builtin", 7) == 0) {
        if (tl_builtin_read(&builtin, text + 7, err) != 0)
            return about(err, "--sut");
        to->kind = TL_TARGET_BUILTIN;
        to->faults = builtin.faults;
        to->twins = builtin.twins;
        return 0;
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        size_t len = strlen(links[i].prefix);

        if (strncmp(text, links[i].prefix, len) != 0 || text[len] == 0)
            continue;
        to->kind = links[i].kind;
        to->address = text + len;
        return links[i].kind == TL_TARGET_UDP ? read_udp(to->address, err) : 0;
    }
    return fal_fail(
        err, FAL_ERR_FORM,
        "--sut '%.100s'; expected builtin, builtin:fault=NAME, "
        "builtin:twin=NAME, lib:FILE.so, exec:COMMAND, udp:HOST:PORT or raw:IFACE,HOST:PORT",
        text);
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
        return fal_fail(
            err, FAL_ERR_FORM,
            "--encap '%.40s'; expected udp, psp_transport, psp_tunnel, esp_transport or esp_tunnel",
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

    struct tl_raw_address raw;

    if (to->kind == TL_TARGET_RAW &&
        tl_raw_address_read(to->address, &to->live.allowed, &raw, err) != 0)
        return about(err, "--sut");
    if (tl_target_live(to->kind) && to->control == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut udp: and raw: need --control, by which connections are opened");
    if (!tl_target_live(to->kind) && to->control != NULL)
        return fal_fail(err, FAL_ERR_FORM, "--control is for udp: and raw:; others need none");
    return 0;
}
