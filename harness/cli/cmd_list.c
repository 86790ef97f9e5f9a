/* SPDX-License-Identifier: Apache-2.0
 * cmd_list.c - `talon list WHAT`: prints a list as text or as a JSON array. */
#include "harness/claims/ics.h"
#include "harness/claims/ixit.h"
#include "harness/cli/cmd.h"
#include "harness/cli/explain.h"
#include "harness/cli/list_coverage.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/cli/words.h"
#include "harness/run/run.h"
#include "harness/tally/tally_print.h"

#include "codecs/base/nearest.h"
#include "codecs/header/headers.h"
#include "oracles/catalogue.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/roce/judge.h"
#include "oracles/rules/transport/k_rules.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A list of words in one string, as an array. */
static json_t *words(const char *text)
{
    json_t *list = json_array();
    size_t len;

    for (; list != NULL && *text != 0; text += len) {
        text += strspn(text, " ");
        len = strcspn(text, " ");
        if (len > 0 && json_array_append_new(list, json_stringn(text, len)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *list_faults(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_fault *faults = fal_faults(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:s}", "name", faults[i].name, "section",
                            faults[i].section, "requirements", words(faults[i].requirements),
                            "doc", faults[i].doc));
    return list;
}

static json_t *list_twins(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_twin *twins = fal_twins(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:s?, s:s}", "name", twins[i].name, "section",
                      twins[i].section, "requirements", words(twins[i].requirements), "reading",
                      twins[i].reading[0] != 0 ? twins[i].reading : NULL, "doc", twins[i].doc));
    return list;
}

static json_t *list_rules(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++) {
        json_t *ids = json_array();

        for (const char *const *id = rules[i]->requirements; *id != NULL; id++)
            (void)json_array_append_new(ids, json_string(*id));
        (void)json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:s}", "id",
                                                    rules[i]->id, "title", rules[i]->title,
                                                    "requirements", ids, "role", rules[i]->role,
                                                    "needs", rules[i]->needs, "assumes",
                                                    rules[i]->assumes, "doc", rules[i]->doc));
    }
    return list;
}

static json_t *list_requirements(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", all[i].id, "title",
                            all[i].title, "level", all[i].level, "observable",
                            all[i].observable, "on_breach", all[i].on_breach, "section",
                            all[i].section, "text", all[i].text));
    return list;
}

static json_t *values(const struct fal_names *names)
{
    json_t *object = json_object();
    char key[24];

    for (size_t i = 0; names != NULL && i < names->count; i++) {
        (void)snprintf(key, sizeof key, "%llu", (unsigned long long)names->entries[i].value);
        (void)json_object_set_new(object, key, json_string(names->entries[i].name));
    }
    return object;
}

/* Most significant first: one, or two where the low word comes first. */
static json_t *segments(const struct fal_field *field)
{
    struct fal_segment all[FAL_SEGMENTS_MAX];
    size_t n = fal_field_segments(field, all);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list,
                                    json_pack("{s:i, s:i}", "offset", (int)all[i].offset_bits,
                                              "width", (int)all[i].width_bits));
    return list;
}

static json_t *list_fields(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < layouts[i]->num_fields; k++) {
            const struct fal_field *f = &layouts[i]->fields[k];

            (void)json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:s?, s:o, s:i, s:i, s:s, s:s?, s:o, s:s}", "header",
                          layouts[i]->name, "field", f->name, "alias", f->alias, "segments",
                          segments(f), "offset", (int)f->offset_bits, "width",
                          (int)f->width_bits, "section", layouts[i]->section, "requirement",
                          f->requirement, "values", values(f->names), "doc", f->doc));
        }
    }
    return list;
}

enum { COLUMNS = 8, CELL_LEN = 2000 };

/* The lists; `columns` are the members of the text form, the first as wide as needed. */
static const struct listing {
    const char *name;
    json_t *(*make)(void);
    const char *columns[COLUMNS];
} listings[] = {
    {"cases", tl_suite_cases, {"id", "class", "title"}},
    {"excuses", tl_list_excuses, {"name", "doc"}},
    {"faults", list_faults, {"name", "section", "doc"}},
    {"fields", list_fields, {"header", "field", "width", "doc"}},
    {"ics", tl_ics_list, {"item", "builtin", "doc"}},
    {"ixit", tl_ixit_list, {"name", "virtual", "live", "doc"}},
    {"issues", tl_list_issues, {"code", "severity", "message"}},
    {"profiles", tl_suite_profiles, {"name", "certifies", "title"}},
    {"readings", tl_list_readings, {"id", "question"}},
    {"requirements", list_requirements, {"id", "on_breach", "title"}},
    {"rules", list_rules, {"id", "role", "title"}},
    {"scenarios", tl_suite_list, {"id", "class", "title"}},
    {"twins", list_twins, {"name", "section", "doc"}},
    {"words", tl_list_words, {"word", "kind", "text"}},
};
static const struct listing coverage = {
    "requirements",
    tl_list_coverage,
    {"id", "observable", "levels", "rules", "scenarios", "faults", "twins", "reason"}};

/* A text, a number, or a list with commas. */
static const char *cell_text(const json_t *cell, char text[CELL_LEN])
{
    size_t i, len = 0;
    json_t *item;

    (void)snprintf(text, CELL_LEN, "-");
    if (json_is_string(cell))
        return json_string_value(cell);
    if (json_is_boolean(cell))
        return json_is_true(cell) ? "yes" : "no";
    if (json_is_integer(cell))
        (void)snprintf(text, CELL_LEN, "%lld", (long long)json_integer_value(cell));
    json_array_foreach(cell, i, item)
    {
        int n = snprintf(text + len, CELL_LEN - len, "%s%s", i > 0 ? "," : "",
                         json_string_value(item));

        if (n < 0 || (size_t)n >= CELL_LEN - len)
            break;
        len += (size_t)n;
    }
    return text;
}

/* The last column is as long as it is. */
static void print_text(const struct listing *listing, const json_t *list)
{
    int width[COLUMNS] = {0};
    char text[CELL_LEN];
    size_t i, columns = 0;
    json_t *row;

    while (columns < COLUMNS && listing->columns[columns] != NULL)
        columns++;
    json_array_foreach(list, i, row)
    {
        for (size_t c = 0; c + 1 < columns; c++) {
            int len = (int)strlen(cell_text(json_object_get(row, listing->columns[c]), text));

            if (len > width[c])
                width[c] = len;
        }
    }
    json_array_foreach(list, i, row)
    {
        for (size_t c = 0; c < columns; c++)
            printf("%-*s ", width[c],
                   cell_text(json_object_get(row, listing->columns[c]), text));
        putchar('\n');
    }
}

/* Takes the document. */
static int print_proforma(json_t *document)
{
    int status = document != NULL && json_dumpf(document, stdout, JSON_INDENT(1)) == 0 &&
                         putchar('\n') != EOF
                     ? TL_STATUS_PASS
                     : TL_STATUS_ERROR;

    json_decref(document);
    return status;
}

/* Rules of systems beside Falcon: those that this program has, by the word of --protocol. */
static json_t *list_k_rules(void)
{
    size_t n;
    const struct fal_tally_rule *rules = fal_k_rules(&n);

    return tl_tally_list(rules, n);
}

static json_t *list_roce_rules(void)
{
    size_t n;
    const struct fal_tally_rule *rules = fal_roce_rules(&n);

    return tl_tally_list(rules, n);
}

static json_t *list_ep_rules(void)
{
    size_t n;
    const struct fal_tally_rule *rules = fal_ep_rules(&n);

    return tl_tally_list(rules, n);
}

static const struct listing protocols[] = {
    {"falcon", list_rules, {"id", "role", "title"}},
    {"logic", list_k_rules, {"id", "actor", "source", "title"}},
    {"roce", list_roce_rules, {"id", "actor", "source", "title"}},
    {"eventpipe", list_ep_rules, {"id", "actor", "source", "title"}},
};

enum list_format { LIST_TEXT, LIST_JSON, LIST_MARKDOWN };

struct list_options {
    const char *what;
    enum list_format format;
    bool coverage, proforma;
    const char *chapter, *spec; /* NULL: all */
    const char *protocol;       /* NULL: falcon */
};

#define TL_OPTIONS_OF struct list_options

static const struct tl_option option_list[] = {
    {TL_TEXT("WHAT", what, NULL)},
    {TL_CHOICE("--format", format, "text|json|markdown", "text json markdown"),
     .help = "default text; markdown: the glossary (list words), as in docs/glossary.md"},
    {TL_FLAG("--coverage", coverage),
     .help =
         "of requirements: the rules and scenarios that decide each of them, the faults (or "
         "conforming variants) that prove these checks, or the reason why nothing proves "
         "them; and the totals"},
    {TL_TEXT("--chapter", chapter, "N"),
     .help = "of requirements: those of a chapter or section: 10, 9.1, RDMA-6.4"},
    {TL_TEXT("--spec", spec, "NAME"),
     .help = "of requirements: those of a specification: FTP, RDMA, NVMe"},
    {TL_TEXT("--protocol", protocol, "falcon|logic|roce|eventpipe"),
     .help =
         "of rules: those for Falcon (default), for the logic of any transport, for RoCEv2 or "
         "for the event pipeline of a NIC"},
    {TL_FLAG("--proforma", proforma),
     .help =
         "of ics: an empty ICS for talon run --ics; answer each item with true or false, or "
         "leave it null\nof ixit: an empty IXIT for talon run --ixit; a value, or null for "
         "the default"},
};
static const struct tl_options options = {"list", option_list,
                                          sizeof option_list / sizeof *option_list};

/* NULL: there is no such list. */
static const struct listing *find(const char *what)
{
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
        if (strcmp(listings[i].name, what) == 0)
            return &listings[i];
    return NULL;
}

static int no_such_list(const char *what)
{
    const char *known[sizeof listings / sizeof *listings], *near;
    size_t n = sizeof listings / sizeof *listings, len = 0;
    char names[400] = "";

    for (size_t i = 0; i < n; i++)
        known[i] = listings[i].name;
    near = what != NULL ? fal_nearest(what, known, n) : NULL;
    if (near != NULL)
        return tl_verb_wrong(options.verb, "no list '%.60s'; did you mean '%s'?", what, near);
    for (size_t i = 0; i < n && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? ", " : "",
                                listings[i].name);
    return what == NULL
               ? tl_verb_wrong(options.verb, "no list named; there are %s", names)
               : tl_verb_wrong(options.verb, "no list '%.60s'; there are %s", what, names);
}

/* Whether --chapter names it: of the specification that --spec names, if the chapter names
 * none. */
static bool in_chapter(const struct list_options *o, const struct fal_requirement *r)
{
    char full[64];

    if (o->chapter == NULL)
        return true;
    if (o->spec == NULL || strchr(o->chapter, '-') != NULL)
        return tl_select_in_chapter(o->chapter, r);
    (void)snprintf(full, sizeof full, "%s-%s", r->spec, o->chapter);
    return tl_select_in_chapter(full, r);
}

/* Removes the requirements that --chapter and --spec do not name. */
static void keep_asked(json_t *list, const struct list_options *o)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        const json_t *row = json_array_get(list, i);
        const struct fal_requirement *r =
            fal_requirement_find(json_string_value(json_object_get(row, "id")));

        if (!in_chapter(o, r) || (o->spec != NULL && strcasecmp(o->spec, r->spec) != 0))
            (void)json_array_remove(list, i);
    }
}

static int print_list(const struct listing *chosen, const struct list_options *o)
{
    json_t *list = chosen->make();

    if (list == NULL) {
        fprintf(stderr, "talon list: %s\n",
                chosen->make == tl_suite_list || chosen->make == tl_suite_cases ||
                        chosen->make == tl_suite_profiles
                    ? "no suite beside the program"
                    : "out of memory");
        return TL_STATUS_ERROR;
    }
    if (o->chapter != NULL || o->spec != NULL) {
        keep_asked(list, o);
        if (json_array_size(list) == 0) {
            json_decref(list);
            return tl_verb_wrong(
                options.verb,
                "no requirement of %s%.40s; expected a chapter such as 10, 9.1 "
                "or RDMA-6.4, and a specification: FTP, RDMA or NVMe",
                o->chapter != NULL ? "chapter " : "",
                o->chapter != NULL ? o->chapter : o->spec);
        }
    }
    if (o->format == LIST_JSON) {
        (void)json_dumpf(list, stdout, JSON_INDENT(1));
        putchar('\n');
    } else {
        print_text(chosen, list);
        if (o->coverage)
            tl_coverage_totals(stdout, list);
    }
    json_decref(list);
    return TL_STATUS_PASS;
}

/* The rules of the protocol that --protocol names; NULL after an error was printed. */
static const struct listing *of_protocol(const char *name)
{
    const char *names[sizeof protocols / sizeof *protocols];
    const size_t n = sizeof protocols / sizeof *protocols;

    for (size_t i = 0; i < n; i++) {
        names[i] = protocols[i].name;
        if (strcmp(names[i], name) == 0)
            return &protocols[i];
    }
    FAL_IGNORE(tl_verb_wrong(
        options.verb, "--protocol: no rules for '%.40s'%s", name,
        fal_hint(fal_nearest(name, names, n), "; talon list --help names the protocols")
            .text)); /* the caller returns the status */
    return NULL;
}

int tl_cmd_list(int argc, char **argv)
{
    struct list_options o = {.what = NULL};
    const struct listing *chosen;
    int status = tl_verb_read(&options, tl_usage_list, argc, argv, &o);

    if (status != TL_VERB_GO)
        return status;
    chosen = o.what != NULL ? find(o.what) : NULL;
    if (chosen == NULL)
        return no_such_list(o.what);
    if (o.protocol != NULL && chosen->make != list_rules)
        return tl_verb_wrong(options.verb, "--protocol is for rules");
    if (o.protocol != NULL)
        chosen = of_protocol(o.protocol);
    if (chosen == NULL)
        return TL_STATUS_USAGE;
    if (o.format == LIST_MARKDOWN && chosen->make == tl_list_words)
        return tl_print_glossary(stdout) == 0 ? TL_STATUS_PASS : TL_STATUS_ERROR;
    if (o.format == LIST_MARKDOWN)
        return tl_verb_wrong(options.verb, "--format markdown is for words");
    if (o.proforma && chosen->make == tl_ics_list)
        return print_proforma(tl_ics_proforma());
    if (o.proforma && chosen->make == tl_ixit_list)
        return print_proforma(tl_ixit_proforma());
    if (o.proforma)
        return tl_verb_wrong(options.verb, "--proforma is for ics and ixit");
    if ((o.chapter != NULL || o.spec != NULL) && chosen->make != list_requirements)
        return tl_verb_wrong(options.verb, "--chapter and --spec are for requirements");
    if (o.coverage && chosen->make != list_requirements)
        return tl_verb_wrong(options.verb, "--coverage is for requirements");
    return print_list(o.coverage ? &coverage : chosen, &o);
}
