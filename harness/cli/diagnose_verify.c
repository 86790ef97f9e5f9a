/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/diagnose_verify.h"

#include "harness/run/saved_results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_TEXT = 512, SUT_TEXT = 128, SEED_TEXT = 24 };

/* A file for the results, with its name in `path`. */
static int make_file(char path[PATH_TEXT], struct fal_error *err)
{
    const char *folder = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): no other thread */
    int fd;

    (void)snprintf(path, PATH_TEXT, "%s/talon-diagnose-XXXXXX",
                   folder != NULL && *folder != 0 ? folder : "/tmp");
    fd = mkstemp(path);
    if (fd < 0)
        return fal_fail(err, FAL_ERR_IO, "%.100s: %s", path, strerror(errno));
    (void)close(fd);
    return 0;
}

static int run(const char *const argv[], struct fal_error *err)
{
    posix_spawn_file_actions_t files;
    int rc, status = 0;
    pid_t pid;

    if (posix_spawn_file_actions_init(&files) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    rc = posix_spawn(&pid, "/proc/self/exe", &files, NULL, (char *const *)argv,
                     environ); /* it does not write through these pointers */
    (void)posix_spawn_file_actions_destroy(&files);
    if (rc != 0)
        return fal_fail(err, FAL_ERR_IO, "talon run: %s", strerror(rc));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 2)
        return fal_fail(err, FAL_ERR_IO,
                        "the failed cases cannot be played again: name the scenarios (talon "
                        "diagnose RESULTS PATH...)");
    return 0;
}

/* Whether half of the signs of the one case are signs of the other. */
static bool alike(const struct tl_seen *a, size_t n, const struct tl_seen *b)
{
    const struct tl_seen_case *mine = &a->cases[n], *theirs = &b->cases[n];
    size_t same = 0;

    for (uint32_t i = 0; i < mine->count; i++)
        for (uint32_t j = 0; j < theirs->count; j++)
            same += a->signs[mine->first + i] >= 0 &&
                    a->signs[mine->first + i] == b->signs[theirs->first + j];
    return 2 * same >= mine->count;
}

static int compare(const char *path, const struct tl_seen *seen,
                   const struct tl_signatures *signatures, struct tl_verified *out,
                   struct fal_error *err)
{
    struct tl_saved saved = {.file = NULL};
    struct tl_seen again = {.cases = NULL};
    int rc = tl_saved_open(&saved, path, err);

    if (rc == 0)
        rc = tl_seen_gather(saved.results, signatures, &again, err);
    for (size_t n = 0; rc == 0 && n < signatures->num_cases; n++) {
        if (seen->cases[n].seen != TL_CASE_FAILED)
            continue;
        out->played += again.cases[n].seen != TL_CASE_NOT_PLAYED;
        if (again.cases[n].seen != TL_CASE_FAILED)
            continue;
        out->fail++;
        out->alike += alike(seen, n, &again);
    }
    tl_seen_free(&again);
    tl_saved_close(&saved);
    return rc;
}

/* Plays the cases with the fault; the results go to the file. */
static int play(const struct tl_verify *what, const char *path, struct fal_error *err)
{
    char sut[SUT_TEXT], number[SEED_TEXT], report[PATH_TEXT + 8];
    const char *const head[] = {"talon",    "run", "--failed-from", what->paths->list[0],
                                "--sut",    sut,   "--seed",        number,
                                "--report", report};
    const char **argv = calloc(what->paths->count + sizeof head / sizeof *head, sizeof *argv);
    int rc;

    if (argv == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    (void)snprintf(sut, sizeof sut, "builtin:fault=%s", what->fault);
    (void)snprintf(number, sizeof number, "%" PRIu64, what->seed);
    (void)snprintf(report, sizeof report, "json:%s", path);
    memcpy(argv, head, sizeof head);
    for (size_t i = 1; i < what->paths->count; i++)
        argv[sizeof head / sizeof *head + i - 1] = what->paths->list[i];
    rc = run(argv, err);
    free(argv);
    return rc;
}

int tl_diagnose_verify(const struct tl_verify *what, const struct tl_seen *seen,
                       const struct tl_signatures *signatures, struct tl_verified *out,
                       struct fal_error *err)
{
    char path[PATH_TEXT];
    int rc = make_file(path, err);

    *out = (struct tl_verified){.played = 0};
    if (rc != 0)
        return rc;
    rc = play(what, path, err);
    if (rc == 0)
        rc = compare(path, seen, signatures, out, err);
    (void)unlink(path);
    return rc;
}
