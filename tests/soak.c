/* SPDX-License-Identifier: Apache-2.0
 * soak.c - worlds of random traffic (world.h), judged: as many seeds as asked for, with faults
 * and twins of the SUT. It repeats what a soak test found, and says whether the rules see a
 * fault.
 *
 * `make soak` runs as many as asked for by several processes and keeps a log: count, seeds,
 * commit, and how often each rule decided something.
 *
 * Exit status: 0 no rule failed, 1 one did, or none ever decided anything, 2 usage. */
#include "harness/sut/builtin.h"
#include "harness/sut/link_sim.h"
#include "oracles/rules/judge/unexercised_testing.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* So many worlds decide every rule that worlds can decide. */
enum { JOBS_MAX = 64, ENOUGH = 1000 };

enum { TWIN_PART = 0x5457 }; /* of the seed, as in world_draw.c */

struct options {
    uint64_t seed, count, jobs, trials;
    const char *log, *commit;
    bool clean, rough, go_on, faulty, views;
    struct tl_builtin sut;
    FILE *timeline;
};

static int usage(void)
{
    fputs(
        "usage: soak [--seed N] [--count N] [--fault FAULT,...] [--twins NAME,...|random]\n"
        "            [--verbs|--nvme] [--views] [--clean|--rough] [--go-on] [--timeline FILE]\n"
        "            [--jobs N] [--log FILE] [--commit TEXT] [--trials BITS]\n"
        "\n"
        "Runs worlds from seed N on (default 1) and stops at the first that fails; --go-on runs all.\n"
        "random twins are of the tester too. --clean and --rough: only over good or bad "
        "networks; else each fourth is good.\n"
        "--verbs: the upper layers are RDMA verbs, with random programs of work requests.\n"
        "--nvme: the upper layers are NVMe, with random programs of commands.\n"
        "--views: from where, from when on and how much of it is judged is the seed's too.\n"
        "--trials: enum world_trial of tests/world_trials.h.\n"
        "--timeline writes what happened, for talon check.\n"
        "--jobs: so many processes; --log: what was run, at which commit, and how it went.\n",
        stderr);
    return 2;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == 0;
}

/* An option without a value. */
static bool read_flag(const char *name, struct options *o)
{
    const struct {
        const char *name;
        bool *flag;
        unsigned trial;
    } flags[] = {
        {"--clean", &o->clean, 0}, {"--rough", &o->rough, 0},      {"--views", &o->views, 0},
        {"--go-on", &o->go_on, 0}, {"--verbs", NULL, WORLD_VERBS}, {"--nvme", NULL, WORLD_NVME},
    };

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) != 0)
            continue;
        o->trials |= flags[i].trial;
        if (flags[i].flag != NULL)
            *flags[i].flag = true;
        return true;
    }
    return false;
}

static int read_options(int argc, char **argv, struct options *o)
{
    struct fal_error err = {{0}};
    uint64_t trials = 0;
    int rc = 0;

    for (int i = 1; i < argc && rc == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (read_flag(argv[i], o))
            continue;
        i++;
        if (value == NULL)
            return FAL_ERR_FORM;
        if (strcmp(argv[i - 1], "--seed") == 0)
            rc = number(value, &o->seed) ? 0 : FAL_ERR_FORM;
        else if (strcmp(argv[i - 1], "--count") == 0)
            rc = number(value, &o->count) ? 0 : FAL_ERR_FORM;
        else if (strcmp(argv[i - 1], "--jobs") == 0)
            rc = number(value, &o->jobs) && o->jobs > 0 && o->jobs <= JOBS_MAX ? 0
                                                                               : FAL_ERR_FORM;
        else if (strcmp(argv[i - 1], "--log") == 0)
            o->log = value;
        else if (strcmp(argv[i - 1], "--commit") == 0)
            o->commit = value;
        else if (strcmp(argv[i - 1], "--trials") == 0) {
            rc = number(value, &trials) ? 0 : FAL_ERR_FORM;
            o->trials |= trials;
        } else if (strcmp(argv[i - 1], "--fault") == 0) {
            o->faulty = true;
            rc = fal_faults_read(&o->sut.faults, value, strlen(value), &err);
        } else if (strcmp(argv[i - 1], "--twins") == 0)
            rc = tl_twins_read(&o->sut.twins, value, strlen(value), &err);
        else if (strcmp(argv[i - 1], "--timeline") == 0)
            rc = (o->timeline = fopen(value, "w")) != NULL ? 0 : FAL_ERR_FORM;
        else
            rc = FAL_ERR_FORM;
    }
    if (err.text[0] != 0)
        fprintf(stderr, "soak: %s\n", err.text);
    return rc;
}

static void print_twins(const char *whose, const struct fal_twin_set *set)
{
    size_t n;
    const struct fal_twin *twins = fal_twins(&n);
    bool any = false;

    for (size_t i = 0; i < n; i++)
        if (fal_twin_in(set, (enum fal_twin_id)i)) {
            printf("%s%s%s", any ? "," : "  twins of the ", any ? "" : whose, any ? "" : ": ");
            printf("%s", twins[i].name);
            any = true;
        }
    if (any)
        putchar('\n');
}

static void print_view(const struct world_config *c)
{
    static const char *const vantages[] = {"tester", "middle", "sut"};

    printf("  trials %u, vantage %s%s%s%s%s, skips %" PRIu64 ", misses %" PRIu32
           " ppm, events late %" PRIu64 " ns\n",
           c->trials, vantages[c->vantage], c->undeclared ? ", undeclared" : "",
           c->wire_only ? ", wire only" : "", c->unknown_params ? ", unknown parameters" : "",
           c->loss_is_told     ? ", loss told"
           : c->loss_is_secret ? ", loss secret"
                               : "",
           c->skip_packets, c->capture_loss_ppm, c->late_events_ns);
}

static void write_event(void *ctx, const struct fal_event *event)
{
    json_t *object = fal_event_to_json(event);

    if (object != NULL && json_dumpf(object, ctx, JSON_COMPACT) == 0)
        putc('\n', ctx);
    json_decref(object);
}

/* What came of many worlds. */
struct totals {
    uint64_t worlds, failed, acts, packets;
    uint64_t exercised[FAL_RULES_MAX]; /* by rule */
};

/* Runs one world; whether it failed. A fault may leave something undone; a rule must see it. */
static bool world(const struct options *o, uint64_t seed, struct totals *totals)
{
    struct world_config config = {.seed = seed, .faults = o->sut.faults};
    struct fal_rng rng = fal_rng_split(seed, TWIN_PART);
    struct world_outcome outcome;
    bool failed;

    config.trials = (unsigned)o->trials;
    config.clean = o->clean || (!o->rough && seed % 4 == 0);
    config.twins = tl_twins_take(&o->sut.twins, &rng);
    if (o->timeline != NULL) {
        fprintf(o->timeline, "{\"schema\":\"" FAL_TIMELINE_SCHEMA "\"}\n");
        config.recorder = (struct fal_recorder){write_event, o->timeline};
    }
    if (o->sut.twins.random)
        fal_twins_draw(&config.tester, &rng);
    if (o->views)
        world_draw_view(&config);
    if (world_run(&config, &outcome) != 0) {
        fprintf(stderr, "soak: out of memory\n");
        exit(2); /* NOLINT(concurrency-mt-unsafe) */
    }
    for (int i = 0; i < FAL_FAULT_COUNT; i++)
        totals->acts += outcome.acts[i];
    for (int i = 0; i < FAL_RULES_MAX; i++)
        totals->exercised[i] += outcome.exercised[i];
    totals->packets += outcome.packets[0] + outcome.packets[1];
    /* in which the tester errs, and lives end */
    if ((o->trials & ~(uint64_t)(WORLD_VERBS | WORLD_NVME)) != 0) {
        outcome.verdict = outcome.sut;
        outcome.stuck = false;
        outcome.completed = outcome.posted;
    }
    if ((config.trials & WORLD_TESTER_ERRS) != 0)
        outcome.verdict = outcome.sut;
    /* what a trial cuts short may never be done */
    failed = outcome.verdict >= FAL_VERDICT_FAIL ||
             ((config.trials & WORLD_CUT_SHORT) == 0 && !world_all_done(&outcome));
    if (failed) {
        printf("seed %" PRIu64 "%s: %s%s, %" PRIu64 " of %" PRIu64 " completed: %s\n", seed,
               config.clean ? " --clean" : "", fal_verdict_name(outcome.verdict),
               outcome.stuck ? ", stuck" : "", outcome.completed, outcome.posted, outcome.why);
        print_view(&config);
        print_twins("SUT", &config.twins);
        print_twins("tester", &config.tester);
    }
    return outcome.verdict >= FAL_VERDICT_FAIL || (failed && !o->faulty);
}

/* Each n-th world, from the m-th. */
static struct totals worlds(const struct options *o, uint64_t m, uint64_t n)
{
    struct totals t = {0};

    for (uint64_t k = m; k < o->count && (t.failed == 0 || o->go_on); k += n) {
        t.failed += world(o, o->seed + k, &t);
        t.worlds++;
        fflush(stdout);
    }
    return t;
}

/* The same by several processes. False: one of them came to grief. */
static bool share(const struct options *o, struct totals *sum)
{
    struct totals t;
    int ends[2], status;
    bool good = true;

    if (pipe(ends) != 0)
        return false;
    for (uint64_t m = 0; m < o->jobs; m++) {
        pid_t pid = fork();

        if (pid < 0)
            return false;
        if (pid == 0) {
            t = worlds(o, m, o->jobs);
            /* shorter than PIPE_BUF: whole, or not at all */
            _exit(write(ends[1], &t, sizeof t) == (ssize_t)sizeof t ? 0 : 2);
        }
    }
    (void)close(ends[1]);
    while (read(ends[0], &t, sizeof t) == (ssize_t)sizeof t) {
        sum->worlds += t.worlds;
        sum->failed += t.failed;
        sum->acts += t.acts;
        sum->packets += t.packets;
        for (int i = 0; i < FAL_RULES_MAX; i++)
            sum->exercised[i] += t.exercised[i];
    }
    (void)close(ends[0]);
    while (wait(&status) > 0)
        good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return good;
}

/* Writes what was run and how it went. Returns how many rules never decided anything. */
static unsigned report(const struct options *o, const struct totals *t, double seconds,
                       FILE *out)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);
    unsigned idle = 0, where = (o->trials & WORLD_NVME) != 0 ? IN_NVME : IN_SOAK;

    fprintf(out, "commit %s\nseeds %" PRIu64 " to %" PRIu64 "%s%s%s\n",
            o->commit != NULL ? o->commit : "unknown", o->seed, o->seed + o->count - 1,
            o->sut.twins.random ? ", twins at random" : "", o->views ? ", views at random" : "",
            o->clean   ? ", good networks"
            : o->rough ? ", bad networks"
                       : "");
    fprintf(out,
            "%" PRIu64 " worlds, %" PRIu64 " packets, %" PRIu64
            " failed; %.0f seconds, %.0f worlds a second\n",
            t->worlds, t->packets, t->failed, seconds,
            seconds > 0 ? (double)t->worlds / seconds : 0.0);
    for (size_t i = 0; i < n; i++) {
        bool never = t->exercised[i] == 0 && !unexercised(rules[i]->id, where);

        fprintf(out, "rule %-4s decided %12" PRIu64 " times%s\n", rules[i]->id, t->exercised[i],
                never ? ", and should be" : "");
        idle += never;
    }
    return idle;
}

static double seconds_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct options o = {.seed = 1, .count = 1, .jobs = 1};
    struct totals t = {0};
    double start = seconds_now();
    bool bad = false;
    FILE *log;

    if (read_options(argc, argv, &o) != 0 || (o.timeline != NULL && o.jobs > 1))
        return usage();
    if (o.jobs > 1)
        bad = !share(&o, &t);
    else
        t = worlds(&o, 0, 1);
    printf("%" PRIu64 " worlds, %" PRIu64 " failed; faults acted %" PRIu64 " times\n", t.worlds,
           t.failed, t.acts);
    if (o.log != NULL) {
        log = fopen(o.log, "w");
        bad = log == NULL ||
              (report(&o, &t, seconds_now() - start, log) > 0 && t.worlds >= ENOUGH &&
               !o.faulty) ||
              bad;
        bad = (log != NULL && fclose(log) != 0) || bad;
    }
    if (o.timeline != NULL && fclose(o.timeline) != 0)
        bad = true;
    return t.failed > 0 || bad;
}
