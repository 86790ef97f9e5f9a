/* SPDX-License-Identifier: Apache-2.0
 * hunt_steps.c - mutations that insert steps into a case: valid and invalid packets, actions of
 * upper layers and connection managers, faults of the network. Packet types, fields and their
 * values come from the field tables. */
#include "fuzz/hunt/hunt.h"

#include "codecs/header/falcon.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_LEN = 400 };

bool hunt_insert(json_t *doc, struct fal_rng *rng, json_t *step)
{
    json_t *steps = hunt_list(doc, "steps");
    size_t n = json_array_size(steps);

    if (steps == NULL || step == NULL || n >= HUNT_STEPS_MAX) {
        json_decref(step);
        return steps != NULL && n >= HUNT_STEPS_MAX;
    }
    return json_array_insert_new(steps, hunt_one_in(rng, 3) ? n : hunt_below(rng, n + 1),
                                 step) == 0;
}

/* Some time after the step before. */
static void maybe_after(json_t *step, struct fal_rng *rng)
{
    if (step != NULL && hunt_one_in(rng, 4))
        (void)json_object_set_new(step, "after", json_string(hunt_time(rng)));
}

bool hunt_add_post(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const sides[] = {"sut", "tester"}, *const ops[] = {"push", "pull"};
    static const int lengths[] = {0, 1, 63, 64, 65, 1024, 4095, 4096, 4097, 65535};
    static const int counts[] = {2, 3, 4, 4, 8, 8, 12, 20, 70, 140};
    json_t *step = json_pack(
        "{s:{s:s, s:s, s:i}, s:s}", "ulp", "do", "post", "op", HUNT_PICK(rng, ops), "length",
        hunt_one_in(rng, 2) ? 64 : HUNT_PICK(rng, lengths), "side", HUNT_PICK(rng, sides));

    (void)other;
    if (step != NULL && hunt_one_in(rng, 3))
        step = json_pack("{s:i, s:[o]}", "repeat", HUNT_PICK(rng, counts), "steps", step);
    return step != NULL && hunt_insert(doc, rng, step);
}

static const char *const types[] = {"pull_request", "pull_data", "push_data", "resync",
                                    "nack",         "back",      "eack"};

/* A number of the connection, counted from its first: mostly near it, at times at the edges. */
static unsigned number(struct fal_rng *rng)
{
    static const unsigned edges[] = {31,  32,  63,  64,  65,         127,        128,
                                     129, 255, 256, 300, 0x7fffffff, 0x80000000, 0xffffffff};

    return hunt_one_in(rng, 5) ? HUNT_PICK(rng, edges) : (unsigned)hunt_below(rng, 9);
}

/* A value of a field that is no sequence number. */
static void print_value(const struct fal_field *field, struct fal_rng *rng, char *out,
                        size_t cap)
{
    unsigned width = field->width_bits < 62 ? field->width_bits : 62;
    uint64_t most = (UINT64_C(1) << width) - 1, value;

    switch (hunt_below(rng, 6)) {
    case 0: value = 0; break;
    case 1: value = most; break;
    case 2: value = 1; break;
    case 3: value = UINT64_C(1) << hunt_below(rng, width); break;
    case 4: value = fal_rng_next(rng) & most & 0xff; break;
    default: value = fal_rng_next(rng) & most; break;
    }
    (void)snprintf(out, cap, "0x%" PRIx64, value);
}

/* Adds " name=value" of a field. */
static void add_field(const struct fal_layout *layout, struct fal_rng *rng, char *line,
                      size_t cap)
{
    const struct fal_field *field = &layout->fields[hunt_below(rng, layout->num_fields)];
    size_t len = strlen(line);
    char name[48], value[40];

    (void)snprintf(name, sizeof name, " %s=", field->name);
    if (strstr(line, name) != NULL)
        return;
    if (field->kind == FAL_PSN || field->kind == FAL_RSN)
        (void)snprintf(value, sizeof value, "%ur", number(rng));
    else
        print_value(field, rng, value, sizeof value);
    (void)snprintf(line + len, cap - len, "%s%s", name, value);
}

static json_t *packet(const char *type, unsigned fields, struct fal_rng *rng)
{
    const struct fal_layout *layout = fal_falcon_layout_named(type);
    char line[LINE_MAX_LEN];

    (void)snprintf(line, sizeof line, "> %s", type);
    for (unsigned i = 0; i < fields; i++)
        add_field(layout, rng, line, sizeof line);
    return json_string(line);
}

static void maybe_ip(json_t *step, struct fal_rng *rng)
{
    if (step != NULL && hunt_one_in(rng, 8))
        (void)json_object_set_new(step, "ip",
                                  json_pack("{s:i, s:i}", "ecn", (int)hunt_below(rng, 4), "ttl",
                                            1 + (int)hunt_below(rng, 255)));
}

/* A packet with some fields that are not what they would be. */
bool hunt_add_send(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *step =
        json_pack("{s:o}", "send",
                  hunt_is_rdma(doc) && !hunt_one_in(rng, 3)
                      ? hunt_rdma_packet(rng)
                      : packet(HUNT_PICK(rng, types), (unsigned)hunt_below(rng, 4), rng));

    (void)other;
    maybe_after(step, rng);
    maybe_ip(step, rng);
    if (step != NULL && hunt_one_in(rng, 3))
        (void)json_object_set_new(step, "adopt", json_false());
    return step != NULL && hunt_insert(doc, rng, step);
}

/* Lawful requests, each with its numbers, in some other order; holes are filled or stay. */
bool hunt_add_burst(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps");
    unsigned n = 2 + (unsigned)hunt_below(rng, 7),
             first = hunt_one_in(rng, 3) ? number(rng) % 140 : 0;
    bool pulls = hunt_one_in(rng, 3);
    unsigned order[9];
    size_t at;

    (void)other;
    if (steps == NULL || json_array_size(steps) + n > HUNT_STEPS_MAX)
        return steps != NULL;
    at = hunt_one_in(rng, 2) ? 0 : hunt_below(rng, json_array_size(steps) + 1);
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (unsigned i = n - 1; i > 0; i--) {
        unsigned k = (unsigned)hunt_below(rng, i + 1), kept = order[i];

        order[i] = order[k];
        order[k] = kept;
    }
    for (unsigned i = 0; i < n; i++) {
        char line[LINE_MAX_LEN];
        json_t *step;

        if (hunt_one_in(rng, 6))
            continue; /* a hole, or one that comes twice */
        (void)snprintf(line, sizeof line, "> %s psn=%ur rsn=%ur len=64%s",
                       pulls ? "pull_request" : "push_data", first + order[i], first + order[i],
                       hunt_one_in(rng, 3) ? " ar" : "");
        step = json_pack("{s:s}", "send", line);
        maybe_after(step, rng);
        maybe_ip(step, rng);
        if (step == NULL || json_array_insert_new(steps, at++, step) != 0)
            return false;
        if (hunt_one_in(rng, 5)) {
            if (json_array_insert(steps, at, step) != 0)
                return false;
            at++;
        }
    }
    return true;
}

/* An ACK or a NACK of the tester's, with what it claims. */
bool hunt_add_ack(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const unsigned codes[] = {1, 1, 2, 4, 6, 7, 8, 3};
    char line[LINE_MAX_LEN];
    json_t *step;

    (void)other;
    switch (hunt_below(rng, 4)) {
    case 0:
        (void)snprintf(line, sizeof line, "> back dbase=%ur rbase=%ur", number(rng) % 9,
                       number(rng) % 9);
        break;
    case 1:
        (void)snprintf(line, sizeof line, "> eack dbase=%ur drx=0x%x dack=0x%x req=0x%x own=%u",
                       number(rng) % 9, (unsigned)hunt_below(rng, 256) & ~1U,
                       (unsigned)hunt_below(rng, 16) & ~1U,
                       (unsigned)hunt_below(rng, 256) & ~1U, (unsigned)hunt_below(rng, 4));
        break;
    case 2:
        (void)snprintf(line, sizeof line, "> eack drx=0x%x own=%u",
                       (unsigned)hunt_below(rng, 65536) & ~1U, (unsigned)hunt_below(rng, 4));
        break;
    default:
        (void)snprintf(line, sizeof line,
                       "> nack code=%u nack_psn=%ur w=%u rnr_timeout=%u ulp_nack_code=%u",
                       HUNT_PICK(rng, codes), number(rng) % 9, (unsigned)hunt_below(rng, 2),
                       (unsigned)hunt_below(rng, 32), (unsigned)hunt_below(rng, 256));
        break;
    }
    step = json_pack("{s:s}", "send", line);
    maybe_after(step, rng);
    return step != NULL && hunt_insert(doc, rng, step);
}

/* The network's doing, to some packets of a kind. */
bool hunt_add_reaction(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const fates[] = {"drop",    "drop",    "delay",   "duplicate",
                                        "reorder", "rewrite", "withhold"};
    static const int counts[] = {1, 1, 2, 3, 8, 20, 0};
    const char *fate = HUNT_PICK(rng, fates), *type = HUNT_PICK(rng, types);
    bool any = hunt_one_in(rng, 4);
    char line[LINE_MAX_LEN], value[40];
    json_t *step;
    int rc = 0;

    (void)other;
    (void)snprintf(line, sizeof line, "%c %s", hunt_one_in(rng, 2) ? '<' : '>',
                   any && strcmp(fate, "rewrite") != 0 ? "packet" : type);
    step =
        json_pack("{s:s, s:s, s:i}", "on", line, "do", fate, "times", HUNT_PICK(rng, counts));
    if (step == NULL)
        return false;
    if (hunt_one_in(rng, 2))
        rc |=
            json_object_set_new(step, "nth", json_integer(1 + (json_int_t)hunt_below(rng, 5)));
    if (strcmp(fate, "delay") == 0 || strcmp(fate, "duplicate") == 0)
        rc |= json_object_set_new(step, "delay", json_string(hunt_time(rng)));
    if (strcmp(fate, "reorder") == 0)
        rc |= json_object_set_new(step, "by", json_integer(1 + (json_int_t)hunt_below(rng, 4)));
    if (strcmp(fate, "withhold") == 0)
        rc |= json_object_set_new(step, "name", json_string("held"));
    if (strcmp(fate, "rewrite") == 0) {
        const struct fal_layout *layout = fal_falcon_layout_named(type);
        const struct fal_field *field = &layout->fields[hunt_below(rng, layout->num_fields)];

        if (field->kind == FAL_PSN || field->kind == FAL_RSN)
            (void)snprintf(value, sizeof value, "%ur", number(rng));
        else
            print_value(field, rng, value, sizeof value);
        rc |= json_object_set_new(step, "set", json_pack("{s:s}", field->name, value));
    }
    if (strcmp(fate, "withhold") == 0 && !hunt_one_in(rng, 4)) {
        json_t *steps = hunt_list(doc, "steps");

        rc |= json_array_append_new(steps, json_pack("{s:s}", "wait", hunt_time(rng)));
        rc |= json_array_append_new(steps, json_pack("{s:s}", "release", "held"));
    }
    if (rc == 0 && hunt_one_in(rng, 2))
        return json_array_insert_new(hunt_list(doc, "steps"), 0, step) == 0;
    return hunt_insert(doc, rng, step) && rc == 0;
}

bool hunt_add_wait(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    (void)other;
    return hunt_insert(doc, rng, json_pack("{s:s}", "wait", hunt_time(rng)));
}

/* Steps of a key rotation; only a sealed connection has keys. */
bool hunt_add_keys(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const steps[] = {"all",  "all",  "generation", "spi",
                                        "peer", "drop", "end"};
    static const char *const whole[] = {"generation", "spi", "peer", "drop", "end"};
    static const char *const sides[] = {"sut", "tester"};
    json_t *connection = json_object_get(doc, "connection"), *list = hunt_list(doc, "steps");
    const char *encap = json_string_value(json_object_get(connection, "encap"));
    const char *side = HUNT_PICK(rng, sides);

    if (encap == NULL || strcmp(encap, "udp") == 0)
        return hunt_change_encap(doc, other, rng);
    if (list == NULL || json_array_size(list) + 5 > HUNT_STEPS_MAX)
        return list != NULL;
    if (hunt_one_in(rng, 2))
        return hunt_insert(doc, rng,
                           json_pack("{s:{s:s, s:s}, s:s}", "cm", "do", "rotate_keys", "step",
                                     HUNT_PICK(rng, steps), "side", side));
    for (unsigned i = 0, n = 1 + (unsigned)hunt_below(rng, 5); i < n; i++)
        if (json_array_append_new(
                list,
                json_pack("{s:{s:s, s:s}, s:s}", "cm", "do", "rotate_keys", "step", whole[i],
                          "side", (i == 2) == (side[0] == 's') ? "tester" : "sut")) != 0)
            return false;
    return true;
}

/* Parameters that a RUE, or the CM, would change during a run. */
bool hunt_add_set(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const names[] = {"fcwnd", "ncwnd", "rto", "packet_gap"};
    json_t *value = NULL;
    const char *name;

    (void)other;
    do {
        json_decref(value);
        hunt_param(rng, &name, &value);
    } while (strcmp(name, names[0]) != 0 && strcmp(name, names[1]) != 0 &&
             strcmp(name, names[2]) != 0 && strcmp(name, names[3]) != 0);
    return hunt_insert(
        doc, rng, json_pack("{s:{s:s, s:{s:o}}}", "cm", "do", "set", "params", name, value));
}

bool hunt_add_respond(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const sides[] = {"sut", "sut", "tester"};
    static const char *const answers[] = {"ack", "ack", "rnr", "cie", "data"};
    const char *answer = HUNT_PICK(rng, answers);
    char rsn[16];
    json_t *act;
    int rc = 0;

    (void)other;
    (void)snprintf(rsn, sizeof rsn, "%ur", (unsigned)hunt_below(rng, 6));
    act = json_pack("{s:s, s:s, s:s}", "do", "respond", "rsn", rsn, "answer", answer);
    if (strcmp(answer, "rnr") == 0)
        rc |= json_object_set_new(act, "rnr", json_string("40us"));
    if (strcmp(answer, "data") == 0)
        rc |= json_object_set_new(act, "length", json_integer(hunt_one_in(rng, 2) ? 64 : 0));
    if (strcmp(answer, "cie") == 0)
        rc |= json_object_set_new(act, "code", json_integer(7));
    return hunt_insert(doc, rng,
                       json_pack("{s:o, s:s}", "ulp", act, "side", HUNT_PICK(rng, sides))) &&
           rc == 0;
}

/* An answer other than taking it. */
static json_t *refusal(struct fal_rng *rng, bool pull)
{
    static const char *const answers[] = {"rnr", "rnr", "cie", "nre", "cid", "ack"};
    static const char *const rnrs[] = {"10us", "40us", "160us", "640us", "2560us", "10240us"};
    static const int lengths[] = {64, 64, 0, 1, 63, 65, 4096};
    const char *answer = HUNT_PICK(rng, answers);
    json_t *act = json_pack("{s:s}", "do", "respond");
    int rc;

    if (pull && (strcmp(answer, "ack") == 0 || hunt_one_in(rng, 3)))
        answer = "data";
    rc = json_object_set_new(act, "answer", json_string(answer));
    if (strcmp(answer, "rnr") == 0)
        rc |= json_object_set_new(act, "rnr", json_string(HUNT_PICK(rng, rnrs)));
    else if (strcmp(answer, "data") == 0)
        rc |= json_object_set_new(act, "length", json_integer(HUNT_PICK(rng, lengths)));
    else if (strcmp(answer, "ack") != 0)
        rc |= json_object_set_new(act, "code", json_integer((json_int_t)hunt_below(rng, 256)));
    if (rc == 0)
        return act;
    json_decref(act);
    return NULL;
}

/* Requests that an upper layer holds, and then answers one by one, this way and that. */
bool hunt_add_refusals(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const ends[] = {"tester", "sut"};
    json_t *steps = hunt_list(doc, "steps"), *step;
    unsigned n = 1 + (unsigned)hunt_below(rng, 4), at = (unsigned)hunt_below(rng, 2);
    bool pulls = hunt_one_in(rng, 3), late = hunt_one_in(rng, 2);
    const char *target = ends[at], *initiator = ends[1 - at];
    int rc = 0;

    (void)other;
    if (steps == NULL || json_array_size(steps) + 4 * n + 1 > HUNT_STEPS_MAX)
        return steps != NULL;
    if (strcmp(target, "sut") == 0)
        rc |= json_object_set_new(doc, "policy", json_pack("[{s:s}]", "answer", "withhold"));
    else
        rc |= json_object_set_new(doc, "auto", json_pack("{s:b}", "ulp", 0));
    if (hunt_one_in(rng, 2)) { /* so that numbers begin with 0 */
        (void)json_object_del(doc, "workload");
        (void)json_array_clear(steps);
    }
    for (unsigned i = 0; i < n; i++)
        rc |= json_array_append_new(steps, json_pack("{s:{s:s, s:s, s:i}, s:s}", "ulp", "do",
                                                     "post", "op", pulls ? "pull" : "push",
                                                     "length", 64, "side", initiator));
    for (unsigned round = 0; round < 1 + (unsigned)late; round++) {
        rc |= json_array_append_new(
            steps, json_pack("{s:s}", "wait", round == 0 ? "20us" : hunt_time(rng)));
        for (unsigned i = 0; i < n; i++) {
            char rsn[16];
            json_t *act = refusal(rng, pulls);

            (void)snprintf(rsn, sizeof rsn, "%ur", i);
            rc |= json_object_set_new(act, "rsn", json_string(rsn));
            step = json_pack("{s:o, s:s}", "ulp", act, "side", target);
            rc |= json_array_append_new(steps, step);
        }
    }
    rc |= json_array_append_new(steps, json_pack("{s:s}", "wait", "$rto * 12"));
    return rc == 0;
}

/* A packet that is broken below its fields. */
bool hunt_add_broken(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const ways[] = {"truncate", "pad", "flip", "flip"};
    static const char *const damages[] = {"icv", "sealed", "iv", "cut"};
    const char *way = HUNT_PICK(rng, ways);
    json_t *step = json_pack("{s:o}", "send",
                             packet(HUNT_PICK(rng, types), (unsigned)hunt_below(rng, 2), rng));
    json_t *connection = json_object_get(doc, "connection");
    json_t *malform = json_pack(
        "{s:i}", way, (int)hunt_below(rng, way[0] == 'f' ? 240 : 90) + (way[0] != 'f'));

    (void)other;
    if (step == NULL || malform == NULL)
        return false;
    if (json_object_get(connection, "encap") != NULL && hunt_one_in(rng, 2)) {
        json_decref(malform);
        malform = json_pack("{s:s}", "damage", HUNT_PICK(rng, damages));
    }
    return json_object_set_new(step, "malform", malform) == 0 && hunt_insert(doc, rng, step);
}

/* A packet that is sealed so that its receiver must drop it, or must not. */
bool hunt_add_sealed(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const forms[] = {
        "{\"clear\": true, \"bad\": \"seal\"}",
        "{\"behind\": \"$replay_margin\", \"bad\": \"replay\"}",
        "{\"behind\": \"$replay_margin + 1ns\", \"bad\": \"replay\"}",
        "{\"behind\": \"$replay_margin * 2 + 10us\", \"bad\": \"replay\"}",
        "{\"behind\": \"$replay_margin * 0.9\"}",
        "{\"ahead\": \"$replay_margin * 0.4\"}",
    };
    json_t *connection = json_object_get(doc, "connection"), *step, *seal;
    json_t *steps = hunt_list(doc, "steps");
    size_t at;
    const char *encap = json_string_value(json_object_get(connection, "encap"));
    json_t *pcid = json_object_get(connection, "pcid");
    bool match = json_is_true(json_object_get(pcid, "match"));

    if (encap == NULL || strcmp(encap, "udp") == 0)
        return hunt_change_encap(doc, other, rng);
    if (steps == NULL || json_array_size(steps) + 2 > HUNT_STEPS_MAX)
        return steps != NULL;
    step = json_pack("{s:o}", "send",
                     packet(HUNT_PICK(rng, types), (unsigned)hunt_below(rng, 2), rng));
    if (pcid != NULL && hunt_one_in(rng, 2))
        seal = match ? json_pack("{s:i, s:s}", "vc", 7, "bad", "pcid")
                     : json_pack("{s:i}", "vc", 7);
    else
        seal = json_loads(HUNT_PICK(rng, forms), 0, NULL);
    if (step == NULL || json_object_set_new(step, "seal", seal) != 0)
        return false;
    if (json_object_get(seal, "behind") == NULL && json_object_get(seal, "ahead") == NULL)
        return hunt_insert(doc, rng, step);
    at = hunt_below(rng, json_array_size(steps) + 1);
    return json_array_insert_new(steps, at, json_pack("{s:s}", "send", "> push_data len=64")) ==
               0 &&
           json_array_insert_new(steps, at + 1, step) == 0;
}

/* The text of flows/flows.json: a list of {"about": text, "steps": [...]}. */
extern const char hunt_flows[];

/* One of the flows, or NULL when there is no memory. The caller owns it. */
static json_t *pick_flow(struct fal_rng *rng)
{
    json_t *flow = hunt_element(hunt_flows, fal_rng_below(rng, hunt_element_count(hunt_flows)));
    json_t *steps = json_incref(json_object_get(flow, "steps"));

    json_decref(flow);
    return steps;
}

/* Adds a flow: several steps that are of use only together, as silence and then what follows,
 * or a window that fills up. */
bool hunt_add_flow(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *flow = pick_flow(rng), *steps = hunt_list(doc, "steps"), *step;
    size_t at = hunt_one_in(rng, 2) ? 0 : json_array_size(steps), i;
    bool added = flow != NULL && steps != NULL;

    (void)other;
    if (!added)
        goto done;
    json_array_foreach(flow, i, step)
    {
        if (json_array_size(steps) < HUNT_STEPS_MAX &&
            json_array_insert(steps, at + i, step) != 0) {
            added = false;
            break;
        }
    }
done:
    json_decref(flow);
    return added;
}
