/* SPDX-License-Identifier: Apache-2.0
 * crew.c - which case is taken next, and what becomes of one that has ended: its evidence, its
 * line of the journal, its report. */
#include "harness/run/crew.h"

#include "harness/verdict/case_verdict.h"

#include <stdlib.h>
#include <string.h>

/* With --fail-fast a case after the first failure counts as not run, whatever its result: cases
 * that ran in parallel cannot be distinguished from cases that never began. */
static void unrun(struct tl_crew *crew, size_t index)
{
    struct tl_case *c = &crew->results->cases[index];

    tl_case_clear(c);
    tl_run_name(crew->run, &crew->run->cases[index], 0, c);
    c->disposition = TL_NOT_RUN;
    c->why = strdup(crew->results->interrupted ? "interrupted" : "fail-fast");
}

static void keep(struct tl_crew *crew, size_t index)
{
    struct tl_case *c = &crew->results->cases[index];
    struct tl_kept *kept = &crew->kept[index];
    struct fal_error err = {{0}};
    const struct tl_evidence_of_case files = {kept->timeline, kept->timeline_len, kept->packets,
                                              kept->packets_len};

    if (tl_evidence_case(crew->run->evidence, index, c, &files, &err) != 0)
        tl_case_broken(c, TL_REASON_EVIDENCE, err.text);
    tl_kept_free(kept);
}

void tl_crew_moved(const struct tl_crew *crew)
{
    const struct tl_run *run = crew->run;

    if (run->moved != NULL)
        run->moved(run->ctx, crew->num_done, run->num_cases, crew->lanes);
}

static bool has_evidence(const struct tl_crew *crew, size_t index)
{
    return crew->kept != NULL && crew->kept[index].timeline != NULL;
}

/* The line of the journal of a case without evidence, made without the lock; NULL: save makes
 * it. */
static char *line_ahead(const struct tl_crew *crew, size_t index)
{
    return crew->run->journal != NULL && !has_evidence(crew, index)
               ? tl_journal_line(index, &crew->results->cases[index])
               : NULL;
}

/* Saves a case that has ended: its evidence, then its line of the journal, which is freed. */
static void save(struct tl_crew *crew, size_t index, char *line)
{
    struct tl_journal *journal = crew->run->journal;
    struct tl_case *c = &crew->results->cases[index];
    struct fal_error err = {{0}};
    int rc = 0;

    if (has_evidence(crew, index))
        keep(crew, index);
    if (journal != NULL && line == NULL)
        line = tl_journal_line(index, c);
    if (journal != NULL)
        rc = line != NULL ? tl_journal_write(journal, line, &err)
                          : fal_fail(&err, FAL_ERR_MEM, "out of memory");
    if (rc != 0)
        tl_case_broken(c, TL_REASON_EVIDENCE, err.text);
    free(line);
}

/* Reports the cases that have ended, in the order of the cases. With --fail-fast only this
 * order decides which cases count, so they are saved here. */
static void report_ended(struct tl_crew *crew)
{
    const struct tl_run *run = crew->run;

    while (crew->ended < run->num_cases && (crew->state[crew->ended] == TL_CREW_DONE ||
                                            crew->state[crew->ended] == TL_CREW_UNRUN)) {
        bool after = crew->ended > crew->stop || crew->state[crew->ended] == TL_CREW_UNRUN;

        if (after)
            unrun(crew, crew->ended);
        if (after && crew->kept != NULL)
            tl_kept_free(&crew->kept[crew->ended]);
        if (!after && run->fail_fast)
            save(crew, crew->ended, NULL);
        if (run->ended != NULL)
            run->ended(run->ctx, crew->results, &crew->results->cases[crew->ended]);
        crew->ended++;
    }
}

void tl_crew_done(struct tl_crew *crew, size_t index)
{
    const struct tl_run *run = crew->run;
    bool saves = !run->fail_fast && crew->state[index] != TL_CREW_UNRUN;
    char *line = saves ? line_ahead(crew, index) : NULL;

    pthread_mutex_lock(&crew->lock);
    if (crew->state[index] != TL_CREW_UNRUN)
        crew->state[index] = TL_CREW_DONE;
    crew->num_done++;
    if (run->fail_fast && tl_case_counts(&crew->results->cases[index]) >= FAL_VERDICT_FAIL &&
        index < crew->stop)
        crew->stop = index;
    if (saves)
        save(crew, index, line);
    report_ended(crew);
    tl_crew_moved(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* A case of the part of the run that was interrupted. */
static void take_ended(void *ctx, size_t index, struct tl_case *c)
{
    struct tl_crew *crew = ctx;
    struct fal_error err = {{0}};

    if (crew->state[index] == TL_CREW_DONE ||
        strcmp(crew->results->cases[index].id, c->id) != 0) {
        tl_case_clear(c);
        return;
    }
    tl_case_clear(&crew->results->cases[index]);
    crew->results->cases[index] = *c;
    crew->state[index] = TL_CREW_DONE;
    crew->num_done++;
    if (crew->run->fail_fast && tl_case_counts(c) >= FAL_VERDICT_FAIL && index < crew->stop)
        crew->stop = index;
    if (crew->run->evidence != NULL &&
        tl_evidence_adopt(crew->run->evidence, index, c, &err) != 0)
        tl_case_broken(&crew->results->cases[index], TL_REASON_EVIDENCE, err.text);
}

int tl_crew_begin(struct tl_crew *crew, struct fal_error *err)
{
    const struct tl_run *run = crew->run;
    const char *product = crew->results->product;
    int rc;

    if (run->journal == NULL)
        return 0;
    rc = tl_journal_run(run->journal, run->cases, run->num_cases,
                        product != NULL ? product : "", &crew->results->learned, err);
    if (rc == 0 && run->resumes)
        rc = tl_journal_cases(run->journal, run->num_cases, take_ended, crew, err);
    report_ended(crew);
    return rc;
}

/* The case at a position of the order. */
static size_t at(const struct tl_crew *crew, size_t position)
{
    return crew->order != NULL ? crew->order[position] : position;
}

/* Whether the case is played, and not only reported. The caller has the lock. */
static bool is_played(struct tl_crew *crew, size_t index)
{
    if (!crew->results->interrupted && crew->run->stopped != NULL &&
        crew->run->stopped(crew->run->ctx))
        crew->results->interrupted = true;
    if (crew->results->interrupted)
        crew->state[index] = TL_CREW_UNRUN;
    return index < crew->stop && !crew->results->interrupted;
}

bool tl_crew_take_block(struct tl_crew *crew, size_t most, size_t *from, size_t *to)
{
    pthread_mutex_lock(&crew->lock);
    *from = crew->next;
    *to = crew->until - *from < most ? crew->until : *from + most;
    crew->next = *to;
    pthread_mutex_unlock(&crew->lock);
    return *from < *to;
}

bool tl_crew_begin_case(struct tl_crew *crew, size_t index, bool *play)
{
    bool open;

    pthread_mutex_lock(&crew->lock);
    open = crew->state[index] != TL_CREW_DONE; /* it ended before the run was interrupted */
    *play = open && is_played(crew, index);
    pthread_mutex_unlock(&crew->lock);
    return open;
}

bool tl_crew_take(struct tl_crew *crew, size_t *index, bool *play)
{
    bool taken;

    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->until && crew->state[at(crew, crew->next)] == TL_CREW_DONE)
        crew->next++; /* it ended before the run was interrupted */
    taken = crew->next < crew->until;
    *index = taken ? at(crew, crew->next) : 0;
    *play = taken && is_played(crew, *index);
    crew->next += taken;
    pthread_mutex_unlock(&crew->lock);
    return taken;
}
