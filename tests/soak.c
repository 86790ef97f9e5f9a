/* SPDX-License-Identifier: Apache-2.0
 * soak.c - worlds of random traffic (world.h), judged: as many seeds as asked for, with faults
 * and twins of the SUT. It repeats what a soak test found, and says whether the rules see a
 * fault.
 *
 * Exit status: 0 no rule failed, 1 one did, 2 usage. */
#include "harness/builtin.h"
#include "tests/world.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TWIN_PART = 0x5457 }; /* of the seed, as in soak_test.c */

struct options {
    uint64_t seed, count;
    bool clean, rough, go_on, faulty, views;
    struct tl_builtin sut;
    FILE *timeline;
};

static int usage(void)
{
    fputs("usage: soak [--seed N] [--count N] [--fault FAULT,...] [--twins NAME,...|random]\n"
          "            [--clean|--rough] [--go-on] [--timeline FILE]\n"
          "\n"
          "Runs worlds from seed N on (default 1) and stops at the first that fails; --go-on "
          "runs all.\n"
          "random twins are of the tester too. --clean and --rough: only over good or bad "
          "networks; else each fourth is good.\n"
          "--timeline writes what happened, for talon check.\n",
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

static int read_options(int argc, char **argv, struct options *o)
{
    struct fal_error err = {{0}};
    int rc = 0;

    for (int i = 1; i < argc && rc == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--clean") == 0) {
            o->clean = true;
            continue;
        }
        if (strcmp(argv[i], "--rough") == 0) {
            o->rough = true;
            continue;
        }
        if (strcmp(argv[i], "--views") == 0) {
            o->views = true;
            continue;
        }
        if (strcmp(argv[i], "--go-on") == 0) {
            o->go_on = true;
            continue;
        }
        i++;
        if (value == NULL)
            return FAL_ERR_FORM;
        if (strcmp(argv[i - 1], "--seed") == 0)
            rc = number(value, &o->seed) ? 0 : FAL_ERR_FORM;
        else if (strcmp(argv[i - 1], "--count") == 0)
            rc = number(value, &o->count) ? 0 : FAL_ERR_FORM;
        else if (strcmp(argv[i - 1], "--fault") == 0) {
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

    printf("  vantage %s%s%s%s%s, skips %" PRIu64 ", misses %" PRIu32
           " ppm, events late %" PRIu64 " ns\n",
           vantages[c->vantage], c->undeclared ? ", undeclared" : "",
           c->wire_only ? ", wire only" : "", c->unknown_params ? ", unknown parameters" : "",
           c->loss_is_told ? ", loss told" : "", c->skip_packets, c->capture_loss_ppm,
           c->late_events_ns);
}

static void write_event(void *ctx, const struct fal_event *event)
{
    json_t *object = fal_event_to_json(event);

    if (object != NULL && json_dumpf(object, ctx, JSON_COMPACT) == 0)
        putc('\n', ctx);
    json_decref(object);
}

/* Runs one world; whether it failed. A fault may leave something undone; a rule must see it. */
static bool world(const struct options *o, uint64_t seed, uint64_t *acts)
{
    struct world_config config = {.seed = seed, .faults = o->sut.faults};
    struct fal_rng rng = fal_rng_split(seed, TWIN_PART);
    struct world_outcome outcome;
    bool failed;

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
        *acts += outcome.acts[i];
    failed = outcome.verdict >= FAL_VERDICT_FAIL || outcome.stuck ||
             outcome.completed != outcome.posted;
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

int main(int argc, char **argv)
{
    struct options o = {.seed = 1, .count = 1};
    uint64_t failed = 0, acts = 0, seed;

    if (read_options(argc, argv, &o) != 0)
        return usage();
    for (seed = o.seed; seed - o.seed < o.count && (failed == 0 || o.go_on); seed++)
        failed += world(&o, seed, &acts);
    printf("%" PRIu64 " worlds, %" PRIu64 " failed; faults acted %" PRIu64 " times\n",
           seed - o.seed, failed, acts);
    if (o.timeline != NULL && fclose(o.timeline) != 0)
        failed++;
    return failed > 0;
}
