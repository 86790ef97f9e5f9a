/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain.c - `talon explain WORD`: its meaning, where the specification states it, the
 * checks that decide it, and the faults that violate it. */
#include "harness/cli/cmd.h"
#include "harness/cli/explain.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 16, SHORT_FROM = 2 };

/* Words wrapped below each other behind a label. */
static void put_wrapped(const char *label, const char *value)
{
    size_t column = INDENT;
    bool first = true;

    printf("  %-*s", INDENT - 2, label);
    while (*value != 0) {
        size_t len;

        value += strspn(value, " ");
        len = strcspn(value, " ");
        if (len == 0)
            break;
        if (!first && column + 1 + len > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)len, value);
        column += len;
        value += len;
        first = false;
    }
    putchar('\n');
}

static void put_list(const char *label, const json_t *list)
{
    char text[16384];
    size_t i, len = 0;
    json_t *item;

    text[0] = 0;
    json_array_foreach(list, i, item)
    {
        int n = snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? ", " : "",
                         json_string_value(item));

        if (n < 0 || (size_t)n >= sizeof text - len)
            break;
        len += (size_t)n;
    }
    put_wrapped(label, text);
}

static void put_label(const char *key, char out[INDENT])
{
    size_t i = 0;

    for (; key[i] != 0 && i + 1 < INDENT; i++)
        out[i] = key[i] == '_' ? ' ' : key[i];
    out[i] = 0;
}

static void put_object(const json_t *object)
{
    const char *key;
    json_t *value;

    printf("%s %s\n", json_string_value(json_object_get(object, "kind")),
           json_string_value(json_object_get(object, "id")));
    json_object_foreach((json_t *)object, key, value)
    {
        char label[INDENT];

        put_label(key, label);
        if (strcmp(key, "kind") == 0 || strcmp(key, "id") == 0)
            continue;
        if (json_is_array(value))
            put_list(label, value);
        else
            put_wrapped(label, json_string_value(value));
    }
}

/* Many of one kind: a line each, of a section or a pattern. */
static void put_line(const json_t *object)
{
    char checked[256];
    size_t i, len = 0;
    json_t *item;
    static const char *const keys[] = {"rules", "scenarios"};

    checked[0] = 0;
    for (size_t k = 0; k < 2; k++) {
        json_array_foreach(json_object_get(object, keys[k]), i, item)
        {
            int n =
                snprintf(checked + len, sizeof checked - len, " %s", json_string_value(item));

            if (n < 0 || (size_t)n >= sizeof checked - len)
                break;
            len += (size_t)n;
        }
    }
    printf("%-18s %-6s %s%s%s\n", json_string_value(json_object_get(object, "id")),
           json_string_value(json_object_get(object, "on_breach")),
           json_string_value(json_object_get(object, "title")), len > 0 ? "  <-" : "", checked);
}

static void put_text(const json_t *found)
{
    size_t i;
    json_t *object;

    json_array_foreach(found, i, object)
    {
        if (json_object_get(object, "text") == NULL &&
            json_object_get(object, "file") == NULL) {
            put_line(object);
            continue;
        }
        if (i > 0)
            putchar('\n');
        put_object(object);
    }
}

static int unknown(const char *id, const struct fal_nearest_list *nearest)
{
    char names[200];

    fal_nearest_print(nearest, names, sizeof names);
    fprintf(stderr, "talon explain: there is no '%.60s'%s%s%s\n", id,
            nearest->num > 0 ? "; did you mean " : "", names,
            nearest->num > 0 ? "?" : " (see talon help explain)");
    return TL_STATUS_USAGE;
}

/* Adds everything about one id. */
static int explain(const char *id, struct tl_known *known, json_t *all)
{
    struct fal_nearest_list nearest;
    json_t *found = tl_explain(id, &nearest, known);
    int status = 0;

    if (found == NULL || json_array_extend(all, found) != 0) {
        fprintf(stderr, "talon explain: out of memory\n");
        status = TL_STATUS_ERROR;
    } else if (json_array_size(found) == 0) {
        status = unknown(id, &nearest);
    }
    json_decref(found);
    return status;
}

struct explain_options {
    struct tl_texts words;
    enum { EXPLAIN_TEXT, EXPLAIN_JSON } format;
};

static const struct tl_option option_list[] = {
    {.name = "WORD", .kind = TL_OPTION_TEXTS, .at = offsetof(struct explain_options, words)},
    {.name = "--format",
     .kind = TL_OPTION_CHOICE,
     .at = offsetof(struct explain_options, format),
     .value = "text|json",
     .words = "text json",
     .help = "default text"},
};
static const struct tl_options options = {"explain", option_list,
                                          sizeof option_list / sizeof *option_list};

static int explain_all(const struct explain_options *o)
{
    struct tl_known known = {0};
    json_t *all = json_array();
    int status = 0;

    for (size_t i = 0; i < o->words.count && status != TL_STATUS_ERROR; i++) {
        int one = explain(o->words.list[i], &known, all);

        status = one > status ? one : status;
    }
    if (json_array_size(all) > 0 && o->format == EXPLAIN_JSON) {
        (void)json_dumpf(all, stdout, JSON_INDENT(1));
        putchar('\n');
    } else {
        put_text(all);
    }
    tl_known_free(&known);
    json_decref(all);
    return status;
}

int tl_cmd_explain(int argc, char **argv)
{
    struct explain_options o = {.format = EXPLAIN_TEXT};
    int status = tl_verb_read(&options, tl_usage_explain, argc, argv, &o);

    if (status == TL_VERB_GO)
        status =
            o.words.count > 0 ? explain_all(&o) : tl_verb_wrong(options.verb, "no word given");
    tl_options_free(&options, &o);
    return status;
}
