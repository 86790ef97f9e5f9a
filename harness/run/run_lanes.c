/* SPDX-License-Identifier: Apache-2.0
 * run_lanes.c - several cases at the same time on one live SUT, each on a connection of its own
 * (mux.h). Cases that need the SUT for themselves are played alone, last. So is, once more,
 * each case that was not decided beside others: it may have been disturbed by them. */
#include "harness/run/crew.h"

#include "harness/session/mux.h"
#include "harness/verdict/case_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lane {
    struct tl_crew *crew;
    struct tl_mux *mux;
    unsigned number;
};

/* A case that was not decided, or that an error of another case may have disturbed. */
static bool is_disturbed(const struct lane *lane, const struct tl_case *c)
{
    return tl_case_ran(c) &&
           (tl_mux_strayed(lane->mux) || c->verdict == FAL_VERDICT_ERROR ||
            (c->verdict == FAL_VERDICT_INCONC && !tl_reason_recurs(c->reason.id)));
}

static void play_lane(void *ctx, unsigned number)
{
    struct lane *lane = (struct lane *)ctx + number;
    struct tl_crew *crew = lane->crew;
    struct tl_bench *bench = tl_mux_bench(lane->mux, lane->number);
    size_t index;
    bool go;

    while (!tl_mux_unsettled(lane->mux) && !bench->dead && tl_crew_take(crew, &index, &go)) {
        if (go)
            tl_crew_play(crew, bench, index);
        if (go && is_disturbed(lane, &crew->results->cases[index]))
            crew->state[index] = TL_CREW_REPEAT;
        else
            tl_crew_done(crew, index);
    }
}

/* How playing side by side ended. */
struct end {
    bool began;
    bool died;    /* the link or the SUT broke down */
    bool strayed; /* a frame of the SUT belongs to no connection, or events were lost */
    struct fal_error why;
};

/* Plays cases until none is left or the lanes must begin again. */
static struct end play_side_by_side(struct tl_crew *crew, unsigned count)
{
    struct lane *lanes = calloc(count, sizeof *lanes);
    struct end end = {.began = false};
    struct tl_mux *mux = NULL;

    if (lanes != NULL)
        mux = tl_mux_new_lanes(crew->wire, count, crew->run->stacks, &end.why);
    for (unsigned i = 0; mux != NULL && i < count; i++)
        lanes[i] = (struct lane){.crew = crew, .mux = mux, .number = i};
    if (mux != NULL) {
        tl_mux_play(mux, play_lane, lanes);
        end.began = true;
        end.strayed = tl_mux_strayed(mux);
        tl_mux_free(mux);
        end.died = crew->wire->dead;
        end.why = crew->wire->why;
    }
    free(lanes);
    return end;
}

/* ---- cases that are played again, alone ---- */

/* The earlier attempts stay in the result. */
static void play_again(struct tl_crew *crew, size_t index)
{
    struct tl_case *c = &crew->results->cases[index];
    struct tl_attempt before[TL_ATTEMPTS_MAX];
    size_t n = c->num_attempts, room;

    memcpy(before, c->attempts, sizeof before);
    if (crew->kept != NULL)
        tl_kept_free(&crew->kept[index]);
    tl_crew_play(crew, crew->wire, index);
    room = TL_ATTEMPTS_MAX - c->num_attempts;
    n = n < room ? n : room;
    memmove(&c->attempts[n], c->attempts, c->num_attempts * sizeof *c->attempts);
    memcpy(c->attempts, before, n * sizeof *before);
    c->num_attempts += n;
}

/* An error that no case shows alone must not vanish: the first of them reports it. */
static void keep_error(struct tl_case *first, const struct end *end, size_t count,
                       enum fal_verdict worst)
{
    char text[sizeof end->why.text + 120];

    if (end->died && worst < FAL_VERDICT_ERROR) {
        (void)snprintf(text, sizeof text,
                       "while %zu cases played at the same time: %s; none of them causes this "
                       "when it is played alone",
                       count, end->why.text);
        tl_case_broken(first, TL_REASON_CONTROL, text);
    } else if (end->strayed && worst < FAL_VERDICT_FAIL) {
        (void)snprintf(text, sizeof text,
                       "the SUT sent a frame that belongs to no connection, or lost events, "
                       "while %zu cases played at the same time; none of them causes this when "
                       "it is played alone",
                       count);
        tl_case_undecided(first, TL_REASON_UNDECIDED, text);
    }
}

static void play_disturbed(struct tl_crew *crew, size_t from, size_t to, const struct end *end)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;
    struct tl_case *first = NULL;
    size_t count = 0;

    for (size_t at = from; at < to; at++) {
        size_t index = crew->order[at];
        struct tl_case *c = &crew->results->cases[index];

        if (crew->state[index] != TL_CREW_REPEAT)
            continue;
        if (crew->run->stopped != NULL && crew->run->stopped(crew->run->ctx))
            crew->results->interrupted = true;
        if (!crew->results->interrupted && index < crew->stop)
            play_again(crew, index);
        first = count++ == 0 ? c : first;
        worst = c->verdict > worst ? c->verdict : worst;
    }
    if (first != NULL && !crew->results->interrupted)
        keep_error(first, end, count, worst);
    for (size_t at = from; at < to; at++)
        if (crew->state[crew->order[at]] == TL_CREW_REPEAT)
            tl_crew_done(crew, crew->order[at]);
}

/* ---- the order ---- */

/* Cases of one group may play at the same time: all connections of a control connection use the
 * same encapsulation. */
static unsigned group_of(const struct tl_run *run, const struct tl_scenario *scenario,
                         bool ports)
{
    if (tl_run_alone(run, scenario, ports) != NULL)
        return FAL_ENCAP_COUNT;
    return scenario->has_encap ? scenario->encap : run->encap;
}

/* Sorts the cases by group; ends[g]: where group g ends. */
static int make_order(struct tl_crew *crew, bool ports, size_t *ends)
{
    const struct tl_run *run = crew->run;
    size_t at = 0;

    crew->order = calloc(run->num_cases + 1, sizeof *crew->order);
    if (crew->order == NULL)
        return FAL_ERR_MEM;
    for (unsigned group = 0; group <= FAL_ENCAP_COUNT; group++) {
        for (size_t i = 0; i < run->num_cases; i++)
            if (group_of(run, run->cases[i].scenario, ports) == group)
                crew->order[at++] = i;
        ends[group] = at;
    }
    return 0;
}

int tl_run_in_lanes(struct tl_crew *crew)
{
    size_t ends[FAL_ENCAP_COUNT + 1], from = 0;

    if (crew->lanes < 2) {
        tl_crew_work(crew);
        return 0;
    }
    if (make_order(crew, crew->wire->caps.ports, ends) != 0)
        return FAL_ERR_MEM;
    for (unsigned group = 0; group <= FAL_ENCAP_COUNT; group++) {
        crew->next = from;
        crew->until = ends[group];
        while (group < FAL_ENCAP_COUNT && crew->until - crew->next > 1 &&
               !crew->results->interrupted) {
            size_t left = crew->until - crew->next;
            struct end end =
                play_side_by_side(crew, left < crew->lanes ? (unsigned)left : crew->lanes);

            if (!end.began)
                break;
            play_disturbed(crew, from, crew->next, &end);
        }
        tl_crew_work(crew);
        from = ends[group];
    }
    return 0;
}
