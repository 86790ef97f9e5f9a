/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/shards/part_impl.h"

#include "harness/doc/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct tl_check *check;
    FILE *out;
    uint64_t lines;
};

static int put(struct writer *w, enum tl_parts_kind kind, const void *in)
{
    w->lines++;
    return tl_parts_print_line(tl_parts_shapes[kind], in, w->out);
}

static size_t judges(const struct tl_check *check)
{
    return check->both_ends ? 1 : 2;
}

static int put_head(struct writer *w, const struct tl_parts_about *about)
{
    const struct tl_check *check = w->check;
    struct tl_parts_head *head = calloc(1, sizeof *head);
    int rc;

    if (head == NULL)
        return FAL_ERR_MEM;
    head->tool = TL_VERSION;
    head->shard = check->options->shard.number;
    head->shards = check->options->shard.total;
    head->about = *about;
    head->form = fal_shard_form(check->judge[0]);
    head->both_ends = check->both_ends;
    head->counts = *check;
    head->counts.frames += check->frames_before;
    rc = put(w, TL_PARTS_HEAD, head);
    free(head);
    return rc;
}

static int put_counts(struct writer *w, unsigned judge)
{
    struct fal_shard_count *list = malloc(FAL_SHARD_COUNTS_MAX * sizeof *list);
    uint64_t *pairs = malloc(2 * FAL_SHARD_COUNTS_MAX * sizeof *pairs);
    int rc = list != NULL && pairs != NULL ? 0 : FAL_ERR_MEM;
    size_t num;

    for (size_t i = 0; rc == 0; i++) {
        struct tl_parts_counts line = {.judge = judge, .list = pairs};

        num = fal_shard_counts(w->check->judge[judge], i, &line.conn, list);
        if (num == SIZE_MAX)
            break;
        for (size_t k = 0; k < num; k++) {
            pairs[line.num++] = list[k].what;
            pairs[line.num++] = list[k].n;
        }
        rc = put(w, TL_PARTS_COUNTS, &line);
    }
    free(list);
    free(pairs);
    return rc;
}

static int put_judge(struct writer *w, unsigned judge)
{
    const struct tl_check *check = w->check;
    struct tl_parts_measured measured = {.judge = judge, .num = TL_PARTS_MEASURED};
    struct fal_shard_reading readings[FAL_SHARD_READINGS_MAX];
    struct fal_measured paths[FAL_DIRS];
    size_t num = fal_shard_readings(check->shared->common[judge], readings);
    int rc = put_counts(w, judge);

    fal_shard_measured(check->judge[judge], paths);
    memcpy(measured.list, paths, sizeof measured.list);
    if (rc == 0)
        rc = put(w, TL_PARTS_MEASURES, &measured);
    for (size_t i = 0; i < num && rc == 0; i++)
        rc = put(w, TL_PARTS_READING, &(struct tl_parts_reading){judge, readings[i]});
    return rc;
}

static int put_finding(struct writer *w, const struct tl_check_finding *found)
{
    const struct tl_parts_finding line = {.found = *found,
                                          .num_frames = found->finding.num_evidence,
                                          .num_scenes = found->snippet.num,
                                          .scenes = found->snippet.scenes};

    return put(w, TL_PARTS_FINDING, &line);
}

static int put_all(struct writer *w, const struct tl_parts_about *about)
{
    const struct tl_check *check = w->check;
    int rc = put_head(w, about);

    for (size_t i = 0; i < check->num_conns && rc == 0; i++)
        rc = put(w, TL_PARTS_CONN, &check->conns[i]);
    for (unsigned judge = 0; judge < judges(check) && rc == 0; judge++)
        rc = put_judge(w, judge);
    for (size_t i = 0; i < check->num_findings && rc == 0; i++)
        rc = put_finding(w, &check->findings[i]);
    return rc == 0 ? put(w, TL_PARTS_END, &(struct tl_parts_end){w->lines}) : rc;
}

static int cannot_write(const char *path, int rc, struct fal_error *err)
{
    return rc == FAL_ERR_MEM ? fal_fail(err, rc, "out of memory")
                             : fal_fail(err, FAL_ERR_IO, "%.200s cannot be written: %s", path,
                                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

int tl_parts_write(const struct tl_check *check, const struct tl_parts_about *about,
                   const char *path, struct fal_error *err)
{
    struct writer w = {.check = check};
    int rc;

    if (check->out_of_memory || fal_judge_failed(check->judge[0]) ||
        (!check->both_ends && fal_judge_failed(check->judge[1])))
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    w.out = fopen(path, "we");
    rc = w.out != NULL ? put_all(&w, about) : FAL_ERR_IO;
    if (w.out != NULL && fclose(w.out) != 0 && rc == 0)
        rc = FAL_ERR_IO;
    return rc == 0 ? 0 : cannot_write(path, rc, err);
}
