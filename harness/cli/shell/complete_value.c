/* SPDX-License-Identifier: Apache-2.0
 * complete_value.c - the words that an option or an argument takes. */
#include "harness/cli/explain.h"
#include "harness/cli/shell/complete.h"
#include "harness/cli/words.h"
#include "harness/suite/suite.h"

#include "oracles/catalogue.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/judge/judge.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

enum { WORD_MAX = 200 };

/* The word that is completed, and what stands before each offer. */
struct cursor {
    FILE *out;
    const char *start, *before;
};
typedef void offer_fn(const struct cursor *c);

static void offer(const struct cursor *c, const char *word, const char *what)
{
    tl_offer(c->out, c->start, c->before, word, what);
}

static void offer_files(const struct cursor *c)
{
    fputs(":files\n", c->out);
}

static void offer_faults(const struct cursor *c)
{
    size_t n;
    const struct fal_fault *all = fal_faults(&n);

    for (size_t i = 0; i < n; i++)
        offer(c, all[i].name, all[i].doc);
}

static void offer_twins(const struct cursor *c)
{
    size_t n;
    const struct fal_twin *all = fal_twins(&n);

    for (size_t i = 0; i < n; i++)
        offer(c, all[i].name, all[i].doc);
    offer(c, "random", "some, drawn from the seed");
}

static void offer_rules(const struct cursor *c)
{
    size_t n;
    const struct fal_rule *const *all = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        offer(c, all[i]->id, all[i]->title);
}

static void offer_requirements(const struct cursor *c)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++)
        offer(c, all[i].id, all[i].title);
}

/* The members `name` and `title` of an array of objects; frees it. */
static void offer_list(const struct cursor *c, json_t *list, const char *name,
                       const char *title)
{
    size_t i;
    json_t *item;

    json_array_foreach(list, i, item)
    {
        const char *word = json_string_value(json_object_get(item, name));
        const char *what = json_string_value(json_object_get(item, title));

        if (word != NULL && strchr(word, ' ') == NULL)
            offer(c, word, what != NULL ? what : "");
    }
    json_decref(list);
}

static void offer_scenarios(const struct cursor *c)
{
    offer_list(c, tl_suite_list(), "id", "title");
}

static void offer_cases(const struct cursor *c)
{
    offer_list(c, tl_suite_cases(), "id", "title");
}

static void offer_profiles(const struct cursor *c)
{
    offer_list(c, tl_suite_profiles(), "name", "title");
}

static void offer_explained(const struct cursor *c)
{
    offer_requirements(c);
    offer_rules(c);
    offer_faults(c);
    offer_twins(c);
    offer_list(c, tl_list_issues(), "code", "message");
    offer_list(c, tl_list_excuses(), "name", "doc");
    offer_scenarios(c);
    offer_list(c, tl_list_words(), "word", "text");
}

/* "builtin:fault=NAME", "builtin:twin=NAME" and the beginnings of the other links. */
static void offer_suts(const struct cursor *c)
{
    static const struct {
        const char *word, *what;
        offer_fn *rest;
    } suts[] = {
        {"builtin", "the built-in implementation, in virtual time", NULL},
        {"builtin:fault=", "with planted faults", offer_faults},
        {"builtin:twin=", "a conforming variant", offer_twins},
        {"lib:", "a model in a library, in virtual time", offer_files},
        {"exec:", "a process in lockstep, in virtual time", NULL},
        {"udp:", "HOST:PORT, reached over UDP", NULL},
        {"raw:", "IFACE,HOST[:PORT], reached by raw frames", NULL},
        {"bridge:", "IFACE,IFACE: between two real ends", NULL},
        {"pcap:", "FILE: plays a capture", offer_files},
    };

    for (size_t i = 0; i < sizeof suts / sizeof *suts; i++) {
        const size_t len = strlen(suts[i].word);
        char before[WORD_MAX];
        struct cursor rest = *c;

        if (suts[i].rest == NULL || strncmp(c->start, suts[i].word, len) != 0) {
            offer(c, suts[i].word, suts[i].what);
            continue;
        }
        (void)snprintf(before, sizeof before, "%s%s", c->before != NULL ? c->before : "",
                       suts[i].word);
        rest.start = c->start + len;
        rest.before = before;
        suts[i].rest(&rest);
    }
}

/* The lists of `talon list`. */
static void offer_lists(const struct cursor *c)
{
    static const char *const names[] = {
        "cases",    "excuses",  "faults",       "fields", "ics",       "issues", "ixit",
        "profiles", "readings", "requirements", "rules",  "scenarios", "twins",  "words"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        offer(c, names[i], "");
}

/* By the name of the row, then by how its help calls the value. `verb`: only there, or NULL. */
static const struct {
    const char *verb, *name;
    offer_fn *offer;
} by_name[] = {
    {NULL, "--sut", offer_suts},
    {NULL, "--profile", offer_profiles},
    {NULL, "--requirement", offer_requirements},
    {NULL, "--id", offer_scenarios},
    {NULL, "--first", offer_cases},
    {NULL, "--last", NULL},
    {"run", "--last", offer_cases},
    {NULL, "--only", offer_rules},
    {NULL, "--skip", offer_rules},
    {"sut", "--fault", offer_faults},
    {NULL, "--twin", offer_twins},
    {NULL, "--twins", offer_twins},
    {"explain", "WORD", offer_explained},
    {"list", "WHAT", offer_lists},
    {"lab", "EXPERIMENT", NULL},
    {"host-check", "IFACE", NULL},
    {"sut-check", "ADAPTER", NULL},
    {NULL, "FILE", offer_files},
    {NULL, "PATH", offer_files},
    {NULL, "DIR", offer_files},
    {NULL, "RESULTS", offer_files},
    {NULL, "KEY.pem", offer_files},
    {NULL, "ACTION", offer_files},
};

static offer_fn *offer_of(const char *verb, const char *name, bool *known)
{
    offer_fn *found = NULL;

    for (size_t i = 0; name != NULL && i < sizeof by_name / sizeof *by_name; i++) {
        if (strcmp(by_name[i].name, name) != 0 ||
            (by_name[i].verb != NULL && strcmp(by_name[i].verb, verb) != 0))
            continue;
        *known = true;
        found = by_name[i].offer;
    }
    return found;
}

/* "text|json", or with spaces between: the words themselves. */
static void offer_words(const struct cursor *c, const char *words)
{
    while (*words != 0) {
        const size_t len = strcspn(words, " |");
        char word[WORD_MAX];

        (void)snprintf(word, sizeof word, "%.*s", (int)len, words);
        offer(c, word, "");
        words += len;
        words += strspn(words, " |");
    }
}

static bool is_choice(const char *value)
{
    return strchr(value, '|') != NULL &&
           strspn(value, "abcdefghijklmnopqrstuvwxyz-|_") == strlen(value);
}

void tl_complete_value(FILE *out, const char *verb, const struct tl_option *row,
                       const char *start, const char *before)
{
    const struct cursor c = {.out = out, .start = start, .before = before};
    bool known = false;
    offer_fn *make = offer_of(verb, row->name, &known);

    if (!known && row->words != NULL) {
        offer_words(&c, row->words);
        return;
    }
    if (!known && row->value != NULL && is_choice(row->value)) {
        offer_words(&c, row->value);
        return;
    }
    if (!known)
        make = offer_of(verb, row->value, &known);
    if (make != NULL)
        make(&c);
}
