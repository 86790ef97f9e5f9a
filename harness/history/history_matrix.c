/* SPDX-License-Identifier: Apache-2.0
 * history_matrix.c - devices, their firmwares and the profiles; of each the newest run. */
#include "harness/history/history_db.h"

#include "harness/claims/firmware.h"

#include <stdlib.h>
#include <string.h>

/* Adds a name that is not there yet; its index. */
static size_t index_of(const char **list, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    list[*n] = name;
    return (*n)++;
}

static int by_firmware(const void *a, const void *b)
{
    const struct tl_history_cell *x = a, *y = b;
    int order;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    order = -tl_firmware_compare(x->run->firmware, y->run->firmware);
    if (order == 0)
        order = strcmp(x->run->firmware, y->run->firmware);
    if (order == 0 && x->profile != y->profile)
        order = x->profile < y->profile ? -1 : 1;
    if (order == 0 && x->run->time != y->run->time)
        order = x->run->time > y->run->time ? -1 : 1;
    if (order == 0)
        order = x->run->id > y->run->id ? -1 : x->run->id < y->run->id;
    return order;
}

/* Whether the cell is of the device and firmware listed last. */
static bool same_firmware(const struct tl_history_matrix *m, const struct tl_history_cell *cell)
{
    return m->num_firmwares > 0 && m->firmwares[m->num_firmwares - 1].device == cell->device &&
           strcmp(m->firmwares[m->num_firmwares - 1].name, cell->run->firmware) == 0;
}

/* Lists the firmwares, and leaves the newest run of each cell. */
static void settle(struct tl_history_matrix *m)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->num_cells; i++) {
        struct tl_history_cell cell = m->cells[i];

        if (!same_firmware(m, &cell)) {
            m->firmwares[m->num_firmwares].device = cell.device;
            m->firmwares[m->num_firmwares++].name = cell.run->firmware;
        }
        cell.firmware = m->num_firmwares - 1;
        if (kept > 0 && m->cells[kept - 1].firmware == cell.firmware &&
            m->cells[kept - 1].profile == cell.profile)
            continue;
        m->cells[kept++] = cell;
    }
    m->num_cells = kept;
}

/* ---- chapters ---- */

enum { CHAPTERS_MAX = 1000 };

static struct tl_history_chapter *chapter_of(struct tl_history_matrix *m,
                                             struct tl_history_cell *cell, size_t *cap,
                                             sqlite3_stmt *row)
{
    struct tl_history_chapter *last = cell->num_chapters > 0
                                          ? &cell->chapters[cell->num_chapters - 1]
                                          : NULL,
                              *grown;
    const char *name = (const char *)sqlite3_column_text(row, 0);

    if (last != NULL && strcmp(last->name, name != NULL ? name : "") == 0)
        return last;
    if (cell->chapters == NULL || cell->num_chapters == *cap) {
        size_t more = *cap == 0 ? 16 : *cap * 2;

        grown = fal_arena_alloc(&m->arena, more, sizeof *grown);
        if (grown == NULL)
            return NULL;
        if (cell->chapters != NULL)
            memcpy(grown, cell->chapters, cell->num_chapters * sizeof *grown);
        cell->chapters = grown;
        *cap = more;
    }
    last = &cell->chapters[cell->num_chapters];
    last->name = tl_history_text(row, 0, &m->arena);
    cell->num_chapters += last->name != NULL;
    return last->name != NULL ? last : NULL;
}

/* Chapter 9 stands before chapter 11. */
static int by_chapter(const void *a, const void *b)
{
    const struct tl_history_chapter *x = a, *y = b;
    int order = tl_firmware_compare(x->name, y->name);

    return order != 0 ? order : strcmp(x->name, y->name);
}

static int read_chapters(struct tl_history *h, sqlite3_stmt *select,
                         struct tl_history_matrix *m, struct tl_history_cell *cell,
                         struct fal_error *err)
{
    size_t cap = 0;
    int rc;

    (void)sqlite3_bind_int64(select, 1, cell->run->id);
    while ((rc = tl_history_step(h, select, err)) == 1) {
        const struct tl_case c = {.verdict = tl_history_verdict(select, 1),
                                  .disposition = tl_history_disposition(select, 2)};
        struct tl_history_chapter *chapter = chapter_of(m, cell, &cap, select);
        sqlite3_int64 n = sqlite3_column_int64(select, 3);

        if (chapter == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        chapter->cases += (uint64_t)n;
        chapter->counted[tl_case_counts(&c)] += (uint64_t)n;
        if (cell->num_chapters > CHAPTERS_MAX)
            break;
    }
    (void)sqlite3_reset(select);
    if (cell->num_chapters > 1)
        qsort(cell->chapters, cell->num_chapters, sizeof *cell->chapters, by_chapter);
    return rc < 0 ? rc : 0;
}

static int read_all_chapters(struct tl_history *h, struct tl_history_matrix *m,
                             struct fal_error *err)
{
    sqlite3_stmt *select = NULL;
    int rc = tl_history_prepare(h,
                                "SELECT c.chapter, r.verdict, r.disposition, count(*)"
                                " FROM test_case c CROSS JOIN result r"
                                " ON r.case_id = c.id AND r.run_id = ?1"
                                " GROUP BY c.chapter, r.verdict, r.disposition ORDER BY 1",
                                &select, err);

    for (size_t i = 0; i < m->num_cells && rc == 0; i++)
        rc = read_chapters(h, select, m, &m->cells[i], err);
    (void)sqlite3_finalize(select);
    return rc;
}

/* ---- the whole ---- */

int tl_history_matrix(struct tl_history *h, const struct tl_history_runs *runs, bool chapters,
                      struct tl_history_matrix *out, struct fal_error *err)
{
    size_t n = runs->count + 1; /* never an empty array */

    *out = (struct tl_history_matrix){.num_cells = 0};
    out->devices = fal_arena_alloc(&out->arena, n, sizeof(const char *));
    out->profiles = fal_arena_alloc(&out->arena, n, sizeof(const char *));
    out->firmwares = fal_arena_alloc(&out->arena, n, sizeof *out->firmwares);
    out->cells = fal_arena_alloc(&out->arena, n, sizeof *out->cells);
    if (out->devices == NULL || out->profiles == NULL || out->firmwares == NULL ||
        out->cells == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < runs->count; i++) {
        const struct tl_history_run *run = &runs->list[i];

        out->cells[out->num_cells++] = (struct tl_history_cell){
            .run = run,
            .device = index_of(out->devices, &out->num_devices, run->device),
            .profile = index_of(out->profiles, &out->num_profiles, run->profile)};
    }
    if (out->num_cells > 0)
        qsort(out->cells, out->num_cells, sizeof *out->cells, by_firmware);
    settle(out);
    return chapters ? read_all_chapters(h, out, err) : 0;
}

const struct tl_history_cell *tl_history_cell(const struct tl_history_matrix *matrix,
                                              size_t firmware, size_t profile)
{
    for (size_t i = 0; i < matrix->num_cells; i++)
        if (matrix->cells[i].firmware == firmware && matrix->cells[i].profile == profile)
            return &matrix->cells[i];
    return NULL;
}

void tl_history_matrix_free(struct tl_history_matrix *matrix)
{
    fal_arena_free(&matrix->arena);
    *matrix = (struct tl_history_matrix){.num_cells = 0};
}
