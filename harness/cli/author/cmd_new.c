/* SPDX-License-Identifier: Apache-2.0
 * cmd_new.c - `talon new`: working starting points for scenarios, profiles and adapters. */
#include "harness/claims/ics.h"
#include "harness/cli/author/templates.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MARK "@NAME@"

enum { NAME_MOST = 60, FILES_MOST = 6, PATH_LEN = 4096 };

enum kind { SCENARIO, PROFILE, ADAPTER, KINDS };

/* A file of a kind. */
struct part {
    const char *end;  /* what follows NAME in its path */
    const char *text; /* NAME_MARK in it stands for the name; NULL: an empty ICS */
    bool program;     /* it can be executed */
};

static const struct {
    const char *word;
    struct part parts[FILES_MOST];
    const char *next; /* what to do then; NAME_MARK in it stands for the path of the name */
} kinds[KINDS] = {
    {"scenario",
     {{".scenario.json", tl_new_scenario, false}},
     "  talon run @NAME@.scenario.json\n"
     "  talon run --watch @NAME@.scenario.json\n"},
    {"profile",
     {{".profile.json", tl_new_profile, false}, {".ics.json", NULL, false}},
     "  fill in @NAME@.ics.json: true, false or null for each item (talon explain ITEM)\n"
     "  talon run --profile @NAME@.profile.json --ics @NAME@.ics.json\n"},
    {"adapter",
     {{"/l1_adapter.py", tl_new_adapter_py, true},
      {"/l1_adapter.c", tl_new_adapter_c, false},
      {"/sut_client.c", tl_new_sut_client_c, false},
      {"/sut_client.h", tl_new_sut_client_h, false},
      {"/Makefile", tl_new_adapter_mk, false}},
     "  python3 @NAME@/l1_adapter.py 9000      # or make -C @NAME@ && @NAME@/l1_adapter 9000\n"
     "  talon sut-check --control tcp:127.0.0.1:9000\n"},
};

struct new
{
    struct tl_texts words;
    const char *dir; /* NULL: the current one */
    enum kind kind;
    const char *name;
    char path[PATH_LEN]; /* of the name, without the ends */
    char *made[FILES_MOST];
    size_t num_made;
};

#define TL_OPTIONS_OF struct new

static const struct tl_option option_list[] = {
    {TL_TEXTS("KIND", words, NULL)},
    {TL_TEXT("--dir", dir, "DIR"),
     .help = "the directory to write to, which must exist (default: the current one)"},
};
static const struct tl_options options = {"new", option_list,
                                          sizeof option_list / sizeof *option_list};

/* Writes the text with the name in place of its marks. */
static bool put(FILE *out, const char *text, const char *name)
{
    const char *mark;

    while ((mark = strstr(text, NAME_MARK)) != NULL) {
        fprintf(out, "%.*s%s", (int)(mark - text), text, name);
        text = mark + strlen(NAME_MARK);
    }
    return fputs(text, out) >= 0 && ferror(out) == 0;
}

static bool put_ics(FILE *out)
{
    json_t *ics = tl_ics_proforma();
    bool ok = ics != NULL && json_dumpf(ics, out, JSON_INDENT(1)) == 0 && fputc('\n', out) >= 0;

    json_decref(ics);
    return ok;
}

static int failed(const char *path, struct fal_error *err)
{
    int why = errno;

    return why == EEXIST
               ? fal_fail(err, FAL_ERR_FORM, "%s exists; give another name, or remove it", path)
               : fal_fail(err, FAL_ERR_IO, "%s: cannot be written: %s", path,
                          strerror(why)); /* NOLINT(concurrency-mt-unsafe) */
}

/* Writes a file that must not exist. Returns 0; FAL_ERR_FORM, FAL_ERR_IO, FAL_ERR_MEM with
 * `err`. */
static int make_file(struct new *n, const struct part *part, struct fal_error *err)
{
    char *path;
    FILE *out;
    bool ok;
    int fd;

    if (asprintf(&path, "%s%s", n->path, part->end) < 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, part->program ? 0777 : 0666);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        int rc = failed(path, err);

        free(path);
        return rc;
    }
    n->made[n->num_made++] = path;
    ok = part->text != NULL ? put(out, part->text, n->name) : put_ics(out);
    ok = fclose(out) == 0 && ok;
    return ok ? 0 : failed(path, err);
}

/* Writes all files of the kind, or none. */
static int make(struct new *n, struct fal_error *err)
{
    const struct part *parts = kinds[n->kind].parts;
    int rc = 0;

    if (n->kind == ADAPTER && mkdir(n->path, 0777) != 0)
        return failed(n->path, err);
    for (size_t i = 0; i < FILES_MOST && parts[i].end != NULL && rc == 0; i++)
        rc = make_file(n, &parts[i], err);
    for (size_t i = 0; i < n->num_made; i++) {
        if (rc != 0)
            (void)unlink(n->made[i]);
        else
            printf("%s is written\n", n->made[i]);
        free(n->made[i]);
    }
    if (rc != 0 && n->kind == ADAPTER)
        (void)rmdir(n->path);
    return rc;
}

/* A name becomes the id of a scenario and part of a file name. */
static bool is_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

    return name[0] != '-' && len > 0 && len <= NAME_MOST && name[len] == 0;
}

/* Reads KIND and NAME. Returns TL_VERB_GO, or the exit status after an error. */
static int read_words(struct new *n)
{
    const char *word = n->words.count > 0 ? n->words.list[0] : NULL;

    if (word == NULL || n->words.count > 2)
        return tl_verb_wrong("new", "expected scenario, profile or adapter, and one name");
    for (n->kind = 0; n->kind < KINDS && strcmp(word, kinds[n->kind].word) != 0;)
        n->kind++;
    if (n->kind == KINDS)
        return tl_verb_wrong(
            "new", "'%.60s' cannot be made; expected scenario, profile or adapter", word);
    if (n->words.count < 2)
        return tl_verb_wrong("new", "%s: no NAME given", word);
    n->name = n->words.list[1];
    if (!is_name(n->name))
        return tl_verb_wrong("new",
                             "NAME: expected at most %d lower-case letters, digits and '-', "
                             "found '%.80s' (--dir names another directory)",
                             NAME_MOST, n->name);
    if ((size_t)snprintf(n->path, sizeof n->path, "%s%s%s", n->dir != NULL ? n->dir : "",
                         n->dir != NULL ? "/" : "", n->name) +
            NAME_MOST >=
        sizeof n->path)
        return tl_verb_wrong("new", "--dir: the name is too long");
    return TL_VERB_GO;
}

int tl_cmd_new(int argc, char **argv)
{
    struct new n = {.dir = NULL};
    struct fal_error err = {{0}};
    int status = tl_verb_read(&options, tl_usage_new, argc, argv, &n), rc;

    if (status == TL_VERB_GO)
        status = read_words(&n);
    if (status == TL_VERB_GO) {
        rc = make(&n, &err);
        if (rc == 0) {
            puts("Next:");
            status = put(stdout, kinds[n.kind].next, n.path) ? TL_STATUS_PASS : TL_STATUS_ERROR;
        } else {
            status = tl_verb_failed("new", rc, &err);
            status = rc == FAL_ERR_IO ? TL_STATUS_ERROR : status;
        }
    }
    tl_options_free(&options, &n);
    return status;
}
