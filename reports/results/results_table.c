/* SPDX-License-Identifier: Apache-2.0
 * results_table.c - the members of talon/results/1, except those of its cases. */
#include "reports/results/results_hooks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE    .at = 0, .size = sizeof(struct tl_results_head)
#define H(field) FAL_AT(struct tl_results_head, results.field)
#define N(field) FAL_COUNT(struct tl_results_head, results.field)
#define UINT     &fal_shape_uint
#define T(type)  .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(type)

/* ---- one of several words, kept as static text ---- */

static int read_static(const json_t *value, void *out, const struct fal_shape *shape,
                       struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);

    for (size_t i = 0; text != NULL && i < shape->num_words; i++) {
        if (strcmp(shape->words[i], text) != 0)
            continue;
        if (out != NULL)
            memcpy(out, &shape->words[i], sizeof shape->words[i]);
        return 0;
    }
    return fal_misfit_say(wrong, "expected one of the words of this version, found '%.40s'",
                          text != NULL ? text : "");
}

static const struct fal_shape waiver_state, probe_finding;

static int read_state(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_static(value, out, &waiver_state, wrong);
}

static int read_finding(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_static(value, out, &probe_finding, wrong);
}

/* ---- waivers ---- */

static const char *const kind_words[] = {"waiver", "expected-failure", "flaky"};
static const struct fal_shape waiver_kind = {.kind = FAL_SHAPE_WORD,
                                             FAL_WORDS(kind_words),
                                             .read = tl_text_read,
                                             .write = tl_text_write_member};
static const char *const state_words[] = {"used",      "unused",    "expired",
                                          "not-tried", "other-sut", "unexpected-pass"};
static const struct fal_shape waiver_state = {.kind = FAL_SHAPE_WORD,
                                              FAL_WORDS(state_words),
                                              .read = read_state,
                                              .write = tl_text_write_member};
#define W(field)      FAL_AT(struct tl_waiver_use, field)
#define TRIALS(field) FAL_AT(struct fal_trials, field)
static const struct fal_member path_members[] = {
    {"probes", &fal_shape_uint, FAL_ALWAYS, TRIALS(trials)},
    {"lost", &fal_shape_uint, FAL_ALWAYS, TRIALS(losses), .doc = "on one of the two ways"},
};
static const struct fal_shape path = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(path_members)};
static const struct fal_member waiver_members[] = {
    {"id", &tl_text_shape, FAL_MUST, W(id)},      {"kind", &waiver_kind, FAL_MUST, W(kind)},
    {"state", &waiver_state, FAL_MUST, W(state)}, {"cases", UINT, FAL_ALWAYS, W(cases)},
    {"reason", &tl_text_shape, 0, W(reason)},     {"link", &tl_text_shape, 0, W(link)},
};
static const struct fal_shape waiver = {T(waiver_members)};
static const struct fal_shape waivers = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&waiver), .item_size = sizeof(struct tl_waiver_use)};

static const struct fal_shape places = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_wide), .item_size = sizeof(uint64_t)};

/* ---- ICS ---- */

/* {"psp": true, "esp": null} */
static int read_ics(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_results_head *head = out;
    json_t *object = (json_t *)value, *item; /* the iterator takes no const */
    const char *key;

    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    if (head == NULL || json_object_size(value) == 0)
        return 0;
    head->results.ics =
        fal_arena_alloc(wrong->ctx, json_object_size(value), sizeof *head->results.ics);
    if (head->results.ics == NULL)
        return tl_no_memory(wrong);
    json_object_foreach(object, key, item)
    {
        struct tl_ics_use *use = &head->results.ics[head->results.num_ics++];

        *use = (struct tl_ics_use){
            .item = fal_arena_strdup(wrong->ctx, key),
            .offered = json_is_boolean(item) ? json_is_true(item) : -1,
        };
        if (use->item == NULL)
            return tl_no_memory(wrong);
    }
    return 0;
}

static int write_ics(const void *in, json_t **out)
{
    const struct tl_results *results = &((const struct tl_results_head *)in)->results;

    *out = results->num_ics > 0 ? json_object() : NULL;
    for (size_t i = 0; *out != NULL && i < results->num_ics; i++) {
        int offered = results->ics[i].offered;

        if (json_object_set_new(*out, results->ics[i].item,
                                offered < 0 ? json_null() : json_boolean(offered)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || results->num_ics == 0 ? 0 : FAL_ERR_MEM;
}

/* The items that the SUT's own greeting denies; after `ics`. */
static int read_denied(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_results_head *head = out;

    if (!json_is_array(value))
        return fal_misfit_say(wrong, "expected an array");
    for (size_t i = 0; head != NULL && i < json_array_size(value); i++) {
        const char *item = json_string_value(json_array_get(value, i));

        for (size_t k = 0; item != NULL && k < head->results.num_ics; k++)
            head->results.ics[k].denied |= strcmp(head->results.ics[k].item, item) == 0;
    }
    return 0;
}

static int write_denied(const void *in, json_t **out)
{
    const struct tl_results *results = &((const struct tl_results_head *)in)->results;

    *out = results->num_ics > 0 ? json_array() : NULL;
    for (size_t i = 0; *out != NULL && i < results->num_ics; i++) {
        if (!results->ics[i].denied ||
            json_array_append_new(*out, json_string(results->ics[i].item)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || results->num_ics == 0 ? 0 : FAL_ERR_MEM;
}

static json_t *ics_schema(void)
{
    return json_pack("{s:s, s:{s:[s,s]}}", "type", "object", "additionalProperties", "type",
                     "boolean", "null");
}

static const struct fal_shape ics = {
    .kind = FAL_SHAPE_MAP, .read = read_ics, .write = write_ics, .schema = ics_schema};
static const struct fal_shape denied = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&fal_shape_text),
                                        .read = read_denied,
                                        .write = write_denied};

/* ---- probe ---- */

/* 1, 0, -1 as true, false, null. */
static int read_claimed(const json_t *value, void *out, struct fal_misfit *wrong)
{
    int claimed = json_is_boolean(value) ? json_is_true(value) : -1;

    (void)wrong;
    if (out != NULL)
        memcpy(out, &claimed, sizeof claimed);
    return 0;
}

static int write_claimed(const void *in, json_t **out)
{
    int claimed;

    memcpy(&claimed, in, sizeof claimed);
    *out = claimed < 0 ? json_null() : json_boolean(claimed);
    return 0;
}

static json_t *claimed_schema(void)
{
    return json_pack("{s:[s,s]}", "type", "boolean", "null");
}

static const struct fal_shape claimed = {.kind = FAL_SHAPE_FLAG,
                                         .read = read_claimed,
                                         .write = write_claimed,
                                         .schema = claimed_schema};
static const struct fal_shape seen = {
    .kind = FAL_SHAPE_WORD, .words = tl_probe_seen_names, .num_words = TL_PROBE_SEEN};
static const char *const finding_words[] = {"claim not met", "claim met in part",
                                            "ability denied", "ability not declared"};
static const struct fal_shape probe_finding = {.kind = FAL_SHAPE_WORD,
                                               FAL_WORDS(finding_words),
                                               .read = read_finding,
                                               .write = tl_text_write_member};
static const struct fal_shape from_1 = {.kind = FAL_SHAPE_UINT, .min = 1};
#define P(field) FAL_AT(struct tl_probe_use, field)
static const struct fal_member probe_members[] = {
    {"item", &tl_text_shape, FAL_MUST, P(item)},
    {"claimed", &claimed, 0, P(claimed)},
    {"seen", &seen, FAL_MUST, P(seen)},
    {"cases", &from_1, FAL_ALWAYS, P(cases)},
    {"passed", UINT, FAL_ALWAYS, P(passed)},
    {"failed", UINT, FAL_ALWAYS, P(failed)},
    {"example", &tl_text_shape, 0, P(example), .doc = "the first case that failed"},
    {"finding", &probe_finding, 0, P(finding)},
};
static const struct fal_shape probe_item = {T(probe_members)};

/* Items about which no case ran are left out. */
static int write_probe(const void *in, json_t **out)
{
    const struct tl_results *results =
        (const void *)((const char *)in - offsetof(struct tl_results, probe));
    bool is_probe = results->probe != NULL && results->num_ics > 0;

    *out = is_probe ? json_array() : NULL;
    for (size_t i = 0; *out != NULL && i < results->num_probe; i++) {
        if (results->probe[i].cases == 0 ||
            json_array_append_new(*out, fal_shape_write(&probe_item, &results->probe[i])) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || !is_probe ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape probe = {.kind = FAL_SHAPE_LIST,
                                       FAL_OF(&probe_item),
                                       .item_size = sizeof(struct tl_probe_use),
                                       .write = write_probe};

/* ---- causes ---- */

static int write_id(const struct fal_requirement *requirement, json_t **out)
{
    return tl_text_write(requirement != NULL ? requirement->id : NULL, out);
}

static int write_cause_requirement(const void *in, json_t **out)
{
    return write_id(((const struct tl_cause *)in)->requirement, out);
}

static int write_cause_also(const void *in, json_t **out)
{
    const struct tl_cause *cause = in;

    *out = cause->num_also > 0 ? json_array() : NULL;
    for (size_t i = 0; *out != NULL && i < cause->num_also; i++) {
        if (json_array_append_new(*out, json_string(cause->also[i]->id)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || cause->num_also == 0 ? 0 : FAL_ERR_MEM;
}

static int write_cause_examples(const void *in, json_t **out)
{
    const struct tl_cause *cause = in;

    *out = json_array();
    for (size_t i = 0; *out != NULL && i < cause->num_examples; i++) {
        if (json_array_append_new(*out, json_string(cause->examples[i])) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int write_cause_rule(const void *in, json_t **out)
{
    const struct fal_rule *rule = ((const struct tl_cause *)in)->rule;

    return tl_text_write(rule != NULL ? rule->id : NULL, out);
}

static int write_cause_symptom(const void *in, json_t **out)
{
    const struct tl_symptom_about *about =
        tl_symptom_about(((const struct tl_cause *)in)->symptom);

    return tl_text_write(about != NULL ? about->word : NULL, out);
}

static int write_cause_follows(const void *in, json_t **out)
{
    int follows = ((const struct tl_cause *)in)->follows;

    *out = follows >= 0 ? json_integer(follows) : NULL;
    return *out != NULL || follows < 0 ? 0 : FAL_ERR_MEM;
}

/* They follow from the cases: a reader finds them itself. */
static int skip(const json_t *value, void *out, struct fal_misfit *wrong)
{
    (void)value;
    (void)out;
    (void)wrong;
    return 0;
}

#define SKIPPED(kind_, write_)                       \
    {                                                \
        .kind = kind_, .read = skip, .write = write_ \
    }
static const struct fal_shape cause_requirement =
    SKIPPED(FAL_SHAPE_TEXT, write_cause_requirement);
static const struct fal_shape cause_rule = SKIPPED(FAL_SHAPE_TEXT, write_cause_rule);
static const struct fal_shape cause_symptom = SKIPPED(FAL_SHAPE_TEXT, write_cause_symptom);
static const struct fal_shape cause_follows = SKIPPED(FAL_SHAPE_UINT, write_cause_follows);
static const struct fal_shape cause_also = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_text), .read = skip, .write = write_cause_also};
static const struct fal_shape cause_examples = {.kind = FAL_SHAPE_LIST,
                                                FAL_OF(&fal_shape_text),
                                                .read = skip,
                                                .write = write_cause_examples};
#define CAUSE(field) FAL_AT(struct tl_cause, field)
#define WHOLE_CAUSE  .at = 0, .size = sizeof(struct tl_cause)
static const struct fal_member cause_members[] = {
    {"verdict", &tl_verdict_shape, FAL_MUST, CAUSE(verdict)},
    {"requirement", &cause_requirement, 0, WHOLE_CAUSE,
     .doc = "the requirement that its cases show to be violated"},
    {"also", &cause_also, 0, WHOLE_CAUSE,
     .doc = "further requirements that the same evidence shows to be violated"},
    {"rule", &cause_rule, 0, WHOLE_CAUSE, .doc = "the rule that shows it most often"},
    {"symptom", &cause_symptom, 0, WHOLE_CAUSE, .doc = "what the packets show most often"},
    {"follows", &cause_follows, 0, WHOLE_CAUSE,
     .doc = "index of the cause from which it follows; absent: it is independent"},
    {"cases", &fal_shape_uint, FAL_ALWAYS, CAUSE(cases),
     .doc = "cases that it explains and none of the causes before it does"},
    {"shown_in", &fal_shape_uint, FAL_ALWAYS, CAUSE(shown), .doc = "cases that show it"},
    {"examples", &cause_examples, 0, WHOLE_CAUSE,
     .doc = "ids of the first of its cases, the one with the fewest packets first"},
};
static const struct fal_shape cause = {T(cause_members)};

static int write_causes(const void *in, json_t **out)
{
    const struct tl_results *results = in;

    *out = results->num_causes > 0 ? json_array() : NULL;
    for (size_t i = 0; *out != NULL && i < results->num_causes; i++) {
        if (json_array_append_new(*out, fal_shape_write(&cause, &results->causes[i])) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || results->num_causes == 0 ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape causes = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&cause), .read = skip, .write = write_causes};

/* ---- readings, seeds, totals ---- */

static const struct fal_shape reading_id = {.kind = FAL_SHAPE_TEXT,
                                            .pattern = "^AMB-[0-9]+$",
                                            .read = tl_text_read,
                                            .write = tl_text_write_member};
#define R(field) FAL_AT(struct tl_reading_use, field)
static const struct fal_member reading_members[] = {
    {"id", &reading_id, FAL_MUST, R(id)},
    {"text", &tl_text_shape, FAL_MUST, R(text)},
    {"alternative", &fal_shape_flag, FAL_ALWAYS, R(alternative)},
    {"cases", UINT, FAL_ALWAYS, R(cases)},
};
static const struct fal_shape reading = {T(reading_members)};
static const struct fal_shape readings = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&reading),
                                          .max = TL_READINGS_MAX,
                                          .in_place = true,
                                          .item_size = sizeof(struct tl_reading_use)};

/* The seed of a run is decimal, in a text: JSON numbers end at 2^53. */
static int read_seed(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    uint64_t seed = 0;

    errno = 0;
    if (text != NULL)
        seed = strtoull(text, &end, 0);
    if (text == NULL || end == text || *end != 0 || errno != 0)
        return fal_misfit_say(wrong, "expected a number in a text");
    if (out != NULL)
        memcpy(out, &seed, sizeof seed);
    return 0;
}

static int write_seed(const void *in, json_t **out)
{
    uint64_t seed;

    memcpy(&seed, in, sizeof seed);
    *out = json_sprintf("%llu", (unsigned long long)seed);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape seed = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^[0-9]+$", .read = read_seed, .write = write_seed};
static const struct fal_shape status = {.kind = FAL_SHAPE_INT, .min = 0, .max = 4};

#define COUNT(word, verdict)                                                   \
    {                                                                          \
        word, UINT, FAL_ALWAYS,                                                \
            FAL_AT(struct tl_results_head, tally.ended[FAL_VERDICT_##verdict]) \
    }
static const struct fal_member counts_members[] = {COUNT("pass", PASS), COUNT("warn", WARN),
                                                   COUNT("inconclusive", INCONC),
                                                   COUNT("fail", FAIL), COUNT("error", ERROR)};
static const struct fal_shape counts = {T(counts_members)};

#define DISPOSED(word, of)                                                \
    {                                                                     \
        word, UINT, 0, FAL_AT(struct tl_results_head, tally.disposed[of]) \
    }
static const struct fal_member dispositions_members[] = {
    DISPOSED("not applicable", TL_NOT_APPLICABLE),
    DISPOSED("skipped", TL_SKIPPED),
    DISPOSED("not run", TL_NOT_RUN),
    DISPOSED("waived", TL_WAIVED),
    DISPOSED("expected failure", TL_EXPECTED_FAILURE),
    DISPOSED("unexpected pass", TL_UNEXPECTED_PASS),
    DISPOSED("flaky", TL_FLAKY)};
static const struct fal_shape dispositions = {T(dispositions_members)};

static const struct fal_member identity_members[] = {
    {"vendor", &tl_own_text_shape, 0, H(vendor)},
    {"product", &tl_own_text_shape, 0, H(product_name)},
    {"firmware", &tl_own_text_shape, 0, H(firmware)},
};
static const struct fal_shape identity = {T(identity_members)};

static const struct fal_member measured_members[] = {
    {"timer_ns", UINT, FAL_ALWAYS, H(timer_late_ns)},
    {"answer_min_ns", UINT, FAL_ALWAYS, H(answer_min_ns)},
    {"answer_max_ns", UINT, FAL_ALWAYS, H(answer_max_ns)},
};
static const struct fal_shape measured = {T(measured_members)};

#define K(field) FAL_AT(struct tl_weak_rule, field)
static const struct fal_member weak_members[] = {
    {"rule", &tl_rule_shape, FAL_MUST, K(rule)},
    {"instances", &fal_shape_wide, FAL_ALWAYS, K(instances),
     .doc = "that conform only with the learned value"},
    {"cases", UINT, FAL_ALWAYS, K(cases)},
};
static const struct fal_shape weak_rule = {T(weak_members)};
static const struct fal_shape weak = {.kind = FAL_SHAPE_LIST,
                                      FAL_OF(&weak_rule),
                                      .max = FAL_RULES_MAX,
                                      .in_place = true,
                                      .item_size = sizeof(struct tl_weak_rule)};

#define L(field) FAL_AT(struct tl_low_ratio, field)
static const struct fal_member low_members[] = {
    {"rule", &tl_rule_shape, FAL_MUST, L(rule)},
    {"why", &fal_shape_name, FAL_MUST, L(why), .doc = "the values, and what to do"},
};
static const struct fal_shape low_ratio = {T(low_members)};
static const struct fal_shape low = {.kind = FAL_SHAPE_LIST,
                                     FAL_OF(&low_ratio),
                                     .max = FAL_RATIO_COUNT,
                                     .in_place = true,
                                     .item_size = sizeof(struct tl_low_ratio)};

#define V(field) FAL_AT(struct tl_costly, field)
static const struct fal_member costly_members[] = {
    {"value", &fal_shape_name, FAL_MUST, V(value)},
    {"why", &fal_shape_name, FAL_MUST, V(why),
     .doc = "value, limit, the rules that lose by it, and what to do"},
    {"measured", &fal_shape_flag, 0, V(measured),
     .doc = "true: it is implausible against answers that were measured before the first case"},
};
static const struct fal_shape costly_value = {T(costly_members)};
static const struct fal_shape costly = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&costly_value),
                                        .max = TL_COSTLY_MAX,
                                        .in_place = true,
                                        .item_size = sizeof(struct tl_costly)};

/* ---- the whole ---- */

static const struct fal_shape cases = {.kind = FAL_SHAPE_LIST, FAL_OF(&tl_case_shape)};
static const struct fal_member members[] = {
    {"schema", FAL_ONE_WORD(TL_RESULTS_SCHEMA), .flags = FAL_MUST},
    {"tool", &tl_text_shape, FAL_MUST, H(version), .doc = "version of talon"},
    {"sut", &tl_text_shape, FAL_MUST, H(sut), .doc = "as named on the command line"},
    {"product", &tl_own_text_shape, 0, H(product), .doc = "the SUT's description of itself"},
    {"identity", &identity, FAL_INLINE | FAL_ALWAYS, WHOLE,
     .doc = "the identity with which waivers are compared"},
    {"profile", &tl_text_shape, 0, H(profile)},
    {"live", &fal_shape_flag, FAL_ALWAYS, H(live), .doc = "true: played in real time"},
    {"measured", &measured, FAL_INLINE, WHOLE,
     .doc = "of a live link, before the first case: the lateness of the tester's timers, and "
            "the shortest and longest answer of the control channel"},
    {"learned", &tl_learned_shape, 0, H(learned),
     .doc = "how long the SUT takes to answer, measured before the first case because it "
            "declares no turnaround or no pipeline allowance"},
    {"weakened", &weak, 0, H(weak), N(num_weak),
     .doc = "rules with instances that conform only with the learned value: declared, they "
            "would be decided"},
    {"path", &path, 0, H(path), FAL_HAS(struct tl_results_head, results.has_path),
     .doc = "probes of the path before the run: so many losses are believed of it"},
    {"below_ratio", &low, 0, H(low), N(num_low),
     .doc = "rules that decide nothing with the values that the SUT declares, where a case has "
            "no values of its own: timers too short against turnaround, pipeline or tick"},
    {"costly_values", &costly, 0, H(costly), N(num_costly),
     .doc =
         "values that the SUT declares, beyond the limits up to which rules keep their power"},
    {"seed", &seed, 0, H(seed), .doc = "decimal"},
    {"verdict", &tl_verdict_shape, FAL_MUST, FAL_AT(struct tl_results_head, tally.worst),
     .doc = "the worst of all cases that ran"},
    {"status", &status, FAL_ALWAYS, H(status), .doc = "the exit status of talon run"},
    {"counts", &counts, FAL_INLINE | FAL_ALWAYS, WHOLE, .doc = "cases that ran, by verdict"},
    {"dispositions", &dispositions, FAL_INLINE | FAL_ALWAYS, WHOLE},
    {"not_selected", UINT, 0, H(deselected), .doc = "cases that were read and not selected"},
    {"shard", &from_1, 0, H(shard)},
    {"shards", &from_1, 0, H(shards)},
    {"of_other_shards", UINT, 0, H(other_shards), .doc = "cases that belong to other shards"},
    {"selection", &fal_shape_hex, 0, H(selection),
     .doc = "of a shard: a hash of the ids of the cases of all shards; shards of one run have "
            "the same"},
    {"places", &places, 0, H(places), N(num_places),
     .doc = "of a shard: where its cases stand among those of all shards, from 0"},
    {"interrupted", &fal_shape_yes, 0, H(interrupted),
     .doc = "the run ended before all cases were played"},
    {"files_not_read", UINT, 0, H(bad_files)},
    {"ics", &ics, 0, WHOLE, .doc = "answers by ICS item; null: not stated"},
    {"ics_denied_by_sut", &denied, 0, WHOLE,
     .doc = "items that the statement claims and the SUT's own greeting denies"},
    {"probe", &probe, 0, H(probe), N(num_probe),
     .doc = "with --probe: claims compared with what was seen"},
    {"waivers", &waivers, 0, H(waivers), N(num_waivers),
     .doc = "the result of each entry of the waiver file"},
    {"strict_waivers", &fal_shape_yes, 0, H(strict), .doc = "waivers without use fail the run"},
    {"readings", &readings, FAL_ALWAYS, H(readings), N(num_readings),
     .doc = "the readings of ambiguous sentences that the SUT took"},
    {"causes", &causes, 0, WHOLE,
     .doc = "why cases did not pass, the most probable cause first (docs/formats.md)"},
    {"cases", &cases, .flags = FAL_MUST},
};
const struct fal_shape tl_results_shape = {
    .doc = "The results of a run. They contain no wall-clock time and no host name: in virtual "
           "time the same seed gives the same bytes.",
    T(members)};
const struct fal_shape tl_results_head_shape = {.kind = FAL_SHAPE_OBJECT,
                                                .skips_unknown = true,
                                                .members = members,
                                                .num_members =
                                                    sizeof members / sizeof *members - 1};
