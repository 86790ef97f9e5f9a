/* SPDX-License-Identifier: Apache-2.0
 * bench_report.c - many cases for tests of reports: bench_report N RESULTS OUT writes
 * talon/results/1 with N cases, those of RESULTS over and over under names of their own. */
#include "reports/formats/report.h"
#include "reports/results/results_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that a case holds stays the other's. */
static bool copy_cases(const struct tl_results *from, size_t n, struct tl_results *to)
{
    to->source = NULL;
    to->tally = NULL;
    to->cases = calloc(n + 1, sizeof *to->cases);
    to->num_cases = 0;
    for (size_t i = 0; to->cases != NULL && i < n; i++) {
        const struct tl_case *original = &from->cases[i % from->num_cases];
        char *name;

        if (asprintf(&name, "%s#%zu", original->id, i) < 0)
            return false;
        to->cases[i] = *original;
        to->cases[i].id = name;
        to->num_cases++;
    }
    return to->cases != NULL;
}

static void free_cases(struct tl_results *results)
{
    for (size_t i = 0; results->cases != NULL && i < results->num_cases; i++)
        free((char *)results->cases[i].id);
    free(results->cases);
}

static int write_copies(FILE *in, const char *name, size_t n, FILE *out)
{
    struct tl_results_file *file = NULL;
    struct tl_results all = {.cases = NULL};
    struct fal_error err = {{0}};
    int rc = tl_results_open(in, name, &file, &err);

    if (rc == 0)
        rc = tl_results_load(file, &err);
    if (rc == 0) {
        all = *tl_results_of(file);
        if (all.num_cases == 0 || !copy_cases(tl_results_of(file), n, &all)) {
            rc = fal_fail(&err, FAL_ERR_MEM, "no cases, or out of memory");
        } else {
            all.status = tl_results_status(&all);
            rc = tl_report_json(out, &all, NULL);
        }
        free_cases(&all);
    }
    if (rc != 0)
        fprintf(stderr, "bench_report: %s\n", err.text);
    tl_results_close(file);
    return rc;
}

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[2], "re") : NULL;
    FILE *out = in != NULL ? fopen(argv[3], "we") : NULL;
    int rc = 1;

    if (out != NULL)
        rc = write_copies(in, argv[2], strtoull(argv[1], NULL, 10), out) == 0 ? 0 : 1;
    else
        fprintf(stderr, "usage: bench_report N RESULTS OUT\n");
    if (out != NULL && fclose(out) != 0)
        rc = 1;
    if (in != NULL)
        (void)fclose(in);
    return rc;
}
