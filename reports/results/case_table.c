/* SPDX-License-Identifier: Apache-2.0
 * case_table.c - the members of a case of talon/results/1. */
#include "reports/results/results_hooks.h"

#include "codecs/base/hex.h"

#include <string.h>

/* A hook that needs more than its own member gets the whole struct. */
#define WHOLE(type) .at = 0, .size = sizeof(type)

/* ---- lists of requirements ---- */

static int read_ids(const json_t *list, const struct fal_requirement *const **out, size_t *n,
                    struct fal_misfit *wrong)
{
    size_t size = json_array_size(list);
    const struct fal_requirement **ids;

    *n = 0;
    *out = NULL;
    if (!json_is_array(list))
        return fal_misfit_say(wrong, "expected ids of requirements");
    if (size == 0)
        return 0;
    ids = fal_arena_alloc(wrong->ctx, size, sizeof *ids);
    if (ids == NULL)
        return tl_no_memory(wrong);
    *out = ids;
    for (size_t i = 0; i < size; i++) {
        const json_t *id = json_array_get(list, i);
        const char *text = json_is_string(id) ? tl_text_keep(id, wrong) : NULL;

        if (!json_is_string(id))
            return fal_misfit_say(wrong, "expected ids of requirements");
        ids[*n] = text != NULL ? tl_requirement_keep(text, NULL, wrong) : NULL;
        if (ids[*n] == NULL)
            return tl_no_memory(wrong);
        (*n)++;
    }
    return 0;
}

static int write_ids(const struct fal_requirement *const *ids, size_t n, json_t **out)
{
    *out = json_array();
    for (size_t i = 0; *out != NULL && i < n; i++) {
        if (json_array_append_new(*out, json_string(ids[i]->id)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_covers(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_case unused = {0}, *c = out != NULL ? out : &unused;

    return read_ids(value, &c->covers, &c->num_covers, wrong);
}

static int write_covers(const void *in, json_t **out)
{
    const struct tl_case *c = in;

    return write_ids(c->covers, c->num_covers, out);
}

static int read_also(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_problem unused = {0}, *p = out != NULL ? out : &unused;

    return read_ids(value, &p->also, &p->num_also, wrong);
}

static int write_also(const void *in, json_t **out)
{
    const struct tl_problem *p = in;

    *out = NULL;
    return p->num_also > 0 ? write_ids(p->also, p->num_also, out) : 0;
}

static const struct fal_shape covers = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&fal_shape_text),
                                        .read = read_covers,
                                        .write = write_covers};
static const struct fal_shape also = {.kind = FAL_SHAPE_LIST,
                                      FAL_OF(&fal_shape_text),
                                      .min = 1,
                                      .read = read_also,
                                      .write = write_also};

/* ---- problems ---- */

static int read_requirement(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_problem *p = out;
    const char *id = json_is_string(value) ? tl_text_keep(value, wrong) : NULL;

    if (!json_is_string(value))
        return fal_misfit_say(wrong, "expected a text");
    if (p == NULL)
        return 0;
    p->requirement = id != NULL ? tl_requirement_keep(id, NULL, wrong) : NULL;
    return p->requirement != NULL ? 0 : tl_no_memory(wrong);
}

static int write_requirement(const void *in, json_t **out)
{
    const struct tl_problem *p = in;

    return tl_text_write(p->requirement != NULL ? p->requirement->id : NULL, out);
}

/* The text of a requirement that this version's catalogue does not have. */
static int read_requirement_text(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_problem *p = out;
    const char *text = json_is_string(value) ? tl_text_keep(value, wrong) : NULL;

    if (!json_is_string(value))
        return fal_misfit_say(wrong, "expected a text");
    if (text == NULL)
        return tl_no_memory(wrong);
    if (p != NULL && p->requirement != NULL && fal_requirement_find(p->requirement->id) == NULL)
        p->requirement = tl_requirement_keep(p->requirement->id, text, wrong);
    return 0;
}

static int write_requirement_text(const void *in, json_t **out)
{
    const struct tl_problem *p = in;

    return tl_text_write(p->requirement != NULL ? p->requirement->text : NULL, out);
}

/* ---- symptoms ---- */

/* A word that this version does not know is left out. */
static int read_symptoms(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_problem unused = {0}, *p = out != NULL ? out : &unused;

    if (!json_is_array(value))
        return fal_misfit_say(wrong, "expected words of symptoms");
    p->num_symptoms = 0;
    for (size_t i = 0; i < json_array_size(value) && p->num_symptoms < TL_SYMPTOMS_MAX; i++) {
        const char *word = json_string_value(json_array_get(value, i));

        if (word == NULL)
            return fal_misfit_say(wrong, "expected words of symptoms");
        p->symptoms[p->num_symptoms] = tl_symptom_from(word);
        p->num_symptoms += p->symptoms[p->num_symptoms] != TL_SYMPTOM_NONE;
    }
    return 0;
}

static int write_symptoms(const void *in, json_t **out)
{
    const struct tl_problem *p = in;

    *out = p->num_symptoms > 0 ? json_array() : NULL;
    for (unsigned i = 0; *out != NULL && i < p->num_symptoms; i++) {
        const char *word = tl_symptom_about(p->symptoms[i])->word;

        if (json_array_append_new(*out, json_string(word)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL || p->num_symptoms == 0 ? 0 : FAL_ERR_MEM;
}

/* Follows from the symptoms. */
static int read_blames(const json_t *value, void *out, struct fal_misfit *wrong)
{
    (void)out;
    return json_is_string(value) ? 0 : fal_misfit_say(wrong, "expected a text");
}

static int write_blames(const void *in, json_t **out)
{
    const struct tl_problem *p = in;
    const struct fal_requirement *blames = tl_problem_blames(p);

    return tl_text_write(blames != NULL && blames != p->requirement ? blames->id : NULL, out);
}

static const struct fal_shape symptoms = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_text),
                                          .min = 1,
                                          .max = TL_SYMPTOMS_MAX,
                                          .read = read_symptoms,
                                          .write = write_symptoms};
static const struct fal_shape blames = {
    .kind = FAL_SHAPE_TEXT, .read = read_blames, .write = write_blames};

static const char *const subject_words[] = {"sut", "tester"};
static const struct fal_shape subject = {.kind = FAL_SHAPE_WORD, FAL_WORDS(subject_words)};

/* Only a rule has a subject. */
static int write_subject(const void *in, json_t **out)
{
    const struct tl_problem *p =
        (const void *)((const char *)in - offsetof(struct tl_problem, subject));

    *out = NULL;
    return p->rule != NULL ? tl_text_write(subject_words[p->subject], out) : 0;
}

static const struct fal_shape problem_subject = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(subject_words), .write = write_subject};
static const struct fal_shape requirement = {
    .kind = FAL_SHAPE_TEXT, .read = read_requirement, .write = write_requirement};
static const struct fal_shape requirement_text = {
    .kind = FAL_SHAPE_TEXT, .read = read_requirement_text, .write = write_requirement_text};
static const struct fal_shape problem_kind = {
    .kind = FAL_SHAPE_WORD, .words = tl_problem_kind_names, .num_words = TL_PROBLEM_KINDS};
static const struct fal_shape index_ = {.kind = FAL_SHAPE_INT, .max = INT32_MAX};
static const struct fal_shape line = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape fingerprint = {.kind = FAL_SHAPE_NAME,
                                             .pattern = "^[0-9a-f]{16}$"};
static const struct fal_shape evidence = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_uint),
                                          .max = FAL_EVIDENCE_MAX,
                                          .in_place = true,
                                          .item_size = sizeof(uint64_t)};
static const struct fal_member ladder_members[] = {
    {"packet", &tl_own_text_shape, 0, FAL_AT(struct tl_ladder_line, text),
     .doc = "a line of the notation"},
    {"evidence", &fal_shape_yes, 0, FAL_AT(struct tl_ladder_line, marked),
     .doc = "true: this packet shows the violation"},
};
static const struct fal_shape ladder_line = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(ladder_members)};
static const struct fal_shape ladder = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&ladder_line), .item_size = sizeof(struct tl_ladder_line)};

#define P(field) FAL_AT(struct tl_problem, field)
static const struct fal_member problem_members[] = {
    {"kind", &problem_kind, FAL_ALWAYS, P(kind)},
    {"verdict", &tl_verdict_shape, FAL_MUST, P(verdict)},
    {"reason", &tl_reason_shape, FAL_MUST, P(reason), .doc = "a stable word (docs/formats.md)"},
    {"step", &index_, 0, P(step), .initial = UINT64_MAX, .doc = "index of the step, from 0"},
    {"line", &line, 0, P(line), .doc = "of the step in its file"},
    {"rule", &tl_rule_shape, 0, P(rule)},
    {"subject", &problem_subject, 0, P(subject), .doc = "who violated the rule"},
    {"text", &tl_own_text_shape, 0, P(text), .doc = "the step, or the rule's title"},
    {"requirement", &requirement, 0, WHOLE(struct tl_problem)},
    {"requirement_text", &requirement_text, 0, WHOLE(struct tl_problem)},
    {"also", &also, 0, WHOLE(struct tl_problem),
     .doc = "other requirements that the step decides"},
    {"t_ns", &fal_shape_uint, FAL_ALWAYS, P(t_ns)},
    {"expected", &tl_own_text_shape, 0, P(expected)},
    {"seen", &tl_own_text_shape, 0, P(seen)},
    {"why", &tl_own_text_shape, 0, P(why)},
    {"fingerprint", &fingerprint, 0, P(fingerprint),
     .doc = "equal when the same failure happens again"},
    {"waiver", &tl_text_shape, 0, P(waiver), .doc = "id of the entry that waives it"},
    {"symptoms", &symptoms, 0, WHOLE(struct tl_problem),
     .doc = "what the packets show of it (docs/formats.md), the most probable first"},
    {"blames", &blames, 0, WHOLE(struct tl_problem),
     .doc = "the requirement that the first symptom violates, where `requirement` is another"},
    {"field", &tl_text_shape, 0, P(field), .doc = "the field that a step saw differ"},
    {"events", &evidence, 0, P(evidence), FAL_COUNT(struct tl_problem, num_evidence),
     .doc = "indices on the timeline of the events that show the violation"},
    {"packets", &ladder, 0, P(ladder), FAL_COUNT(struct tl_problem, num_ladder)},
};
static const struct fal_shape problem = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(problem_members)};
static const struct fal_shape problems = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&problem), .item_size = sizeof(struct tl_problem)};

/* ---- rules and readings ---- */

/* {"late": 3}: by the name of the excuse. */
static int read_counts(const json_t *value, int num, uint64_t *counts, struct fal_misfit *wrong)
{
    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    for (int e = 0; counts != NULL && e < num; e++)
        counts[e] = (uint64_t)json_integer_value(
            json_object_get(value, fal_excuse_name((enum fal_excuse)e)));
    return 0;
}

static int write_counts(const uint64_t *counts, int num, json_t **out)
{
    *out = json_object();
    for (int e = 0; *out != NULL && e < num; e++) {
        if (counts[e] == 0 || json_object_set_new(*out, fal_excuse_name((enum fal_excuse)e),
                                                  json_integer((json_int_t)counts[e])) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_excused(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_counts(value, FAL_EXCUSE_COUNT, out, wrong);
}

static int write_excused(const void *in, json_t **out)
{
    return write_counts(in, FAL_EXCUSE_COUNT, out);
}

static int read_events(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_counts(value, FAL_EXCUSE_PATHS, out, wrong);
}

/* Only those of a path that did something. */
static int write_events(const void *in, json_t **out)
{
    const uint64_t *events = in;
    uint64_t any = 0;

    for (int e = 0; e < FAL_EXCUSE_PATHS; e++)
        any |= events[e];
    *out = NULL;
    return any != 0 ? write_counts(events, FAL_EXCUSE_PATHS, out) : 0;
}

static const struct fal_shape path_events = {
    .kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_uint), .read = read_events, .write = write_events};
static const struct fal_shape excused = {.kind = FAL_SHAPE_MAP,
                                         FAL_OF(&fal_shape_uint),
                                         .read = read_excused,
                                         .write = write_excused};
#define R(field) FAL_AT(struct fal_rule_result, field)
static const struct fal_member rule_members[] = {
    {"rule", &tl_rule_shape, FAL_MUST, R(rule)},
    {"subject", &subject, FAL_ALWAYS, R(subject)},
    {"connection", &fal_shape_uint, FAL_ALWAYS, R(conn)},
    {"verdict", &tl_verdict_shape, FAL_MUST, R(verdict)},
    {"holds", &fal_shape_uint, FAL_ALWAYS, R(holds)},
    {"broken", &fal_shape_uint, FAL_ALWAYS, R(broken)},
    {"undecided", &fal_shape_uint, FAL_ALWAYS, R(undecided)},
    {"excused", &excused, 0, R(excused), .doc = "instances by excuse"},
    {"path_events", &path_events, 0, R(events),
     .doc = "events of the path that explain these instances, by excuse: one loss may explain "
            "several"},
};
static const struct fal_shape rule = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(rule_members)};
static const struct fal_shape rules = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&rule), .item_size = sizeof(struct fal_rule_result)};

#define G(field) FAL_AT(struct fal_reading_result, field)
static const struct fal_member reading_members[] = {
    {"id", &tl_text_shape, FAL_MUST, G(id)},
    {"text", &tl_text_shape, FAL_MUST, G(text)},
    {"alternative", &fal_shape_flag, FAL_ALWAYS, G(alternative)},
    {"event", &fal_shape_uint, FAL_ALWAYS, G(by),
     .doc = "index on the timeline of the event that showed it"},
    {"t_ns", &fal_shape_uint, FAL_ALWAYS, G(by_ns)},
};
static const struct fal_shape reading = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(reading_members)};
static const struct fal_shape readings = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&reading), .item_size = sizeof(struct fal_reading_result)};

/* ---- repetitions, attempts, timing, steps ---- */

static const struct fal_member repetition_members[] = {
    {"seed", &tl_case_seed_shape, FAL_ALWAYS, FAL_AT(struct tl_repetition, seed)},
    {"verdict", &tl_verdict_shape, FAL_MUST, FAL_AT(struct tl_repetition, verdict)},
    {"reason", &tl_reason_shape, 0, FAL_AT(struct tl_repetition, reason)},
};
static const struct fal_shape repetition = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(repetition_members)};
static const struct fal_shape repetitions = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&repetition), .item_size = sizeof(struct tl_repetition)};

static const struct fal_member attempt_members[] = {
    {"verdict", &tl_verdict_shape, FAL_MUST, FAL_AT(struct tl_attempt, verdict)},
    {"reason", &tl_reason_shape, 0, FAL_AT(struct tl_attempt, reason)},
};
static const struct fal_shape attempt = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(attempt_members)};
static const struct fal_shape attempts = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&attempt),
                                          .max = TL_ATTEMPTS_MAX,
                                          .in_place = true,
                                          .item_size = sizeof(struct tl_attempt)};

#define NS(name)                                                   \
    {                                                              \
#name, &fal_shape_uint, FAL_ALWAYS, FAL_AT(struct T, name) \
    }
#define T fal_ev_timing
static const struct fal_member step_timing_members[] = {
    {"step", &index_, FAL_ALWAYS, FAL_AT(struct T, step)},
    NS(due_ns),
    NS(at_ns),
    NS(late_ns),
    NS(queue_ns),
    NS(drops)};
#undef T
static const struct fal_shape step_timing = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(step_timing_members)};
static const struct fal_shape step_timings = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&step_timing), .item_size = sizeof(struct fal_ev_timing)};
#define T tl_case_timing
static const struct fal_member timing_members[] = {
    NS(timer_ns),
    NS(queue_ns),
    NS(busy_ns),
    NS(throttle_ns),
    NS(sut_ns),
    NS(allowance_ns),
    NS(drops),
    {"steps", &step_timings, FAL_ALWAYS, FAL_AT(struct T, steps),
     FAL_COUNT(struct T, num_steps)},
    {"more_steps", &fal_shape_uint, 0, FAL_AT(struct T, more_steps)},
};
#undef T
static const struct fal_shape timing = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(timing_members)};

#define TRIALS(field) FAL_AT(struct fal_trials, field)
static const struct fal_member trials_members[] = {
    {"trials", &fal_shape_uint, FAL_ALWAYS, TRIALS(trials)},
    {"lost", &fal_shape_uint, FAL_ALWAYS, TRIALS(losses)},
};
static const struct fal_shape trials = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(trials_members)};
static const struct fal_member path_members[] = {
    {"to_sut", &trials, FAL_ALWAYS, FAL_AT(struct tl_case_path, way[FAL_TO_SUT])},
    {"from_sut", &trials, FAL_ALWAYS, FAL_AT(struct tl_case_path, way[FAL_FROM_SUT])},
};
static const struct fal_shape path = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(path_members)};

static const struct fal_member step_members[] = {
    {"line", &line, 0, FAL_AT(struct tl_step_line, line)},
    {"text", &tl_text_shape, 0, FAL_AT(struct tl_step_line, text)},
};
static const struct fal_shape step = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(step_members)};
static const struct fal_shape steps = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&step), .item_size = sizeof(struct tl_step_line)};

/* ---- the ladder diagram ---- */

static const struct tl_flow_item *item_of(const void *in, size_t offset)
{
    return (const void *)((const char *)in - offset);
}

/* `event` of a gap is the number of events that are left out: `left_out`. */
static int read_event(const json_t *value, void *out, struct fal_misfit *wrong)
{
    uint64_t number = (uint64_t)json_integer_value(value);

    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return fal_misfit_say(wrong, "expected a whole number from 0");
    if (out != NULL)
        memcpy(out, &number, sizeof number);
    return 0;
}

static int write_event_of(const void *in, bool gap, json_t **out)
{
    const struct tl_flow_item *item = item_of(in, offsetof(struct tl_flow_item, event));

    *out = NULL;
    if ((item->kind == TL_FLOW_GAP) != gap)
        return 0;
    *out = json_integer((json_int_t)item->event);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int write_event(const void *in, json_t **out)
{
    return write_event_of(in, false, out);
}

static int write_left_out(const void *in, json_t **out)
{
    return write_event_of(in, true, out);
}

static int read_dir(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    bool to_sut = text != NULL && strcmp(text, ">") == 0;

    if (text == NULL || (!to_sut && strcmp(text, "<") != 0))
        return fal_misfit_say(wrong, "expected > or <");
    if (out != NULL)
        memcpy(out, &to_sut, sizeof to_sut);
    return 0;
}

static int write_dir(const void *in, json_t **out)
{
    const struct tl_flow_item *item = item_of(in, offsetof(struct tl_flow_item, to_sut));

    return tl_text_write(item->kind > TL_FLOW_LOST ? NULL : item->to_sut ? ">" : "<", out);
}

static int read_header(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *hex = json_string_value(value);
    struct tl_flow_item unused = {0}, *item = out != NULL ? out : &unused;
    int len = hex != NULL ? fal_hex_read(hex, item->head, sizeof item->head) : FAL_ERR_FORM;

    if (len < 0)
        return fal_misfit_say(wrong, "expected a header in hex digits");
    item->head_len = (uint8_t)len;
    return 0;
}

static int write_header(const void *in, json_t **out)
{
    const struct tl_flow_item *item = in;
    char hex[2 * TL_FLOW_HEAD + 1];

    *out = NULL;
    if (item->head_len == 0)
        return 0;
    fal_hex_write(item->head, item->head_len, hex);
    return tl_text_write(hex, out);
}

static const struct fal_shape flow_kind = {
    .kind = FAL_SHAPE_WORD, .words = tl_flow_kind_names, .num_words = TL_FLOW_KINDS};
static const struct fal_shape flow_event = {
    .kind = FAL_SHAPE_UINT, .read = read_event, .write = write_event};
static const struct fal_shape left_out = {
    .kind = FAL_SHAPE_UINT, .read = read_event, .write = write_left_out};
static const char *const dir_words[] = {">", "<"};
static const struct fal_shape dir = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(dir_words), .read = read_dir, .write = write_dir};
static const struct fal_shape header = {.kind = FAL_SHAPE_TEXT,
                                        .pattern = "^([0-9a-f]{2})*$",
                                        .read = read_header,
                                        .write = write_header};
#define F(field) FAL_AT(struct tl_flow_item, field)
static const struct fal_member flow_members[] = {
    {"what", &flow_kind, FAL_ALWAYS, F(kind)},
    {"t_ns", &fal_shape_uint, FAL_ALWAYS, F(t_ns)},
    {"event", &flow_event, 0, F(event), .doc = "index on the timeline"},
    {"left_out", &left_out, 0, F(event), .doc = "of a gap: how many events are left out"},
    {"dir", &dir, 0, F(to_sut), .doc = "of a packet: > to the SUT, < from it"},
    {"step", &index_, 0, F(step), .initial = UINT64_MAX,
     .doc = "index of the step that sent it, or that began"},
    {"text", &tl_own_text_shape, 0, F(text),
     .doc = "of a packet: in the notation, without time and direction"},
    {"evidence", &fal_shape_yes, 0, F(marked), .doc = "true: it shows a problem"},
    {"again", &fal_shape_yes, 0, F(again),
     .doc = "true: a retransmission (this PSN went in that direction before)"},
    {"dropped", &fal_shape_yes, 0, F(dropped),
     .doc = "true: as far as the bench knows, the packet did not arrive"},
    {"message", &fal_shape_uint, 0, F(message),
     .doc = "of a packet: number of the RDMA message that it is a part of"},
    {"post", &fal_shape_uint, 0, F(post),
     .doc = "number of the work request of RDMA verbs that it is, carries or completes"},
    {"command", &fal_shape_uint, 0, F(command),
     .doc = "number of the command of NVMe that it is, carries or completes"},
    {"part", &fal_shape_uint, 0, F(part),
     .doc = "1, 2: of a command that is split over a stripe boundary, the part to which it "
            "belongs"},
    {"ncmd", &fal_shape_uint, 0, F(ncmd),
     .doc = "of a packet of NVMe: number of the nCMD in its command, from 1"},
    {"header", &header, 0, WHOLE(struct tl_flow_item), .doc = "the Falcon header, hex"},
};
static const struct fal_shape flow_item = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(flow_members)};
static const struct fal_shape flow = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&flow_item), .item_size = sizeof(struct tl_flow_item)};

/* ---- the case ---- */

static const char *const class_words[] = {"valid", "invalid", "inopportune"};
/* C keeps the text: a newer version may have other classes. */
static const struct fal_shape class_ = {.kind = FAL_SHAPE_WORD,
                                        FAL_WORDS(class_words),
                                        .read = tl_text_read,
                                        .write = tl_text_write_member};
static const struct fal_shape disposition = {.kind = FAL_SHAPE_WORD,
                                             .words = &tl_disposition_names[1],
                                             .num_words = TL_DISPOSITIONS - 1,
                                             .min = TL_RAN + 1};
static const struct fal_shape copies = {.kind = FAL_SHAPE_UINT, .min = 2};
static const struct fal_shape life_before = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape fault_count = {.kind = FAL_SHAPE_UINT, .min = 1};

#define C(field) FAL_AT(struct tl_case, field)
#define N(field) FAL_COUNT(struct tl_case, field)
static const struct fal_member case_members[] = {
    {"id", &tl_text_shape, FAL_MUST, C(id)},
    {"title", &tl_text_shape, FAL_MUST, C(title)},
    {"file", &tl_text_shape, FAL_MUST, C(file)},
    {"class", &class_, 0, C(kind)},
    {"version", &fal_shape_uint, FAL_ALWAYS, C(version)},
    {"covers", &covers, 0, WHOLE(struct tl_case)},
    {"seed", &tl_case_seed_shape, FAL_ALWAYS, C(seed)},
    {"verdict", &tl_verdict_shape, FAL_MUST, C(verdict)},
    {"reason", &tl_reason_shape, 0, C(reason)},
    {"disposition", &disposition, 0, C(disposition),
     .doc = "why the verdict alone does not describe the case; absent: the case ran and its "
            "verdict counts"},
    {"disposition_why", &tl_own_text_shape, 0, C(why),
     .doc = "the ICS condition, the waiver entries, or fail-fast"},
    {"repetitions", &repetitions, 0, C(repetitions), N(num_repetitions),
     .doc = "with --repeat; the verdict is the worst of them"},
    {"copies", &copies, 0, C(copies),
     .doc = "with --copies: number of connections that played the case at the same time"},
    {"copy", &line, 0, C(copy),
     .doc = "the copy that got this verdict, from 1; absent: all copies got it"},
    {"connection", &tl_text_shape, 0, C(connection),
     .doc = "the name of the connection that got this verdict, if the scenario has several"},
    {"life_before", &life_before, 0, C(life.before),
     .doc = "how many plays of cases the same SUT had seen before this one (--life)"},
    {"life_first", &tl_own_text_shape, 0, C(life.first), .doc = "the first of these cases"},
    {"alone", &tl_verdict_shape, 0, C(life.alone), FAL_HAS(struct tl_case, life.alone),
     .doc = "the verdict of a play on a new SUT, of a case that did not pass after others"},
    {"fresh", &tl_own_text_shape, 0, C(life.fresh),
     .doc = "why the SUT was reset before and after the case, where cases share one"},
    {"fault_opportunities", &fault_count, 0, C(chances),
     .doc = "how often the planted faults of the built-in SUT could have acted"},
    {"fault_acts", &fault_count, 0, C(acts), .doc = "how often they have"},
    {"mixed", &fal_shape_yes, 0, C(mixed), .doc = "repetitions failed in different ways"},
    {"duration_ns", &fal_shape_uint, FAL_ALWAYS, C(duration_ns)},
    {"timing", &timing, 0, C(timing), FAL_HAS(struct tl_case, timing.known),
     .doc = "of a live link"},
    {"path", &path, 0, C(path), FAL_HAS(struct tl_case, path.known),
     .doc =
         "the path as measured during the case: probes of a live link, or what the simulated "
         "network did to independent frames"},
    {"attempts", &attempts, FAL_ALWAYS, C(attempts), N(num_attempts)},
    {"problems", &problems, FAL_ALWAYS, C(problems), N(num_problems), .doc = "the worst first"},
    {"rules", &rules, FAL_ALWAYS, C(rules), N(num_rules),
     .doc = "rules that had something to decide"},
    {"readings", &readings, 0, C(readings), N(num_readings),
     .doc = "the reading that the SUT took of each ambiguous sentence; an alternative reading "
            "gives a warning"},
    {"frames", &fal_shape_uint, 0, C(frames), .doc = "packets of the case, in both directions"},
    {"silent", &fal_shape_yes, 0, C(silent),
     .doc = "packets were sent to the SUT, and it sent none"},
    {"packets", &ladder, 0, C(packets), N(num_packets)},
    {"steps", &steps, 0, C(steps), N(num_steps), .doc = "of the scenario, as in its file"},
    {"flow", &flow, 0, C(flow), N(num_flow),
     .doc = "of a case that did not pass: the part of its timeline around the evidence, for a "
            "ladder diagram"},
    {"profile", &tl_text_shape, 0, C(profile),
     .doc = "of the results that the case comes from, where several were merged"},
    {"evidence", &tl_own_text_shape, 0, C(evidence),
     .doc = "its directory below the output directory: timeline.jsonl, packets.pcapng, "
            "scenario.json"},
    {"repeat", &tl_own_text_shape, 0, C(repeat), .doc = "the command that reproduces it"},
};
const struct fal_shape tl_case_shape = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(case_members)};
