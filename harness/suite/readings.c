/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/suite/readings.h"

#include "harness/doc/doc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64, WORTH_A_THREAD = 32 /* files */ };

struct readers {
    struct tl_reading *readings;
    size_t n;
    const struct tl_reading_how *how;
    atomic_size_t next;
};

static void count_cases(struct tl_reading *reading, bool only_check)
{
    struct tl_scenario *first = reading->scenario, *next;

    for (struct tl_scenario *c = first; c != NULL; c = next) {
        next = c->next;
        reading->cases++;
        if (only_check && c != first)
            tl_scenario_free(c);
    }
    if (only_check && first != NULL)
        first->next = NULL;
}

/* A requirement that nothing decides would count as decided. */
static void check_covers(struct tl_reading *reading, const char *text, size_t len)
{
    reading->said = tl_scenario_undecided(reading->scenario, text, len);
    while (reading->said != NULL && reading->scenario != NULL) {
        struct tl_scenario *next = reading->scenario->next;

        tl_scenario_free(reading->scenario);
        reading->scenario = next;
    }
}

static void read_file(struct tl_reading *reading, const struct tl_reading_how *how)
{
    struct tl_path root = {0}, id = {.up = &root, .key = "id"};
    struct fal_error err = {{0}};
    size_t len;
    char *text = tl_file_read(reading->path, &len, &err);

    if (text == NULL) {
        if (asprintf(&reading->said, "%s: %s\n", reading->path, err.text) < 0)
            reading->said = NULL;
        return;
    }
    reading->scenario = tl_scenario_read_wanted(reading->path, text, len, how->wanted,
                                                &reading->passed_over, &reading->said);
    if (reading->scenario != NULL)
        reading->id = tl_source_find(text, len, &id);
    if (how->only_check && reading->scenario != NULL)
        check_covers(reading, text, len);
    free(text);
    count_cases(reading, how->only_check);
}

static void *work(void *arg)
{
    struct readers *readers = arg;
    size_t i;

    while ((i = atomic_fetch_add(&readers->next, 1)) < readers->n)
        read_file(&readers->readings[i], readers->how);
    return NULL;
}

void tl_readings_make(struct tl_reading *readings, size_t n, const struct tl_reading_how *how)
{
    struct readers readers = {.readings = readings, .n = n, .how = how};
    pthread_t threads[THREADS_MAX];
    size_t wanted = n / WORTH_A_THREAD, started = 0;

    wanted = wanted < how->jobs ? wanted : how->jobs;
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, &readers) == 0)
        started++;
    (void)work(&readers); /* this thread reads, too */
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}
