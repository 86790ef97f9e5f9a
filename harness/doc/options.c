/* SPDX-License-Identifier: Apache-2.0
 * options.c - reads a command line by an option table. */
#include "harness/doc/options.h"

#include "codecs/base/nearest.h"
#include "codecs/text/text.h"
#include "harness/doc/options_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 200 };

/* ---- rows ---- */

static bool is_argument(const struct tl_option *row)
{
    return row->name[0] != '-';
}

const struct tl_option *tl_options_find(const struct tl_options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (strcmp(row->name, name) == 0 ||
            (row->alias != NULL && strcmp(row->alias, name) == 0))
            return row;
    }
    return NULL;
}

static int no_option(const struct tl_options *options, const char *name, struct fal_error *err)
{
    const char *names[NAMES_MAX], *near;
    size_t n = 0;

    for (size_t i = 0; i < options->count && n < NAMES_MAX; i++)
        if (!is_argument(&options->list[i]) && options->list[i].help != NULL)
            names[n++] = options->list[i].name;
    near = fal_nearest(name, names, n);
    return near != NULL ? fal_fail(err, FAL_ERR_FORM, "no option '%.100s'; did you mean '%s'?",
                                   name, near)
                        : fal_fail(err, FAL_ERR_FORM, "no option '%.100s'", name);
}

/* The row that a word names: exactly, or by an unambiguous beginning. NULL with `err`. */
static const struct tl_option *row_of(const struct tl_options *options, const char *name,
                                      struct fal_error *err)
{
    const struct tl_option *found =
        is_argument(&(struct tl_option){.name = name}) ? NULL : tl_options_find(options, name);
    size_t len = strlen(name);

    if (found != NULL)
        return found;
    for (size_t i = 0; len > 2 && i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->help == NULL || is_argument(row) || strncmp(row->name, name, len) != 0)
            continue;
        if (found != NULL) {
            (void)fal_fail(err, FAL_ERR_FORM, "'%.100s' can be %s or %s", name, found->name,
                           row->name);
            return NULL;
        }
        found = row;
    }
    if (found == NULL)
        (void)no_option(options, name, err);
    return found;
}

/* ---- values ---- */

static bool to_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && *end == 0 && *out >= least && *out <= most;
}

static int not_a_number(const struct tl_option *row, const char *value, uint64_t most,
                        struct fal_error *err)
{
    if (most == UINT64_MAX && row->least == 0)
        return fal_fail(err, FAL_ERR_FORM, "%s '%.100s'; expected a number", row->name, value);
    if (most == UINT64_MAX)
        return fal_fail(err, FAL_ERR_FORM, "%s '%.100s'; expected a number, at least %" PRIu64,
                        row->name, value, row->least);
    return fal_fail(err, FAL_ERR_FORM, "%s '%.100s'; expected %" PRIu64 " to %" PRIu64,
                    row->name, value, row->least, most);
}

static int set_number(const struct tl_option *row, const char *value, void *place,
                      struct fal_error *err)
{
    uint64_t most = row->most != 0                  ? row->most
                    : row->kind == TL_OPTION_NUMBER ? UINT64_MAX
                                                    : UINT_MAX,
             n = 0;

    if (!to_number(value, row->least, most, &n))
        return not_a_number(row, value, most, err);
    if (row->kind == TL_OPTION_NUMBER)
        *(uint64_t *)place = n;
    else
        *(unsigned *)place = (unsigned)n;
    return 0;
}

/* "auto always never" becomes "auto, always or never". */
static void print_words(const char *words, char *out, size_t cap)
{
    size_t at = 0;

    out[0] = 0;
    while (*words != 0) {
        size_t len = strcspn(words, " ");
        const char *rest = words + len + strspn(words + len, " ");
        bool last = strchr(rest, ' ') == NULL;
        int n = snprintf(out + at, cap - at, "%.*s%s", (int)len, words,
                         *rest == 0 ? ""
                         : last     ? " or "
                                    : ", ");

        if (n < 0 || (size_t)n >= cap - at)
            return;
        at += (size_t)n;
        words = rest;
    }
}

static int set_choice(const struct tl_option *row, const char *value, void *place,
                      struct fal_error *err)
{
    size_t len = strlen(value);
    const char *word = row->words;
    char words[200];
    int n = 0;

    while (*word != 0) {
        size_t word_len = strcspn(word, " ");

        if (word_len == len && strncmp(word, value, len) == 0) {
            memcpy(place, &n, sizeof n); /* an enum, which has the size of int */
            return 0;
        }
        n++;
        word += word_len;
        word += strspn(word, " ");
    }
    print_words(row->words, words, sizeof words);
    return fal_fail(err, FAL_ERR_FORM, "%s '%.100s'; expected %s", row->name, value, words);
}

static int set_duration(const struct tl_option *row, const char *value, void *place,
                        struct fal_error *err)
{
    struct fal_duration d;
    uint64_t ns;

    if (fal_text_parse_duration(value, &d, NULL) != 0 || d.var[0] != 0 ||
        fal_duration_ns(&d, NULL, &ns, NULL) != 0 || ns > INT64_MAX)
        return fal_fail(err, FAL_ERR_FORM, "%s '%.100s'; expected a time such as 250us",
                        row->name, value);
    *(uint64_t *)place = ns;
    return 0;
}

static int add_text(struct tl_texts *texts, const char *value, struct fal_error *err)
{
    const char **grown = realloc(texts->list, (texts->count + 1) * sizeof *grown);

    if (grown == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    texts->list = grown;
    texts->list[texts->count++] = value;
    return 0;
}

/* Puts the name of the option before what its reader says. */
static int about(const struct tl_option *row, int code, struct fal_error *err)
{
    struct fal_error why = *err;

    return fal_fail(err, code, "%s%s %.350s", row->name, why.text[0] == '\'' ? "" : ":",
                    why.text);
}

static int set_text(const struct tl_option *row, const char *value, void *into,
                    struct fal_error *err)
{
    void *place = (char *)into + row->at;
    struct fal_error why = {{0}};
    int rc = 0;

    if (value[0] == 0 && !row->may_be_empty)
        return fal_fail(err, FAL_ERR_FORM, "%s ''; expected %s", row->name,
                        row->value != NULL ? row->value : "a text");
    if (row->read != NULL)
        rc = row->read(into, value, &why);
    if (rc != 0) {
        *err = why;
        return about(row, rc, err);
    }
    if (row->kind == TL_OPTION_TEXTS)
        return add_text(place, value, err);
    if (row->kind == TL_OPTION_TEXT)
        *(const char **)place = value;
    return 0;
}

int tl_option_set(const struct tl_option *row, const char *value, void *into,
                  struct fal_error *err)
{
    void *place = (char *)into + row->at;

    if (row->given_at != 0)
        *(bool *)((char *)into + row->given_at) = true;
    switch (row->kind) {
    case TL_OPTION_FLAG: *(bool *)place = true; return 0;
    case TL_OPTION_NUMBER:
    case TL_OPTION_COUNT: return set_number(row, value, place, err);
    case TL_OPTION_CHOICE: return set_choice(row, value, place, err);
    case TL_OPTION_DURATION: return set_duration(row, value, place, err);
    case TL_OPTION_TEXT:
    case TL_OPTION_TEXTS:
    case TL_OPTION_OWN: return set_text(row, value, into, err);
    }
    return FAL_ERR_FORM;
}

/* ---- the command line ---- */

struct reader {
    const struct tl_options *options;
    int argc, at;
    char *const *argv;
    void *into;
    struct fal_error *err;
    const struct tl_option *argument; /* the row of arguments that is filled next */
    bool filled;                      /* it holds one text, and takes no more */
};

/* An argument that is no option goes to the rows of arguments, in their order: a TEXT takes
 * one, TEXTS take the rest. */
static int read_argument(struct reader *r, const char *word)
{
    const struct tl_option *end = r->options->list + r->options->count;
    const struct tl_option *row =
        r->argument != NULL ? r->argument + r->filled : r->options->list;

    while (row < end && !is_argument(row))
        row++;
    if (row == end && r->argument != NULL)
        return fal_fail(r->err, FAL_ERR_FORM, "one argument too many: '%.100s'", word);
    if (row == end)
        return fal_fail(r->err, FAL_ERR_FORM, "no option, and no other argument: '%.100s'",
                        word);
    r->argument = row;
    r->filled = row->kind != TL_OPTION_TEXTS;
    return tl_option_set(row, word, r->into, r->err);
}

/* Whether the word is the name of an option rather than a value. */
static bool names_option(const struct tl_options *options, const char *word)
{
    return strncmp(word, "--", 2) == 0 && tl_options_find(options, word) != NULL;
}

static int read_value(struct reader *r, const struct tl_option *row, const char *value)
{
    if (row->kind == TL_OPTION_FLAG && value != NULL)
        return fal_fail(r->err, FAL_ERR_FORM, "%s takes no value: '%.100s'", row->name, value);
    if (row->kind != TL_OPTION_FLAG && value == NULL) {
        if (r->at + 1 >= r->argc)
            return fal_fail(r->err, FAL_ERR_FORM, "%s needs a value: expected %s", row->name,
                            row->value);
        value = r->argv[r->at + 1];
        if (names_option(r->options, value))
            return fal_fail(r->err, FAL_ERR_FORM,
                            "%s needs a value: expected %s, but %s follows", row->name,
                            row->value, value);
        r->at++;
    }
    return tl_option_set(row, value, r->into, r->err);
}

/* "--name", "--name=value" */
static int read_long(struct reader *r, const char *word)
{
    size_t len = strcspn(word, "=");
    const struct tl_option *row;
    char name[120];

    (void)snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1),
                   word);
    if (strcmp(name, "--help") == 0)
        return TL_OPTIONS_HELP;
    row = row_of(r->options, name, r->err);
    return row != NULL ? read_value(r, row, word[len] == '=' ? word + len + 1 : NULL)
                       : FAL_ERR_FORM;
}

/* "-o value", "-ovalue" */
static int read_short(struct reader *r, const char *word)
{
    char name[3] = {'-', word[1], 0};
    const struct tl_option *row = tl_options_find(r->options, name);

    if (strcmp(word, "-h") == 0)
        return TL_OPTIONS_HELP;
    if (row == NULL)
        return no_option(r->options, word, r->err);
    return read_value(r, row, word[2] != 0 ? word + 2 : NULL);
}

int tl_options_read(const struct tl_options *options, int argc, char *const *argv, void *into,
                    struct fal_error *err)
{
    struct reader r = {
        .options = options, .argc = argc, .argv = argv, .into = into, .err = err};
    bool only_arguments = false;
    int rc = 0;

    for (r.at = 1; rc == 0 && r.at < argc; r.at++) {
        const char *word = argv[r.at];

        if (only_arguments || word[0] != '-' || word[1] == 0)
            rc = read_argument(&r, word);
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else
            rc = word[1] == '-' ? read_long(&r, word) : read_short(&r, word);
    }
    return rc;
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* The row of the option argv[*at], and its value or NULL; *at moves to the last word of it.
 * NULL: the word is no option. */
static const struct tl_option *option_at(const struct tl_options *options, int argc,
                                         char *const *argv, int *at, const char **value)
{
    const char *word = argv[*at], *rest;
    const struct tl_option *row;
    struct fal_error none;
    char name[120];
    size_t len = word[1] == '-' ? strcspn(word, "=") : 2;

    if (word[0] != '-' || word[1] == 0)
        return NULL;
    (void)snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1),
                   word);
    row = row_of(options, name, &none);
    rest = word[len] == '=' && word[1] == '-' ? word + len + 1 : word + len;
    *value = row == NULL || row->kind == TL_OPTION_FLAG ? NULL : rest;
    if (*value != NULL && **value == 0 && word[len] != '=')
        *value = *at + 1 < argc ? argv[++*at] : NULL;
    return row;
}

json_t *tl_options_given(const struct tl_options *options, int argc, char *const *argv,
                         const char *const *but)
{
    json_t *list = json_array();
    bool failed = list == NULL;

    for (int at = 1; !failed && at < argc && strcmp(argv[at], "--") != 0; at++) {
        const char *value;
        const struct tl_option *row = option_at(options, argc, argv, &at, &value);

        if (row != NULL && !is_among(but, row->name))
            failed = json_array_append_new(list, value != NULL
                                                     ? json_sprintf("%s=%s", row->name, value)
                                                     : json_string(row->name)) != 0;
    }
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

void tl_options_free(const struct tl_options *options, void *into)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->kind == TL_OPTION_TEXTS) {
            struct tl_texts *texts = (struct tl_texts *)((char *)into + row->at);

            free(texts->list);
            *texts = (struct tl_texts){.list = NULL};
        }
    }
}
