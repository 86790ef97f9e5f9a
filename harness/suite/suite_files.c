/* SPDX-License-Identifier: Apache-2.0
 * suite_files.c - where scenarios and profiles come from. */
#include "harness/suite/suite.h"

#include "oracles/payload.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 32, PATH_LEN = 4096 };

struct names {
    char **list;
    size_t count;
};

/* Takes `path`. */
static bool add_name(struct names *names, char *path)
{
    char **grown =
        path != NULL ? realloc(names->list, (names->count + 1) * sizeof *grown) : NULL;

    if (grown == NULL) {
        free(path);
        return false;
    }
    names->list = grown;
    names->list[names->count++] = path;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);

    return len >= n && strcmp(text + len - n, end) == 0;
}

/* All *.json files below a directory, except schemas, profiles, scenarios of RoCEv2
 * (harness/roce) and hidden files. */
static bool walk(struct names *names, const char *path, int depth)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool ok = true;

    if (dir == NULL)
        return true; /* it existed when it was listed; a file that cannot be read is not run */
    while (ok && (entry = readdir(dir)) !=
                     NULL) { /* NOLINT(concurrency-mt-unsafe) one thread reads */
        char *below;

        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "schema") == 0 ||
            strcmp(entry->d_name, "profiles") == 0 || strncmp(entry->d_name, "roce-", 5) == 0)
            continue;
        if (asprintf(&below, "%s%s%s", path, ends_with(path, "/") ? "" : "/", entry->d_name) <
            0) {
            ok = false;
        } else if (is_directory(below)) {
            ok = depth == 0 || walk(names, below, depth - 1);
            free(below);
        } else if (ends_with(below, ".json")) {
            ok = add_name(names, below);
        } else {
            free(below);
        }
    }
    (void)closedir(dir);
    return ok;
}

/* The ids seen so far: open addressing, at most half full. */
struct seen {
    struct {
        const char *name, *path;
    } * slots;
    size_t cap;
};

static bool seen_make(struct seen *seen, size_t names)
{
    for (seen->cap = 16; seen->cap < names * 2;)
        seen->cap *= 2;
    seen->slots = calloc(seen->cap, sizeof *seen->slots);
    return seen->slots != NULL;
}

/* The file that has this id already; NULL if none has, and the id is noted. */
static const char *seen_add(struct seen *seen, const char *name, const char *path)
{
    size_t i = (size_t)fal_payload_hash((const uint8_t *)name, strlen(name)) & (seen->cap - 1);

    for (; seen->slots[i].name != NULL; i = (i + 1) & (seen->cap - 1))
        if (strcmp(seen->slots[i].name, name) == 0)
            return seen->slots[i].path;
    seen->slots[i].name = name;
    seen->slots[i].path = path;
    return NULL;
}

/* Two files with one id: the second is wrong. */
static bool is_double(struct seen *ids, const struct tl_reading *reading, FILE *errors)
{
    const char *id = reading->scenario->file_id;
    const char *same = seen_add(ids, id, reading->path);

    if (same == NULL)
        return false;
    fprintf(errors, "%s:%u:%u: id: '%s' is also the id of %s; expected a unique name\n",
            reading->path, reading->id.line, reading->id.column, id, same);
    return true;
}

static void free_cases(struct tl_scenario *scenario)
{
    while (scenario != NULL) {
        struct tl_scenario *next = scenario->next;

        tl_scenario_free(scenario);
        scenario = next;
    }
}

/* Adds all cases of a file, and takes them. */
static int add_cases(struct tl_suite *suite, struct tl_scenario *scenario)
{
    while (scenario != NULL) {
        struct tl_scenario *next = scenario->next;

        if (suite->count == suite->cap) {
            size_t cap = suite->cap == 0 ? 64 : suite->cap * 2;
            struct tl_scenario **grown = realloc(suite->list, cap * sizeof *grown);

            if (grown == NULL) {
                free_cases(scenario);
                return FAL_ERR_MEM;
            }
            suite->list = grown;
            suite->cap = cap;
        }
        suite->list[suite->count++] = scenario;
        scenario = next;
    }
    return 0;
}

/* Takes the scenarios read from a file. */
static int take(struct tl_suite *suite, struct seen *ids, struct tl_reading *reading,
                FILE *errors)
{
    struct tl_scenario *scenario = reading->scenario;

    reading->scenario = NULL;
    if (scenario == NULL && reading->said == NULL)
        return FAL_ERR_MEM;
    fputs(reading->said != NULL ? reading->said : "", errors);
    if (scenario != NULL) {
        struct tl_reading whole = {
            .path = reading->path, .scenario = scenario, .id = reading->id};

        if (!is_double(ids, &whole, errors)) {
            suite->files++;
            suite->checked += reading->cases;
            suite->passed_over += reading->passed_over;
            return add_cases(suite, scenario);
        }
    }
    free_cases(scenario);
    suite->bad_files++;
    return 0;
}

/* The files, each once: one that was named twice runs once. */
static int read_files(struct tl_suite *suite, const struct names *names,
                      const struct tl_reading_how *how, FILE *errors)
{
    struct seen paths = {0}, ids = {0};
    struct tl_reading *readings = calloc(names->count + 1, sizeof *readings);
    size_t n = 0;
    int rc = FAL_ERR_MEM;

    if (readings == NULL || !seen_make(&paths, names->count) || !seen_make(&ids, names->count))
        goto done;
    for (size_t i = 0; i < names->count; i++)
        if (seen_add(&paths, names->list[i], names->list[i]) == NULL)
            readings[n++].path = names->list[i];
    tl_readings_make(readings, n, how);
    rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = take(suite, &ids, &readings[i], errors);
done:
    for (size_t i = 0; i < n; i++) {
        free_cases(readings[i].scenario);
        free(readings[i].said);
    }
    free(readings);
    free(paths.slots);
    free(ids.slots);
    return rc;
}

int tl_suite_read(struct tl_suite *suite, const char *const *paths, size_t n,
                  const struct tl_reading_how *how, FILE *errors)
{
    struct names names = {0};
    int rc = FAL_ERR_MEM;

    *suite = (struct tl_suite){0};
    for (size_t i = 0; i < n; i++) {
        size_t before = names.count;

        if (!is_directory(paths[i])) {
            if (!add_name(&names, strdup(paths[i])))
                goto done;
            continue;
        }
        if (!walk(&names, paths[i], DEPTH_MAX))
            goto done;
        if (names.count == before) {
            fprintf(errors, "%s: the directory contains no scenario (*.json)\n", paths[i]);
            suite->bad_files++;
        } else {
            qsort(names.list + before, names.count - before, sizeof *names.list, by_name);
        }
    }
    rc = read_files(suite, &names, how, errors);
done:
    for (size_t i = 0; i < names.count; i++)
        free(names.list[i]);
    free(names.list);
    return rc;
}

void tl_suite_free(struct tl_suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        tl_scenario_free(suite->list[i]);
    free(suite->list);
    *suite = (struct tl_suite){0};
}

bool tl_suite_default(char *out, size_t cap)
{
    /* The last one is that of a build folder within another, such as BUILD=build/asan. */
    static const char *const places[] = {"../scenarios", "../share/talon/scenarios",
                                         "../../scenarios"};
    char exe[PATH_LEN], here[PATH_LEN], joined[PATH_LEN + 64], real[PATH_LEN];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;

    if (len <= 0)
        return false;
    exe[len] = 0;
    slash = strrchr(exe, '/');
    if (slash == NULL)
        return false;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *found = real;
        size_t n;

        (void)snprintf(joined, sizeof joined, "%s/%s", exe, places[i]);
        if (realpath(joined, real) == NULL || !is_directory(real))
            continue;
        /* Relative where that is shorter: results then do not tell where the sources lie. */
        if (getcwd(here, sizeof here) != NULL) {
            n = strlen(here);
            if (n > 1 && strncmp(real, here, n) == 0 && real[n] == '/')
                found = real + n + 1;
        }
        (void)snprintf(out, cap, "%s", found);
        return true;
    }
    return false;
}

bool tl_suite_profile(const char *name, char *out, size_t cap)
{
    char suite[PATH_LEN];
    int n;

    if (strchr(name, '/') != NULL || ends_with(name, ".json")) {
        n = snprintf(out, cap, "%s", name);
        return n > 0 && (size_t)n < cap;
    }
    if (!tl_suite_default(suite, sizeof suite))
        return false;
    n = snprintf(out, cap, "%s/profiles/%s.json", suite, name);
    return n > 0 && (size_t)n < cap && access(out, R_OK) == 0;
}
