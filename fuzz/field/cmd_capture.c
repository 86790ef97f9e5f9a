/* SPDX-License-Identifier: Apache-2.0
 * cmd_capture.c - `talon capture`: work on captures of the field. */
#include "fuzz/field/cmd_capture.h"

#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/verb.h"
#include "harness/field/by_connection.h"
#include "harness/field/scrub.h"
#include "reports/base/shard_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const char hunt_usage_capture[]; /* usage/capture.txt */

#define TL_OPTIONS_OF struct fld_command

enum { EXECS = 20000 };

static const struct tl_option option_list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_TEXT("--psp-keys", psp_keys, "FILE"), .help = "keys to open PSP packets"},
    {TL_TEXT("--esp-keys", esp_keys, "FILE"), .help = "keys to open ESP packets"},
    {TL_COUNT("--falcon-port", falcon_port, 1, UINT16_MAX),
     .help = "UDP port of plain Falcon (default 7777)"},
    {TL_TEXT("--out", out, "FILE"), .alias = "-o",
     .help = "scrub: write the scrubbed capture to FILE, whose name ends in .pcapng if the "
             "capture is pcapng; split: write the captures to the folder FILE; to-scenario: "
             "write the scenario to FILE (default: standard output)"},
    {TL_TEXT("--connections", connections, "FILE"),
     .help = "not for scrub: what is known of the connections, as for talon check "
             "(docs/formats.md)"},
    HUNT_TARGET_OPTIONS,
    {TL_TEXT("--ulp", ulp, "FILE"), .group = "Of to-scenario (the four above, too)",
     .help = "events and commands of the SUT's upper layer, as for talon check"},
    {TL_TEXT("--sut-address", sut_address, "IP"),
     .help = "address of the end that is the SUT (default: either end may be)"},
    {TL_TEXT("--requirement", requirement, "ID"),
     .help = "the violated requirement that the scenario must show (default: that of the "
             "first finding of talon check, MUST before SHOULD)"},
    {TL_NUMBER("--finding", finding, 1, UINT32_MAX), .help = "the N-th of these findings"},
    {TL_NUMBER("--execs", execs, 1, UINT32_MAX),
     .help = "try at most N cases until one shows the violation (default 20000)"},
    {TL_CHOICE("--format", format, "text|json", "text json"), .group = "Of index",
     .help = "index: a table (default), or one JSON object"},
    {TL_FLAG("--drop-keys", drop_keys), .group = "Of scrub",
     .help = "do not write the fresh keys: then nobody can open the sealed packets"},
    {TL_FLAG("--replace-sealed", replace_sealed),
     .help = "replace the bytes of sealed packets that no key opens (default: refuse the "
             "capture)"},
};
static const struct tl_options options = {"capture", option_list,
                                          sizeof option_list / sizeof *option_list};

int fld_scrub(struct fld_command *command)
{
    const struct tl_scrub_options given = {.in = command->capture,
                                           .out = command->out,
                                           .psp_keys = command->psp_keys,
                                           .esp_keys = command->esp_keys,
                                           .falcon_port = command->falcon_port,
                                           .replace_sealed = command->replace_sealed,
                                           .drop_keys = command->drop_keys};
    struct tl_scrub_result result;
    struct fal_error err = {{0}};
    int status;

    if (given.out == NULL)
        return tl_verb_wrong(options.verb, "scrub: no output given; add --out FILE");
    status = tl_scrub_file(&given, &result, &err);
    if (status != 0) {
        status = tl_verb_failed(options.verb, status, &err);
    } else {
        printf("%s: %" PRIu64 " frames, %" PRIu64 " of them sealed with fresh keys\n",
               given.out, result.frames, result.resealed);
        if (result.psp_keys != NULL)
            printf("%s: the fresh keys of PSP\n", result.psp_keys);
        if (result.esp_keys != NULL)
            printf("%s: the fresh keys of ESP\n", result.esp_keys);
    }
    free(result.psp_keys);
    free(result.esp_keys);
    return status;
}

/* ---- by connection ---- */

/* A part has one connection, so talon check cannot see that its directions may belong to two.
 */
static void warn_of_uncertain(const struct tl_index *index)
{
    struct tl_shard_list list = {.first = 0};

    for (size_t i = 1; i < index->num_rows; i++)
        if (index->rows[i].uncertain)
            tl_shard_list_add(&list, (unsigned)i);
    if (list.first > 0)
        fprintf(stderr,
                "talon capture: it is uncertain whether the directions of these connections "
                "belong together: %s; a violation found in such a part may be none: state the "
                "connections by --connections FILE, to capture split and to talon check\n",
                list.text);
}

static int by_connection(const struct fld_command *command, bool split)
{
    const struct tl_recording_config config = {.path = command->capture,
                                               .connections = command->connections,
                                               .psp_keys = command->psp_keys,
                                               .esp_keys = command->esp_keys,
                                               .falcon_port = command->falcon_port};
    struct tl_index index;
    struct fal_error err = {{0}};
    int status = tl_index_read(&index, &config, &err);

    if (status == 0 && split)
        status = tl_split(&index, command->capture, command->out, &err);
    if (status != 0)
        status = tl_verb_failed(options.verb, status, &err);
    else if (tl_index_print(&index, command->format == FLD_JSON) != 0)
        status = TL_STATUS_ERROR;
    else if (split)
        warn_of_uncertain(&index);
    tl_index_free(&index);
    return status;
}

int fld_index(struct fld_command *command)
{
    return by_connection(command, false);
}

int fld_split(struct fld_command *command)
{
    if (command->out == NULL)
        return tl_verb_wrong(options.verb, "split: no output given; add --out DIR");
    return by_connection(command, true);
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(struct fld_command *command);
} actions[] = {
    {"scrub", fld_scrub},
    {"index", fld_index},
    {"split", fld_split},
    {"to-scenario", fld_to_scenario},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int act(struct fld_command *command)
{
    const char *names[ACTIONS], *action;

    if (command->words.count == 0)
        return tl_verb_wrong(options.verb, "no action given");
    action = command->words.list[0];
    for (size_t i = 0; i < ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(action, names[i]) != 0)
            continue;
        if (command->words.count != 2)
            return tl_verb_wrong(options.verb, "%s: expected one capture, found %zu", action,
                                 command->words.count - 1);
        command->capture = command->words.list[1];
        if (strcmp(command->capture, "-") == 0)
            return tl_verb_wrong(options.verb,
                                 "%s: standard input cannot be read twice; save the capture as "
                                 "a file first",
                                 action);
        return actions[i].run(command);
    }
    return tl_verb_wrong(options.verb, "no action '%.40s'%s", action,
                         fal_hint(fal_nearest(action, names, ACTIONS), "").text);
}

int tl_cmd_capture(int argc, char **argv)
{
    struct fld_command *command = calloc(1, sizeof *command); /* it is large */
    int status;

    if (command == NULL)
        return TL_STATUS_ERROR;
    command->finding = 1;
    command->execs = EXECS;
    hunt_target_init(&command->target);
    status = tl_verb_read(&options, hunt_usage_capture, argc, argv, command);
    if (status == TL_VERB_GO)
        status = act(command);
    tl_options_free(&options, command);
    free(command);
    return status;
}
