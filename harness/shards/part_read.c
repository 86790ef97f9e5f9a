/* SPDX-License-Identifier: Apache-2.0
 * part_read.c - parts become the parts of a check whose shards were judged elsewhere. */
#include "harness/shards/part_impl.h"

#include "harness/check/check_team.h"
#include "harness/doc/line_file.h"
#include "reports/base/shard_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A part, and what of it is not put into a check at once. */
struct part {
    const char *path;
    struct tl_file_lines lines;
    json_t *first; /* its first line, from which `head` borrows */
    struct tl_parts_head head;
    struct tl_check *check; /* the team's */
    size_t given, num_conns;
    struct fal_measured measured[2][FAL_DIRS];
    struct fal_shard_reading readings[2][FAL_SHARD_READINGS_MAX];
    size_t num_readings[2];
    bool ended;
};

struct tl_parts {
    struct part *list; /* by shard */
    size_t num;
};

/* ---- lines ---- */

/* The next line as JSON; NULL at the end, *rc 0, and on an error, *rc its code. */
static json_t *next_line(struct tl_file_lines *lines, const char *path, int *rc,
                         struct fal_error *err)
{
    struct fal_error why = {{0}};
    json_error_t where;
    json_t *line;
    int more = tl_file_line(lines, &why);

    *rc = more < 0 ? fal_fail(err, more, "%.200s: %.200s", path, why.text) : 0;
    if (more <= 0)
        return NULL;
    line = json_loadb(lines->line, lines->len, JSON_REJECT_DUPLICATES, &where);
    if (line == NULL)
        *rc = fal_fail(err, FAL_ERR_FORM, "%.150s:%" PRIu64 ": %.150s", path, lines->number,
                       where.text);
    return line;
}

static int open_part(struct part *part, const char *path, struct fal_error *err)
{
    int rc = 0;

    part->path = path;
    part->lines.file = fopen(path, "re");
    if (part->lines.file == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    part->first = next_line(&part->lines, path, &rc, err);
    if (rc == 0 && part->first == NULL)
        rc = fal_fail(err, FAL_ERR_FORM, "%.200s is empty", path);
    if (rc == 0)
        rc = tl_parts_read_line(tl_parts_shapes[TL_PARTS_HEAD], part->first, &part->head, path,
                                1, err);
    if (rc == 0 && part->head.shard > part->head.shards)
        rc = fal_fail(err, FAL_ERR_FORM, "%.200s: shard %u of %u", path, part->head.shard,
                      part->head.shards);
    return rc;
}

static void close_part(struct part *part)
{
    fal_shape_free(tl_parts_shapes[TL_PARTS_HEAD], &part->head);
    json_decref(part->first);
    free(part->lines.line);
    if (part->lines.file != NULL)
        (void)fclose(part->lines.file);
}

/* ---- do they belong together ---- */

static bool same_words(const struct tl_parts_about *a, const struct tl_parts_about *b)
{
    if (a->num_words != b->num_words || a->heading != b->heading)
        return false;
    for (size_t i = 0; i < a->num_words; i++)
        if (strcmp(a->words[i], b->words[i]) != 0)
            return false;
    return true;
}

/* What differs between two parts of which one is not of the check of the other; or NULL. */
static const char *foreign(const struct tl_parts_head *a, const struct tl_parts_head *b)
{
    const struct tl_check *x = &a->counts, *y = &b->counts;

    if (strcmp(a->tool, b->tool) != 0)
        return "were written by different versions of talon";
    if (a->shards != b->shards)
        return "are of different numbers of shards";
    if (!same_words(&a->about, &b->about))
        return "were judged with different options";
    if (x->store != y->store || x->frames != y->frames || x->index != y->index ||
        x->first_ns != y->first_ns || x->last_ns != y->last_ns || x->dropped != y->dropped ||
        x->disorder != y->disorder || x->dropped_late != y->dropped_late)
        return "are of different captures";
    if (a->form != b->form || a->both_ends != b->both_ends)
        return "were written by different builds of talon";
    return NULL;
}

static int by_shard(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->head.shard < y->head.shard ? -1 : x->head.shard > y->head.shard;
}

static int belong_together(struct tl_parts *parts, struct fal_error *err)
{
    struct tl_shard_list missing = {.first = 0};
    unsigned shards = parts->list[0].head.shards, next = 0;

    for (size_t i = 1; i < parts->num; i++) {
        const char *why = foreign(&parts->list[0].head, &parts->list[i].head);

        if (why != NULL)
            return fal_fail(err, FAL_ERR_FORM, "%.150s and %.150s %s", parts->list[0].path,
                            parts->list[i].path, why);
    }
    qsort(parts->list, parts->num, sizeof *parts->list, by_shard);
    for (size_t i = 0; i + 1 < parts->num; i++)
        if (parts->list[i].head.shard == parts->list[i + 1].head.shard)
            return fal_fail(err, FAL_ERR_FORM, "%.150s and %.150s are both shard %u of %u",
                            parts->list[i].path, parts->list[i + 1].path,
                            parts->list[i].head.shard, shards);
    if (parts->num == shards)
        return 0;
    for (unsigned shard = 1; shard <= shards; shard++) {
        if (next < parts->num && parts->list[next].head.shard == shard)
            next++;
        else
            tl_shard_list_add(&missing, shard);
    }
    return fal_fail(err, FAL_ERR_FORM, "shard%s %s of %u %s missing",
                    shards - parts->num > 1 ? "s" : "", missing.text, shards,
                    shards - parts->num > 1 ? "are" : "is");
}

struct tl_parts *tl_parts_open(const char *const *paths, size_t num, struct fal_error *err)
{
    struct tl_parts *parts = calloc(1, sizeof *parts);
    int rc = 0;

    if (parts != NULL)
        parts->list = calloc(num + 1, sizeof *parts->list);
    if (parts == NULL || parts->list == NULL) {
        free(parts);
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    for (; parts->num < num && rc == 0; parts->num++)
        rc = open_part(&parts->list[parts->num], paths[parts->num], err);
    if (rc == 0 && num == 0)
        rc = fal_fail(err, FAL_ERR_FORM, "no part given");
    if (rc == 0)
        rc = belong_together(parts, err);
    if (rc == 0)
        return parts;
    tl_parts_close(parts);
    return NULL;
}

void tl_parts_close(struct tl_parts *parts)
{
    if (parts == NULL)
        return;
    for (size_t i = 0; i < parts->num; i++)
        close_part(&parts->list[i]);
    free(parts->list);
    free(parts);
}

const struct tl_parts_about *tl_parts_about(const struct tl_parts *parts)
{
    return &parts->list[0].head.about;
}

/* ---- into a check ---- */

static int wrong(const struct part *part, const char *what, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "%.200s:%" PRIu64 ": %s", part->path, part->lines.number,
                    what);
}

static int read_line(struct part *part, enum tl_parts_kind kind, const json_t *line, void *out,
                     struct fal_error *err)
{
    return tl_parts_read_line(tl_parts_shapes[kind], line, out, part->path, part->lines.number,
                              err);
}

/* A connection that was learned begins with the options' parameters, as there. */
static int take_conn(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_check *check = part->check;
    struct tl_check_conn read, *conn;
    size_t at = part->num_conns++;
    int rc;

    memset(&read, 0, sizeof read);
    rc = read_line(part, TL_PARTS_CONN, line, &read, err);
    if (rc != 0)
        return rc;
    if (read.given != (at < part->given))
        return wrong(part, "other connections were given to the check", err);
    conn = read.given ? &check->conns[at] : tl_check_conn_new(check);
    if (conn == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory, or over a million connections");
    conn->setup.sut.cid = read.setup.sut.cid;
    conn->setup.tester.cid = read.setup.tester.cid;
    memcpy(conn->host, read.host, sizeof conn->host);
    memcpy(conn->known, read.known, sizeof conn->known);
    memcpy(conn->told, read.told, sizeof conn->told);
    memcpy(conn->heard, read.heard, sizeof conn->heard);
    memcpy(conn->listed, read.listed, sizeof conn->listed);
    memcpy(conn->listed_at, read.listed_at, sizeof conn->listed_at);
    conn->uncertain = read.uncertain;
    conn->over = read.over;
    conn->born = read.born;
    return 0;
}

/* The judge of a line; NULL if this check has no such judge. */
static struct fal_judge *judge_of(const struct part *part, unsigned judge)
{
    return part->check->judge[judge];
}

static int take_counts(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_parts_counts read = {.judge = 0};
    struct fal_shard_count *counts = NULL;
    int rc = read_line(part, TL_PARTS_COUNTS, line, &read, err);

    if (rc == 0 && (read.num % 2 != 0 || read.num / 2 > FAL_SHARD_COUNTS_MAX ||
                    read.conn > part->num_conns || judge_of(part, read.judge) == NULL))
        rc = wrong(part, "counts of no connection, or of no rule", err);
    if (rc == 0)
        counts = calloc(read.num / 2 + 1, sizeof *counts);
    if (rc == 0 && counts == NULL)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < read.num / 2; i++)
        counts[i] = (struct fal_shard_count){read.list[2 * i], read.list[2 * i + 1]};
    if (rc == 0)
        rc = fal_shard_add(judge_of(part, read.judge), read.conn, counts, read.num / 2);
    if (rc == FAL_ERR_FORM && err->text[0] == 0)
        rc = wrong(part, "counts that this judge does not have", err);
    free(counts);
    fal_shape_free(tl_parts_shapes[TL_PARTS_COUNTS], &read);
    return rc;
}

static int take_measured(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_parts_measured read = {.judge = 0};
    int rc = read_line(part, TL_PARTS_MEASURES, line, &read, err);

    if (rc == 0)
        memcpy(part->measured[read.judge], read.list, sizeof read.list);
    return rc;
}

static int take_reading(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_parts_reading read;
    int rc;

    memset(&read, 0, sizeof read);
    rc = read_line(part, TL_PARTS_READING, line, &read, err);
    if (rc == 0 && part->num_readings[read.judge] == FAL_SHARD_READINGS_MAX)
        rc = wrong(part, "more readings than there are", err);
    if (rc == 0)
        part->readings[read.judge][part->num_readings[read.judge]++] = read.reading;
    return rc;
}

static int take_finding(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_check *check = part->check;
    struct tl_parts_finding read;
    int rc;

    memset(&read, 0, sizeof read);
    rc = read_line(part, TL_PARTS_FINDING, line, &read, err);
    if (rc == 0 && (read.found.finding.conn > part->num_conns ||
                    read.num_frames != read.found.finding.num_evidence ||
                    check->num_findings == TL_CHECK_FINDINGS_MAX))
        rc = wrong(part, "a finding of no connection, or one too many", err);
    if (rc != 0) {
        fal_shape_free(tl_parts_shapes[TL_PARTS_FINDING], &read);
        return rc;
    }
    read.found.finding.instance = FAL_BROKEN;
    read.found.snippet =
        (struct tl_snippet){.scenes = read.scenes, .num = (unsigned)read.num_scenes};
    check->findings[check->num_findings++] = read.found;
    return 0;
}

static int take_end(struct part *part, const json_t *line, struct fal_error *err)
{
    struct tl_parts_end read = {.lines = 0};
    int rc = read_line(part, TL_PARTS_END, line, &read, err);

    part->ended = true;
    return rc != 0 || read.lines + 1 == part->lines.number
               ? rc
               : wrong(part, "lines are missing before it", err);
}

static int take_line(struct part *part, const json_t *line, struct fal_error *err)
{
    static int (*const take[TL_PARTS_KINDS])(struct part *, const json_t *,
                                             struct fal_error *) = {
        [TL_PARTS_CONN] = take_conn,         [TL_PARTS_COUNTS] = take_counts,
        [TL_PARTS_MEASURES] = take_measured, [TL_PARTS_READING] = take_reading,
        [TL_PARTS_FINDING] = take_finding,   [TL_PARTS_END] = take_end,
    };
    const char *word = json_string_value(json_object_get(line, "line"));

    if (part->ended)
        return wrong(part, "a line behind the last one", err);
    for (size_t i = 0; word != NULL && i < TL_PARTS_KINDS; i++)
        if (take[i] != NULL && strcmp(tl_parts_words[i], word) == 0)
            return take[i](part, line, err);
    return wrong(part, "no line of a part", err);
}

/* Judges and counters of the part's check, as they were when it was finished. */
static int finish(struct part *part, struct fal_error *err)
{
    struct tl_check *check = part->check;
    const struct tl_check *counts = &part->head.counts;

    check->packets = counts->packets;
    check->strangers = counts->strangers;
    check->damaged = counts->damaged;
    check->doubles = counts->doubles;
    check->unnamed = counts->unnamed;
    check->lost_findings = counts->lost_findings;
    check->missed = counts->missed;
    if (check->missed.conn > part->num_conns)
        return wrong(part, "a packet is missed on no connection", err);
    for (unsigned judge = 0; judge < 2 && check->judge[judge] != NULL; judge++)
        if (fal_shard_finish(check->judge[judge], part->measured[judge]) != 0)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return 0;
}

static int fill(struct part *part, struct tl_check *check, struct fal_error *err)
{
    json_t *line;
    int rc = 0;

    part->check = check;
    part->given = check->num_conns;
    if (part->head.counts.index > 0)
        tl_check_begin_part(check, part->head.about.name);
    if (fal_shard_form(check->judge[0]) != part->head.form)
        return wrong(part, "its rules are others", err);
    while (rc == 0 && (line = next_line(&part->lines, part->path, &rc, err)) != NULL) {
        err->text[0] = 0;
        rc = take_line(part, line, err);
        json_decref(line);
    }
    if (rc == 0 && !part->ended)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%.200s is not whole: its last line is missing; judge shard %u again",
                      part->path, part->head.shard);
    if (rc == 0 && part->num_conns < part->given)
        rc = wrong(part, "connections are missing that were given to the check", err);
    return rc == 0 ? finish(part, err) : rc;
}

/* ---- readings ---- */

static int write_readings(const struct tl_parts *parts, const struct fal_shard_agreed *agreed,
                          const char *path, struct fal_error *err)
{
    const struct tl_parts_readings_head head = {parts->list[0].head.shards,
                                                parts->list[0].head.form};
    FILE *out = fopen(path, "we");
    int rc = out != NULL ? tl_parts_print_line(&tl_parts_readings_head_shape, &head, out)
                         : FAL_ERR_IO;

    for (unsigned judge = 0; judge < 2; judge++)
        for (size_t i = 0; i < agreed[judge].num && rc == 0; i++)
            rc = tl_parts_print_line(tl_parts_shapes[TL_PARTS_READING],
                                     &(struct tl_parts_reading){judge, agreed[judge].list[i]},
                                     out);
    if (out != NULL && fclose(out) != 0 && rc == 0)
        rc = FAL_ERR_IO;
    return rc == 0 ? 0
                   : fal_fail(err, rc, "%.200s cannot be written: %s", path,
                              strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

static int again(const struct tl_parts *parts, const struct tl_shard_list *list,
                 const struct fal_shard_agreed *agreed, const char *path, struct fal_error *err)
{
    int rc = path != NULL ? write_readings(parts, agreed, path, err) : 0;

    if (rc != 0)
        return rc;
    return fal_fail(err, FAL_ERR_FORM,
                    "shards %s of %u were judged without readings that others showed before; "
                    "judge them again with --readings %s",
                    list->text, parts->list[0].head.shards,
                    path != NULL ? path : "FILE, a file that merging with --readings writes");
}

/* The readings of all shards. If some did not know them, these are named. */
static int agree(struct tl_parts *parts, const struct tl_check *whole, const char *path,
                 struct fal_error *err)
{
    struct fal_shard_agreed *agreed = calloc(2, sizeof *agreed);
    struct tl_shard_list list = {.first = 0};
    int rc = 0;

    if (agreed == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (unsigned judge = 0; judge < 2; judge++)
        for (size_t i = 0; i < parts->num; i++)
            fal_shard_agree(&agreed[judge], parts->list[i].readings[judge],
                            parts->list[i].num_readings[judge]);
    for (size_t i = 0; i < parts->num; i++) {
        const struct part *part = &parts->list[i];

        if (!fal_shard_knew(&agreed[0], part->readings[0], part->num_readings[0]) ||
            !fal_shard_knew(&agreed[1], part->readings[1], part->num_readings[1]))
            tl_shard_list_add(&list, part->head.shard);
    }
    if (list.first != 0)
        rc = again(parts, &list, agreed, path, err);
    for (unsigned judge = 0; judge < 2 && rc == 0; judge++)
        fal_shard_settle(&agreed[judge], tl_check_team_shared(whole->team)->common[judge]);
    free(agreed);
    return rc;
}

/* The first line of a file of readings. */
static int readings_head(const struct tl_check *check, struct tl_file_lines *lines,
                         const char *path, struct fal_error *err)
{
    struct tl_parts_readings_head head = {.shards = 0};
    int rc = 0;
    json_t *line = next_line(lines, path, &rc, err);

    if (line == NULL)
        return rc != 0 ? rc : fal_fail(err, FAL_ERR_FORM, "%.200s is empty", path);
    rc = tl_parts_read_line(&tl_parts_readings_head_shape, line, &head, path, 1, err);
    json_decref(line);
    if (rc == 0 && head.shards != check->options->shard.total)
        rc = fal_fail(err, FAL_ERR_FORM, "%.200s is of %u shards, and the check of %u", path,
                      head.shards, check->options->shard.total);
    return rc;
}

int tl_parts_readings(struct tl_check *check, const char *path, struct fal_error *err)
{
    struct tl_file_lines lines = {.file = fopen(path, "re")};
    json_t *line;
    int rc;

    if (lines.file == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: %s", path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    rc = readings_head(check, &lines, path, err);
    while (rc == 0 && (line = next_line(&lines, path, &rc, err)) != NULL) {
        struct tl_parts_reading read;

        memset(&read, 0, sizeof read);
        rc = tl_parts_read_line(tl_parts_shapes[TL_PARTS_READING], line, &read, path,
                                lines.number, err);
        if (rc == 0)
            fal_shard_give(check->shared->common[read.judge], &read.reading);
        json_decref(line);
    }
    free(lines.line);
    (void)fclose(lines.file);
    return rc;
}

/* ---- all of them ---- */

/* What all shards have read. */
static void take_store(struct tl_check *whole, const struct tl_check *counts)
{
    whole->index = counts->index;
    whole->frames = counts->frames;
    whole->first_ns = counts->first_ns;
    whole->last_ns = counts->last_ns;
    whole->dropped = counts->dropped;
    whole->dropped_late = counts->dropped_late;
    whole->disorder = counts->disorder;
}

int tl_parts_merge(struct tl_parts *parts, struct tl_check *whole, const char *readings,
                   struct fal_error *err)
{
    int rc = 0;

    if (tl_check_unite(whole) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (whole->both_ends != parts->list[0].head.both_ends)
        return fal_fail(err, FAL_ERR_FORM, "%.200s does not fit its own options",
                        parts->list[0].path);
    whole->team = tl_check_team_of_shards(whole, (unsigned)parts->num, err);
    if (whole->team == NULL)
        return FAL_ERR_MEM;
    take_store(whole, &parts->list[0].head.counts);
    for (size_t i = 0; i < parts->num && rc == 0; i++) {
        rc = fill(&parts->list[i], tl_check_part(whole->team, i), err);
        whole->packets += parts->list[i].head.counts.packets;
    }
    if (rc == 0)
        rc = agree(parts, whole, readings, err);
    if (rc != 0)
        return rc;
    tl_check_finish(whole);
    return whole->out_of_memory ? fal_fail(err, FAL_ERR_MEM, "out of memory") : 0;
}
