/* SPDX-License-Identifier: Apache-2.0
 * cmd_help.c - `talon help`: the verbs, the defaults, the notation. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"

#include "codecs/base/nearest.h"
#include "codecs/text/text.h"
#include "harness/cli/schemas.h"
#include "harness/cli/shell/pages.h"
#include "harness/doc/version.h"
#include "harness/scenario/types.h"
#include "oracles/cc/cc_fault.h"
#include "oracles/cc/params.h"
#include "oracles/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_time(uint64_t ns, char *out, size_t cap)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{FAL_S, "s"}, {FAL_MS, "ms"}, {FAL_US, "us"}, {1, "ns"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (ns != 0 && ns % units[i].ns == 0) {
            (void)snprintf(out, cap, "%" PRIu64 "%s", ns / units[i].ns, units[i].unit);
            return;
        }
    }
    (void)snprintf(out, cap, "0");
}

static void print_value(const struct fal_param *param, uint64_t value, char *out, size_t cap)
{
    if (param->kind == FAL_PARAM_DURATION)
        print_time(value, out, cap);
    else if (param->kind == FAL_PARAM_SWITCH)
        (void)snprintf(out, cap, "%s", value != 0 ? "true" : "false");
    else
        (void)snprintf(out, cap, "%" PRIu64, value);
}

static int help_defaults(void)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    printf("%-20s %-10s %-10s %s\n", "name", "virtual", "live", "meaning");
    for (size_t i = 0; i < n; i++) {
        char in_virtual[32], live[32];

        print_value(&table[i], table[i].virtual_default, in_virtual, sizeof in_virtual);
        print_value(&table[i], table[i].live_default, live, sizeof live);
        printf("%-20s %-10s %-10s %s\n", table[i].name, in_virtual, live, table[i].doc);
    }
    return TL_STATUS_PASS;
}

static int help_swift(void)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    size_t num_faults;
    const struct fal_cc_fault *faults = fal_cc_faults(&num_faults);
    size_t num_readings;
    const struct fal_cc_reading_row *readings = fal_cc_readings(&num_readings);

    printf(
        "Parameters of Swift and PLB. The specification names them and gives no values. A tick "
        "is 131.072 ns.\n\n");
    printf("%-42s %-8s %-18s %-9s %-8s %s\n", "name", "default", "range", "unit", "section",
           "meaning");
    for (size_t i = 0; i < n; i++) {
        const struct fal_swift_param *p = &table[i];
        char range[48];

        (void)snprintf(range, sizeof range, "%.10g..%.10g", p->least, p->most);
        printf("%-42s %-8.10g %-18s %-9s %-8s %s\n", p->name, p->initial, range, p->unit,
               p->section, p->doc);
    }
    printf("\nFaults of the reference model: talon cc judge model:fault=NAME, or "
           "--sut builtin:cc=swift,fault=NAME\n\n");
    printf("%-28s %-16s %s\n", "name", "requirement", "meaning");
    for (size_t i = 0; i < num_faults; i++)
        printf("%-28s %-16s %s\n", faults[i].name, faults[i].requirement, faults[i].doc);
    printf(
        "\nOther readings of the reference model: talon cc judge model:reading=NAME[,NAME], or "
        "--sut builtin:cc=swift,reading=NAME\n\n");
    printf("%-28s %-16s %s\n", "name", "unclear sentence", "meaning");
    for (size_t i = 0; i < num_readings; i++)
        printf("%-28s %-16s %s\n", readings[i].name, readings[i].of, readings[i].doc);
    printf("%-28s %-16s %s\n", "swift-isekai", "",
           "All readings of the public simulator isekai.");
    return TL_STATUS_PASS;
}

/* Prints a generated text: the notation, the reference of scenario files. */
static int help_text(char *text)
{
    if (text == NULL) {
        fprintf(stderr, "talon help: out of memory\n");
        return TL_STATUS_ERROR;
    }
    fputs(text, stdout);
    free(text);
    return TL_STATUS_PASS;
}

/* Each verb prints its own usage. */
static int help_verb(int (*verb)(int argc, char **argv), char *name)
{
    char option[] = "--help";
    char *argv[] = {name, option, NULL};

    return verb(2, argv);
}

enum { SCHEMAS_MAX = 64 };

static int no_such_schema(const char *name)
{
    const char *known[SCHEMAS_MAX], *near;
    size_t n = 0;

    while (n < SCHEMAS_MAX && (known[n] = tl_schema_name(n)) != NULL)
        n++;
    near = fal_nearest(name, known, n);
    fprintf(stderr, "talon help: no schema '%s'; ", name);
    if (near != NULL) {
        fprintf(stderr, "did you mean '%s'?\n", near);
        return TL_STATUS_USAGE;
    }
    fprintf(stderr, "there are:");
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", known[i]);
    fprintf(stderr, "\n");
    return TL_STATUS_USAGE;
}

static int no_such_topic(const char *name)
{
    static const char *const topics[] = {"defaults", "man",    "notation",
                                         "scenario", "schema", "swift"};
    const char *near = fal_nearest(name, topics, sizeof topics / sizeof *topics);

    if (near == NULL)
        near = tl_cmd_nearest(name);
    fprintf(
        stderr,
        "talon help: no topic '%s'%s; there are: defaults, man, notation, scenario, schema, "
        "swift, and the verbs\n",
        name, fal_hint(near, "").text);
    return TL_STATUS_USAGE;
}

static int help_schema(const char *name)
{
    char *text = tl_schema_text(name);

    return text != NULL ? help_text(text) : no_such_schema(name);
}

int tl_cmd_help(int argc, char **argv)
{
    const struct tl_cmd *verb;

    if (strcmp(argv[0], "--version") == 0) {
        printf("talon " TL_VERSION "\n");
        return TL_STATUS_PASS;
    }
    if (argc < 2) {
        fputs(tl_usage_help, stdout);
        return TL_STATUS_PASS;
    }
    if (strcmp(argv[1], "defaults") == 0)
        return help_defaults();
    if (strcmp(argv[1], "swift") == 0)
        return help_swift();
    if (strcmp(argv[1], "man") == 0)
        return tl_help_man(argc - 1, argv + 1);
    if (strcmp(argv[1], "notation") == 0)
        return help_text(fal_text_grammar());
    if (strcmp(argv[1], "scenario") == 0)
        return help_text(tl_scenario_reference());
    if (strcmp(argv[1], "schema") == 0)
        return help_schema(argc > 2 ? argv[2] : "scenario");
    verb = tl_cmd_find(argv[1]);
    if (verb != NULL && verb->run != tl_cmd_help)
        return help_verb(verb->run, argv[1]);
    return no_such_topic(argv[1]);
}
