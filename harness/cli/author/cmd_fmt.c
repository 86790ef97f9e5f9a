/* SPDX-License-Identifier: Apache-2.0
 * cmd_fmt.c - `talon fmt`: scenario files in their canonical layout. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/doc/doc.h"
#include "harness/field/whole_file.h"
#include "harness/roce/roce_scenario.h"
#include "harness/scenario/layout/layout.h"
#include "harness/scenario/scenario.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fmt {
    struct tl_texts paths;
    bool check, write;
    size_t files, changed, bad;
};

#define TL_OPTIONS_OF struct fmt

static const struct tl_option option_list[] = {
    {TL_TEXTS("PATH", paths, NULL)},
    {TL_FLAG("--check", check),
     .help = "write nothing; name each file whose layout differs, and exit with status 1"},
    {TL_FLAG("--write", write), .alias = "-w",
     .help = "replace each file whose layout differs, and name it"},
};
static const struct tl_options options = {"fmt", option_list,
                                          sizeof option_list / sizeof *option_list};

/* The first case of a file shows its mistakes. */
static bool no_other(const void *ctx, const char *file_id, const char *id)
{
    (void)ctx;
    (void)file_id;
    (void)id;
    return false;
}

/* Reads the file as `talon run` does, and prints its errors. Returns whether it has none. */
static bool is_scenario(const char *path, const char *text, size_t len, const char *schema)
{
    static const struct tl_wanted first = {.takes = no_other};
    struct tl_roce_scenario roce;
    struct tl_scenario *scenario;
    struct fal_error err = {{0}};
    char *errors = NULL;
    size_t passed_over = 0;

    if (strcmp(schema, TL_ROCE_SCHEMA) == 0) {
        if (tl_roce_load(path, &roce, &err) != 0) {
            fprintf(stderr, "%s\n", err.text);
            return false;
        }
        tl_roce_free(&roce);
        return true;
    }
    scenario = tl_scenario_read_wanted(path, text, len, &first, &passed_over, &errors);
    if (scenario == NULL)
        fputs(errors != NULL ? errors : "talon fmt: out of memory\n", stderr);
    tl_scenario_free(scenario);
    free(errors);
    return scenario != NULL;
}

enum known { BROKEN, OTHER, SCENARIO };

/* Finds out which kind of file it is. *schema: that of a scenario. BROKEN and OTHER have a
 * clause in `err`. */
static enum known look_at(const char *text, size_t len, const char **schema,
                          struct fal_error *err)
{
    static const char *const schemas[] = {TL_SCENARIO_SCHEMA, TL_ROCE_SCHEMA};
    json_error_t why;
    json_t *file = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    const char *found = json_string_value(json_object_get(file, "schema"));
    enum known known = file != NULL ? OTHER : BROKEN;

    for (size_t i = 0; found != NULL && i < sizeof schemas / sizeof *schemas; i++)
        if (strcmp(found, schemas[i]) == 0) {
            *schema = schemas[i];
            known = SCENARIO;
        }
    if (known == BROKEN)
        (void)fal_fail(err, FAL_ERR_FORM, "%d:%d: %s", why.line, why.column, why.text);
    else if (known == OTHER)
        (void)fal_fail(
            err, FAL_ERR_FORM,
            "1:1: no scenario: expected the member \"schema\" with \"%s\" or \"%s\", "
            "found \"%.60s\"",
            schemas[0], schemas[1], found != NULL ? found : "");
    json_decref(file);
    return known;
}

/* Replaces the file, or the one that a symbolic link names, and keeps its permissions. Returns
 * 0, FAL_ERR_IO or FAL_ERR_MEM with `err`. */
static int replace(const char *path, const char *text, struct fal_error *err)
{
    char *real = realpath(path, NULL),
         *temporary = real != NULL ? tl_whole_begin(real, true, err) : NULL;
    FILE *file = temporary != NULL ? fopen(temporary, "we") : NULL;
    struct stat st;
    bool good = file != NULL && fputs(text, file) >= 0 && stat(real, &st) == 0 &&
                fchmod(fileno(file), st.st_mode & 07777) == 0;
    int rc = FAL_ERR_IO;

    good = file != NULL && fclose(file) == 0 && good;
    if (!good && err->text[0] == 0)
        (void)fal_fail(err, FAL_ERR_IO, "%s: cannot be written", path);
    if (temporary != NULL && tl_whole_end(temporary, real, good, err) == 0 && good)
        rc = 0;
    free(temporary);
    free(real);
    return rc;
}

/* Prints the layout, or compares or replaces the file. Returns 0, or FAL_ERR_IO after a
 * message.
 */
static int finish(struct fmt *f, const char *path, const char *before, const char *after)
{
    struct fal_error err = {{0}};

    if (!f->check && !f->write)
        return fputs(after, stdout) >= 0 ? 0 : FAL_ERR_IO;
    if (strcmp(before, after) == 0)
        return 0;
    f->changed++;
    if (f->write && replace(path, after, &err) != 0) {
        fprintf(stderr, "talon fmt: %s\n", err.text);
        return FAL_ERR_IO;
    }
    puts(path);
    return 0;
}

/* Formats a file. `named`: the command line names it; else files of other schemas are passed
 * over. Returns 0, or FAL_ERR_IO after a message. */
static int format(struct fmt *f, const char *path, bool named)
{
    struct fal_error err = {{0}};
    size_t len = 0, out_len;
    const char *schema = NULL;
    char *text = tl_file_read(path, &len, &err), *out = NULL;
    enum known known = text != NULL ? look_at(text, len, &schema, &err) : BROKEN;
    int rc = 0;

    if (known == SCENARIO && is_scenario(path, text, len, schema)) {
        out = tl_layout(text, len, &out_len, &err);
        if (out == NULL)
            fprintf(stderr, "%s: %s\n", path, err.text);
    } else if (known == BROKEN || (known == OTHER && named)) {
        fprintf(stderr, text != NULL ? "%s:%s\n" : "%s: %s\n", path, err.text);
    }
    if (known != OTHER || named) {
        f->files++;
        f->bad += out == NULL;
    }
    if (out != NULL)
        rc = finish(f, path, text, out);
    free(out);
    free(text);
    return rc;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A file, or each *.json below a directory. */
static int format_path(struct fmt *f, const char *path)
{
    char *root = strdup(path), *const roots[] = {root, NULL};
    FTS *walk = root != NULL ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name) : NULL;
    FTSENT *entry;
    int rc = walk != NULL ? 0 : FAL_ERR_IO;

    while (rc == 0 && (entry = fts_read(walk)) != NULL) {
        const char *end = strrchr(entry->fts_name, '.');

        if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            FAL_IGNORE(fts_set(walk, entry, FTS_SKIP));
        else if (entry->fts_level == 0 && entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
            rc = format(f, path, true);
        else if (entry->fts_info == FTS_F && end != NULL && strcmp(end, ".json") == 0)
            rc = format(f, entry->fts_path, false);
    }
    if (walk != NULL)
        FAL_IGNORE(fts_close(walk));
    else
        fprintf(stderr, "talon fmt: out of memory\n");
    free(root);
    return rc;
}

int tl_cmd_fmt(int argc, char **argv)
{
    struct fmt f = {.check = false};
    int status = tl_verb_read(&options, tl_usage_fmt, argc, argv, &f), rc = 0;

    if (status != TL_VERB_GO)
        goto done;
    if (f.paths.count == 0 || (f.check && f.write)) {
        status = tl_verb_wrong("fmt", f.check ? "give --check or --write, not both"
                                              : "name a scenario file or a directory");
        goto done;
    }
    for (size_t i = 0; i < f.paths.count && rc == 0; i++)
        rc = format_path(&f, f.paths.list[i]);
    if (rc == 0 && f.files == 0 && f.bad == 0)
        status = tl_verb_wrong("fmt", "%s: no scenario there", f.paths.list[0]);
    else if (rc != 0)
        status = TL_STATUS_ERROR;
    else
        status = f.bad > 0                  ? TL_STATUS_USAGE
                 : f.check && f.changed > 0 ? TL_STATUS_FAIL
                                            : TL_STATUS_PASS;
done:
    tl_options_free(&options, &f);
    return status;
}
