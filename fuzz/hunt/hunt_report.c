/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt_report.h"

#include "harness/doc/version.h"
#include "harness/run/saved_results.h"
#include "harness/session/sut_process.h"
#include "reports/base/status.h"
#include "reports/results/merge.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hunt_reports_add(struct hunt_reports *reports, const char *text, struct fal_error *err)
{
    if (reports->count == HUNT_REPORTS_MAX)
        return fal_fail(err, FAL_ERR_FORM, "--report: at most %d", HUNT_REPORTS_MAX);
    return tl_report_spec_read(text, &reports->specs[reports->count++], err);
}

int hunt_reports_open(struct hunt_reports *reports, struct fal_error *err)
{
    for (size_t i = 0; i < reports->count; i++) {
        reports->out[i] = tl_report_open(&reports->specs[i], err);
        if (reports->out[i] == NULL)
            return FAL_ERR_IO;
    }
    return 0;
}

static int write_all(struct hunt_reports *reports, const char *evidence,
                     const struct tl_results *results, struct fal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < reports->count && rc == 0; i++) {
        rc = tl_report_write_to(&reports->specs[i], reports->out[i], TL_JUNIT_JENKINS, evidence,
                                results, err);
        reports->out[i] = NULL;
    }
    return rc;
}

/* Names of `findings` that have results, in order; each is the caller's. FAL_ERR_MEM. */
static int list(const char *findings, char ***names, size_t *n)
{
    struct dirent **entries = NULL;
    int found = scandir(findings, &entries, NULL, alphasort), rc = 0;

    *n = 0;
    *names = calloc(found > 0 ? (size_t)found : 1, sizeof **names);
    if (*names == NULL)
        rc = FAL_ERR_MEM;
    for (int i = 0; i < found; i++) {
        char *path = NULL;

        if (rc == 0 &&
            asprintf(&path, "%s/%s/results.json", findings, entries[i]->d_name) < 0) {
            path = NULL;
            rc = FAL_ERR_MEM;
        }
        if (path != NULL && entries[i]->d_name[0] != '.' && access(path, R_OK) == 0)
            (*names)[(*n)++] = path;
        else
            free(path);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

/* Merged, since what one finding is to a report is a case. */
static int write_merged(struct hunt_reports *reports, const char *findings, char **names,
                        size_t n, struct fal_error *err)
{
    struct tl_saved *saved = calloc(n, sizeof *saved);
    struct tl_results **all = calloc(n, sizeof(struct tl_results *));
    struct tl_results merged;
    int rc = 0;

    if (saved == NULL || all == NULL) {
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = tl_saved_open(&saved[i], names[i], err);
        if (rc == 0)
            rc = tl_results_load(saved[i].file, err);
        all[i] = saved[i].results;
    }
    if (rc == 0)
        rc = tl_merge(all, (const char *const *)names, n, 0, &merged, err);
    if (rc == 0) {
        rc = write_all(reports, findings, &merged, err);
        tl_merge_free(&merged);
    }
done:
    for (size_t i = 0; saved != NULL && i < n; i++)
        tl_saved_close(&saved[i]);
    free(saved);
    free(all);
    return rc;
}

int hunt_reports_write(struct hunt_reports *reports, const char *dir, const char *sut,
                       struct fal_error *err)
{
    const struct tl_results nothing = {.version = TL_VERSION, .sut = sut};
    char *findings = NULL, **names = NULL;
    size_t n = 0;
    int rc;

    if (reports->count == 0)
        return 0;
    if (asprintf(&findings, "%s/findings", dir) < 0) {
        findings = NULL;
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    rc = list(findings, &names, &n);
    if (rc != 0)
        (void)fal_fail(err, rc, "out of memory");
    else
        rc = n > 0 ? write_merged(reports, findings, names, n, err)
                   : write_all(reports, NULL, &nothing, err);
done:
    for (size_t i = 0; i < reports->count; i++) {
        if (reports->out[i] != NULL && reports->out[i] != stdout)
            (void)fclose(reports->out[i]);
        reports->out[i] = NULL;
    }
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    free(findings);
    return rc;
}

int hunt_reports_search(struct hunt_reports *reports, const struct hunt_search *search)
{
    struct tl_sut_process process;
    struct fal_error err;
    int status;

    if (hunt_reports_open(reports, &err) != 0 ||
        tl_sut_process_start(&process, search->target, &err) != 0) {
        fprintf(stderr, "talon %s: %s\n", search->verb, err.text);
        return TL_STATUS_ERROR;
    }
    status = search->play(search->ctx);
    tl_sut_process_end(&process);
    if (status == TL_STATUS_USAGE)
        return status;
    if (hunt_reports_write(reports, search->dir, search->sut, &err) != 0) {
        fprintf(stderr, "talon %s: --report: %s\n", search->verb, err.text);
        return TL_STATUS_ERROR;
    }
    return status;
}
