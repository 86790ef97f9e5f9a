/* SPDX-License-Identifier: Apache-2.0
 * lib_equal.c - judges files by libtalon, handed in frame by frame or line by line, and prints
 * what `talon check --format json` prints for them (tests/libtalon.sh compares the two):
 * lib_equal [--ulp LINES] [--threads] FILE... [-- OPTION OF TALON CHECK...]
 * With --threads two threads judge all files at once, each by judges of its own, and both
 * reports must be the same. */
#include "harness/check/check.h"
#include "harness/lib/feed_testing.h"

#include <pthread.h>
#include <stdbool.h>

struct task {
    char **files;
    size_t num;
    const char *ulp;
    const char *const *words;
    size_t num_words;
    struct feed_text text; /* the reports, one after the other */
    bool failed;
};

static bool judge_one(struct task *task, const char *path)
{
    struct talon_error err = {0};
    struct talon_setup *setup = talon_setup_new(task->words, task->num_words, &err);
    struct talon_judge *judge = setup != NULL ? talon_judge_new(setup, NULL, &err) : NULL;
    bool ok = judge != NULL;

    if (ok && tl_check_is_timeline(path))
        ok = feed_timeline(judge, path, &err) == 0;
    else if (ok)
        ok = feed_capture(judge, path, task->ulp, &err) == 0;
    ok = ok && talon_judge_end(judge, &err) == 0;
    if (ok && talon_judge_counts(judge)->packets > 0)
        ok = talon_judge_report(judge, TALON_REPORT_JSON, feed_write, &task->text) == 0;
    if (!ok)
        fprintf(stderr, "lib_equal: %s: %s\n", path, err.text);
    talon_judge_free(judge);
    talon_setup_free(setup);
    return ok;
}

static void *judge_all(void *ctx)
{
    struct task *task = ctx;

    for (size_t i = 0; i < task->num; i++)
        task->failed |= !judge_one(task, task->files[i]);
    return NULL;
}

/* The arguments; false when they are wrong. */
static bool read_arguments(int argc, char **argv, struct task *task, bool *threads)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--threads") == 0)
            *threads = true;
        else if (strcmp(argv[i], "--ulp") == 0 && i + 1 < argc)
            task->ulp = argv[++i];
        else
            return false;
    }
    task->files = argv + i;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        task->num++;
    if (i < argc) {
        task->words = (const char *const *)argv + i + 1;
        task->num_words = (size_t)(argc - i - 1);
    }
    return task->num > 0;
}

int main(int argc, char **argv)
{
    struct task tasks[2] = {{0}};
    bool threads = false, same = true;
    pthread_t other;

    if (!read_arguments(argc, argv, &tasks[0], &threads)) {
        fprintf(stderr, "usage: lib_equal [--ulp LINES] [--threads] FILE... [-- OPTION...]\n");
        return 2;
    }
    tasks[1] = tasks[0];
    if (threads && pthread_create(&other, NULL, judge_all, &tasks[1]) != 0)
        return 2;
    (void)judge_all(&tasks[0]);
    if (threads && pthread_join(other, NULL) != 0)
        return 2;
    if (threads)
        same = tasks[0].text.len == tasks[1].text.len &&
               (tasks[0].text.len == 0 ||
                memcmp(tasks[0].text.text, tasks[1].text.text, tasks[0].text.len) == 0);
    if (!same)
        fprintf(stderr, "lib_equal: two threads came to two reports\n");
    if (tasks[0].text.len > 0)
        (void)fwrite(tasks[0].text.text, 1, tasks[0].text.len, stdout);
    free(tasks[0].text.text);
    free(tasks[1].text.text);
    return tasks[0].failed || tasks[1].failed || !same;
}
