/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut.c - `talon sut`: the built-in implementation as a process of its own, whole or broken
 * on purpose. */
#include "harness/cli/cmd.h"

#include "harness/sut/lockstep_server.h"
#include "harness/sut/server.h"
#include "harness/wire/key_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(FILE *out, int status)
{
    fprintf(
        out,
        "usage: talon sut --listen udp:ADDR:PORT|raw:IFACE,ADDR[:PORT][,ITEM...]\n"
        "                 --control tcp:ADDR:PORT|unix:PATH|stdio\n"
        "                 [--fault NAME[:WHEN...]]... [--fault-one-in N] [--twin NAME|random]...\n"
        "                 [--seed N] [--port-file FILE] [--psp-keys FILE] [--esp-keys FILE]\n"
        "       talon sut --lockstep [--fault ...]... [--twin ...]... [--seed N]\n"
        "\n"
        "Addresses are loopback or private; port 0 takes any free one. Says on standard error where it\n"
        "listens, and writes it to FILE: \"udp:ADDR:PORT tcp:ADDR:PORT\". Ends on SIGTERM and SIGINT,\n"
        "with stdio at the end of input.\n"
        "raw: frames by libnet and libpcap, past the IP stack (CAP_NET_RAW), to and from an ADDR of its own,\n"
        "for which it answers ARP and neighbour discovery. ITEM: mac=MAC of the tester or the router to it,\n"
        "else learned from what arrives; esp=native (IP protocol 50; the default) or udp; stamps=, buffer=\n"
        "as in --sut raw: (docs/formats.md).\n"
        "--lockstep: on standard input and output in virtual time, as talon run --sut exec: drives it.\n"
        "\n"
        "--psp-keys, --esp-keys: its own keys (docs/formats.md, Key files), of which it tells its peers the\n"
        "SPIs alone.\n"
        "\n"
        "A fault is a way to be wrong ('talon list faults'). WHEN it acts: one-in=N, when=wrap, when=resync,\n"
        "when=second-window, seed=N of its dice; header-field-shifted and header-field-corrupted take\n"
        "field=HEADER.FIELD ('talon list fields'). A twin is another lawful way to be right ('talon list\n"
        "twins'); random draws some for each connection.\n");
    return status;
}

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "talon sut: %s '%s'\n", what, value);
    return TL_STATUS_USAGE;
}

static int read_number(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    if (errno != 0 || text[0] < '0' || text[0] > '9' || *end != 0 || *out > max)
        return FAL_ERR_FORM;
    return 0;
}

static int read_listen(const char *value, struct tl_server_config *config,
                       struct fal_error *err)
{
    if (strncmp(value, "raw:", 4) == 0) {
        int rc = tl_raw_address_read(value + 4, NULL, &config->raw, err);

        if (rc == 0 && tl_address_family(&config->raw.from) != 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "--listen raw: from= is the tester's; HOST is this end");
        config->is_raw = true;
        config->frames = config->raw.sut;
        return rc;
    }
    if (strncmp(value, "udp:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "--listen '%.100s': expected udp:ADDR:PORT or raw:IFACE,ADDR[:PORT]",
                        value);
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

/* One option with its value. Exit status; TL_STATUS_PASS goes on. */
static int read_option(const char *option, const char *value, struct tl_server_config *config,
                       bool *listen, bool *control)
{
    struct fal_error err = {{0}};
    uint64_t number;
    int rc = 0;

    if (strcmp(option, "--listen") == 0) {
        *listen = true;
        rc = read_listen(value, config, &err);
    } else if (strcmp(option, "--control") == 0) {
        *control = true;
        rc = read_control(value, config, &err);
    } else if (strcmp(option, "--fault") == 0) {
        rc = fal_faults_read(&config->faults, value, strlen(value), &err);
    } else if (strcmp(option, "--twin") == 0) {
        rc = tl_twins_read(&config->twins, value, strlen(value), &err);
    } else if (strcmp(option, "--fault-one-in") == 0) {
        if (read_number(value, UINT32_MAX, &number) != 0 || number == 0)
            return wrong("--fault-one-in: expected a number from 1, not", value);
        config->faults.one_in = (uint32_t)number;
    } else if (strcmp(option, "--seed") == 0) {
        if (read_number(value, UINT64_MAX, &config->seed) != 0)
            return wrong("--seed: expected a number, not", value);
    } else if (strcmp(option, "--psp-keys") == 0) {
        rc = read_keys(value, false, &config->psp_keys, &err);
    } else if (strcmp(option, "--esp-keys") == 0) {
        rc = read_keys(value, true, &config->esp_keys, &err);
    } else if (strcmp(option, "--port-file") == 0) {
        config->port_file = value;
    }
    if (rc != 0)
        fprintf(stderr, "talon sut: %s\n", err.text);
    return rc == 0 ? TL_STATUS_PASS : TL_STATUS_USAGE;
}

/* In virtual time there is no address, and no clock. */
static int lockstep(const struct tl_server_config *config)
{
    const struct tl_sut_config sut = {
        .seed = config->seed,
        .faults = config->faults,
        .twins = config->twins,
        .psp_keys = config->psp_keys,
        .esp_keys = config->esp_keys,
    };
    struct fal_error err;

    if (tl_lockstep_serve(&sut, stdin, stdout, &err) == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon sut: %s\n", err.text);
    return TL_STATUS_ERROR;
}

static int run(int argc, char **argv, struct tl_server_config *config)
{
    static const char *const options[] = {"--control",  "--fault",     "--fault-one-in",
                                          "--listen",   "--port-file", "--seed",
                                          "--psp-keys", "--esp-keys",  "--twin"};
    bool listen = false, control = false, in_lockstep = false;
    struct fal_error err;

    for (int i = 1; i < argc; i += 2) {
        size_t known = 0;
        int status;

        if (strcmp(argv[i], "--lockstep") == 0) {
            in_lockstep = true;
            i--;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return usage(stdout, TL_STATUS_PASS);
        while (known < sizeof options / sizeof *options && strcmp(options[known], argv[i]) != 0)
            known++;
        if (known == sizeof options / sizeof *options)
            return wrong("there is no option", argv[i]);
        if (i + 1 == argc)
            return wrong("a value is missing after", argv[i]);
        status = read_option(argv[i], argv[i + 1], config, &listen, &control);
        if (status != TL_STATUS_PASS)
            return status;
    }
    if (in_lockstep && !listen && !control)
        return lockstep(config);
    if (in_lockstep)
        return wrong("--lockstep goes without", listen ? "--listen" : "--control");
    if (config->seed == 0)
        config->seed = 1;
    if (!listen || !control) {
        fprintf(stderr, "talon sut: %s is missing; try 'talon sut --help'\n",
                listen ? "--control" : "--listen");
        return TL_STATUS_USAGE;
    }
    if (tl_server_run(config, &err) != 0) {
        fprintf(stderr, "talon sut: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    return TL_STATUS_PASS;
}

int tl_cmd_sut(int argc, char **argv)
{
    struct tl_server_config config = {.seed = 0};
    int status = run(argc, argv, &config);

    json_decref(config.psp_keys);
    json_decref(config.esp_keys);
    return status;
}
