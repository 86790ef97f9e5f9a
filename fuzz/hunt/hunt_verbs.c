/* SPDX-License-Identifier: Apache-2.0
 * hunt_verbs.c - cases whose connection carries RDMA verbs (`talon fuzz --upper verbs`). Both
 * ends have queue pairs and memory (the preamble of the first part of verbs.json); mutations
 * add work requests of either end, and packets of RDMA that the tester's verbs would never
 * send. At the end of each case the memory of the SUT is hashed after a barrier, so that the
 * rules can check what was written. */
#include "fuzz/hunt/hunt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char hunt_verbs_parts[]; /* verbs.json: the case, its end, and its end if valid */
enum { PART_CASE, PART_END, PART_ALIVE };

enum {
    RECEIVE_BYTES = 1024, /* of each receive request of a valid case */
    REGION = 4096,        /* of $m; the tester's is larger */
    PROGRAM_MAX = 10,
    LINE_LEN = 400,
    DROPS_MAX = 2,
};

bool hunt_is_verbs(const json_t *doc)
{
    return strcmp(hunt_word(json_object_get(doc, "connection"), "upper"), "verbs") == 0;
}

/* ---- the queue pairs ---- */

static int set_queue_pairs(json_t *doc, const char *ordering, const char *errors, int path_mtu)
{
    size_t i;
    json_t *step;
    int rc = 0;

    json_array_foreach(json_object_get(doc, "preamble"), i, step)
    {
        json_t *word = json_object_get(step, "verbs");

        if (strcmp(hunt_word(word, "do"), "qp_create") == 0)
            rc |= json_object_set_new(word, "ordering", json_string(ordering)) |
                  json_object_set_new(word, "errors", json_string(errors)) |
                  json_object_set_new(word, "path_mtu", json_integer(path_mtu));
    }
    return rc;
}

/* Another mode of both queue pairs, and the ordering of the connection that goes with it. */
bool hunt_change_mode(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const orderings[] = {"strong", "weak", "unordered"};
    static const int mtus[] = {256, 256, 512, 1024};
    const char *ordering = HUNT_PICK(rng, orderings);
    bool cie = ordering[0] == 'u' || hunt_one_in(rng, 2); /* RDMA 6.4 */
    json_t *connection = hunt_object(doc, "connection"), *params;

    (void)other;
    params = connection != NULL ? hunt_object(connection, "params") : NULL;
    return params != NULL &&
           json_object_set_new(params, "ordered", json_boolean(ordering[0] == 's')) == 0 &&
           set_queue_pairs(doc, ordering, cie ? "cie" : "verbs", HUNT_PICK(rng, mtus)) == 0;
}

/* ---- work requests ---- */

static const int lengths[] = {0, 1, 3, 4, 64, 255, 256, 257, 511, 512, 600, 1024};

/* An end, and what it calls its things. */
struct end {
    const char *side, *qp, *mr;      /* side NULL: the SUT */
    const char *peer_va, *peer_rkey; /* of the other end */
};
static const struct end ends[] = {{NULL, "q", "m", "$tm_va", "$tm_rkey"},
                                  {"tester", "t", "tm", "$m_va", "$m_rkey"}};

/* The remote memory of a request; `wild`: perhaps beyond its bounds, or with another key. */
static json_t *remote(const struct end *end, int length, bool wild, struct fal_rng *rng)
{
    static const char *const edges[] = {" - 1", " - 64", " + 4090", " + 4096", " + 12000"};
    char va[40], key[40];

    (void)snprintf(key, sizeof key, "%s", end->peer_rkey);
    (void)snprintf(va, sizeof va, "%s + %u", end->peer_va,
                   (unsigned)hunt_below(rng, (uint64_t)(REGION - length) / 8) * 8);
    if (wild && end->side != NULL) { /* towards the SUT: its bounds are what is tried */
        if (hunt_one_in(rng, 2))
            (void)snprintf(va, sizeof va, "%s%s", end->peer_va, HUNT_PICK(rng, edges));
        else if (hunt_one_in(rng, 2))
            (void)snprintf(va, sizeof va, "%s + %d", end->peer_va, REGION - length + 1);
        if (hunt_one_in(rng, 4))
            (void)snprintf(key, sizeof key, "%s", hunt_one_in(rng, 2) ? "$g_rkey" : "0x123456");
    }
    return json_pack("{s:s, s:s}", "va", va, "rkey", key);
}

/* Adds what the operation needs to a post_send. */
static int add_operands(json_t *word, const char *op, struct fal_rng *rng)
{
    int rc = 0;

    if (strcmp(op, "cas") == 0)
        rc |= json_object_set_new(word, "compare", json_integer(hunt_one_in(rng, 2) ? 0 : 5)) |
              json_object_set_new(word, "swap", json_integer((json_int_t)hunt_below(rng, 99)));
    if (strcmp(op, "faa") == 0)
        rc |=
            json_object_set_new(word, "add", json_integer(1 + (json_int_t)hunt_below(rng, 9)));
    if (strstr(op, "_imm") != NULL)
        rc |= json_object_set_new(word, "imm",
                                  json_integer((json_int_t)hunt_below(rng, UINT32_MAX)));
    return rc;
}

/* The local memory of a request in one or two pieces. */
static json_t *pieces(const struct end *end, int length, struct fal_rng *rng)
{
    int first = length > 1 && hunt_one_in(rng, 3) ? (int)hunt_below(rng, (uint64_t)length) : 0;
    int at = (int)hunt_below(rng, REGION - 2 * (uint64_t)length + 1) & ~7;

    if (first == 0)
        return json_pack("[{s:s, s:i, s:i}]", "mr", end->mr, "offset", at, "length", length);
    return json_pack("[{s:s, s:i, s:i}, {s:s, s:i, s:i}]", "mr", end->mr, "offset", at,
                     "length", first, "mr", end->mr, "offset", at + length, "length",
                     length - first);
}

static json_t *step_of(json_t *word, const struct end *end)
{
    if (end->side != NULL)
        return json_pack("{s:o, s:s}", "verbs", word, "side", end->side);
    return json_pack("{s:o, s:b}", "verbs", word, "may_refuse", 1);
}

static json_t *post_send(bool wild, struct fal_rng *rng)
{
    static const char *const ops[] = {"send", "send", "send_imm",  "write", "write",
                                      "read", "read", "write_imm", "cas",   "faa"};
    static const char *const flags[] = {"solicited", "fence"};
    const struct end *end = &HUNT_PICK(rng, ends);
    const char *op = HUNT_PICK(rng, ops);
    bool atomic = strcmp(op, "cas") == 0 || strcmp(op, "faa") == 0, sends = op[0] == 's';
    int length = atomic ? 8 : HUNT_PICK(rng, lengths);
    json_t *word =
        json_pack("{s:s, s:s, s:i, s:s, s:o, s:[s]}", "do", "post_send", "qp", end->qp, "wr_id",
                  1, "op", op, "sgl", pieces(end, length, rng), "flags", "signaled");
    int rc = word == NULL;

    if (rc == 0 && !sends)
        rc |= json_object_set_new(word, "remote", remote(end, length, wild, rng));
    if (rc == 0 && hunt_one_in(rng, 4))
        rc |= json_array_append_new(json_object_get(word, "flags"),
                                    json_string(HUNT_PICK(rng, flags)));
    if (rc == 0)
        rc |= add_operands(word, op, rng);
    return rc == 0 ? step_of(word, end) : NULL;
}

static json_t *post_recv(bool wild, struct fal_rng *rng)
{
    const struct end *end = &HUNT_PICK(rng, ends);
    int length = wild ? HUNT_PICK(rng, lengths) : RECEIVE_BYTES;
    int at = 8192 + 1024 * (int)hunt_below(rng, 7);

    return step_of(json_pack("{s:s, s:s, s:i, s:[{s:s, s:i, s:i}]}", "do", "post_recv", "qp",
                             end->qp, "wr_id", 1, "sgl", "mr", end->side != NULL ? "tm" : "g",
                             "offset", at, "length", length),
                   end);
}

/* Words that a case seldom needs, to the SUT. */
static json_t *odd_word(struct fal_rng *rng)
{
    static const char *const words[] = {
        "{\"do\": \"qp_query\", \"qp\": \"q\"}",
        "{\"do\": \"cq_arm\", \"cq\": \"cq\"}",
        "{\"do\": \"mr_hash\", \"mr\": \"m\", \"length\": 4096}",
        "{\"do\": \"mr_word\", \"mr\": \"m\", \"offset\": 64}",
    };

    return step_of(json_loads(HUNT_PICK(rng, words), 0, NULL), &ends[0]);
}

bool hunt_add_word(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *step = hunt_one_in(rng, 8)   ? odd_word(rng)
                   : hunt_one_in(rng, 4) ? post_recv(hunt_one_in(rng, 4), rng)
                                         : post_send(hunt_one_in(rng, 4), rng);

    (void)other;
    return step != NULL && hunt_insert(doc, rng, step);
}

/* ---- packets that the tester's verbs would not send ---- */

/* A request for the queue pair and the region of the SUT, with some fields changed. */
static json_t *aimed_packet(struct fal_rng *rng)
{
    static const char *const kinds[] = {
        "push_data / rdma write_only dqp=$q_qpn va=$m_va+%d rkey=$m_rkey data=%d",
        "push_data / rdma write_first dqp=$q_qpn va=$m_va+%d rkey=$m_rkey data=%d",
        "push_data / rdma write_last dqp=$q_qpn va=$m_va+%d rkey=$m_rkey data=%d",
        "push_data / rdma send_only dqp=$q_qpn off=%d data=%d",
        "push_data / rdma send_first dqp=$q_qpn off=%d data=%d",
        "push_data / rdma send_last dqp=$q_qpn off=%d data=%d",
        "pull_request len=88 / rdma read_request dqp=$q_qpn va=$m_va+%d rkey=$m_rkey "
        "reth.length=%d",
        "pull_request len=32 / rdma atomic_fetch_add dqp=$q_qpn va=$m_va+%d rkey=$m_rkey "
        "swap=%d",
    };
    static const char *const changes[] = {
        " sn=1",      " sn=0xffffffff", " rmsn=1",  " rmsn=200", " pad=3", " reth.length=5",
        " version=0", " dqp=7",         " rkey=77", " ce=1",     " se=1",  " reserved_0=1",
    };
    static const int offsets[] = {0, 8, 64, 256, 4032, 4095, 4096, 100000};
    char line[LINE_LEN] = "> ", key[32];
    const char *change = HUNT_PICK(rng, changes);
    size_t len = strlen(line);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(line + len, sizeof line - len, HUNT_PICK(rng, kinds),
                   HUNT_PICK(rng, offsets), HUNT_PICK(rng, lengths));
#pragma GCC diagnostic pop
    (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(change, "=") + 1, change);
    if (hunt_one_in(rng, 2) && strstr(line, key) == NULL)
        strncat(line, change, sizeof line - strlen(line) - 1);
    return json_string(line);
}

bool hunt_add_rdma(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *step = json_pack("{s:o}", "send",
                             hunt_one_in(rng, 3) ? hunt_rdma_packet(rng) : aimed_packet(rng));

    (void)other;
    if (step != NULL && hunt_one_in(rng, 5))
        (void)json_object_set_new(step, "adopt", json_false());
    return step != NULL && hunt_insert(doc, rng, step);
}

/* ---- whole cases ---- */

json_t *hunt_verbs_seed(void)
{
    return hunt_element(hunt_verbs_parts, PART_CASE);
}

json_t *hunt_verbs_program(struct fal_rng *rng)
{
    json_t *doc = hunt_verbs_seed();
    unsigned n = 1 + (unsigned)hunt_below(rng, PROGRAM_MAX);
    bool good = doc != NULL && hunt_change_mode(doc, NULL, rng);

    for (unsigned i = 0; good && i < n; i++) {
        json_t *step = hunt_one_in(rng, 5) ? post_recv(false, rng) : post_send(false, rng);

        good = step != NULL && hunt_insert(doc, rng, step);
    }
    if (good) {
        hunt_words_number(doc);
        return doc;
    }
    json_decref(doc);
    return NULL;
}

/* ---- the end of a case ---- */

/* How many receive requests an end has before the first step. */
static int receives(const json_t *preamble, bool tester)
{
    int n = 0;

    for (size_t i = 0; i < json_array_size(preamble); i++) {
        const json_t *step = json_array_get(preamble, i);
        const char *verb = hunt_word(json_object_get(step, "verbs"), "do");

        n += strcmp(verb, "post_recv") == 0 &&
             (strcmp(hunt_word(step, "side"), "tester") == 0) == tester;
    }
    return n;
}

/* Whether a program of work requests is valid: the memory that it names is inside its regions,
 * there is a receive request for each message, and only a few packets are dropped. */
static bool is_valid(const json_t *doc)
{
    const json_t *preamble = json_object_get(doc, "preamble");
    int left[2] = {receives(preamble, false), receives(preamble, true)}, drops = 0;
    size_t i;
    json_t *step;

    json_array_foreach(json_object_get(doc, "steps"), i, step)
    {
        const json_t *word = json_object_get(step, "verbs");
        const json_t *to = json_object_get(word, "remote");
        bool tester = strcmp(hunt_word(step, "side"), "tester") == 0;
        const char *verb = hunt_word(word, "do"), *op = hunt_word(word, "op");
        json_int_t times = json_integer_value(json_object_get(step, "times"));

        if (strcmp(hunt_word(step, "do"), "drop") == 0 && times > 0) {
            drops += (int)times;
        } else if (strcmp(verb, "post_recv") == 0) {
            left[tester]++;
            if (json_integer_value(json_object_get(
                    json_array_get(json_object_get(word, "sgl"), 0), "length")) !=
                RECEIVE_BYTES)
                return false;
        } else if (strcmp(verb, "post_send") != 0 ||
                   (to != NULL && (strstr(hunt_word(to, "va"), "va + ") == NULL ||
                                   strstr(hunt_word(to, "rkey"), "m_rkey") == NULL))) {
            return false;
        } else if (op[0] == 's' || strcmp(op, "write_imm") == 0) {
            left[!tester]--;
        }
        if (left[0] < 0 || left[1] < 0)
            return false;
    }
    return drops <= DROPS_MAX && json_object_get(doc, "impair") == NULL;
}

/* Whether no offset of a remote address lies beyond the region. */
static bool within_bounds(const json_t *doc)
{
    size_t i;
    json_t *step;

    json_array_foreach(json_object_get(doc, "steps"), i, step)
    {
        const json_t *word = json_object_get(step, "verbs");
        const char *va = hunt_word(json_object_get(word, "remote"), "va");
        const char *plus = strstr(va, " + ");
        json_int_t at = plus != NULL ? strtol(plus + 3, NULL, 10) : 0, bytes = 0;
        size_t k;
        json_t *piece;

        json_array_foreach(json_object_get(word, "sgl"), k, piece) bytes +=
            json_integer_value(json_object_get(piece, "length"));
        if (at + bytes > REGION && *va != 0)
            return false;
    }
    return true;
}

json_t *hunt_verbs_end(const json_t *doc, bool bare)
{
    bool valid = !bare && is_valid(doc) && within_bounds(doc);
    json_t *part = hunt_element(hunt_verbs_parts, valid ? PART_ALIVE : PART_END);
    json_t *steps = json_incref(json_object_get(part, "steps"));

    json_decref(part);
    return steps;
}
