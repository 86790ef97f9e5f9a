/* SPDX-License-Identifier: Apache-2.0
 * apart_test.c - the judge is not the player: no stretch of code looks the same in
 * oracles/rules and in oracles/endpoint, be it word for word or with other names. Who copies a
 * reading of the specification copies its mistakes. Runs where the sources lie. */
#include "tests/testing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many tokens in a row may be alike by chance. Loops and switches over the same types are
 * long before they mean anything once their names are gone. */
enum { SAME_WORDS = 28, SAME_SHAPE = 64 };

struct token {
    uint32_t word, shape; /* hashes: of the token; of its kind, where it is a name or number */
    const char *file;
    unsigned line;
};

enum { FILES_MAX = 400 };

struct code {
    struct token *tokens;
    size_t num, cap;
    char names[FILES_MAX][300];
    size_t num_names;
};

static uint32_t hash(const char *text, size_t len)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static bool keyword(const char *text, size_t len)
{
    static const char *const words[] = {"break",   "case",   "const",  "continue", "default",
                                        "do",      "else",   "enum",   "for",      "if",
                                        "return",  "sizeof", "static", "struct",   "switch",
                                        "typedef", "union",  "void",   "while"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
            return true;
    return false;
}

static void add(struct code *code, const char *file, unsigned line, const char *text,
                size_t len)
{
    bool name = isalpha((unsigned char)text[0]) || text[0] == '_';
    uint32_t word = hash(text, len);

    if (code->num == code->cap) {
        code->cap = code->cap == 0 ? 4096 : 2 * code->cap;
        code->tokens = realloc(code->tokens, code->cap * sizeof *code->tokens);
        ck_assert_ptr_nonnull(code->tokens);
    }
    code->tokens[code->num++] = (struct token){
        .word = word,
        .shape = (name && !keyword(text, len)) || isdigit((unsigned char)text[0]) ||
                         text[0] == '"' || text[0] == '\''
                     ? 1
                     : word,
        .file = file,
        .line = line};
}

/* The end of a comment, a directive, a literal, a name or a sign that begins at p; counts
 * lines.
 */
static const char *end_of(const char *p, unsigned *line, bool *skip)
{
    const char *start = p;

    *skip = false;
    if (p[0] == '/' && p[1] == '*') {
        for (p += 2; *p != 0 && !(p[0] == '*' && p[1] == '/'); p++)
            *line += *p == '\n';
        *skip = true;
        return *p != 0 ? p + 2 : p;
    }
    if (p[0] == '#') {
        for (; *p != 0 && !(*p == '\n' && p[-1] != '\\'); p++)
            *line += *p == '\n';
        *skip = true;
        return p;
    }
    if (p[0] == '"' || p[0] == '\'') {
        for (p++; *p != 0 && *p != *start; p++)
            p += *p == '\\' && p[1] != 0;
        return *p != 0 ? p + 1 : p;
    }
    if (strncmp(p, "__attribute__", 13) == 0) { /* for the compiler, not for the reader */
        *skip = true;
        return p + strcspn(p, ";{");
    }
    if (isalnum((unsigned char)*p) || *p == '_') {
        while (isalnum((unsigned char)*p) || *p == '_')
            p++;
        return p;
    }
    return p + 1;
}

static void tokenise(struct code *code, const char *file, const char *text)
{
    unsigned line = 1;

    while (*text != 0) {
        bool skip;
        unsigned at = line;
        const char *end;

        if (isspace((unsigned char)*text)) {
            line += *text++ == '\n';
            continue;
        }
        end = end_of(text, &line, &skip);
        if (!skip)
            add(code, file, at, text, (size_t)(end - text));
        text = end;
    }
    /* nothing runs on from one file into the next */
    add(code, file, line, file, strlen(file));
    code->tokens[code->num - 1].shape = code->tokens[code->num - 1].word;
}

static void read_file(struct code *code, const char *path)
{
    FILE *f = fopen(path, "r");
    char *text;
    long size;

    ck_assert_msg(f != NULL, "%s: run where the sources lie", path);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    size = ftell(f);
    ck_assert_int_ge(size, 0);
    rewind(f);
    text = calloc((size_t)size + 1, 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, f), (size_t)size);
    (void)fclose(f);
    tokenise(code, path, text);
    free(text);
}

/* Reads the sources of a folder and of the folders in it. */
static void read_folder(struct code *code, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    ck_assert_msg(dir != NULL, "%s: run where the sources lie", folder);
    while ((entry = readdir(dir)) != NULL) {
        size_t len = strlen(entry->d_name);

        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
            char inner[sizeof *code->names];

            (void)snprintf(inner, sizeof inner, "%s/%s", folder, entry->d_name);
            read_folder(code, inner);
        }
        if (entry->d_type == DT_DIR || len < 3 || strstr(entry->d_name, "_test.c") != NULL ||
            strstr(entry->d_name, "_testing.h") != NULL ||
            (strcmp(entry->d_name + len - 2, ".c") != 0 &&
             strcmp(entry->d_name + len - 2, ".h") != 0))
            continue;
        ck_assert_uint_lt(code->num_names, FILES_MAX);
        (void)snprintf(code->names[code->num_names], sizeof *code->names, "%s/%s", folder,
                       entry->d_name);
        read_file(code, code->names[code->num_names++]);
    }
    (void)closedir(dir);
}

static void free_code(struct code *code)
{
    free(code->tokens);
}

/* ---- stretches ---- */

struct gram {
    uint64_t hash;
    size_t at;
};

static uint64_t gram_hash(const struct token *t, unsigned n, bool shape)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < n; i++)
        h = (h ^ (shape ? t[i].shape : t[i].word)) * UINT64_C(0x100000001b3);
    return h;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ((const struct gram *)a)->hash, y = ((const struct gram *)b)->hash;

    return x < y ? -1 : x > y;
}

/* The first stretch of n tokens that a and b share, or false. */
static bool shared(const struct code *a, const struct code *b, unsigned n, bool shape,
                   size_t *in_a, size_t *in_b)
{
    struct gram *grams;
    bool found = false;

    if (a->num < n || b->num < n)
        return false;
    grams = calloc(a->num - n + 1, sizeof *grams);
    ck_assert_ptr_nonnull(grams);
    for (size_t i = 0; i + n <= a->num; i++)
        grams[i] = (struct gram){gram_hash(&a->tokens[i], n, shape), i};
    qsort(grams, a->num - n + 1, sizeof *grams, by_hash);
    for (size_t i = 0; i + n <= b->num && !found; i++) {
        struct gram key = {gram_hash(&b->tokens[i], n, shape), 0};
        const struct gram *hit = bsearch(&key, grams, a->num - n + 1, sizeof *grams, by_hash);

        found = hit != NULL;
        *in_a = found ? hit->at : 0;
        *in_b = i;
    }
    free(grams);
    return found;
}

static const struct {
    const char *what;
    unsigned tokens;
    bool shape;
} measures[] = {{"word for word", SAME_WORDS, false}, {"but for names", SAME_SHAPE, true}};

START_TEST(rules_and_endpoint_share_no_code)
{
    struct code rules = {0}, endpoint = {0};
    size_t r, e;
    bool found;

    read_folder(&rules, "oracles/rules");
    read_folder(&endpoint, "oracles/endpoint");
    ck_assert_uint_gt(rules.num, 10000);
    ck_assert_uint_gt(endpoint.num, 10000);
    found = shared(&rules, &endpoint, measures[_i].tokens, measures[_i].shape, &r, &e);
    ck_assert_msg(!found, "%s:%u and %s:%u are the same, %s", rules.tokens[r].file,
                  rules.tokens[r].line, endpoint.tokens[e].file, endpoint.tokens[e].line,
                  measures[_i].what);
    free_code(&rules);
    free_code(&endpoint);
}
END_TEST

/* The measure itself: it sees through names, numbers, comments and layout. */
START_TEST(a_copy_with_other_names_is_found)
{
    static const char one[] =
        "static bool in_window(uint32_t psn, uint32_t base)\n{\n    uint32_t ahead = psn - base;"
        "\n\n    if (ahead >= 128)\n        return false;\n    for (unsigned n = 0; n < ahead; n++)"
        "\n        if (bits[n] == 0 && n != 5)\n            return n + 1 < ahead;\n    return ahead > 0;\n}";
    static const char two[] =
        "static bool fits(uint64_t number, uint64_t first) { /* is it? */\nuint64_t d = number - "
        "first;\n#define X 1\nif (d >= 64) return false; for (unsigned i = 1; i < d; i++) "
        "if (seen[i] == 7 && x != y) return i + 2 < d; return d > 9; }";
    static const char other[] = "static bool fits(int a) { return a > 0 ? f(a - 1) : g(a); }";
    struct code a = {0}, b = {0}, c = {0};
    size_t x, y;

    tokenise(&a, "one", one);
    tokenise(&b, "two", two);
    tokenise(&c, "other", other);
    ck_assert(shared(&a, &b, SAME_SHAPE, true, &x, &y));
    ck_assert(!shared(&a, &b, SAME_WORDS, false, &x, &y));
    ck_assert(shared(&a, &a, SAME_WORDS, false, &x, &y));
    ck_assert(!shared(&a, &c, 12, true, &x, &y));
    free_code(&a);
    free_code(&b);
    free_code(&c);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("judge and player apart");
    TCase *tc = tcase_create("apart");

    tcase_add_loop_test(tc, rules_and_endpoint_share_no_code, 0,
                        (int)(sizeof measures / sizeof *measures));
    tcase_add_test(tc, a_copy_with_other_names_is_found);
    suite_add_tcase(suite, tc);
    return suite;
}
