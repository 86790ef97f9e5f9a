/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/shard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A whole number up to `most`. */
static bool number(const char *text, unsigned long most, unsigned *out)
{
    unsigned long n;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    n = strtoul(text, &end, 10);
    *out = (unsigned)n;
    return errno == 0 && *end == 0 && n <= most;
}

const char *tl_shard_environment(const char *name)
{
    return getenv(name); /* NOLINT(concurrency-mt-unsafe) before any thread */
}

/* ---- auto ---- */

/* A variable that must be a number. Returns 1, 0 if it is not set, or FAL_ERR_FORM. */
static int variable(const char *(*get)(const char *), const char *name, unsigned *out,
                    struct fal_error *err)
{
    const char *text = get(name);

    if (text == NULL)
        return 0;
    return number(text, UINT32_MAX / 2, out)
               ? 1
               : fal_fail(err, FAL_ERR_FORM, "auto: %s is '%.40s'; expected a whole number",
                          name, text);
}

static int slurm(const char *(*get)(const char *), unsigned task, struct tl_shard *out,
                 struct fal_error *err)
{
    unsigned least = 0, most = 0;
    int rc = variable(get, "SLURM_ARRAY_TASK_COUNT", &out->total, err);

    if (rc == 0)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "auto: SLURM_ARRAY_TASK_COUNT is not set; set TALON_SHARDS to the number "
                      "of tasks");
    if (rc > 0)
        rc = variable(get, "SLURM_ARRAY_TASK_MIN", &least, err);
    if (rc < 0)
        return rc;
    most = least + out->total - 1;
    rc = variable(get, "SLURM_ARRAY_TASK_MAX", &most, err);
    if (rc < 0)
        return rc;
    if (most - least + 1 != out->total)
        return fal_fail(err, FAL_ERR_FORM,
                        "auto: the array has %u tasks, numbered from %u to %u: some are left "
                        "out; set TALON_SHARDS to the number of shards, and number the tasks "
                        "from 0",
                        out->total, least, most);
    out->number = task - least + 1;
    return 0;
}

static int from_environment(const char *(*get)(const char *), struct tl_shard *out,
                            struct fal_error *err)
{
    unsigned task = 0;
    int array = variable(get, "SLURM_ARRAY_TASK_ID", &task, err), index, count;

    if (array < 0)
        return array;
    index = array == 0 ? variable(get, "JOB_COMPLETION_INDEX", &task, err) : 0;
    if (index < 0)
        return index;
    if (array == 0 && index == 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "auto: neither SLURM_ARRAY_TASK_ID (an array of Slurm) nor "
                        "JOB_COMPLETION_INDEX (an indexed job of Kubernetes) is set");
    count = variable(get, "TALON_SHARDS", &out->total, err);
    if (count < 0)
        return count;
    if (count == 0 && array > 0)
        return slurm(get, task, out, err);
    if (count == 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "auto: set TALON_SHARDS to the completions of the job");
    out->number = task + 1;
    return 0;
}

int tl_shard_read(const char *text, unsigned most, const char *(*get)(const char *),
                  struct tl_shard *out, struct fal_error *err)
{
    const char *slash = strchr(text, '/');
    char first[16] = "";
    bool ok;

    *out = (struct tl_shard){0, 0};
    if (strcmp(text, "auto") == 0) {
        int rc = from_environment(get, out, err);

        if (rc != 0)
            return rc;
        return out->number >= 1 && out->number <= out->total && out->total <= most
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM,
                              "auto: the environment says shard %u of %u; expected one from 1 "
                              "to N, N at most %u",
                              out->number, out->total, most);
    }
    if (slash != NULL && (size_t)(slash - text) < sizeof first)
        memcpy(first, text, (size_t)(slash - text));
    ok = slash != NULL && number(first, most, &out->number) &&
         number(slash + 1, most, &out->total) && out->number >= 1 && out->number <= out->total;
    return ok ? 0
              : fal_fail(err, FAL_ERR_FORM,
                         "'%.60s'; expected I/N, I from 1 to N, N at most %u, or auto", text,
                         most);
}

/* ---- who takes what ---- */

uint64_t tl_shard_hash(uint64_t hash, const char *name)
{
    do
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    while (*name++ != 0);
    return hash;
}

bool tl_shard_takes(struct tl_shard shard, const char *name)
{
    uint64_t hash = tl_shard_hash(TL_SHARD_HASH, name);

    /* The low bits of FNV-1a are the weakest. */
    return shard.total == 0 || (hash ^ hash >> 32) % shard.total == shard.number - 1;
}
