/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/site/adapter_check_impl.h"

#include "harness/wire/control_io.h"
#include "harness/wire/protocol_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 64, AHEAD = 1024, HOPELESS = 4 /* limit of failed checks in a row */ };

/* Says hello. Returns the reply, a new reference, or NULL: c->why says what is wrong. */
static json_t *greet(struct tl_checker *c)
{
    json_t *object =
        tl_adapter_ask(c, "ok", "\"hello\", \"version\": 1, \"tester\": \"talon\"");
    const json_t *levels = json_object_get(object, "levels"), *level, *ics;
    const char *const names[] = {"vendor", "product", "firmware", "serial"};
    bool good = object != NULL;
    size_t i;

    if (good && json_integer_value(json_object_get(object, "version")) != 1)
        good = tl_adapter_wrong(c, "version: expected 1");
    for (i = 0; good && i < 4; i++)
        if (!json_is_string(json_object_get(object, names[i])))
            good = tl_adapter_wrong(c, "%s: expected a string", names[i]);
    ics = json_object_get(object, "ics");
    if (good && ics != NULL && !json_is_object(ics))
        good = tl_adapter_wrong(c, "ics: expected an object");
    if (good && json_array_size(levels) == 0)
        good = tl_adapter_wrong(c, "levels: expected a list");
    good = good && tl_check_cc_hello(c, object) && tl_check_words_hello(c, object);
    c->level = 0;
    json_array_foreach(levels, i, level)
    {
        unsigned offered;

        if (tl_protocol_level_read(json_string_value(level), &offered) &&
            (int)offered > c->level)
            c->level = (int)offered;
    }
    if (!good) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static bool hello(struct tl_checker *c)
{
    return tl_adapter_says(greet(c));
}

json_t *tl_adapter_hello(struct tl_adapter *adapter, struct fal_error *err)
{
    struct tl_checker c = {.adapter = adapter, .epoch = 1, .upper = ""};
    json_t *reply = greet(&c);

    if (reply == NULL)
        (void)fal_fail(err, FAL_ERR_IO, "the adapter does not say hello: %s", c.why);
    return reply;
}

static bool other_version(struct tl_checker *c)
{
    return SAYS(c, "unsupported|failed", "\"hello\", \"version\": 99, \"tester\": \"talon\"");
}

static bool unknown(struct tl_checker *c)
{
    return SAYS(c, "unsupported", "\"dance\"") && tl_adapter_alive(c);
}

static bool more_members(struct tl_checker *c)
{
    return SAYS(c, "ok|unsupported", "\"barrier\", \"conn\": null, \"colour\": [1, {}]");
}

static bool other_epoch(struct tl_checker *c)
{
    char line[TL_CHECK_LINE];
    json_t *object;
    bool good;

    (void)snprintf(line, sizeof line,
                   "{\"id\": %" JSON_INTEGER_FORMAT ", \"epoch\": %" JSON_INTEGER_FORMAT
                   ", \"do\": \"barrier\"}\n",
                   ++c->id, c->epoch + 7);
    if (!tl_adapter_send(c, line) || (object = tl_adapter_answer(c)) == NULL)
        return false;
    good = tl_adapter_answered(c, object, c->id, c->epoch, "failed");
    json_decref(object);
    return good && tl_adapter_alive(c);
}

/* A line without a readable id. */
static bool unreadable(struct tl_checker *c, const char *line)
{
    json_t *object;
    bool good;

    if (!tl_adapter_send(c, line) || (object = tl_adapter_answer(c)) == NULL)
        return false;
    good = tl_adapter_answered(c, object, 0, c->epoch, "failed");
    json_decref(object);
    return good && tl_adapter_alive(c);
}

static bool garbage(struct tl_checker *c)
{
    return unreadable(c, "what? {]\n") && unreadable(c, "\x7f\x45\x4c\x46\xff\xfe\n");
}

static bool no_object(struct tl_checker *c)
{
    return unreadable(c, "[1, 2]\n") && unreadable(c, "7\n");
}

static bool no_id(struct tl_checker *c)
{
    return unreadable(c, "{\"epoch\": 1, \"do\": \"barrier\"}\n") &&
           unreadable(c, "{\"id\": \"x\", \"epoch\": 1, \"do\": \"barrier\"}\n");
}

static bool no_do(struct tl_checker *c)
{
    char line[TL_CHECK_LINE];
    json_t *object;
    bool good;

    (void)snprintf(line, sizeof line,
                   "{\"id\": %" JSON_INTEGER_FORMAT ", \"epoch\": %" JSON_INTEGER_FORMAT "}\n",
                   ++c->id, c->epoch);
    if (!tl_adapter_send(c, line) || (object = tl_adapter_answer(c)) == NULL)
        return false;
    good = tl_adapter_answered(c, object, c->id, c->epoch, "failed|unsupported");
    json_decref(object);
    return good && tl_adapter_alive(c);
}

static bool long_line(struct tl_checker *c)
{
    size_t len = TL_LINE_MAX + 5000;
    char *line = malloc(len + 2);
    bool good;

    if (line == NULL)
        return tl_adapter_wrong(c, "out of memory");
    memset(line, '[', len);
    line[len] = '\n';
    line[len + 1] = 0;
    good = unreadable(c, line);
    free(line);
    return good;
}

static bool half_line(struct tl_checker *c)
{
    /* Without a pause the network or the reader can put all bytes together again. */
    static const struct timespec pause = {0, 4000000};
    char line[TL_CHECK_LINE];
    json_t *object;
    bool good;
    int len = snprintf(line, sizeof line,
                       "{\"id\": %" JSON_INTEGER_FORMAT ", \"epoch\": %" JSON_INTEGER_FORMAT
                       ", \"do\": \"barrier\"}\n",
                       ++c->id, c->epoch);

    for (int i = 0; i < len; i++) { /* byte by byte */
        if (!c->adapter->ops->send(c->adapter, line + i, 1))
            return tl_adapter_wrong(c, "the channel accepts no more data");
        (void)nanosleep(&pause, NULL);
    }
    object = tl_adapter_answer(c);
    good = object != NULL && tl_adapter_answered(c, object, c->id, c->epoch, "ok|unsupported");
    json_decref(object);
    return good;
}

static bool read_answers(struct tl_checker *c, json_int_t first)
{
    for (json_int_t id = first; id <= c->id; id++) {
        json_t *object = tl_adapter_answer(c);
        bool good =
            object != NULL && tl_adapter_answered(c, object, id, c->epoch, "ok|unsupported");

        json_decref(object);
        if (!good)
            return false;
    }
    return true;
}

/* Sends many commands before the first answer is read: each must be answered, in order. */
static bool flood(struct tl_checker *c)
{
    char lines[BATCH * 80];

    for (uint64_t sent = 0; sent < c->flood;) {
        json_int_t first = c->id + 1;

        for (unsigned ahead = 0; ahead < AHEAD && sent < c->flood; ahead += BATCH) {
            size_t len = 0;

            for (unsigned i = 0; i < BATCH; i++, sent++)
                len += (size_t)snprintf(lines + len, sizeof lines - len,
                                        "{\"id\":%" JSON_INTEGER_FORMAT
                                        ",\"epoch\":%" JSON_INTEGER_FORMAT
                                        ",\"do\":\"barrier\"}\n",
                                        ++c->id, c->epoch);
            if (!c->adapter->ops->send(c->adapter, lines, len))
                return tl_adapter_wrong(c, "the channel accepts no more data");
        }
        if (!read_answers(c, first))
            return false;
    }
    return true;
}

#define PEER                                                                                  \
    "\"peer\": {\"cid\": 77, \"function\": 3, \"req_psn\": 4, \"data_psn\": 5, \"rsn\": 6}, " \
    "\"peer_address\": \"127.0.0.1:9\""

static bool open_one(struct tl_checker *c)
{
    static const char *const members[] = {"cid", "function", "req_psn", "data_psn", "rsn"};
    json_t *object = tl_adapter_ask(
        c, "ok", "\"open\", \"encap\": \"udp\", " PEER ", \"params\": {}%s", c->upper);
    const char *conn = json_string_value(json_object_get(object, "conn"));
    const json_t *local = json_object_get(object, "local");
    bool good = object != NULL;

    if (good && (conn == NULL || *conn == 0 || strlen(conn) >= TL_CHECK_CONN))
        good = tl_adapter_wrong(c, "conn: expected a handle of 1 to 31 bytes");
    for (size_t i = 0; good && i < 5; i++) {
        const json_t *value = json_object_get(local, members[i]);

        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            json_integer_value(value) > (i < 2 ? 0xffffff : UINT32_MAX))
            good = tl_adapter_wrong(c, "local.%s: expected a number in range", members[i]);
    }
    if (good && strcmp(conn, c->conn) == 0)
        good = tl_adapter_wrong(c, "conn: the handle '%s' was used before", conn);
    if (good)
        (void)snprintf(c->conn, sizeof c->conn, "%s", conn);
    json_decref(object);
    return good;
}

static bool open_without_peer(struct tl_checker *c)
{
    return SAYS(c, "failed",
                "\"open\", \"encap\": \"udp\", \"peer_address\": \"127.0.0.1:9\"%s",
                c->upper) &&
           SAYS(c, "failed|unsupported", "\"open\", \"encap\": \"smoke\", " PEER "%s",
                c->upper) &&
           tl_adapter_alive(c);
}

static bool post(struct tl_checker *c)
{
    return SAYS(
               c, "failed",
               "\"post\", \"conn\": \"no such\", \"op\": \"push\", \"length\": 8, \"tag\": 1") &&
           SAYS(c, "failed|unsupported",
                "\"post\", \"conn\": \"%s\", \"op\": \"throw\", \"length\": 8, \"tag\": 1",
                c->conn) &&
           SAYS(
               c, "ok",
               "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 64, \"tag\": \"0x8000000000000001\", \"seed\": 1",
               c->conn);
}

static bool policy(struct tl_checker *c)
{
    return SAYS(
               c, "ok",
               "\"policy\", \"conn\": \"%s\", \"rules\": [{\"request\": 1, \"answer\": \"withhold\"}]",
               c->conn) &&
           SAYS(c, "ok", "\"policy\", \"conn\": \"%s\", \"rules\": []", c->conn) &&
           SAYS(c, "failed|unsupported",
                "\"policy\", \"conn\": \"%s\", \"rules\": [{\"answer\": \"perhaps\"}]",
                c->conn) &&
           SAYS(c, "failed", "\"policy\", \"conn\": \"no such\", \"rules\": []");
}

static bool respond(struct tl_checker *c)
{
    return SAYS(c, "failed", "\"respond\", \"conn\": \"%s\", \"rsn\": 6, \"answer\": \"ack\"",
                c->conn) &&
           SAYS(c, "failed", "\"respond\", \"conn\": \"%s\", \"answer\": \"ack\"", c->conn);
}

static bool set(struct tl_checker *c)
{
    return SAYS(c, "ok|failed|unsupported",
                "\"set\", \"conn\": \"%s\", \"params\": {\"fcwnd\": 32}", c->conn) &&
           SAYS(c, "failed|unsupported", "\"set\", \"conn\": \"no such\", \"params\": {}");
}

static bool counters(struct tl_checker *c)
{
    json_t *object = tl_adapter_ask(c, "ok|unsupported", "\"counters\"");
    bool good = object != NULL;

    if (good && json_is_true(json_object_get(object, "ok")) &&
        (!json_is_integer(json_object_get(object, "frames_received")) ||
         !json_is_integer(json_object_get(object, "frames_sent"))))
        good = tl_adapter_wrong(c, "frames_received, frames_sent: expected numbers");
    json_decref(object);
    return good && SAYS(c, "ok|unsupported|failed", "\"state\", \"conn\": \"%s\"", c->conn) &&
           SAYS(c, "ok|unsupported", "\"clock\"");
}

static bool close_one(struct tl_checker *c)
{
    return SAYS(c, "ok", "\"close\", \"conn\": \"%s\"", c->conn) &&
           SAYS(c, "failed", "\"close\", \"conn\": \"%s\"", c->conn) && open_one(c);
}

static bool reset(struct tl_checker *c)
{
    json_t *object = tl_adapter_ask(c, "ok", "\"reset\", \"scope\": \"device\"");
    json_int_t epoch = json_integer_value(json_object_get(object, "new_epoch"));

    if (object == NULL)
        return false;
    json_decref(object);
    if (epoch <= c->epoch)
        return tl_adapter_wrong(c, "new_epoch: expected more than %" JSON_INTEGER_FORMAT,
                                c->epoch);
    c->epoch = epoch;
    return SAYS(c, "failed", "\"close\", \"conn\": \"%s\"", c->conn) &&
           SAYS(c, "failed", "\"reset\"") &&
           SAYS(c, "failed|unsupported", "\"reset\", \"scope\": \"world\"") &&
           tl_adapter_alive(c);
}

static bool call_again(struct tl_checker *c)
{
    if (!c->adapter->ops->again(c->adapter))
        return tl_adapter_wrong(c, "a second connection is not accepted");
    c->id = 0;
    c->seq = 0;
    c->epoch = 1;
    c->conn[0] = 0;
    return hello(c);
}

/* The tester disconnects with a connection open and traffic on it; the next tester must find
 * nothing of it. */
static bool gone_in_mid_run(struct tl_checker *c)
{
    char was[TL_CHECK_CONN];

    if (!open_one(c) ||
        !SAYS(c, "ok|unsupported",
              "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 64, \"tag\": 1",
              c->conn))
        return false;
    memcpy(was, c->conn, sizeof was);
    return call_again(c) && SAYS(c, "failed", "\"close\", \"conn\": \"%s\"", was);
}

static bool gone_in_mid_line(struct tl_checker *c)
{
    return tl_adapter_send(c, "{\"id\": 1, \"epoch\"") && call_again(c) && tl_adapter_alive(c);
}

static const struct check {
    const char *name, *title;
    bool (*run)(struct tl_checker *c);
    int level;      /* the level that the adapter must offer */
    bool raw;       /* needs a byte stream that can be connected again */
    unsigned words; /* the level of the upper layer that it must offer */
    enum tl_upper_layer upper;
} checks[] = {
    {"hello", "reports its identity, its levels and its ICS", hello, 0, false, 0, TL_UPPER_RAW},
    {"other-version", "refuses another version of the protocol", other_version, 0, false, 0,
     TL_UPPER_RAW},
    {"unknown", "answers an unknown command with \"unsupported\"", unknown, 0, false, 0,
     TL_UPPER_RAW},
    {"more-members", "ignores unknown members; null counts as absent", more_members, 0, false,
     0, TL_UPPER_RAW},
    {"other-epoch", "refuses a command of an old epoch, and answers in the current epoch",
     other_epoch, 0, false, 0, TL_UPPER_RAW},
    {"garbage", "replies with id 0 to invalid JSON", garbage, 0, false, 0, TL_UPPER_RAW},
    {"no-object", "replies with id 0 to JSON that is not an object", no_object, 0, false, 0,
     TL_UPPER_RAW},
    {"no-id", "replies with id 0 to a command without an id", no_id, 0, false, 0, TL_UPPER_RAW},
    {"no-do", "answers a command without \"do\"", no_do, 0, false, 0, TL_UPPER_RAW},
    {"long-line", "answers a line that is too long once, and reads on", long_line, 0, true, 0,
     TL_UPPER_RAW},
    {"half-line", "assembles a line that arrives byte by byte", half_line, 0, true, 0,
     TL_UPPER_RAW},
    {"open", "opens a connection and reports its own end", open_one, 1, false, 0, TL_UPPER_RAW},
    {"levels", "has each command of the level that it offers", tl_check_levels, 0, false, 0,
     TL_UPPER_RAW},
    {"local", "opens with the numbers that the tester wishes, or reports its own",
     tl_check_local, 1, false, 0, TL_UPPER_RAW},
    {"params", "opens with other parameters, or reports those that it uses", tl_check_params, 1,
     false, 0, TL_UPPER_RAW},
    {"open-wrong", "rejects an impossible \"open\"", open_without_peer, 1, false, 0,
     TL_UPPER_RAW},
    {"post", "posts, and rejects an impossible \"post\"", post, 2, false, 0, TL_UPPER_RAW},
    {"events", "reports how each post ends, and how many events were lost", tl_check_events, 2,
     true, 0, TL_UPPER_RAW},
    {"policy", "accepts and replaces policies, and rejects invalid ones", policy, 3, false, 0,
     TL_UPPER_RAW},
    {"respond", "rejects an answer to a request that does not exist", respond, 3, false, 0,
     TL_UPPER_RAW},
    {"set", "changes parameters, or reports that it cannot", set, 1, false, 0, TL_UPPER_RAW},
    {"counters", "returns counters, state and clock, or reports that it cannot", counters, 0,
     false, 0, TL_UPPER_RAW},
    {"congestion", "has the commands about congestion control, or refuses them", tl_check_cc, 0,
     false, 0, TL_UPPER_RAW},
    {"cc-queues", "shows entries of congestion control, or refuses to", tl_check_cc_queues, 1,
     false, 0, TL_UPPER_RAW},
    {"verbs", "has the words of RDMA verbs, or refuses them", tl_check_verbs, 0, false, 0,
     TL_UPPER_RAW},
    {"verbs-memory", "fills and hashes memory as the protocol says", tl_check_verbs_memory, 1,
     false, 3, TL_UPPER_VERBS},
    {"verbs-posts", "posts work requests, and refuses raw posts beside them",
     tl_check_verbs_posts, 1, false, 2, TL_UPPER_VERBS},
    {"verbs-wrong", "rejects unknown handles and impossible words", tl_check_verbs_wrong, 1,
     false, 2, TL_UPPER_VERBS},
    {"nvme", "has the words of NVMe, or refuses them", tl_check_nvme, 0, false, 0,
     TL_UPPER_RAW},
    {"nvme-posts", "posts commands of the host, and refuses raw posts beside them",
     tl_check_nvme_posts, 1, false, 2, TL_UPPER_NVME},
    {"nvme-devices", "fills and hashes blocks as the protocol says", tl_check_nvme_devices, 1,
     false, 3, TL_UPPER_NVME},
    {"nvme-wrong", "rejects unknown namespaces and impossible words", tl_check_nvme_wrong, 1,
     false, 2, TL_UPPER_NVME},
    {"close", "closes a connection once, and never reuses a handle", close_one, 1, false, 0,
     TL_UPPER_RAW},
    {"reset", "starts a new epoch, in which nothing of the old one is left", reset, 1, false, 0,
     TL_UPPER_RAW},
    {"flood", "answers many commands in order, however late the answers are read", flood, 0,
     true, 0, TL_UPPER_RAW},
    {"call-again", "accepts another connection, with a fresh state", call_again, 0, true, 0,
     TL_UPPER_RAW},
    {"gone-in-mid-run", "closes all connections when the tester disconnects", gone_in_mid_run,
     2, true, 0, TL_UPPER_RAW},
    {"gone-in-mid-line", "keeps nothing when the tester disconnects within a line",
     gone_in_mid_line, 0, true, 0, TL_UPPER_RAW},
};

const char *tl_adapter_check_name(size_t n)
{
    return n < sizeof checks / sizeof *checks ? checks[n].name : NULL;
}

unsigned tl_adapter_check(struct tl_adapter *adapter, uint64_t flood_of, uint64_t events,
                          void (*told)(void *ctx, const struct tl_check_result *result),
                          void *ctx)
{
    struct tl_checker c = {
        .adapter = adapter, .epoch = 1, .flood = flood_of, .events = events, .upper = ""};
    unsigned failed = 0, in_a_row = 0;

    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct tl_check_result result = {.name = checks[i].name, .title = checks[i].title};

        c.why[0] = 0;
        c.undecided = false;
        if (in_a_row == HOPELESS) {
            result.verdict = TL_CHECK_SKIPPED;
            (void)tl_adapter_wrong(&c, "it gives no correct answer any more");
        } else if (checks[i].level > c.level) {
            result.verdict = TL_CHECK_SKIPPED;
            (void)snprintf(c.why, sizeof c.why, "the adapter offers L%d; this needs L%d",
                           c.level, checks[i].level);
        } else if (checks[i].words > c.word_levels[checks[i].upper]) {
            result.verdict = TL_CHECK_SKIPPED;
            (void)snprintf(c.why, sizeof c.why, "the adapter offers no L%u%c", checks[i].words,
                           tl_words_of(checks[i].upper)->letter);
        } else if (checks[i].raw && adapter->ops->again == NULL) {
            result.verdict = TL_CHECK_SKIPPED;
            (void)tl_adapter_wrong(&c,
                                   "a SUT in lockstep receives whole lines, from one tester");
        } else if (!checks[i].run(&c)) {
            result.verdict = TL_CHECK_FAIL;
            failed++;
        } else if (c.undecided) {
            result.verdict = TL_CHECK_SKIPPED;
        }
        in_a_row = in_a_row == HOPELESS              ? HOPELESS
                   : result.verdict == TL_CHECK_FAIL ? in_a_row + 1
                                                     : 0;
        memcpy(result.why, c.why, sizeof result.why);
        told(ctx, &result);
        /* After a failure the position in the stream is unknown: connect again where possible.
         */
        if (result.verdict == TL_CHECK_FAIL && adapter->ops->again != NULL) {
            if (!call_again(&c))
                break;
            if (c.level > 0)
                (void)open_one(
                    &c); /* for the checks that need a connection; it has its own verdict */
        }
    }
    return failed;
}
