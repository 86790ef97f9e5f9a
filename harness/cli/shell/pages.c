/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/shell/pages.h"

#include "harness/cli/cmd.h"
#include "harness/cli/shell/complete.h"
#include "harness/cli/shell/man.h"

#include "codecs/base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 512, NAME_LEN = 80 };

/* Actions that have an option table of their own, and the words that lead to it. */
static const struct {
    const char *page, *title, *words[3];
} actions[] = {
    {"check-roce", "check roce", {"check", "--protocol", "roce"}},
    {"logic-check", "logic check", {"logic", "check", NULL}},
    {"logic-tap", "logic tap", {"logic", "tap", NULL}},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* ---- man pages ---- */

static int list_pages(void)
{
    for (size_t i = 0; tl_cmd_at(i) != NULL; i++)
        if (tl_cmd_at(i)->run != tl_cmd_help)
            puts(tl_cmd_at(i)->name);
    for (size_t i = 0; i < ACTIONS; i++)
        puts(actions[i].page);
    return TL_STATUS_PASS;
}

static int no_page(const char *name)
{
    fprintf(stderr, "talon help: no man page '%.60s'%s; talon help man pages names them\n",
            name, fal_hint(tl_cmd_nearest(name), "").text);
    return TL_STATUS_USAGE;
}

/* The verb prints the page, for it has the table. */
static int print_page(const struct tl_cmd *verb, int argc, char **argv, const char *title)
{
    char word[NAME_LEN];

    (void)snprintf(word, sizeof word, TL_HELP_MAN "%s", title);
    argv[argc++] = word;
    argv[argc] = NULL;
    return verb->run(argc, argv);
}

int tl_help_man(int argc, char **argv)
{
    char words[3][NAME_LEN], *line[5] = {NULL};
    const struct tl_cmd *verb;

    if (argc < 2) {
        tl_man_overview(stdout);
        return TL_STATUS_PASS;
    }
    if (strcmp(argv[1], "pages") == 0)
        return list_pages();
    for (size_t i = 0; i < ACTIONS; i++) {
        int n = 0;

        if (strcmp(actions[i].page, argv[1]) != 0)
            continue;
        for (; n < 3 && actions[i].words[n] != NULL; n++) {
            (void)snprintf(words[n], NAME_LEN, "%s", actions[i].words[n]);
            line[n] = words[n];
        }
        return print_page(tl_cmd_find(line[0]), n, line, actions[i].title);
    }
    verb = tl_cmd_find(argv[1]);
    if (verb == NULL || verb->run == tl_cmd_help)
        return no_page(argv[1]);
    (void)snprintf(words[0], NAME_LEN, "%s", argv[1]);
    line[0] = words[0];
    return print_page(verb, 1, line, verb->name);
}

/* ---- completion ---- */

static void offer_verbs(const char *start)
{
    char what[TL_VERB_TEXT_MAX];

    for (size_t i = 0; tl_cmd_at(i) != NULL; i++) {
        tl_verb_summary(tl_cmd_at(i)->name, what);
        tl_offer(stdout, start, NULL, tl_cmd_at(i)->name, what);
    }
    tl_offer(stdout, start, NULL, "--help", "the verbs");
    tl_offer(stdout, start, NULL, "--version", "the version");
}

/* `talon help` has no table: its topics, and the verbs. */
static void offer_topics(const char *start)
{
    static const char *const topics[] = {"defaults", "man",    "notation",
                                         "scenario", "schema", "swift"};

    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        tl_offer(stdout, start, NULL, topics[i], "");
    for (size_t i = 0; tl_cmd_at(i) != NULL; i++)
        tl_offer(stdout, start, NULL, tl_cmd_at(i)->name, "");
}

/* How many of the words belong to the name of an action with its own table: 1, or 2. */
static int words_of_verb(int count, char **words)
{
    for (size_t i = 0; i < ACTIONS; i++)
        if (count > 2 && actions[i].words[2] == NULL &&
            strcmp(words[0], actions[i].words[0]) == 0 &&
            strcmp(words[1], actions[i].words[1]) == 0)
            return 2;
    return 1;
}

int tl_complete_line(int argc, char **argv)
{
    char *line[WORDS_MAX + 2], ask[] = TL_HELP_COMPLETE;
    const struct tl_cmd *verb;
    int n = 0, of_verb, given = argc - 1;
    char **words = argv + 1;

    if (given < 2) {
        offer_verbs(given == 1 ? words[0] : "");
        return TL_STATUS_PASS;
    }
    verb = tl_cmd_find(words[0]);
    if (verb == NULL || given > WORDS_MAX)
        return TL_STATUS_PASS;
    if (verb->run == tl_cmd_help) {
        if (given == 2)
            offer_topics(words[1]);
        return TL_STATUS_PASS;
    }
    of_verb = words_of_verb(given, words);
    for (int i = 0; i < given; i++) {
        if (i == of_verb)
            line[n++] = ask;
        line[n++] = words[i];
    }
    line[n] = NULL;
    return verb->run(n, line);
}
