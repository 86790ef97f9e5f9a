/* SPDX-License-Identifier: Apache-2.0
 * adapter_events.c - events without a wire: each post to a peer that does not exist must end
 * and be reported. The check does not read meanwhile: an adapter may then drop events, but must
 * leave a gap in the sequence numbers for each, and report how many they were. */
#include "harness/site/adapter_check_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { ROUND = 64, POSTS = 16, SILENCE = 3, PAUSE_NS = 20000000 };

#define SHORT_LIVED                                                                           \
    "\"peer\": {\"cid\": 78, \"function\": 3, \"req_psn\": 4, \"data_psn\": 5, \"rsn\": 6}, " \
    "\"peer_address\": \"127.0.0.1:9\", \"params\": {\"rto_ns\": 1000000, "                   \
    "\"max_attempts\": 1, \"transaction_timeout_ns\": 5000000}"

/* Posts as many as the adapter accepts on a new connection (its handle in `conn`). False after
 * an error. */
static bool post_some(struct tl_checker *c, char conn[TL_CHECK_CONN], uint64_t *taken)
{
    json_t *opened =
        tl_adapter_ask(c, "ok|busy|failed", "\"open\", \"encap\": \"udp\", " SHORT_LIVED);
    const char *name = json_string_value(json_object_get(opened, "conn"));
    bool good = opened != NULL, more = name != NULL;

    (void)snprintf(conn, TL_CHECK_CONN, "%s", name != NULL ? name : "");
    for (unsigned i = 0; more && i < POSTS; i++) {
        json_t *answer = tl_adapter_ask(
            c, "ok|busy|failed|unsupported",
            "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 64, \"tag\": %u", conn,
            i);

        good = answer != NULL;
        more = json_is_true(json_object_get(answer, "ok"));
        *taken += more;
        json_decref(answer);
    }
    json_decref(opened);
    return good;
}

/* Reads until all ends are reported, or nothing more arrives. */
static bool settle(struct tl_checker *c, uint64_t due)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t before = UINT64_MAX;

    for (unsigned silent = 0; silent < SILENCE * ROUND;) {
        if (c->completions + c->lost >= due)
            return true;
        silent = c->completions + c->lost == before ? silent + 1 : 0;
        before = c->completions + c->lost;
        (void)nanosleep(&pause, NULL);
        if (!SAYS(c, "ok|unsupported", "\"barrier\"")) /* its answer follows all events */
            return false;
    }
    if (c->completions + c->lost == 0) {
        c->undecided = true; /* the adapter may wait for its peer without limit */
        (void)tl_adapter_wrong(
            c, "%" PRIu64 " posts to a peer that does not exist: none has ended", due);
        return true;
    }
    return tl_adapter_wrong(
        c, "%" PRIu64 " posts were accepted; %" PRIu64 " ended, %" PRIu64 " events are missing",
        due, c->completions, c->lost);
}

/* Opens connections side by side until all that was posted on them has ended. */
static bool one_round(struct tl_checker *c, uint64_t *taken)
{
    char conns[ROUND][TL_CHECK_CONN];
    unsigned n = 0;

    for (; n < ROUND && *taken < c->events; n++) {
        uint64_t before = *taken;

        if (!post_some(c, conns[n], taken))
            return false;
        if (*taken == before)
            break; /* it accepts no more connections */
    }
    if (!settle(c, *taken))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!SAYS(c, "ok", "\"close\", \"conn\": \"%s\"", conns[i]))
            return false;
    return true;
}

bool tl_check_events(struct tl_checker *c)
{
    uint64_t taken = 0, before;

    c->completions = c->lost = c->dropped = 0;
    do {
        before = taken;
        if (!one_round(c, &taken))
            return false;
    } while (taken < c->events && taken > before && !c->undecided);
    if (c->lost != c->dropped)
        return tl_adapter_wrong(
            c,
            "%" PRIu64 " sequence numbers of events are missing, but dropped reports %" PRIu64,
            c->lost, c->dropped);
    return tl_adapter_alive(c);
}
