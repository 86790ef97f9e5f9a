/* SPDX-License-Identifier: Apache-2.0
 * cmd_cc.c - `talon cc`: vectors for a Rate Update Engine, printed and compared. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/cc/cc_check.h"
#include "harness/doc/line_file.h"
#include "oracles/cc/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cc_command {
    const char *action, *check;
    int format; /* enum fal_cc_format */
};

#define TL_OPTIONS_OF struct cc_command

static const struct tl_option option_list[] = {
    {TL_TEXT("golden", action, NULL)},
    {TL_CHOICE("--format", format, "NAME", "table-msb gen1-lsb"),
     .help =
         "bits of an entry: table-msb, the first field of the tables of 10.6.2 has the most "
         "significant bits (default), or gen1-lsb, it has the least significant bits, and a "
         "result has event_queue_select and delay_select"},
    {TL_TEXT("--check", check, "FILE"),
     .help = "compare the results in FILE with the reference model; - is standard input"},
};
static const struct tl_options options = {"cc", option_list,
                                          sizeof option_list / sizeof *option_list};

static struct tl_cc_line blank(const struct cc_command *c)
{
    struct tl_cc_line line = {.format = (enum fal_cc_format)c->format};

    fal_swift_params_default(&line.params);
    return line;
}

/* ---- printing ---- */

static int print_golden(const struct cc_command *c)
{
    struct fal_cc_state state = {0};
    struct fal_cc_vector vector;

    for (size_t n = 0; fal_cc_vector(n, &vector); n++) {
        struct tl_cc_line line = blank(c);
        char *text;

        (void)snprintf(line.id, sizeof line.id, "%s", vector.id);
        line.keep = vector.keep;
        line.now = vector.now;
        line.event = vector.event;
        tl_cc_expect(&line, &state, &line.result);
        text = tl_cc_line_print(&line, vector.what);
        if (text == NULL) {
            fprintf(stderr, "talon cc: out of memory\n");
            return TL_STATUS_ERROR;
        }
        puts(text);
        free(text);
    }
    return TL_STATUS_PASS;
}

/* ---- comparing ---- */

struct comparison {
    const char *path;
    struct tl_file_lines lines;
    struct fal_cc_state state;
    uint64_t vectors, differ;
};

/* Compares a line; an empty one is skipped. */
static int compare_line(const struct cc_command *c, struct comparison *cmp)
{
    struct tl_cc_line line = blank(c);
    struct fal_cc_result expected;
    struct fal_error err = {{0}};
    unsigned column;
    char what[160];

    if (cmp->lines.len == 0)
        return TL_STATUS_PASS;
    if (tl_cc_line_read(cmp->lines.line, cmp->lines.len, &line, &column, &err) != 0) {
        fprintf(stderr, "talon cc: %s:%" PRIu64 ":%u: %s\n", cmp->path, cmp->lines.number,
                column, err.text);
        return TL_STATUS_USAGE;
    }
    cmp->vectors++;
    tl_cc_expect(&line, &cmp->state, &expected);
    if (tl_cc_same(&line, &expected, what, sizeof what))
        return TL_STATUS_PASS;
    cmp->differ++;
    printf("%s:%" PRIu64 ": %s%s%s\n", cmp->path, cmp->lines.number, line.id,
           line.id[0] != 0 ? ": " : "", what);
    return TL_STATUS_PASS;
}

static int compare_all(const struct cc_command *c, struct comparison *cmp)
{
    struct fal_error err = {{0}};
    int more, status = TL_STATUS_PASS;

    while (status == TL_STATUS_PASS && (more = tl_file_line(&cmp->lines, &err)) != 0) {
        if (more < 0) {
            fprintf(stderr, "talon cc: %s:%" PRIu64 ": %s\n", cmp->path, cmp->lines.number,
                    err.text);
            return more == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
        }
        status = compare_line(c, cmp);
    }
    if (status != TL_STATUS_PASS)
        return status;
    if (cmp->vectors == 0) {
        fprintf(stderr, "talon cc: %s: there is no vector in it\n", cmp->path);
        return TL_STATUS_USAGE;
    }
    if (cmp->differ == 0) {
        printf("%" PRIu64 " vectors agree with the reference model\n", cmp->vectors);
        return TL_STATUS_PASS;
    }
    printf("%" PRIu64 " of %" PRIu64 " vectors differ from the reference model\n", cmp->differ,
           cmp->vectors);
    return TL_STATUS_FAIL;
}

static int check_file(const struct cc_command *c)
{
    bool standard = strcmp(c->check, "-") == 0;
    struct comparison cmp = {.path = standard ? "standard input" : c->check};
    int status;

    cmp.lines.file = standard ? stdin : fopen(c->check, "re");
    if (cmp.lines.file == NULL) {
        fprintf(stderr, "talon cc: %s: %s\n", c->check, strerror(errno));
        return TL_STATUS_USAGE;
    }
    status = compare_all(c, &cmp);
    free(cmp.lines.line);
    if (!standard)
        (void)fclose(cmp.lines.file);
    return status;
}

int tl_cmd_cc(int argc, char **argv)
{
    struct cc_command c = {.format = FAL_CC_TABLE_MSB};
    int status = tl_verb_read(&options, tl_usage_cc, argc, argv, &c);

    if (status != TL_VERB_GO)
        return status;
    if (c.action == NULL)
        return tl_verb_wrong(options.verb, "no action given; expected 'golden'");
    if (strcmp(c.action, "golden") != 0)
        return tl_verb_wrong(options.verb, "no action '%.40s'; expected 'golden'", c.action);
    return c.check != NULL ? check_file(&c) : print_golden(&c);
}
