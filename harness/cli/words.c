/* SPDX-License-Identifier: Apache-2.0
 * words.c - the glossary. Most rows come from the tables that the program itself uses, so that
 * nothing is explained twice; words_list.h holds the others. */
#include "harness/cli/words.h"

#include "codecs/base/error.h"
#include "codecs/header/headers.h"
#include "harness/claims/ics.h"
#include "harness/cli/explain.h"
#include "harness/run/run.h"
#include "oracles/params.h"

#include <stdbool.h>
#include <string.h>

static const struct word {
    const char *kind, *word, *text;
} words[] = {
#define X(kind, word, text) {kind, word, text},
#include "harness/cli/words_list.h"
#undef X
};

static json_t *put(json_t *list, const char *kind, const char *word, const char *text)
{
    json_t *object = json_pack("{s:s, s:s, s:s}", "kind", kind, "word", word, "text", text);

    return json_array_append_new(list, object) == 0 ? object : NULL;
}

/* The rows of words_list.h of one kind. */
static void add_listed(json_t *list, const char *kind)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].kind, kind) == 0)
            (void)put(list, kind, words[i].word, words[i].text);
}

static json_t *find(json_t *list, const char *kind, const char *word)
{
    size_t i;
    json_t *object;

    json_array_foreach(list, i, object)
    {
        if (strcmp(json_string_value(json_object_get(object, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(object, "word")), word) == 0)
            return object;
    }
    return NULL;
}

/* A field of a Falcon packet; the same name in another header is the same word. */
static void add_field(json_t *list, const struct fal_layout *layout, const struct fal_field *f)
{
    json_t *object = find(list, "field", f->name);

    if (object == NULL) {
        object = put(list, "field", f->name, f->doc);
        if (f->alias != NULL)
            (void)json_object_set_new(object, "aliases", json_pack("[s]", f->alias));
        (void)json_object_set_new(object, "bits", json_sprintf("%u", (unsigned)f->width_bits));
        (void)json_object_set_new(object, "headers", json_array());
    }
    (void)json_array_append_new(json_object_get(object, "headers"), json_string(layout->name));
}

static void add_fields(json_t *list, const char *kind)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    (void)kind;
    for (size_t i = 0; i < n; i++) {
        if (strncmp(layouts[i]->section, "FTP 7.", 6) != 0)
            continue;
        for (size_t k = 0; k < layouts[i]->num_fields; k++)
            if (layouts[i]->fields[k].kind != FAL_RSVD)
                add_field(list, layouts[i], &layouts[i]->fields[k]);
    }
}

static void add_params(json_t *list, const char *kind)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        (void)put(list, kind, table[i].name, table[i].doc);
}

/* Rows of another list: `key` is the word, `text` the member that explains it. */
static void add_from(json_t *list, const char *kind, json_t *rows, const char *key,
                     const char *text)
{
    size_t i;
    json_t *row;

    json_array_foreach(rows, i, row)
    {
        json_t *object = put(list, kind, json_string_value(json_object_get(row, key)),
                             json_string_value(json_object_get(row, text)));
        const char *needs = json_string_value(json_object_get(row, "implies"));

        if (needs != NULL && needs[0] != 0)
            (void)json_object_set_new(object, "needs", json_string(needs));
    }
    json_decref(rows);
}

static void add_ics(json_t *list, const char *kind)
{
    add_from(list, kind, tl_ics_list(), "item", "doc");
}

static void add_profiles(json_t *list, const char *kind)
{
    add_from(list, kind, tl_suite_profiles(), "name", "title");
}

static void add_excuses(json_t *list, const char *kind)
{
    add_from(list, kind, tl_list_excuses(), "name", "doc");
}

/* The kinds in the order of the glossary. */
static const struct kind {
    const char *name, *heading, *intro;
    void (*add)(json_t *list, const char *kind);
} kinds[] = {
    {"term", "Words of Talon", "", add_listed},
    {"falcon", "Words of the specification", "", add_listed},
    {"verdict", "Verdicts", "The result of a case.", add_listed},
    {"disposition", "Dispositions", "Shown beside or instead of the verdict of a case.",
     add_listed},
    {"reason", "Reasons", "Why a case did not pass, or did not run.", add_listed},
    {"label", "Lines of a failure", "", add_listed},
    {"notation", "Notation of packets", "`talon help notation` prints the grammar.",
     add_listed},
    {"packet", "Packet types", "", add_listed},
    {"flag", "Flags of a packet", "", add_listed},
    {"field", "Fields of Falcon packets",
     "The short name, if there is one, stands in brackets.", add_fields},
    {"code", "Values of code fields", "", add_listed},
    {"event", "Events and answers of the upper layer", "", add_listed},
    {"excuse", "Excuses",
     "A rule counts them. None of them makes a case pass ([judging.md](judging.md)).",
     add_excuses},
    {"mark", "Marks on a timeline", "", add_listed},
    {"parameter", "Parameters of a connection",
     "Set them with `--param NAME=VALUE`, in a scenario, or in the IXIT.\n"
     "`talon help defaults` prints the defaults.",
     add_params},
    {"ics", "ICS items", "What a device may offer; `talon list ics` prints the list.", add_ics},
    {"profile", "Profiles", "Select one with `talon run --profile NAME`.", add_profiles},
    {"encapsulation", "Encapsulations", "Select one with `talon run --encap NAME`.",
     add_listed},
};

json_t *tl_list_words(void)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < sizeof kinds / sizeof *kinds; i++)
        kinds[i].add(list, kinds[i].name);
    return list;
}

/* ---- docs/glossary.md ---- */

/* A cell of a table: '|' would end it. */
static void put_cell(FILE *out, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_row(FILE *out, const json_t *object)
{
    const char *alias =
        json_string_value(json_array_get(json_object_get(object, "aliases"), 0));
    const json_t *headers = json_object_get(object, "headers");
    const char *needs = json_string_value(json_object_get(object, "needs"));
    size_t i;
    json_t *header;

    fputs("| `", out);
    put_cell(out, json_string_value(json_object_get(object, "word")));
    fputc('`', out);
    if (alias != NULL)
        fprintf(out, " (`%s`)", alias);
    fputs(" | ", out);
    put_cell(out, json_string_value(json_object_get(object, "text")));
    json_array_foreach(headers, i, header)
    {
        fprintf(out, "%s%s", i == 0 ? " (in " : ", ", json_string_value(header));
    }
    fputs(i > 0 ? ")" : "", out);
    if (needs != NULL)
        fprintf(out, " (needs `%s`)", needs);
    fputs(" |\n", out);
}

int tl_print_glossary(FILE *out)
{
    static const char head[] =
        "# Glossary\n"
        "\n"
        "The words that a failure or a report can show. This file is printed by\n"
        "`talon list words --format markdown`; `make glossary` writes it again. Do not edit it.\n"
        "\n"
        "`talon explain WORD` prints one entry. Rules, requirements, scenarios, faults, conforming\n"
        "variants (twins), lint issues and unclear sentences have an id and a list of their own:\n"
        "`talon list rules`, and so on; `talon explain ID` explains those, too.\n";
    json_t *list = tl_list_words(), *object;
    size_t i;

    if (list == NULL)
        return FAL_ERR_MEM;
    fputs(head, out);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        fprintf(out, "\n## %s\n\n", kinds[k].heading);
        if (kinds[k].intro[0] != 0)
            fprintf(out, "%s\n\n", kinds[k].intro);
        fputs("| word | meaning |\n|---|---|\n", out);
        json_array_foreach(list, i, object)
        {
            if (strcmp(json_string_value(json_object_get(object, "kind")), kinds[k].name) == 0)
                put_row(out, object);
        }
    }
    json_decref(list);
    return ferror(out) ? FAL_ERR_IO : 0;
}
