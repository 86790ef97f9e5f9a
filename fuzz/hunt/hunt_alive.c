/* SPDX-License-Identifier: Apache-2.0
 * hunt_alive.c - checks whether the SUT still works after a case: further valid transactions
 * must complete. On the same connection this can be checked only after a valid case. This file
 * decides which cases are valid, with limits that leave no doubt (a packet that is lost as
 * often as attempts are allowed ends the connection, and correctly so). */
#include "fuzz/hunt/hunt.h"

#include "codecs/header/falcon.h"

#include <stdlib.h>
#include <string.h>

/* A case with more drops, or more reactions to packets, does not count as valid. */
enum { DROPS_MAX = 3, REACTIONS_MAX = 4 };
/* How many packets in a row the network of a valid case may lose (as good as never more), and
 * after how many timeouts a transmitter gives a packet up. A book with another number of
 * attempts is bare. */
enum { LOSSES_BY_CHANCE = 3, ATTEMPTS = 7 };
enum { BRIEF_STEPS = 12, BRIEF_RTO_NS = 1000000 };
#define SOON "$transaction_timeout * 0.9"
enum { COUNT_UNKNOWN = 1000 }; /* transactions of a workload whose count is no number */

static bool word_in(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; word != NULL && i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}
#define IN(word, list) word_in(word, list, sizeof(list) / sizeof *(list))

/* Where room is scarce, what is refused for a while costs attempts: nothing else must. */
static bool has_room(const json_t *doc)
{
    const json_t *params = json_object_get(json_object_get(doc, "connection"), "params");

    return json_object_get(params, "net_pkt_rx") == NULL ||
           (json_object_get(doc, "policy") == NULL && json_object_get(doc, "impair") == NULL);
}

static const char *const harmless[] = {"ordered",    "rack_tlp",     "ooo_threshold",
                                       "fcwnd",      "ncwnd",        "ar_threshold",
                                       "ar_percent", "replay_margin"};

bool hunt_lawful_param(const char *name, uint64_t value)
{
    bool window = strcmp(name, "fcwnd") == 0 || strcmp(name, "ncwnd") == 0;

    if (!IN(name, harmless))
        return false;
    /* A larger window than the peer's takes attempts. */
    return !window || (value >= 1 && value <= FAL_RX_WINDOW_REQ);
}

static bool lawful_params(const json_t *params)
{
    static const char *const rtos[] = {"300us", "1ms", "2ms"};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)params, key, value)
    {
        if (strcmp(key, "net_pkt_rx") == 0)
            continue;
        if (strcmp(key, "rto") == 0 ? !IN(hunt_word(params, key), rtos) : !IN(key, harmless))
            return false;
        if (json_is_integer(value) && json_integer_value(value) < 1)
            return false; /* a window of none */
        if (strcmp(key + 1, "cwnd") == 0 && json_integer_value(value) > FAL_RX_WINDOW_REQ)
            return false; /* more than the peer's window takes: attempts may run out */
    }
    return true;
}

/* By how much packets of one way may overtake each other, in ns. */
static uint64_t spread_ns(const json_t *doc, const char *way)
{
    const json_t *path = json_object_get(json_object_get(doc, "impair"), way);

    return hunt_time_of(hunt_word(path, "jitter")) +
           hunt_time_of(hunt_word(path, "reorder_by"));
}

/* The network of the case alone can make a packet a replay, if others overtake it by more than
 * the replay margin (9.2.2.2), and can let the timer of each packet expire before its
 * ACK can come. The SUT is not to blame for either. */
static bool bearable_network(const json_t *doc, uint64_t rto_ns)
{
    const json_t *impair = json_object_get(doc, "impair");
    const char *encap = hunt_word(json_object_get(doc, "connection"), "encap");
    bool sealed = *encap != 0 && strcmp(encap, "udp") != 0;
    uint64_t to_ns = spread_ns(doc, "to_sut"), from_ns = spread_ns(doc, "from_sut");
    uint64_t longest_ns = to_ns > from_ns ? to_ns : from_ns;
    uint64_t round_ns = to_ns + from_ns +
                        hunt_time_of(hunt_word(json_object_get(impair, "to_sut"), "latency")) +
                        hunt_time_of(hunt_word(json_object_get(impair, "from_sut"), "latency"));

    return (!sealed || (hunt_param_ns(doc, "replay_margin") > 0 &&
                        longest_ns <= hunt_param_ns(doc, "replay_margin"))) &&
           2 * round_ns <= rto_ns;
}

static bool lawful_network(const json_t *impair)
{
    static const char *const shares[] = {"0%", "1%", "3%"};
    static const char *const times[] = {"0", "1us", "2us", "5us", "20us"};
    const char *way, *key;
    json_t *path, *value;

    json_object_foreach((json_t *)impair, way, path)
    {
        json_object_foreach(path, key, value)
        {
            const char *text = hunt_word(path, key);

            if (!IN(text, shares) && !IN(text, times))
                return false;
        }
    }
    return true;
}

static bool lawful_workload(const json_t *workload)
{
    size_t i;
    json_t *stream;

    json_array_foreach((json_t *)workload, i, stream)
    {
        const char *length = hunt_word(stream, "length");

        if (strcmp(length, "4097") == 0)
            return false;
    }
    return true;
}

/* Whether every request still ends under these rules of the upper layer. */
static bool lawful_rules(const json_t *rules)
{
    static const char *const answers[] = {"ack", "rnr"};
    size_t i;
    json_t *rule;

    json_array_foreach((json_t *)rules, i, rule)
    {
        const char *answer = hunt_word(rule, "answer");
        const char *after = hunt_word(rule, "after");
        const char *rnr = hunt_word(rule, "rnr");

        /* a pull that is taken and not answered never ends */
        if (!IN(answer, answers) ||
            (strcmp(answer, "ack") == 0 && strcmp(hunt_word(rule, "op"), "push") != 0) ||
            (strcmp(answer, "rnr") == 0 &&
             json_integer_value(json_object_get(rule, "times")) < 1) ||
            strstr(after, "rto") != NULL || strstr(after, "ms") != NULL || strlen(rnr) > 5)
            return false;
    }
    return true;
}

static bool lawful_line(const char *line)
{
    static const char *const lines[] = {"> push_data", "> pull_request"};

    return IN(line, lines);
}

static bool lawful_act(const json_t *act)
{
    const char *verb = hunt_word(act, "do");
    json_int_t length = json_integer_value(json_object_get(act, "length"));

    if (strcmp(verb, "post") == 0)
        return length <= 4096;
    if (strcmp(verb, "policy") == 0)
        return lawful_rules(json_object_get(act, "rules"));
    if (strcmp(verb, "set") == 0) /* the margin is one of those that bear the network */
        return lawful_params(json_object_get(act, "params")) &&
               json_object_get(json_object_get(act, "params"), "replay_margin") == NULL;
    return strcmp(verb, "rotate_keys") == 0 && strcmp(hunt_word(act, "step"), "all") == 0;
}

/* How many attempts of one packet a reaction may cost. A packet that has to wait for others
 * waits for its own retransmissions, if no other packet is sent. */
static unsigned attempts_of(const json_t *reaction, const char *fate, json_int_t times)
{
    json_int_t by = json_integer_value(json_object_get(reaction, "by"));

    if (strcmp(fate, "reorder") == 0)
        return (unsigned)(times * (by > 1 ? by : 1));
    return strcmp(fate, "drop") == 0 ? (unsigned)times : 0;
}

static bool lawful_steps(const json_t *steps, unsigned *drops, unsigned *reactions)
{
    size_t i;
    json_t *step;

    json_array_foreach((json_t *)steps, i, step)
    {
        const char *fate = hunt_word(step, "do");
        json_int_t times = json_integer_value(json_object_get(step, "times"));
        json_t *act = json_object_get(step, "ulp");

        act = act != NULL ? act : json_object_get(step, "cm");
        if (json_object_get(step, "wait") != NULL || json_object_get(step, "note") != NULL)
            continue;
        if (json_object_get(step, "repeat") != NULL) {
            if (!lawful_steps(json_object_get(step, "steps"), drops, reactions))
                return false;
        } else if (json_object_get(step, "on") != NULL) {
            if (times == 0 || strcmp(fate, "rewrite") == 0 || strcmp(fate, "withhold") == 0 ||
                strcmp(fate, "delay") == 0 || ++*reactions > REACTIONS_MAX)
                return false;
            *drops += attempts_of(step, fate, times);
        } else if (act != NULL) {
            if (!lawful_act(act))
                return false;
        } else if (!lawful_line(hunt_word(step, "send")) ||
                   json_object_size(step) > 1 + (json_object_get(step, "after") != NULL)) {
            return false;
        }
    }
    return *drops <= DROPS_MAX;
}

/* ---- declarations ---- */

/* A packet that its receiver takes whatever else: with it, what is older is a replay. Not an
 * ACK: it may leave Remote Time as it is (AMB-33). */
static bool is_plain(const json_t *step)
{
    const char *line = hunt_word(step, "send");

    return strcmp(line, "> push_data len=64") == 0 && json_object_size(step) == 1;
}

/* The step of a key rotation at the SUT; "": another step. */
static const char *turn_of(const json_t *step)
{
    const json_t *cm = json_object_get(step, "cm");
    const char *verb = hunt_word(cm, "do");
    const char *side = hunt_word(step, "side");

    return strcmp(verb, "rotate_keys") == 0 && (*side == 0 || strcmp(side, "sut") == 0)
               ? hunt_word(cm, "step")
               : "";
}

/* How many steps at the top turn keys, before that one. */
static size_t turns(const json_t *steps, size_t end)
{
    size_t n = 0;

    for (size_t i = 0; i < end && i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *verb = hunt_word(json_object_get(step, "cm"), "do");

        n += strcmp(verb, "rotate_keys") == 0;
        n += turns(json_object_get(step, "steps"), SIZE_MAX);
    }
    return n;
}

/* The SUT has an SPI that the tester does not know of, and no longer the one before: what the
 * tester sends now opens, and is not of the connection. Only at once, and where nothing else is
 * under way. */
static bool is_foreign(const json_t *doc, const json_t *steps, size_t at)
{
    const char *last;

    if (at != 2 || turns(steps, at) != 2 || json_object_get(doc, "workload") != NULL)
        return false;
    last = turn_of(json_array_get(steps, at - 1));
    return strcmp(turn_of(json_array_get(steps, at - 2)), "spi") == 0 &&
           (strcmp(last, "spi") == 0 || strcmp(last, "drop") == 0) &&
           strcmp(hunt_word(json_object_get(json_array_get(steps, 3), "cm"), "step"), "peer") ==
               0;
}

/* How far one end has come with new keys. */
struct keys {
    bool once, told, generation,
        fresh; /* fresh: an SPI that the peer does not send under yet */
};

/* A step of a rotation in an order that leaves both ends able to hear each other (9.2.2.3). */
static bool next_turn(struct keys keys[2], unsigned end, const char *step)
{
    struct keys *own = &keys[end], *peer = &keys[1 - end];

    if (strcmp(step, "peer") == 0) {
        if (!peer->fresh)
            return false; /* the end has no new keys to give */
        peer->told = true;
        peer->fresh = false;
        return true;
    }
    if (own->fresh)
        return false;
    if (strcmp(step, "spi") == 0) {
        own->fresh = true;
        own->told = false;
        return true;
    }
    if (strcmp(step, "generation") == 0) {
        if (own->generation)
            return false;
        own->generation = true;
        own->told = false;
        return true;
    }
    if (strcmp(step, "end") == 0) {
        own->generation = false;
        return own->told;
    }
    if (strcmp(step, "drop") == 0)
        return own->told;
    return strcmp(step, "all") == 0 && !own->generation;
}

/* Sealed packets may still be in flight when their keys are removed. */
static bool may_be_late(const json_t *doc, const json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++)
        if (json_object_get(json_array_get(steps, i), "on") != NULL)
            return true;
    return json_object_get(doc, "impair") != NULL;
}

static bool true_turns(const json_t *doc, const json_t *steps)
{
    struct keys keys[2] = {{.told = false}};
    bool late = may_be_late(doc, steps);

    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i), *cm = json_object_get(step, "cm");
        unsigned end = strcmp(hunt_word(step, "side"), "tester") == 0;

        if (turns(json_object_get(step, "steps"), SIZE_MAX) > 0)
            return false;
        if (strcmp(hunt_word(cm, "do"), "rotate_keys") != 0)
            continue;
        if (i == 1 && is_foreign(doc, steps, 2)) {
            keys[0].told = true;
            continue;
        }
        if (late || !next_turn(keys, end, hunt_word(cm, "step")))
            return false;
    }
    return true;
}

/* A packet that the case declares invalid because of its seal must have no other fault, or the
 * SUT may drop it for another reason. */
static bool is_sound(const char *line)
{
    static const char *const words[] = {"version", "protocol_type", "packet_type", "reserved",
                                        "dest_"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]) != NULL)
            return false;
    return true;
}

/* Whether a step sends a packet with a departure time in the future. */
static bool any_ahead(const json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);

        if (json_object_get(json_object_get(step, "seal"), "ahead") != NULL ||
            any_ahead(json_object_get(step, "steps")))
            return true;
    }
    return false;
}

static bool true_seal(const json_t *doc, const json_t *steps, size_t at)
{
    const json_t *connection = json_object_get(doc, "connection");
    const json_t *seal = json_object_get(json_array_get(steps, at), "seal");
    const char *bad = hunt_word(seal, "bad");
    const char *encap = hunt_word(connection, "encap");
    const json_t *pcid = json_object_get(connection, "pcid");

    if (*encap == 0 || strcmp(encap, "udp") == 0)
        return false;
    if (!is_sound(hunt_word(json_array_get(steps, at), "send")))
        return false;
    if (json_object_get(seal, "vc") != NULL)
        return strncmp(encap, "psp", 3) == 0 && /* a text may stand for either value */
               json_is_boolean(json_object_get(pcid, "match")) &&
               json_is_true(json_object_get(pcid, "match")) == (*bad != 0);
    if (strcmp(bad, "seal") == 0)
        return true;
    if (*bad == 0) /* the step gives the distance ahead or behind, relative to the newest packet
                      that arrived */
        return at > 0 && is_plain(json_array_get(steps, at - 1)) && turns(steps, at) == 0;
    if (strncmp(encap, "psp", 3) != 0 || at == 0)
        return false;
    if (strcmp(bad, "spi") == 0)
        return is_foreign(doc, steps, at);
    /* Whether a packet is a replay depends on whether the SUT accepted those ahead of it. */
    return !any_ahead(json_object_get(doc, "steps")) &&
           is_plain(json_array_get(steps, at - 1)) && turns(steps, at) == 0;
}

static bool true_steps(const json_t *doc, const json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);

        if ((json_object_get(step, "seal") != NULL && !true_seal(doc, steps, i)) ||
            !true_steps(doc, json_object_get(step, "steps")))
            return false;
    }
    return true;
}

/* Where packets of the SUT overtake each other by more than the replay margin the tester drops
 * some of them, and the judge, who saw them all leave, takes what it echoes for the newest. */
static bool true_network(const json_t *doc)
{
    const char *encap = hunt_word(json_object_get(doc, "connection"), "encap");

    return *encap == 0 || strcmp(encap, "udp") == 0 ||
           spread_ns(doc, "from_sut") <= hunt_param_ns(doc, "replay_margin");
}

bool hunt_true(const json_t *doc)
{
    const json_t *steps = json_object_get(doc, "steps");

    return true_network(doc) && true_steps(doc, steps) && true_turns(doc, steps);
}

bool hunt_lawful(const json_t *doc)
{
    const json_t *connection = json_object_get(doc, "connection");
    unsigned drops = 0, reactions = 0;

    return json_object_get(doc, "auto") == NULL && json_object_get(doc, "params") == NULL &&
           json_object_get(doc, "vars") == NULL && has_room(doc) &&
           lawful_params(json_object_get(connection, "params")) &&
           lawful_network(json_object_get(doc, "impair")) &&
           bearable_network(doc, hunt_rto_ns(doc, 0)) &&
           lawful_workload(json_object_get(doc, "workload")) &&
           lawful_rules(json_object_get(doc, "policy")) &&
           lawful_steps(json_object_get(doc, "steps"), &drops, &reactions);
}

bool hunt_lawful_times(const struct hunt_book *book, const json_t *doc)
{
    uint64_t rto_ns = hunt_rto_ns(doc, hunt_book_time(book, FAL_PARAM_AT_rto));
    uint64_t coalescing_ns = hunt_book_time(book, FAL_PARAM_AT_coalescing);
    uint64_t low_ns = hunt_book_time(book, FAL_PARAM_AT_rto_lo);
    unsigned lost = 0, reactions = 0;

    if (hunt_book_time(book, FAL_PARAM_AT_rto_varies) != 0 && low_ns < rto_ns)
        rto_ns = low_ns;
    (void)lawful_steps(json_object_get(doc, "steps"), &lost, &reactions);
    lost += json_object_get(doc, "impair") != NULL ? LOSSES_BY_CHANCE : 0;
    return bearable_network(doc, rto_ns) &&
           (lost + 1) * coalescing_ns + lost * rto_ns <= ATTEMPTS * rto_ns;
}

/* The fuzzer does not wait for transactions that may never end. */
static int hurry(json_t *workload)
{
    size_t i;
    json_t *stream;
    int rc = 0;

    json_array_foreach(workload, i, stream)
    {
        if (json_object_get(stream, "within") == NULL)
            rc |= json_object_set_new(stream, "within", json_string("30ms")) |
                  json_object_set_new(stream, "complete", json_false());
    }
    return rc;
}

/* Gives each workload time for refusals. The SUT repeats a refused transaction after one RTO at
 * least; the default of `within` is enough only for short RTOs. */
static int give_time(json_t *whole)
{
    json_int_t rounds = 1;
    size_t i;
    json_t *item;
    int rc = 0;

    json_array_foreach(json_object_get(whole, "policy"), i, item) rounds +=
        json_integer_value(json_object_get(item, "times"));
    json_array_foreach(json_object_get(whole, "workload"), i, item)
    {
        json_int_t count = json_integer_value(json_object_get(item, "count"));

        if (json_object_get(item, "within") == NULL)
            rc |= json_object_set_new(
                item, "within",
                json_sprintf("1s + $rto * %" JSON_INTEGER_FORMAT,
                             2 * rounds * (count > 0 ? count : COUNT_UNKNOWN)));
    }
    return rc;
}

/* Replaces a list by a copy, which the caller may change; `deep`: its elements, too. Without
 * the list nothing is done. */
static int own_list(json_t *doc, const char *key, bool deep)
{
    json_t *list = json_object_get(doc, key);

    if (list == NULL)
        return 0;
    return json_object_set_new(doc, key, deep ? hunt_copy(list) : json_copy(list));
}

/* A few steps and no workload, with a short RTO and the default timeout of a transaction: all
 * is done before a transaction times out, unless the SUT has forgotten one. */
static bool is_brief(const json_t *whole)
{
    const json_t *params = json_object_get(json_object_get(whole, "connection"), "params");
    const json_t *steps = json_object_get(whole, "steps"), *step;
    size_t i;

    if (json_array_size(json_object_get(whole, "workload")) > 0 ||
        json_array_size(steps) > BRIEF_STEPS || hunt_param_ns(whole, "rto") > BRIEF_RTO_NS ||
        json_object_get(params, "transaction_timeout") != NULL)
        return false;
    json_array_foreach(steps, i, step) if (json_object_get(step, "repeat") != NULL ||
                                           json_object_get(step, "cm") != NULL) return false;
    return true;
}

/* The steps that a valid case gets. */
static int add_alive(struct hunt_book *book, json_t *whole, bool works)
{
    bool alone, brief = is_brief(whole);
    json_t *steps = json_object_get(whole, "steps");
    json_t *promise = hunt_promise(book, whole, &alone);
    json_t *alive = hunt_book_alive(book);
    int rc = promise == NULL;

    if (works)
        rc |= json_array_append_new(
            steps, json_pack("{s:s, s:s}", "await", "workload", "name", "work"));
    for (size_t i = 0; i < json_array_size(alive) && (i == 0 || !alone); i++) {
        json_t *step = json_copy(json_array_get(alive, i));

        if (i == 0 && brief)
            rc |= json_object_set_new(step, "within", json_string(SOON));
        rc |= json_array_append_new(steps, step);
    }
    return rc | json_array_extend(steps, promise);
}

json_t *hunt_complete_by(struct hunt_book *book, const json_t *doc)
{
    json_t *whole = json_copy((json_t *)doc), *steps;
    bool works = json_array_size(json_object_get(doc, "workload")) > 0;
    int rc = whole == NULL || own_list(whole, "steps", false) != 0;

    steps = rc == 0 ? hunt_list(whole, "steps") : NULL;
    if (steps == NULL) {
        json_decref(whole);
        return NULL;
    }
    if (hunt_has_words(doc)) {
        json_t *end = hunt_words_end(doc, hunt_book_alive(book) == NULL);

        rc |= own_list(whole, "steps", true);
        steps = json_object_get(whole, "steps");
        hunt_words_number(whole);
        rc |= end == NULL || json_array_extend(steps, end) != 0;
        json_decref(end);
    } else if (hunt_book_alive(book) != NULL && hunt_lawful(doc) &&
               hunt_lawful_times(book, doc)) {
        rc |= own_list(whole, "workload", true);
        rc |= give_time(whole);
        rc |= add_alive(book, whole, works);
    } else if (json_array_size(steps) == 0 || works) {
        rc |= own_list(whole, "workload", true);
        rc |= hurry(json_object_get(whole, "workload"));
        rc |= json_array_append_new(steps,
                                    json_pack("{s:s, s:s}", "wait", "$rto * 8", "name", "end"));
    }
    if (rc == 0)
        return whole;
    json_decref(whole);
    return NULL;
}

json_t *hunt_complete(const json_t *doc)
{
    struct hunt_book *book = hunt_book_new(false);
    json_t *whole = book != NULL ? hunt_complete_by(book, doc) : NULL;
    json_t *own = hunt_copy(whole);

    json_decref(whole);
    hunt_book_free(book);
    return own;
}

void hunt_strip(json_t *doc)
{
    static const char *const names[] = {HUNT_ALIVE, "work", "end"};
    json_t *steps = json_object_get(doc, "steps"), *stream;
    size_t k;

    json_array_foreach(json_object_get(doc, "workload"), k, stream)
    {
        (void)json_object_del(stream, "within");
        (void)json_object_del(stream, "complete");
    }

    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *name = hunt_word(json_array_get(steps, i), "name");

        if (IN(name, names)) {
            bool promised = strcmp(name, "end") != 0; /* the name goes with its step */

            while (json_array_size(steps) > i)
                (void)json_array_remove(steps, i);
            if (promised)
                hunt_promise_strip(doc);
            return;
        }
    }
}
