/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/replay.h"

#include "harness/check/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LEN = 4096 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* ---- what was run ---- */

static int read_request(struct tl_replay *replay, const json_t *run, struct fal_error *err)
{
    struct fal_error why = {{0}};
    int rc;

    tl_request_init(&replay->request);
    rc = tl_request_from_run(run, &replay->request, &why);
    if (rc == 0)
        rc = tl_run_setup(&replay->setup, &replay->request, &why);
    return rc != 0 ? fal_fail(err, rc, "run.json: %.350s", why.text) : 0;
}

static int read_documents(struct tl_replay *replay, const char *dir, struct fal_error *err)
{
    char path[PATH_LEN];
    int rc;

    (void)snprintf(path, sizeof path, "%s/ics.json", dir);
    rc = tl_ics_load(path, &replay->ics, err);
    replay->setup.run.ics = &replay->ics;
    if (rc == 0 && replay->request.profile != NULL) {
        (void)snprintf(path, sizeof path, "%s/profile.json", dir);
        rc = tl_profile_load(path, &replay->profile, err);
    }
    if (rc == 0 && replay->request.ixit != NULL) {
        (void)snprintf(path, sizeof path, "%s/ixit.json", dir);
        rc = tl_ixit_load(path, &replay->ixit, err);
    }
    if (rc == 0 && replay->request.waivers != NULL) {
        (void)snprintf(path, sizeof path, "%s/waivers.json", dir);
        rc = tl_waivers_load(path, &replay->waivers, err);
        replay->has_waivers = rc == 0;
    }
    tl_given_params_join(&replay->params, &replay->profile.params, &replay->ixit.params);
    tl_given_params_join(&replay->params, &replay->params, &replay->setup.params);
    replay->setup.run.params = &replay->params;
    return rc;
}

/* What was learned of the SUT holds again. */
static int read_learned(struct tl_replay *replay, const json_t *run, struct fal_error *err)
{
    const json_t *learned = json_object_get(run, "learned");
    struct fal_misfit wrong = {.ctx = NULL};
    int rc;

    replay->learned = (struct tl_learned){.turnaround = false};
    replay->setup.run.learned = &replay->learned;
    if (learned == NULL)
        return 0;
    rc = fal_shape_read(&tl_learned_shape, learned, &replay->learned, false, &wrong);
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "run.json: learned", err);
}

int tl_replay_open(struct tl_replay *replay, const char *dir, const json_t *results,
                   const json_t *run, struct fal_error *err)
{
    const json_t *identity = json_object_get(results, "identity");
    int rc = read_request(replay, run, err);

    if (rc == 0)
        rc = read_documents(replay, dir, err);
    if (rc == 0)
        rc = read_learned(replay, run, err);
    replay->live = json_is_true(json_object_get(results, "live"));
    replay->today = (uint32_t)json_integer_value(json_object_get(run, "day"));
    (void)snprintf(replay->identity.vendor, TL_IDENTITY_MAX, "%s", text_of(identity, "vendor"));
    (void)snprintf(replay->identity.product, TL_IDENTITY_MAX, "%s",
                   text_of(identity, "product"));
    (void)snprintf(replay->identity.firmware, TL_IDENTITY_MAX, "%s",
                   text_of(identity, "firmware"));
    return rc;
}

void tl_replay_close(struct tl_replay *replay)
{
    tl_profile_free(&replay->profile);
    tl_ixit_free(&replay->ixit);
    tl_waivers_free(&replay->waivers);
    tl_run_setup_free(&replay->setup);
    tl_request_free(&replay->request);
}

/* ---- what is recorded ---- */

static int disposition_from(const char *name)
{
    for (int d = TL_RAN; d <= TL_FLAKY; d++)
        if (strcmp(tl_disposition_name((enum tl_disposition)d), name) == 0)
            return d;
    return -1;
}

static bool read_covers(const json_t *recorded, struct tl_case *out)
{
    const json_t *list = json_object_get(recorded, "covers");
    const struct fal_requirement **covers = calloc(json_array_size(list) + 1, sizeof *covers);

    if (covers == NULL)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = json_string_value(json_array_get(list, i));
        const struct fal_requirement *r = id != NULL ? fal_requirement_find(id) : NULL;

        if (r != NULL)
            covers[out->num_covers++] = r;
    }
    out->covers = covers;
    return true;
}

static bool read_repetitions(const json_t *recorded, struct tl_case *out)
{
    const json_t *list = json_object_get(recorded, "repetitions");
    size_t n = json_array_size(list);

    if (n == 0)
        return true;
    out->repetitions = calloc(n, sizeof *out->repetitions);
    if (out->repetitions == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        int verdict = fal_verdict_from(text_of(json_array_get(list, i), "verdict"));

        if (verdict < 0)
            return false;
        out->repetitions[out->num_repetitions++].verdict = (enum fal_verdict)verdict;
    }
    return true;
}

bool tl_replay_recorded(const json_t *recorded, struct tl_case *out)
{
    int verdict = fal_verdict_from(text_of(recorded, "verdict"));
    int disposition = disposition_from(text_of(recorded, "disposition"));

    if (!json_is_object(recorded) || verdict < 0 || disposition < 0 ||
        text_of(recorded, "id")[0] == 0)
        return false;
    out->id = text_of(recorded, "id");
    out->title = text_of(recorded, "title");
    out->file = text_of(recorded, "file");
    out->verdict = (enum fal_verdict)verdict;
    out->disposition = (enum tl_disposition)disposition;
    out->seed = strtoull(text_of(recorded, "seed"), NULL, 0);
    out->mixed = json_is_true(json_object_get(recorded, "mixed"));
    return read_covers(recorded, out) && read_repetitions(recorded, out);
}

/* Problems as recorded: waivers need them, and some of them only the interpreter can find. */
static bool read_problems(const json_t *recorded, struct tl_case *out)
{
    json_t *list = json_object_get(recorded, "problems"), *each;
    size_t i;

    json_array_foreach(list, i, each)
    {
        struct tl_problem *p = tl_case_problem(out);
        int verdict = fal_verdict_from(text_of(each, "verdict"));

        if (p == NULL || verdict < 0)
            return false;
        p->verdict = (enum fal_verdict)verdict;
        p->reason = tl_reason(TL_REASON_RECORDED);
        for (int k = TL_PROBLEM_STEP; k < TL_PROBLEM_KINDS; k++)
            if (strcmp(tl_problem_kind_name((enum tl_problem_kind)k), text_of(each, "kind")) ==
                0)
                p->kind = (enum tl_problem_kind)k;
        p->requirement = fal_requirement_find(text_of(each, "requirement"));
        (void)snprintf(p->fingerprint, sizeof p->fingerprint, "%s",
                       text_of(each, "fingerprint"));
    }
    return true;
}

/* ---- judged again ---- */

static const json_t *recorded_rule(const json_t *rules, const struct fal_rule_result *r)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *each = json_array_get(rules, i);

        if (strcmp(text_of(each, "rule"), r->rule->id) == 0 &&
            strcmp(text_of(each, "subject"),
                   r->subject == FAL_SUBJECT_SUT ? "sut" : "tester") == 0 &&
            json_integer_value(json_object_get(each, "connection")) == r->conn)
            return each;
    }
    return NULL;
}

static bool triggered(const struct fal_rule_result *r)
{
    uint64_t sum = r->holds + r->broken + r->undecided;

    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        sum += r->excused[e];
    return sum > 0;
}

static int compare_rules(const struct tl_check *check, const json_t *recorded,
                         struct fal_error *err)
{
    const json_t *rules = json_object_get(recorded, "rules");
    const struct fal_rule_result *r;
    size_t seen = 0;

    for (size_t i = 0; (r = fal_judge_result(check->judge[0], i)) != NULL; i++) {
        const json_t *was = triggered(r) ? recorded_rule(rules, r) : NULL;

        if (!triggered(r))
            continue;
        seen++;
        if (was == NULL || strcmp(text_of(was, "verdict"), fal_verdict_name(r->verdict)) != 0 ||
            json_integer_value(json_object_get(was, "holds")) != (json_int_t)r->holds ||
            json_integer_value(json_object_get(was, "broken")) != (json_int_t)r->broken ||
            json_integer_value(json_object_get(was, "undecided")) != (json_int_t)r->undecided)
            return fal_fail(err, FAL_ERR_FORM, "rule %s gives another result: %s", r->rule->id,
                            fal_verdict_name(r->verdict));
    }
    return seen == json_array_size(rules)
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "%zu rules decided something; recorded were %zu",
                          seen, json_array_size(rules));
}

/* When the steps of the case were first stopped on a live link: what a rule found from then on
 * is no verdict. FAL_NEVER: they were not. */
static uint64_t paused_ns(const json_t *recorded)
{
    json_t *list = json_object_get(recorded, "problems"), *each;
    size_t i;

    json_array_foreach(list, i, each)
    {
        if (strcmp(text_of(each, "reason"), tl_reason_word(TL_REASON_PAUSED)) == 0 &&
            strcmp(text_of(each, "kind"), tl_problem_kind_name(TL_PROBLEM_EXERCISE)) == 0)
            return (uint64_t)json_integer_value(json_object_get(each, "t_ns"));
    }
    return FAL_NEVER;
}

/* The results of the rules for the case, as the runner takes them. */
static enum fal_verdict rules_verdict(const struct tl_check *check, uint64_t until_ns)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;

    if (until_ns == FAL_NEVER)
        worst = fal_judge_verdict(check->judge[0]);
    if (worst == FAL_VERDICT_INCONC)
        worst = fal_judge_decided(check->judge[0]);
    for (size_t i = 0; i < check->num_findings; i++) {
        const struct fal_finding *f = &check->findings[i].finding;
        enum fal_verdict verdict = fal_finding_breach(f);

        if (f->t_ns >= until_ns)
            continue;
        if (f->subject == FAL_SUBJECT_TESTER)
            verdict = f->asked ? FAL_VERDICT_NONE : FAL_VERDICT_ERROR;
        worst = fal_verdict_worse(worst, verdict);
    }
    return worst;
}

static int judge_again(const char *path, bool sut_alone, const json_t *recorded,
                       enum fal_verdict *verdict, struct fal_error *err)
{
    const struct tl_check_options options = {.run = {.delay_max_ns = FAL_NEVER},
                                             .sut_alone = sut_alone};
    struct tl_check check;
    int rc = tl_check_start(&check, &options);

    if (rc == 0)
        rc = tl_check_timeline(&check, path, err);
    if (rc == 0) {
        tl_check_finish(&check);
        rc = compare_rules(&check, recorded, err);
        *verdict = rules_verdict(&check, paused_ns(recorded));
    }
    tl_check_free(&check);
    return rc;
}

/* ---- played again ---- */

static bool is_case(const void *ctx, const char *file_id, const char *id)
{
    const struct tl_case *c = ctx;

    (void)file_id;
    return strcmp(id, c->id) == 0;
}

/* The case with that id; the caller frees the suite. */
static const struct tl_scenario *load_scenario(const char *path, const struct tl_case *c,
                                               struct tl_suite *suite, struct fal_error *err)
{
    const struct tl_wanted wanted = {is_case, c};
    const struct tl_reading_how how = {.jobs = 1, .wanted = &wanted};
    FILE *errors = tmpfile();
    const struct tl_scenario *found = NULL;

    if (errors != NULL && tl_suite_read(suite, &path, 1, &how, errors) == 0)
        for (size_t i = 0; i < suite->count; i++)
            if (strcmp(suite->list[i]->id, c->id) == 0)
                found = suite->list[i];
    if (errors != NULL)
        (void)fclose(errors);
    if (found == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "its scenario.json does not contain the case");
    return found;
}

static int compare_timeline(const char *path, const struct tl_kept *kept, struct fal_error *err)
{
    size_t len;
    char *was = tl_file_read_up_to(path, SIZE_MAX / 4, &len, err);
    int rc = was != NULL ? 0 : FAL_ERR_IO;

    if (rc == 0 && (kept->timeline == NULL ||
                    !tl_replay_same_timeline(was, len, kept->timeline, kept->timeline_len)))
        rc = fal_fail(err, FAL_ERR_FORM, "playing the case again gives another timeline");
    free(was);
    return rc;
}

static int play_again(const struct tl_replay *replay, const char *scenario_path,
                      const char *timeline_path, struct tl_case *out, struct fal_error *err)
{
    struct tl_suite suite = {.count = 0};
    const struct tl_scenario *scenario = load_scenario(scenario_path, out, &suite, err);
    struct tl_planned planned = {.scenario = scenario, .id = out->id};
    struct tl_kept kept = {.timeline = NULL};
    struct tl_bench bench;
    struct tl_case one;
    int rc = FAL_ERR_FORM;

    if (scenario == NULL)
        goto done;
    tl_run_name(&replay->setup.run, &planned, out->seed, &one);
    rc = tl_bench_open(&bench, &replay->setup.run.target, out->seed, err);
    if (rc != 0)
        goto done;
    tl_run_attempts(&replay->setup.run, &bench, &planned, &kept, &one);
    tl_bench_close(&bench);
    tl_case_fingerprint(&one, tl_run_scenario_id(scenario));
    out->verdict = one.verdict;
    out->problems = one.problems;
    out->num_problems = one.num_problems;
    out->rules = one.rules;
    out->num_rules = one.num_rules;
    one.problems = NULL;
    one.rules = NULL;
    one.num_problems = one.num_rules = 0;
    tl_case_clear(&one);
    rc = compare_timeline(timeline_path, &kept, err);
done:
    tl_kept_free(&kept);
    tl_suite_free(&suite);
    return rc;
}

static bool same_prints(const json_t *recorded, const struct tl_case *out)
{
    const json_t *list = json_object_get(recorded, "problems");

    if (json_array_size(list) != out->num_problems)
        return false;
    for (size_t i = 0; i < out->num_problems; i++)
        if (strcmp(text_of(json_array_get(list, i), "fingerprint"),
                   out->problems[i].fingerprint) != 0)
            return false;
    return true;
}

/* The id of the scenario: the id of a case without its parameters. */
static void scenario_id_of(const char *id, char *out, size_t cap)
{
    (void)snprintf(out, cap, "%.*s", (int)strcspn(id, "@"), id);
}

static int settle(struct tl_replay *replay, const json_t *recorded, struct tl_case *out,
                  struct fal_error *err)
{
    char scenario_id[256];

    if (strcmp(fal_verdict_name(out->verdict), text_of(recorded, "verdict")) != 0)
        return fal_fail(err, FAL_ERR_FORM, "verdict: recorded %.20s, now %s",
                        text_of(recorded, "verdict"), fal_verdict_name(out->verdict));
    scenario_id_of(out->id, scenario_id, sizeof scenario_id);
    out->disposition = TL_RAN;
    if (replay->has_waivers && tl_waivers_apply(&replay->waivers, &replay->identity,
                                                replay->today, scenario_id, out) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (strcmp(tl_disposition_name(out->disposition), text_of(recorded, "disposition")) != 0)
        return fal_fail(err, FAL_ERR_FORM, "disposition: recorded '%.20s', now '%s'",
                        text_of(recorded, "disposition"),
                        tl_disposition_name(out->disposition));
    return 0;
}

int tl_replay_case(struct tl_replay *replay, const char *dir, const json_t *recorded,
                   struct tl_case *out, struct tl_replayed *got, struct fal_error *err)
{
    char timeline[PATH_LEN], scenario[PATH_LEN];
    enum fal_verdict rules = FAL_VERDICT_NONE;
    int rc;

    (void)snprintf(timeline, sizeof timeline, "%s/%s/timeline.jsonl", dir,
                   text_of(recorded, "evidence"));
    (void)snprintf(scenario, sizeof scenario, "%s/%s/scenario.json", dir,
                   text_of(recorded, "evidence"));
    rc = judge_again(timeline, replay->setup.run.target.kind == TL_TARGET_BRIDGE, recorded,
                     &rules, err);
    if (rc != 0)
        return rc;
    if (!replay->live && replay->setup.recording.path == NULL) {
        got->how = "played and judged again";
        got->played = true;
        rc = play_again(replay, scenario, timeline, out, err);
        if (rc == 0 && (rules > out->verdict || !same_prints(recorded, out)))
            rc = fal_fail(err, FAL_ERR_FORM, "playing the case again gives other failures");
        return rc == 0 ? settle(replay, recorded, out, err) : rc;
    }
    got->how = "rules judged again, steps as recorded";
    if (!read_problems(recorded, out))
        return fal_fail(err, FAL_ERR_FORM, "its failures cannot be read");
    out->verdict = fal_verdict_worse(rules, FAL_VERDICT_PASS);
    for (size_t i = 0; i < out->num_problems; i++)
        if (out->problems[i].kind != TL_PROBLEM_RULE)
            out->verdict = fal_verdict_worse(out->verdict, out->problems[i].verdict);
    return settle(replay, recorded, out, err);
}

/* ---- waivers ---- */

int tl_replay_waivers(const struct tl_replay *replay, struct tl_results *results)
{
    char(*ids)[256] = calloc(results->num_cases + 1, sizeof *ids);
    const char **list = calloc(results->num_cases + 1, sizeof *list);
    int rc = ids != NULL && list != NULL ? 0 : FAL_ERR_MEM;

    for (size_t i = 0; rc == 0 && i < results->num_cases; i++) {
        scenario_id_of(results->cases[i].id != NULL ? results->cases[i].id : "", ids[i],
                       sizeof ids[i]);
        list[i] = ids[i];
    }
    if (rc == 0 && replay->has_waivers)
        rc = tl_waivers_uses(&replay->waivers, &replay->identity, replay->today, results, list,
                             &results->waivers);
    if (rc == 0 && replay->has_waivers)
        results->num_waivers = replay->waivers.count;
    free(ids);
    free(list);
    return rc;
}

void tl_replay_clear(struct tl_results *results)
{
    for (size_t i = 0; i < results->num_cases; i++) {
        free((void *)results->cases[i].covers);
        tl_case_clear(&results->cases[i]);
    }
    free(results->cases);
    free(results->waivers);
}
