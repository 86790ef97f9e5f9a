/* SPDX-License-Identifier: Apache-2.0
 * hunt_nvme.c - cases whose connection carries NVMe (`talon fuzz --upper nvme`). Both ends are
 * initiator and target (the preamble of the first part of nvme.json); mutations add commands of
 * either end and words about devices and rows, and packets of NVMe that the tester's engine
 * would never send. At the end of each case blocks of the SUT's devices are hashed after a
 * barrier, so that the rules can check what was written. */
#include "fuzz/hunt/hunt.h"

#include <stdio.h>
#include <string.h>

extern const char hunt_nvme_parts[]; /* nvme.json: the case, and its end */
enum { PART_CASE, PART_END };

enum { PROGRAM_MAX = 8, LINE_LEN = 400 };

bool hunt_is_nvme(const json_t *doc)
{
    return strcmp(hunt_word(json_object_get(doc, "connection"), "upper"), "nvme") == 0;
}

/* ---- words ---- */

/* A word, to either end. */
static json_t *step_of(json_t *word, bool tester)
{
    return tester ? json_pack("{s:o, s:s}", "nvme", word, "side", "tester")
                  : json_pack("{s:o, s:b}", "nvme", word, "may_refuse", 1);
}

/* A command; its blocks are those that nvme.json fills, or, with stripes of 64 blocks of the
 * first namespace, lie around a boundary. `wild`: perhaps of no namespace, or too long. */
static json_t *post(bool wild, struct fal_rng *rng)
{
    static const int lengths[] = {0, 0, 1, 2, 3, 7, 8, 9, 15, 16, 31};
    static const int starts[] = {0, 1, 7, 8, 20, 32, 60, 63};
    static const char *const odd[] = {"1 << 40", "0xffffffffffffffff", "(1 << 18) - 1"};
    bool tester = hunt_one_in(rng, 2), protected = hunt_one_in(rng, 2);
    bool write = hunt_one_in(rng, 2);
    json_t *word = json_pack("{s:s, s:i, s:s, s:i, s:i, s:i, s:i}", "do", "nvme_post", "cmd", 1,
                             "op", write ? "write" : "read", "nsid", protected ? 2 : 1, "slba",
                             HUNT_PICK(rng, starts), "nlb0", HUNT_PICK(rng, lengths), "tag",
                             1 + (int)hunt_below(rng, 99));
    int rc = word == NULL;

    if (rc == 0 && protected)
        rc |= json_object_set_new(word, "prinfo", json_integer(7));
    if (rc == 0 && hunt_one_in(rng, 4))
        rc |= json_object_set_new(word, hunt_one_in(rng, 2) ? "fua" : "lr", json_integer(1));
    if (rc == 0 && wild)
        rc |= hunt_one_in(rng, 2)
                  ? json_object_set_new(word, "slba", json_string(HUNT_PICK(rng, odd)))
              : hunt_one_in(rng, 2)
                  ? json_object_set_new(word, "nlb0",
                                        json_integer(hunt_one_in(rng, 2) ? 255 : 65535))
                  : json_object_set_new(word, "bad_pi", json_boolean(write && protected));
    return rc == 0 ? step_of(word, tester) : NULL;
}

/* Words about devices and rows. */
static json_t *odd_word(struct fal_rng *rng)
{
    static const char row[] =
        "{\"do\": \"nvme_lba\", \"index\": 0, \"valid\": true, \"sqid\": 1, "
        "\"target_nsid\": 9, \"chunk\": 6}";
    static const char *const words[] = {
        "{\"do\": \"dev_policy\", \"after_ns\": 20000}",
        "{\"do\": \"dev_policy\", \"status\": 641}",
        "{\"do\": \"dev_policy\"}",
        "{\"do\": \"nvme_lba\", \"index\": 0, \"valid\": false}",
        row,
        "{\"do\": \"dev_hash\", \"dev\": 0, \"nsid\": 9, \"slba\": \"6 << 18\", \"nlb0\": 63}",
    };

    return step_of(json_loads(HUNT_PICK(rng, words), 0, NULL), hunt_one_in(rng, 2));
}

bool hunt_add_command(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *step = hunt_one_in(rng, 6) ? odd_word(rng) : post(hunt_one_in(rng, 4), rng);

    (void)other;
    return step != NULL && hunt_insert(doc, rng, step);
}

/* ---- packets that the tester's engine would not send ---- */

bool hunt_add_nvme(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const kinds[] = {
        "push_data / nvme read_request ifn=5 itag=%u icmd=%u tnsid=9 slba=0x180000 nlb=1 sqid=1",
        "push_data / nvme write_request ifn=5 itag=%u icmd=%u tnsid=9 slba=0x180004 nlb=0 sqid=1",
        "push_data / nvme read_response ifn=$n_function itag=%u icmd=%u data=4096",
        "push_data / nvme write_completion ifn=$n_function itag=%u icmd=%u",
        "push_data / nvme write_completion ifn=$n_function itag=%u icmd=%u status=642",
        "pull_request len=4132 / nvme write_data_request ifn=$n_function itag=%u icmd=%u",
    };
    /* The first fields are those of every packet, the others of requests alone. */
    enum { REQUESTS = 2, OF_ALL = 8 };
    static const char *const changes[] = {
        " s=1",       " ng=1",
        " total=3",   " ncmd=2",
        " ttag=77",   " version=0",
        " inv=1",     " reserved_0=1",
        " nlb=65535", " sqid=255",
        " tnsid=7",   " prinfo=15",
        " insid=3",   " slba=0xffffffffffffffff",
    };
    size_t kind = hunt_below(rng, sizeof kinds / sizeof *kinds);
    size_t most = kind < REQUESTS ? sizeof changes / sizeof *changes : OF_ALL;
    char line[LINE_LEN] = "> ", key[32];
    const char *change = changes[hunt_below(rng, most)];
    size_t len = strlen(line);
    json_t *step;

    (void)other;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(line + len, sizeof line - len, kinds[kind], (unsigned)hunt_below(rng, 4),
                   (unsigned)hunt_below(rng, 4));
#pragma GCC diagnostic pop
    (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(change, "=") + 1, change);
    if (hunt_one_in(rng, 2) && strstr(line, key) == NULL)
        strncat(line, change, sizeof line - strlen(line) - 1);
    step = json_pack("{s:s}", "send", line);
    if (step != NULL && hunt_one_in(rng, 5))
        (void)json_object_set_new(step, "adopt", json_false());
    return step != NULL && hunt_insert(doc, rng, step);
}

/* ---- whole cases ---- */

json_t *hunt_nvme_seed(void)
{
    return hunt_element(hunt_nvme_parts, PART_CASE);
}

json_t *hunt_nvme_program(struct fal_rng *rng)
{
    json_t *doc = hunt_nvme_seed();
    unsigned n = 1 + (unsigned)hunt_below(rng, PROGRAM_MAX);
    bool good = doc != NULL;

    for (unsigned i = 0; good && i < n; i++) {
        json_t *step = post(false, rng);

        good = step != NULL && hunt_insert(doc, rng, step);
    }
    if (good)
        return doc;
    json_decref(doc);
    return NULL;
}

json_t *hunt_nvme_end(void)
{
    json_t *part = hunt_element(hunt_nvme_parts, PART_END);
    json_t *steps = json_incref(json_object_get(part, "steps"));

    json_decref(part);
    return steps;
}
