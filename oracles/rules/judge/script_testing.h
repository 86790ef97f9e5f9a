/* SPDX-License-Identifier: Apache-2.0
 * script_testing.h - for tests only: a timeline written as lines (script_events_testing.h),
 * judged. Every one is also cut short after each event (a cut never fails where the whole does
 * not), written as JSON and read back (the verdicts are the same). */
#ifndef FAL_ORACLES_RULES_JUDGE_SCRIPT_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_SCRIPT_TESTING_H

#include "oracles/rules/judge/script_events_testing.h"

/* What a judge made of it. */
struct outcome {
    struct fal_rule_result sut, tester;
    enum fal_verdict verdict;
    unsigned num_findings;
    struct fal_finding findings[FINDINGS_KEPT];
};

/* ---- judging them ---- */

static inline void script_finding(void *ctx, const struct fal_finding *finding)
{
    struct outcome *o = ctx;
    const struct fal_requirement *r =
        finding->requirement != NULL ? fal_requirement_find(finding->requirement) : NULL;
    bool listed = false;

    ck_assert_msg(finding->requirement == NULL || r != NULL, "no requirement %s",
                  finding->requirement);
    for (const char *const *id = finding->rule->requirements; *id != NULL; id++)
        listed =
            listed || finding->requirement == NULL || strcmp(*id, finding->requirement) == 0;
    ck_assert_msg(listed, "%s does not list %s", finding->rule->id, finding->requirement);
    ck_assert_uint_gt(finding->num_evidence, 0);
    ck_assert_int_ne(finding->expected[0], 0);
    ck_assert_int_ne(finding->seen[0], 0);
    if (o->num_findings < FINDINGS_KEPT)
        o->findings[o->num_findings] = *finding;
    o->num_findings++;
}

/* Judges the first `count` events as they are read back from JSON; with `whole`, as those of a
 * whole run. */
static inline struct outcome script_judge_as(const json_t *events, size_t count,
                                             const char *rule, bool whole)
{
    const char *only[] = {rule, NULL};
    struct outcome o = {0};
    struct fal_judge_config config = {
        .finding = script_finding, .ctx = &o, .only = only, .whole = whole};
    struct fal_judge *judge = fal_judge_new(&config);
    struct fal_event_storage storage = {0};
    const struct fal_rule_result *r;

    ck_assert_ptr_nonnull(judge);
    for (size_t i = 0; i < count; i++) {
        struct fal_event event;
        struct fal_error err = {""};
        char *line = json_dumps(json_array_get(events, i), JSON_COMPACT);
        json_t *object = json_loads(line, 0, NULL);

        ck_assert_msg(fal_event_from_json(object, &event, &storage, &err) == 0, "%s: %s", line,
                      err.text);
        fal_judge_event(judge, &event);
        json_decref(object);
        free(line);
    }
    fal_judge_finish(judge);
    for (size_t i = 0; (r = fal_judge_result(judge, i)) != NULL; i++) {
        if (r->conn == 0)
            continue;
        *(r->subject == FAL_SUBJECT_SUT ? &o.sut : &o.tester) = *r;
    }
    o.verdict = fal_judge_verdict(judge);
    fal_judge_free(judge);
    fal_event_storage_free(&storage);
    return o;
}

static inline struct outcome script_judge(const json_t *events, size_t count, const char *rule)
{
    return script_judge_as(events, count, rule, false);
}

static inline struct outcome script_run(const char *rule, const struct kind *kind,
                                        const struct fal_connection *connection,
                                        const char *const *lines)
{
    struct script s;
    struct outcome whole;

    script_start(&s, kind, connection);
    for (; *lines != NULL; lines++)
        script_line(&s, *lines);
    whole = script_judge(s.events, json_array_size(s.events), rule);
    for (size_t cut = 0; cut < json_array_size(s.events); cut++) {
        struct outcome part = script_judge(s.events, cut, rule);

        ck_assert_msg(part.verdict < FAL_VERDICT_FAIL || whole.verdict >= FAL_VERDICT_FAIL,
                      "%s fails after %zu events, where the whole does not: %s", rule, cut,
                      part.findings[0].seen);
    }
    json_decref(s.events);
    return whole;
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline struct outcome judged(const char *rule, const struct kind *kind,
                                    const char *const *lines)
{
    struct fal_connection connection = script_connection(kind);

    return script_run(rule, kind, &connection, lines);
}

/* The same, and once more with numbers that wrap at once: the outcome is the same. */
static inline struct outcome judged_wrapping(const char *rule, const struct kind *kind,
                                             const char *const *lines)
{
    struct fal_connection c = script_connection(kind);
    struct outcome plain = script_run(rule, kind, &c, lines), wrapped;

    c.tester = (struct fal_end){0x111111, 0xa1, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    c.sut = (struct fal_end){0x222222, 0xb2, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    wrapped = script_run(rule, kind, &c, lines);
    ck_assert_uint_eq(wrapped.sut.holds, plain.sut.holds);
    ck_assert_uint_eq(wrapped.sut.broken, plain.sut.broken);
    ck_assert_uint_eq(wrapped.sut.undecided, plain.sut.undecided);
    ck_assert_mem_eq(wrapped.sut.excused, plain.sut.excused, sizeof plain.sut.excused);
    return plain;
}

static inline uint64_t script_excuses(const struct fal_rule_result *r)
{
    uint64_t sum = 0;

    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        sum += r->excused[e];
    return sum;
}

/* Nothing but `n` instances that held. */
static inline void ck_holds(struct outcome o, uint64_t n)
{
    ck_assert_msg(o.sut.broken == 0, "broken: %s / %s", o.findings[0].expected,
                  o.findings[0].seen);
    ck_assert_uint_eq(o.sut.holds, n);
    ck_assert_uint_eq(o.sut.undecided, 0);
    ck_assert_uint_eq(script_excuses(&o.sut), 0);
    ck_assert_int_eq(o.sut.verdict, n > 0 ? FAL_VERDICT_PASS : FAL_VERDICT_NONE);
}

static inline const struct fal_finding *script_first_of_sut(const struct outcome *o)
{
    for (unsigned i = 0; i < FINDINGS_KEPT && i < o->num_findings; i++)
        if (o->findings[i].subject == FAL_SUBJECT_SUT)
            return &o->findings[i];
    ck_abort_msg("no finding about the SUT");
    return NULL;
}

/* The SUT broke it `n` times, the first time that requirement. */
static inline void ck_breaks(struct outcome o, const char *requirement, uint64_t n)
{
    ck_assert_uint_eq(o.sut.broken, n);
    ck_assert_str_eq(script_first_of_sut(&o)->requirement, requirement);
    ck_assert_int_eq(o.sut.verdict, fal_requirement_breach(fal_requirement_find(requirement)));
    ck_assert_int_eq(o.verdict, o.sut.verdict);
}

/* The SUT broke it once, and the rule calls that a warning. */
static inline void ck_warns(struct outcome o, const char *requirement)
{
    ck_assert_uint_eq(o.sut.broken, 1);
    ck_assert_str_eq(script_first_of_sut(&o)->requirement, requirement);
    ck_assert(script_first_of_sut(&o)->warn);
    ck_assert_int_eq(fal_finding_breach(script_first_of_sut(&o)), FAL_VERDICT_WARN);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
}

static inline void ck_excused(struct outcome o, enum fal_excuse excuse, uint32_t n)
{
    ck_assert_msg(o.sut.broken == 0, "broken: %s / %s", o.findings[0].expected,
                  o.findings[0].seen);
    ck_assert_uint_eq(o.sut.excused[excuse], n);
    ck_assert_uint_eq(script_excuses(&o.sut), n);
}

static inline void ck_undecided(struct outcome o, uint64_t n)
{
    ck_assert_msg(o.sut.broken == 0, "broken: %s / %s", o.findings[0].expected,
                  o.findings[0].seen);
    ck_assert_uint_eq(o.sut.undecided, n);
}

/* The tester's own side broke it, as a step asked. */
static inline void ck_asked(struct outcome o)
{
    ck_assert_uint_gt(o.tester.broken, 0);
    ck_assert(o.findings[0].asked);
    ck_assert_int_eq(o.findings[0].subject, FAL_SUBJECT_TESTER);
    ck_assert_int_lt(o.tester.verdict, FAL_VERDICT_FAIL);
}

#endif
