/* SPDX-License-Identifier: Apache-2.0
 * hunt_setup.c - mutations of the set-up of a case: parameters, first numbers, sealing, the
 * network, generated traffic, the answers of the SUT's upper layer. */
#include "fuzz/hunt/hunt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hunt_time(struct fal_rng *rng)
{
    static const char *const times[] = {"0",
                                        "100ns",
                                        "1us",
                                        "2us",
                                        "5us",
                                        "8us",
                                        "9us",
                                        "20us",
                                        "50us",
                                        "100us",
                                        "300us",
                                        "1ms",
                                        "2ms",
                                        "10ms",
                                        "$rto",
                                        "$rto * 2",
                                        "$rto * 0.5",
                                        "$coalescing",
                                        "$coalescing * 2",
                                        "$rto * 1.1",
                                        "$coalescing * 0.5",
                                        "$rto * 10"};

    return HUNT_PICK(rng, times);
}

/* Values where something changes; most near the defaults, so that most things still work. */
static const struct {
    const char *name;
    const char *values[10];
} params[] = {
    {"ordered", {"false", "true"}},
    {"rack_tlp", {"true", "false"}},
    {"rto", {"100us", "300us", "1ms", "2ms", "5ms", "20ms"}},
    {"coalescing", {"0", "1us", "8us", "50us", "200us", "5ms"}},
    {"ooo_threshold", {"0", "1", "2", "3", "8", "64"}},
    {"max_attempts", {"1", "2", "3", "7", "15"}},
    {"tx_window_req", {"1", "2", "16", "64", "128"}},
    {"tx_window_data", {"1", "2", "16", "64", "128", "256"}},
    {"fcwnd", {"1", "2", "4", "8", "9", "16", "64", "128", "256"}},
    {"ncwnd", {"1", "2", "4", "8", "16", "64", "128"}},
    {"packet_gap", {"0", "1us", "10us", "100us"}},
    {"ar_threshold", {"0", "1", "4", "8", "64", "1000"}},
    {"ar_percent", {"0", "1", "10", "50", "100"}},
    {"xlr_initiator", {"0", "1", "2", "3"}},
    {"xlr_target", {"0", "1", "2", "3"}},
    {"flow_control", {"true", "false"}},
    {"credit_req_pkt_tx", {"0", "1", "2", "8"}},
    {"credit_req_buf_tx", {"0", "1", "32", "64"}},
    {"credit_req_pkt_rx", {"0", "1", "2", "8"}},
    {"credit_req_buf_rx", {"0", "1", "32", "64"}},
    {"credit_data_pkt_tx", {"0", "1", "2", "8"}},
    {"credit_data_buf_tx", {"0", "1", "32", "64"}},
    {"net_pkt_rx", {"0", "1", "2", "4", "8"}},
    {"net_buf_rx", {"0", "1", "4", "32", "64"}},
    {"initial_rtt", {"1us", "10us", "100us", "1ms"}},
    {"replay_margin", {"0", "1us", "20us", "100us", "1ms"}},
    {"mtu", {"256", "1024", "4096"}},
    {"transaction_timeout", {"2ms", "5ms", "20ms", "100ms", "1s"}},
};
enum { PARAMS = sizeof params / sizeof *params };

void hunt_param(struct fal_rng *rng, const char **name, json_t **value)
{
    size_t i = hunt_below(rng, PARAMS), n = 1; /* each has one */
    const char *text;

    while (n < 10 && params[i].values[n] != NULL)
        n++;
    text = params[i].values[hunt_below(rng, n)];
    *name = params[i].name;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        *value = json_boolean(text[0] == 't');
    else if (strspn(text, "0123456789") == strlen(text) && strcmp(text, "0") != 0)
        *value = json_integer(atol(text));
    else
        *value = json_string(text);
}

bool hunt_change_param(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *connection = hunt_object(doc, "connection");
    json_t *all = connection != NULL ? hunt_object(connection, "params") : NULL, *value;
    const char *name;

    (void)other;
    if (all == NULL)
        return false;
    hunt_param(rng, &name, &value);
    return json_object_set_new(all, name, value) == 0;
}

bool hunt_change_numbers(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const ends[] = {"tester", "sut"};
    static const char *const keys[] = {"req_psn", "data_psn", "rsn"};
    static const uint32_t near[] = {0,          1,          0xffffffff, 0xfffffffe, 0xfffffff0,
                                    0xffffffc0, 0x7fffffff, 0x7ffffff0, 0x80000000};
    json_t *connection = hunt_object(doc, "connection"), *end;

    (void)other;
    if (connection == NULL)
        return false;
    end = hunt_object(connection, HUNT_PICK(rng, ends));
    if (end == NULL)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (hunt_one_in(rng, 2) &&
            json_object_set_new(end, keys[i], json_integer((json_int_t)HUNT_PICK(rng, near))) !=
                0)
            return false;
    return true;
}

bool hunt_change_encap(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const encaps[] = {"udp", "psp_transport", "psp_tunnel", "esp_transport",
                                         "esp_tunnel"};
    json_t *connection = hunt_object(doc, "connection");
    const char *encap = HUNT_PICK(rng, encaps);

    (void)other;
    if (connection == NULL)
        return false;
    (void)json_object_del(connection, "pcid");
    if (strncmp(encap, "psp", 3) == 0 && hunt_one_in(rng, 2) &&
        json_object_set_new(connection, "pcid",
                            json_pack("{s:i, s:i, s:b}", "tester", 5, "sut", 6, "match",
                                      (int)hunt_below(rng, 2))) != 0)
        return false;
    return json_object_set_new(connection, "encap", json_string(encap)) == 0;
}

bool hunt_change_network(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const ways[] = {"to_sut", "from_sut"};
    static const char *const keys[] = {"loss",       "duplicate", "reorder",
                                       "reorder_by", "latency",   "jitter"};
    static const char *const shares[] = {"0%", "1%", "3%", "5%", "20%", "50%"};
    static const char *const times[] = {"0", "1us", "2us", "5us", "20us", "100us", "1ms"};
    json_t *impair = hunt_object(doc, "impair"), *way;
    unsigned which = (unsigned)hunt_below(rng, 6);

    (void)other;
    if (impair == NULL)
        return false;
    if (hunt_one_in(rng, 8))
        return json_object_clear(impair) == 0;
    way = hunt_object(impair, HUNT_PICK(rng, ways));
    return way != NULL &&
           json_object_set_new(
               way, keys[which],
               json_string(which < 3 ? HUNT_PICK(rng, shares) : HUNT_PICK(rng, times))) == 0;
}

static json_t *stream(struct fal_rng *rng)
{
    static const char *const sides[] = {"sut", "tester"};
    static const int counts[] = {1, 2, 4, 4, 8, 8, 8, 20, 40}, many[] = {70, 140, 200};
    static const char *const pulls[] = {"0%", "30%", "50%", "100%"};
    static const char *const lengths[] = {"1",    "64",       "{1,64,4096}", "1..4096",
                                          "4096", "{0,1,64}", "4097",        "256..1024"};
    static const char *const thinks[] = {"0", "1us", "0..5us", "20us", "100us", "0..1ms"};
    static const int outstanding[] = {1, 2, 16, 64, 150, 300};
    json_t *s = json_pack("{s:s, s:i}", "side", HUNT_PICK(rng, sides), "count",
                          hunt_one_in(rng, 16) ? HUNT_PICK(rng, many) : HUNT_PICK(rng, counts));
    int rc = 0;

    if (s == NULL)
        return NULL;
    if (hunt_one_in(rng, 2))
        rc |= json_object_set_new(s, "pulls", json_string(HUNT_PICK(rng, pulls)));
    if (hunt_one_in(rng, 2))
        rc |= json_object_set_new(s, "length", json_string(HUNT_PICK(rng, lengths)));
    if (hunt_one_in(rng, 2))
        rc |= json_object_set_new(s, "think", json_string(HUNT_PICK(rng, thinks)));
    if (hunt_one_in(rng, 3))
        rc |= json_object_set_new(s, "outstanding", json_integer(HUNT_PICK(rng, outstanding)));
    if (rc == 0)
        return s;
    json_decref(s);
    return NULL;
}

bool hunt_change_workload(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *all = hunt_list(doc, "workload");
    size_t n = json_array_size(all);

    (void)other;
    if (all == NULL)
        return false;
    if (n > 0 && hunt_one_in(rng, 3))
        return json_array_remove(all, hunt_below(rng, n)) == 0;
    if (n >= 4 || (n > 0 && hunt_one_in(rng, 2)))
        return json_array_set_new(all, hunt_below(rng, n), stream(rng)) == 0;
    return json_array_append_new(all, stream(rng)) == 0;
}

/* A rule of the SUT's upper layer. */
static json_t *policy_rule(struct fal_rng *rng)
{
    static const char *const answers[] = {"ack", "rnr", "rnr",      "cie", "nre",
                                          "cid", "rnr", "withhold", "data"};
    static const char *const ops[] = {"push", "pull"};
    static const char *const rnrs[] = {"10us", "40us", "320us", "640us", "2560us", "10240us"};
    static const int lengths[] = {0, 1, 63, 64, 65, 4096};
    const char *answer = HUNT_PICK(rng, answers);
    json_t *rule = json_pack("{s:s}", "answer", answer);
    int rc = 0;

    if (rule == NULL)
        return NULL;
    switch (hunt_below(rng, 3)) {
    case 0:
        rc |= json_object_set_new(rule, "request",
                                  json_integer(1 + (json_int_t)hunt_below(rng, 6)));
        break;
    case 1:
        rc |= json_object_set_new(rule, "every",
                                  json_integer(1 + (json_int_t)hunt_below(rng, 4)));
        break;
    default: break;
    }
    if (hunt_one_in(rng, 2))
        rc |= json_object_set_new(
            rule, "op",
            json_string(strcmp(answer, "data") == 0 ? "pull" : HUNT_PICK(rng, ops)));
    if (hunt_one_in(rng, 2))
        rc |= json_object_set_new(rule, "after", json_string(hunt_time(rng)));
    if (strcmp(answer, "rnr") == 0)
        rc |= json_object_set_new(rule, "rnr", json_string(HUNT_PICK(rng, rnrs)));
    if (strcmp(answer, "withhold") != 0 && strcmp(answer, "ack") != 0 &&
        strcmp(answer, "data") != 0)
        rc |= json_object_set_new(rule, "times",
                                  json_integer(1 + (json_int_t)hunt_below(rng, 4)));
    if (strcmp(answer, "cie") == 0 || strcmp(answer, "nre") == 0 || strcmp(answer, "cid") == 0)
        rc |= json_object_set_new(rule, "code", json_integer((json_int_t)hunt_below(rng, 256)));
    if (strcmp(answer, "data") == 0 && hunt_one_in(rng, 2))
        rc |= json_object_set_new(rule, "length", json_integer(HUNT_PICK(rng, lengths)));
    if (rc == 0)
        return rule;
    json_decref(rule);
    return NULL;
}

bool hunt_change_policy(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *rules = hunt_list(doc, "policy"), *step;
    size_t n = json_array_size(rules);

    (void)other;
    if (rules == NULL)
        return false;
    if (hunt_one_in(rng, 4)) { /* from some step on */
        step = json_pack("{s:{s:s, s:[o]}}", "ulp", "do", "policy", "rules", policy_rule(rng));
        return step != NULL && hunt_insert(doc, rng, step);
    }
    if (n > 0 && hunt_one_in(rng, 3))
        return json_array_remove(rules, hunt_below(rng, n)) == 0;
    if (n >= 3)
        return json_array_set_new(rules, hunt_below(rng, n), policy_rule(rng)) == 0;
    return json_array_append_new(rules, policy_rule(rng)) == 0;
}

bool hunt_change_auto(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const keys[] = {"acks", "retransmission", "ulp"};
    json_t *all = hunt_object(doc, "auto");
    const char *key = HUNT_PICK(rng, keys);

    (void)other;
    if (all == NULL)
        return false;
    if (json_object_get(all, key) != NULL)
        return json_object_del(all, key) == 0;
    return json_object_set_new(all, key, json_false()) == 0;
}
