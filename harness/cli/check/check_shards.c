/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/check/check_shards.h"

#include "harness/lib/judge.h"
#include "harness/shards/part.h"
#include "reports/base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that are not about judging: they may differ from shard to shard, or are of the
 * command that merges. Keys are not needed to merge. */
static const char *const not_about_judging[] = {
    "--shard",  "--part",   "--merge",        "--readings", "--jobs",     "--join",
    "--format", "--report", "--junit-flavor", "--psp-keys", "--esp-keys", NULL};

json_t *tl_check_shard_words(int argc, char *const *argv)
{
    return tl_options_given(&tl_check_options_table, argc, argv, not_about_judging);
}

static int failed(int code, const struct fal_error *err)
{
    return tl_check_complain(code == FAL_ERR_MEM || code == FAL_ERR_IO ? TL_STATUS_ERROR
                                                                       : TL_STATUS_USAGE,
                             err->text);
}

/* ---- a shard ---- */

static int write_part(const struct tl_check_command *c, const struct talon_judge *judge,
                      const struct tl_parts_about *about)
{
    const struct tl_check *check = &judge->check;
    struct fal_error err = {{0}};
    int rc = tl_parts_write(check, about, c->part, &err);

    if (rc != 0)
        return failed(rc, &err);
    printf("shard %u of %u: %" PRIu64 " packets of %" PRIu64 " frames judged\n",
           c->options.shard.number, c->options.shard.total, check->packets,
           check->frames_before + check->frames);
    return TL_STATUS_PASS;
}

static int judge_shard(struct talon_judge *judge, const struct tl_check_command *c,
                       const struct tl_parts_about *about, char *const *files, size_t num)
{
    struct talon_error wrong;
    struct fal_error err = {{0}};
    int rc = c->readings != NULL ? tl_parts_readings(&judge->check, c->readings, &err) : 0;

    if (rc != 0)
        return failed(rc, &err);
    for (size_t i = 0; i < num; i++)
        if (talon_judge_file(judge, files[i], &wrong) != 0)
            return tl_check_failed(&wrong);
    if (judge->check.timeline)
        return tl_check_complain(TL_STATUS_USAGE, "--shard is for captures, not for timelines");
    (void)talon_judge_end(judge, NULL); /* files alone: it has nothing to say */
    return write_part(c, judge, about);
}

int tl_check_shard_files(const struct tl_check_telling *t, const struct tl_check_command *c,
                         const json_t *words, char *const *files, size_t num)
{
    const struct talon_judge_options options = {
        .size = sizeof options, .progress = t->progress, .progress_ctx = t->progress_ctx};
    struct tl_parts_about about = {.name = files[0], .heading = t->heading};
    struct talon_error wrong;
    struct talon_judge *judge = talon_judge_new(t->setup, &options, &wrong);
    int status = TL_STATUS_ERROR;

    about.words = calloc(json_array_size(words) + 1, sizeof *about.words);
    for (; about.words != NULL && about.num_words < json_array_size(words); about.num_words++)
        about.words[about.num_words] =
            json_string_value(json_array_get(words, about.num_words));
    if (judge == NULL)
        status = tl_check_failed(&wrong);
    else if (about.words == NULL)
        status = tl_check_complain(TL_STATUS_ERROR, "out of memory");
    else
        status = judge_shard(judge, c, &about, files, num);
    if (t->progress_end != NULL)
        t->progress_end(t->progress_ctx);
    talon_judge_free(judge);
    free(about.words);
    return status;
}

/* ---- all of them ---- */

/* Reads the options that the parts are about. */
static int read_about(struct tl_check_command *c, const struct tl_parts_about *about,
                      struct fal_error *err)
{
    char **argv = calloc(about->num_words + 2, sizeof(char *));
    int rc;

    if (argv == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i <= about->num_words; i++) {
        const char *word = i == 0 ? "check" : about->words[i - 1];

        /* Options are read, and never written; what is borrowed from them belongs to the parts.
         */
        memcpy(&argv[i], &word, sizeof word);
    }
    rc = tl_options_read(&tl_check_options_table, (int)about->num_words + 1, argv, c, err);
    free(argv);
    if (rc == TL_OPTIONS_HELP)
        rc = fal_fail(err, FAL_ERR_FORM, "the options of a part are not those of a shard");
    return rc == 0 ? tl_check_judging_ready(c, err) : rc;
}

struct tl_parts *tl_check_shards_open(struct tl_check_command *c, const json_t *words)
{
    struct fal_error err = {{0}};
    struct tl_parts *parts;
    int rc;

    if (json_array_size(words) > 0) {
        (void)tl_check_complain(TL_STATUS_USAGE,
                                "--merge: the parts know the options about judging; give none");
        return NULL;
    }
    parts = tl_parts_open(c->files.list, c->files.count, &err);
    rc = parts != NULL ? read_about(c, tl_parts_about(parts), &err) : FAL_ERR_FORM;
    if (rc == 0)
        return parts;
    (void)failed(rc, &err);
    tl_parts_close(parts);
    return NULL;
}

int tl_check_shards_merge(const struct tl_check_telling *telling,
                          const struct tl_check_command *c, struct tl_parts *parts)
{
    struct tl_check_telling t = *telling;
    struct talon_error wrong;
    struct fal_error err = {{0}};
    struct talon_judge *judge = talon_judge_new(t.setup, NULL, &wrong);
    const struct tl_parts_about *about = tl_parts_about(parts);
    char problem[400] = "";
    int rc, status;

    if (judge == NULL)
        return tl_check_failed(&wrong);
    t.heading = about->heading;
    rc = tl_parts_merge(parts, &judge->check, c->readings, &err);
    judge->ended = true;
    if (rc != 0) {
        status = failed(rc, &err);
    } else {
        if (judge->check.packets == 0)
            (void)snprintf(problem, sizeof problem,
                           "%.200s has no Falcon packet that could be read", about->name);
        status = tl_check_tell(&t, judge, about->name, problem[0] != 0 ? problem : NULL);
        if (problem[0] != 0)
            status = tl_check_worse_status(status, tl_check_complain(TL_STATUS_USAGE, problem));
    }
    talon_judge_free(judge);
    return status;
}
