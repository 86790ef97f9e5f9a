/* SPDX-License-Identifier: Apache-2.0
 * cmd_run_sut.c - what the command line of `talon run` says of the SUT and where it is. */
#include "harness/run/run_sut.h"
#include "harness/sut/link_sim.h"

#include "harness/doc/address.h"
#include "harness/link/link_bridge.h"
#include "harness/wire/key_file.h"

#include <stdlib.h>
#include <string.h>

/* The SUT behind the capture: what follows an '@' and is a SUT. */
static const char *behind_capture(const char *text)
{
    static const char *const kinds[] = {
        "@builtin", "@udp:", "@raw:", "@lib:", "@exec:", "@bridge:", "@pcap:"};

    for (const char *at = strchr(text, '@'); at != NULL; at = strchr(at + 1, '@'))
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strncmp(at, kinds[i], strlen(kinds[i])) == 0)
                return at + 1;
    return NULL;
}

static int read_target(const char *text, struct tl_run_options *o);

/* "pcap:FILE[@SUT]" */
static int read_capture(const char *text, struct tl_run_options *o)
{
    const char *sut = behind_capture(text);
    size_t len = sut != NULL ? (size_t)(sut - text) - 1 : strlen(text);

    free(o->recording_path);
    o->recording_path = strndup(text, len);
    if (o->recording_path == NULL)
        return tl_run_wrong("--sut: out of memory");
    o->recording.path = o->recording_path;
    if (len == 0)
        return tl_run_wrong("--sut pcap: expected pcap:FILE[@SUT]");
    if (sut != NULL && strncmp(sut, "pcap:", 5) == 0)
        return tl_run_wrong("--sut pcap: a capture cannot be played to another");
    return read_target(sut != NULL ? sut : "builtin", o);
}

int tl_run_read_sut(const char *text, struct tl_run_options *o)
{
    o->sut = text;
    o->recording.path = NULL;
    return strncmp(text, "pcap:", 5) == 0 ? read_capture(text + 5, o) : read_target(text, o);
}

static int read_target(const char *text, struct tl_run_options *o)
{
    struct tl_target *target = &o->run.target;
    char host[TL_HOST_TEXT];
    struct fal_error err = {{0}};
    uint16_t port;

    if (strncmp(text, "builtin", 7) == 0) {
        struct tl_builtin builtin = {.twins = {.random = false}};

        if (tl_builtin_read(&builtin, text + 7, &err) != 0)
            return tl_run_wrong("--sut: %s", err.text);
        target->kind = TL_TARGET_BUILTIN;
        target->faults = builtin.faults;
        target->twins = builtin.twins;
        return 0;
    }
    if (strncmp(text, "udp:", 4) == 0) {
        const char *from = strstr(text, TL_UDP_FROM);
        size_t len = from != NULL ? (size_t)(from - text) - 4 : strlen(text + 4);
        char sut[TL_HOST_TEXT + 16];

        target->kind = TL_TARGET_UDP;
        target->address = text + 4;
        len = len < sizeof sut ? len : sizeof sut - 1;
        memcpy(sut, text + 4, len);
        sut[len] = 0;
        if (tl_address_split(sut, host, &port, &err) != 0 ||
            (from != NULL &&
             tl_address_split(from + strlen(TL_UDP_FROM), host, &port, &err) != 0))
            return tl_run_wrong("--sut: %s", err.text);
        return 0;
    }
    if (strncmp(text, "raw:", 4) == 0) {
        target->kind = TL_TARGET_RAW;
        target->address = text + 4; /* read when all options are known */
        return 0;
    }
    if (strncmp(text, "bridge:", 7) == 0) {
        struct tl_bridge_address bridge;

        target->kind = TL_TARGET_BRIDGE;
        target->address = text + 7;
        return tl_bridge_address_read(text + 7, &bridge, &err) == 0
                   ? 0
                   : tl_run_wrong("--sut: %s", err.text);
    }
    if (strncmp(text, "lib:", 4) == 0 || strncmp(text, "exec:", 5) == 0) {
        target->kind = text[0] == 'l' ? TL_TARGET_LIB : TL_TARGET_EXEC;
        target->address = strchr(text, ':') + 1;
        return *target->address != 0 ? 0 : tl_run_wrong("--sut '%s': of what?", text);
    }
    return tl_run_wrong(
        "--sut '%s'; expected builtin, builtin:fault=NAME, builtin:twin=NAME, lib:FILE.so, "
        "exec:COMMAND, udp:HOST:PORT, raw:IFACE,HOST:PORT, bridge:IFACE,IFACE or pcap:FILE[@SUT]",
        text);
}

int tl_run_read_control(const char *text, struct tl_run_options *o)
{
    char host[TL_HOST_TEXT];
    struct fal_error err = {{0}};
    uint16_t port;

    o->run.target.control = text;
    if (strncmp(text, "unix:", 5) == 0 && text[5] != 0)
        return 0;
    if (strncmp(text, "tcp:", 4) != 0)
        return tl_run_wrong("--control '%s'; expected tcp:HOST:PORT or unix:PATH", text);
    return tl_address_split(text + 4, host, &port, &err) == 0
               ? 0
               : tl_run_wrong("--control: %s", err.text);
}

int tl_run_read_capture_connections(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--capture-connections", text, &o->recording.connections);
}

int tl_run_read_capture_sut(const char *text, struct tl_run_options *o)
{
    struct tl_host host;

    o->recording.sut = text;
    return tl_host_read(text, &host)
               ? 0
               : tl_run_wrong("--capture-sut '%s'; expected an IP address", text);
}

int tl_run_read_capture_psp_keys(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--capture-psp-keys", text, &o->recording.psp_keys);
}

int tl_run_read_capture_esp_keys(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--capture-esp-keys", text, &o->recording.esp_keys);
}

int tl_run_read_capture_speed(const char *text, struct tl_run_options *o)
{
    o->capture_speed = text;
    o->fast = strcmp(text, "fast") == 0;
    return o->fast || strcmp(text, "own") == 0
               ? 0
               : tl_run_wrong("--capture-speed '%s'; expected own or fast", text);
}

int tl_run_check_recording(const struct tl_run_options *o)
{
    const struct tl_recording_config *r = &o->recording;
    bool any = r->connections != NULL || r->sut != NULL || r->psp_keys != NULL ||
               r->esp_keys != NULL || o->capture_speed != NULL;

    if (r->path != NULL && o->run.target.kind == TL_TARGET_BRIDGE)
        return tl_run_wrong("--sut pcap: a bridge is nobody to play a capture to");
    if (r->path == NULL && any &&
        (o->run.target.kind != TL_TARGET_BRIDGE || r->sut != NULL || o->capture_speed != NULL))
        return tl_run_wrong(
            "the options of captures are for --sut pcap:FILE; bridge: takes connections and keys");
    if (r->path != NULL && o->num_paths > 0)
        return tl_run_wrong("--sut pcap: plays its capture and no scenario ('%s')",
                            o->paths[0]);
    return 0;
}

static int read_keys(const char *option, const char *text, bool esp, const char **as_given,
                     json_t **out)
{
    struct fal_error err = {{0}};

    *as_given = text;
    json_decref(*out);
    *out = tl_key_file_load(text, esp, &err);
    return *out != NULL ? 0 : tl_run_wrong("%s: %s", option, err.text);
}

int tl_run_read_psp_keys(const char *text, struct tl_run_options *o)
{
    return read_keys("--psp-keys", text, false, &o->psp_keys, &o->run.psp_keys);
}

int tl_run_read_esp_keys(const char *text, struct tl_run_options *o)
{
    return read_keys("--esp-keys", text, true, &o->esp_keys, &o->run.esp_keys);
}
