/* SPDX-License-Identifier: Apache-2.0
 * catalogue_gen.c - build step: requirements.json, kills.txt and suite-kills.txt to the C
 * tables behind catalogue.h. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_string(const char *text)
{
    if (text == NULL) {
        fputs("NULL", stdout);
        return;
    }
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p != 0; p++) {
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p);
        else if (*p < 0x20 || *p >= 0x7f || *p == '?')
            printf("\\%03o",
                   *p); /* octal escapes end by themselves; ? could start a trigraph */
        else
            putchar(*p);
    }
    putchar('"');
}

/* Lines "FAULT RULE REQUIREMENT SEED"; 0, or 2. */
static int put_kills(const char *path)
{
    char fault[64], rule[16], requirement[64];
    FILE *file = fopen(path, "r");
    unsigned seed;
    size_t n = 0;
    int got;

    if (file == NULL) {
        perror(path);
        return 2;
    }
    printf("const struct fal_kill fal_kill_table[] = {\n");
    while ((got = fscanf(file, "%63s %15s %63s %u", fault, rule, requirement, &seed)) == 4) {
        printf("    {\"%s\", \"%s\", \"%s\", %u},\n", fault, rule, requirement, seed);
        n++;
    }
    printf("    {\"\", \"\", \"\", 0}};\nconst size_t fal_kill_count = %zu;\n", n);
    (void)fclose(file);
    if (got == EOF)
        return 0;
    fprintf(stderr, "%s: entry %zu: FAULT RULE REQUIREMENT SEED\n", path, n + 1);
    return 2;
}

/* Lines "FAULT SCENARIO fail|warn"; 0, or 2. */
static int put_suite_kills(const char *path)
{
    char fault[64], scenario[64], verdict[8];
    FILE *file = fopen(path, "r");
    size_t n = 0;
    int got;

    if (file == NULL) {
        perror(path);
        return 2;
    }
    printf("const struct fal_suite_kill fal_suite_kill_table[] = {\n");
    while ((got = fscanf(file, "%63s %63s %7s", fault, scenario, verdict)) == 3) {
        bool fail = strcmp(verdict, "fail") == 0;

        if (!fail && strcmp(verdict, "warn") != 0)
            break;
        printf("    {\"%s\", \"%s\", FAL_VERDICT_%s},\n", fault, scenario,
               fail ? "FAIL" : "WARN");
        n++;
    }
    printf("    {\"\", \"\", FAL_VERDICT_NONE}};\n"
           "const size_t fal_suite_kill_count = %zu;\n",
           n);
    (void)fclose(file);
    if (got == EOF)
        return 0;
    fprintf(stderr, "%s: entry %zu: FAULT SCENARIO fail|warn\n", path, n + 1);
    return 2;
}

/* Lines "REQUIREMENT why nothing proves it", and comments behind '#'; 0, or 2. */
static int put_reasons(const char *path)
{
    char line[512], id[64];
    FILE *file = fopen(path, "r");
    size_t n = 0;
    int at = 0, status = 0;

    if (file == NULL) {
        perror(path);
        return 2;
    }
    printf("const struct fal_reason fal_reason_table[] = {\n");
    while (status == 0 && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%63s %n", id, &at) != 1 || line[at] == 0) {
            fprintf(stderr, "%s: entry %zu: REQUIREMENT why\n", path, n + 1);
            status = 2;
            continue;
        }
        printf("    {\"%s\", ", id);
        put_string(line + at);
        printf("},\n");
        n++;
    }
    printf("    {\"\", \"\"}};\nconst size_t fal_reason_count = %zu;\n", n);
    (void)fclose(file);
    return status;
}

/* An entry and its place, to be sorted by id. */
struct place {
    const char *id;
    size_t at;
};

static int by_id(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return strcmp(x->id, y->id);
}

/* The places of the entries in the order of their ids: they are looked up by the thousand. */
static int put_order(const json_t *list)
{
    size_t n = json_array_size(list);
    struct place *places = calloc(n + 1, sizeof *places);

    if (places == NULL)
        return 2;
    for (size_t i = 0; i < n; i++) {
        places[i].id = json_string_value(json_object_get(json_array_get(list, i), "id"));
        places[i].at = i;
    }
    qsort(places, n, sizeof *places, by_id);
    printf("const unsigned short fal_catalogue_order[] = {");
    for (size_t i = 0; i < n; i++)
        printf("%s%zu,", i % 16 == 0 ? "\n    " : " ", places[i].at);
    printf("\n};\n");
    free(places);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const members[] = {
        "id",   "spec",       "section",  "title",   "level",     "role", "layer",
        "text", "observable", "stimulus", "verdict", "on_breach", "alt",  "ics",
    };
    json_error_t error;
    json_t *list, *entry;
    size_t i;

    if (argc != 5) {
        fprintf(
            stderr,
            "usage: catalogue_gen requirements.json kills.txt suite-kills.txt reasons.txt\n");
        return 2;
    }
    list = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (!json_is_array(list)) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
        return 2;
    }
    printf("/* Generated from %s; do not edit. */\n", argv[1]);
    printf("#include \"oracles/catalogue_table.h\"\n\n"
           "const struct fal_requirement fal_catalogue_table[] = {\n");
    json_array_foreach(list, i, entry)
    {
        printf("    {");
        for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
            printf(".%s = ", members[m]);
            put_string(json_string_value(json_object_get(entry, members[m])));
            printf(", ");
        }
        printf(".bench = %d},\n", json_is_true(json_object_get(entry, "bench")));
    }
    printf("};\nconst size_t fal_catalogue_count = %zu;\n", json_array_size(list));
    if (put_order(list) != 0)
        return 2;
    json_decref(list);
    if (put_kills(argv[2]) != 0 || put_suite_kills(argv[3]) != 0 || put_reasons(argv[4]) != 0)
        return 2;
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
