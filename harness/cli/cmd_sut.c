/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut.c - `talon sut`: the built-in implementation as a process of its own, whole or broken
 * on purpose. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/sut/lockstep_server.h"
#include "harness/sut/server.h"
#include "harness/wire/key_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_listen(const char *value, struct tl_server_config *config,
                       struct fal_error *err)
{
    if (strncmp(value, "raw:", 4) == 0) {
        int rc = tl_raw_address_read(value + 4, NULL, &config->raw, err);

        if (rc == 0 && tl_address_family(&config->raw.from) != 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "raw: from= is an option of the tester; ADDR is this end");
        config->is_raw = true;
        config->frames = config->raw.sut;
        return rc;
    }
    if (strncmp(value, "udp:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "'%.100s': expected udp:ADDR:PORT or raw:IFACE,ADDR[:PORT]", value);
    return tl_resolve(value + 4, &config->frames, err);
}

static int read_control(const char *value, struct tl_server_config *config,
                        struct fal_error *err)
{
    if (strcmp(value, "stdio") == 0) {
        config->stdio = true;
        return 0;
    }
    return tl_stream_read(value, &config->control, err);
}

static int read_keys(const char *path, bool esp, json_t **out, struct fal_error *err)
{
    json_decref(*out);
    *out = tl_key_file_load(path, esp, err);
    return *out != NULL ? 0 : FAL_ERR_FORM;
}

/* ---- options ---- */

struct sut_options {
    struct tl_server_config config;
    bool listen, control, lockstep;
    unsigned one_in; /* of all faults; 0: not given */
    struct tl_slow slow;
};

static int set_listen(void *into, const char *value, struct fal_error *err)
{
    return read_listen(value, &((struct sut_options *)into)->config, err);
}

static int set_control(void *into, const char *value, struct fal_error *err)
{
    return read_control(value, &((struct sut_options *)into)->config, err);
}

static int add_fault(void *into, const char *value, struct fal_error *err)
{
    return fal_faults_read(&((struct sut_options *)into)->config.faults, value, strlen(value),
                           err);
}

static int add_twin(void *into, const char *value, struct fal_error *err)
{
    return tl_twins_read(&((struct sut_options *)into)->config.twins, value, strlen(value),
                         err);
}

static int set_offer(void *into, const char *value, struct fal_error *err)
{
    return tl_limits_offer(&((struct sut_options *)into)->config.limits, value, strlen(value),
                           err);
}

static int add_without(void *into, const char *value, struct fal_error *err)
{
    return tl_limits_without(&((struct sut_options *)into)->config.limits, value, strlen(value),
                             err);
}

static int add_fixed(void *into, const char *value, struct fal_error *err)
{
    return tl_limits_fixed(&((struct sut_options *)into)->config.limits, value, strlen(value),
                           err);
}

static int set_engine(void *into, const char *value, struct fal_error *err)
{
    return tl_engine_read(&((struct sut_options *)into)->config.engine, value, strlen(value),
                          err);
}

static int set_delay(void *into, const char *value, struct fal_error *err)
{
    return tl_slow_read(&((struct sut_options *)into)->slow, value, strlen(value), err);
}

static int set_psp_keys(void *into, const char *value, struct fal_error *err)
{
    return read_keys(value, false, &((struct sut_options *)into)->config.psp_keys, err);
}

static int set_esp_keys(void *into, const char *value, struct fal_error *err)
{
    return read_keys(value, true, &((struct sut_options *)into)->config.esp_keys, err);
}

#define TL_OPTIONS_OF struct sut_options

static const struct tl_option option_list[] = {
    {TL_OWN("--listen", set_listen, "ADDR"), .given_at = offsetof(TL_OPTIONS_OF, listen),
     .help = "where packets arrive: udp:ADDR:PORT or raw:IFACE,ADDR[:PORT][,ITEM...]"},
    {TL_OWN("--control", set_control, "ADDR"), .given_at = offsetof(TL_OPTIONS_OF, control),
     .help = "the control channel: tcp:ADDR:PORT, unix:PATH or stdio"},
    {TL_FLAG("--lockstep", lockstep),
     .help = "standard input and output, in virtual time: what talon run --sut exec: drives"},
    {TL_OWN("--fault", add_fault, "NAME[:WHEN...]"),
     .help = "plant a fault (talon list faults); may be repeated"},
    {TL_COUNT("--fault-one-in", one_in, 1, 0),
     .help = "each fault acts, on average, one time in N"},
    {TL_OWN("--twin", add_twin, "NAME|random"),
     .help = "behave as a conforming variant (talon list twins); random draws some for each "
             "connection; may be repeated"},
    {TL_OWN("--offer", set_offer, "LEVEL"),
     .help = "offer only this level of the control protocol, L0 to L3 (default L3)"},
    {TL_OWN("--without", add_without, "NAME[,...]"),
     .help = "answer these commands with \"unsupported\"; local: ignore the initial numbers "
             "that the tester wishes"},
    {TL_OWN("--fixed", add_fixed, "PARAM=VALUE[,...]"),
     .help = "use these values whatever the tester wishes, and report them"},
    {TL_OWN("--delay", set_delay, "TIME[..TIME]"),
     .help =
         "with --lockstep: each packet leaves that much later; also TYPE=TIME for packets of "
         "one type, and 1/N=TIME for one packet in N; may be repeated"},
    {TL_OWN("--cc", set_engine, "WORD[,...]"),
     .help =
         "swift: change windows by Swift and PLB on sealed links (default: fixed windows); "
         "swift-isekai, other: other engines; fault=NAME, reading=NAME, event-wrong=FIELD, "
         "result-ignored=FIELD, latency=TIME, batch: engines that differ (docs/formats.md); table-msb, gen1-lsb: format of entries"},
    {TL_NUMBER("--seed", config.seed, 0, 0),
     .help = "seed of everything that is chosen at random (default 1)"},
    {TL_TEXT("--port-file", config.port_file, "FILE"),
     .help = "write the addresses to FILE: \"udp:ADDR:PORT tcp:ADDR:PORT\""},
    {TL_OWN("--psp-keys", set_psp_keys, "FILE"),
     .help = "its own PSP keys (docs/formats.md, Key files); it tells its peers the SPIs only"},
    {TL_OWN("--esp-keys", set_esp_keys, "FILE"), .help = "its own ESP keys, likewise"},
};
static const struct tl_options options = {"sut", option_list,
                                          sizeof option_list / sizeof *option_list};

/* In virtual time there is no address, and no clock. */
static int lockstep(const struct tl_server_config *config, const struct tl_slow *slow)
{
    const struct tl_sut_config sut = {
        .seed = config->seed,
        .faults = config->faults,
        .twins = config->twins,
        .limits = config->limits,
        .engine = config->engine,
        .psp_keys = config->psp_keys,
        .esp_keys = config->esp_keys,
    };
    struct fal_error err;

    if (tl_lockstep_serve(&sut, slow, stdin, stdout, &err) == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon sut: %s\n", err.text);
    return TL_STATUS_ERROR;
}

static int serve(struct sut_options *o)
{
    struct tl_server_config *config = &o->config;
    struct fal_error err;

    if (o->one_in > 0)
        config->faults.one_in = o->one_in;
    if (o->lockstep && (o->listen || o->control))
        return tl_verb_wrong(options.verb, "--lockstep and %s exclude each other",
                             o->listen ? "--listen" : "--control");
    if (o->lockstep)
        return lockstep(config, &o->slow);
    if (o->slow.given)
        return tl_verb_wrong(options.verb, "--delay needs --lockstep: it is in virtual time");
    if (config->seed == 0)
        config->seed = 1;
    if (!o->listen || !o->control)
        return tl_verb_wrong(options.verb, "%s is missing",
                             o->listen ? "--control" : "--listen");
    if (tl_server_run(config, &err) != 0) {
        fprintf(stderr, "talon sut: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    return TL_STATUS_PASS;
}

int tl_cmd_sut(int argc, char **argv)
{
    struct sut_options o = {.listen = false};
    int status = tl_verb_read(&options, tl_usage_sut, argc, argv, &o);

    if (status == TL_VERB_GO)
        status = serve(&o);
    json_decref(o.config.psp_keys);
    json_decref(o.config.esp_keys);
    return status;
}
