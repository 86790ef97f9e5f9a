/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/failed_from.h"

#include "harness/run/saved_results.h"

#include <stdlib.h>
#include <string.h>

static bool did_not_pass(const struct tl_case *c)
{
    return tl_case_ran(c) ? c->verdict >= FAL_VERDICT_INCONC : c->disposition == TL_NOT_RUN;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_ids(char **ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(ids[i]);
    free(ids);
}

/* The ids of the cases that did not pass, sorted. */
static int read_ids(const char *path, char ***out, size_t *count, struct fal_error *err)
{
    struct tl_saved saved;
    struct tl_cases it;
    const struct tl_case *c;
    char **ids = NULL;
    size_t n = 0;
    int rc = tl_saved_open(&saved, path, err);

    if (rc != 0)
        goto done;
    tl_cases_begin(&it, saved.results);
    while (rc == 0 && (c = tl_cases_next(&it)) != NULL) {
        char **grown;

        if (!did_not_pass(c))
            continue;
        grown = realloc(ids, (n + 1) * sizeof *ids);
        if (grown != NULL)
            ids = grown;
        if (grown == NULL || (ids[n] = strdup(c->id)) == NULL)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        else
            n++;
    }
    if (rc == 0 && it.rc != 0) {
        rc = it.rc;
        *err = it.err;
    }
    tl_cases_end(&it);
done:
    tl_saved_close(&saved);
    if (rc != 0) {
        free_ids(ids, n);
        return rc;
    }
    if (n > 1)
        qsort(ids, n, sizeof *ids, by_id);
    *out = ids;
    *count = n;
    return 0;
}

int tl_plan_failed(struct tl_plan *plan, const char *path, size_t *gone, struct fal_error *err)
{
    char **ids;
    size_t n, kept = 0;
    int rc = read_ids(path, &ids, &n, err);

    if (rc != 0)
        return rc;
    for (size_t i = 0; i < plan->num_cases; i++) {
        const char *id = plan->cases[i].id;

        if (n > 0 && bsearch(&id, ids, n, sizeof *ids, by_id) != NULL) {
            plan->cases[kept++] = plan->cases[i];
            continue;
        }
        free(plan->cases[i].own);
        plan->deselected++;
    }
    plan->num_cases = kept;
    *gone = n > kept ? n - kept : 0;
    free_ids(ids, n);
    return 0;
}
