/* SPDX-License-Identifier: Apache-2.0
 * odd_test.c - each fault acts and changes what happens in some scene, and so does each
 * variant. A scene is a short program of words at both ends. */
#include "oracles/nvme/rig/bench_nvme.h"
#include "tests/testing.h"

enum { FIRST = 8, CHUNKS = 4 };

/* All that an end reported and answered. */
struct digest {
    uint64_t hash;
};

static void mix(struct digest *d, const struct fal_nvme_word *word, bool reply)
{
    json_t *object = fal_nvme_word_write(word, reply);
    char *text = json_dumps(object, JSON_COMPACT);

    ck_assert_ptr_nonnull(text);
    d->hash = fal_payload_hash_on(d->hash, (const uint8_t *)text, strlen(text));
    free(text);
    json_decref(object);
}

/* A word, which may be refused. */
static void ask(struct bench *b, struct digest *d, unsigned side, struct fal_nvme_word word)
{
    struct fal_nvme_word answer;
    int rc = bench_word(b, side, word, &answer);

    d->hash = fal_payload_hash_on(d->hash, (const uint8_t *)&rc, sizeof rc);
    if (rc == 0)
        mix(d, &answer, true);
}

/* A namespace over CHUNKS rows of the table, from `start`, over two connections. */
static void set_up(struct bench *b, struct digest *d, struct fal_nvme_word ns)
{
    ns.kind = FAL_NVME_NS;
    ask(b, d, 0, ns);
    for (uint32_t i = 0; i < CHUNKS; i++)
        bench_row(b, 0,
                  (struct fal_nvme_word){.index = ns.start + i,
                                         .sqid = 3 + i,
                                         .target_nsid = 9,
                                         .chunk = 0x123456 + CHUNKS - i},
                  i % 2);
    for (uint32_t i = 0; i < 2; i++) /* before the start: other places */
        bench_row(b, 0, (struct fal_nvme_word){.index = i, .target_nsid = 8, .chunk = 77 + i},
                  2);
    for (uint32_t nsid = 8; nsid <= 9; nsid++)
        ask(b, d, 1,
            (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                   .nsid = nsid,
                                   .block_shift = ns.block_shift,
                                   .metadata = 16});
}

static struct fal_nvme_word io(uint32_t nsid, uint64_t cmd, enum fal_nvme_op op, uint64_t slba,
                               uint32_t blocks)
{
    struct fal_nvme_word word = bench_io(cmd, op, slba, blocks);

    word.nsid = nsid;
    word.fua = word.lr = 1;
    word.dsm = 0x5a;
    word.dtype = op == FAL_NVME_WRITE ? 3 : 0;
    word.dspec = op == FAL_NVME_WRITE ? 0x1234 : 0;
    word.prinfo = 7;
    word.has_sq = true;
    word.sq = 200;
    return word;
}

/* A write and a read of the same blocks, and others beside them. */
static void traffic(struct bench *b, struct digest *d, uint32_t nsid, uint64_t slba,
                    uint32_t blocks)
{
    ask(b, d, 0, io(nsid, 1, FAL_NVME_WRITE, slba, blocks));
    bench_settle(b);
    ask(b, d, 0, io(nsid, 2, FAL_NVME_READ, slba, blocks));
    bench_settle(b);
    ask(b, d, 0, io(nsid, 3, FAL_NVME_READ, slba + 1, 1));
    bench_settle(b);
}

static void striped(struct bench *b, struct digest *d)
{
    const uint64_t group = UINT64_C(1) << 19; /* blocks of two chunks of 1 GiB */

    set_up(b, d,
           (struct fal_nvme_word){
               .nsid = 0x10002, .start = FIRST, .N = 1, .S = 1, .block_shift = 12});
    traffic(b, d, 0x10002, 128 - 3, 10);
    traffic(b, d, 0x10002, 64 - 2, 8);
    traffic(b, d, 0x10002, group + 300, 4);
    traffic(b, d, 0x10002, group + 128 * 5 - 1, 2);
    ask(b, d, 0, io(0x10002, 9, FAL_NVME_READ, 0, 129)); /* beyond MDTS */
    bench_settle(b);
    ask(b, d, 0, (struct fal_nvme_word){.kind = FAL_NVME_LBA, .index = FIRST});
    ask(b, d, 0, io(0x10002, 10, FAL_NVME_READ, 0, 1));
    bench_settle(b);
}

static void protected(struct bench *b, struct digest *d)
{
    struct fal_nvme_word bad = io(1, 5, FAL_NVME_WRITE, 30, 20);

    set_up(b, d,
           (struct fal_nvme_word){
               .nsid = 1, .start = FIRST, .block_shift = 9, .pi = FAL_NVME_PI_HOST});
    traffic(b, d, 1, 509, 21);
    traffic(b, d, 1, 16, 16);
    bad.bad_pi = true;
    ask(b, d, 0, bad);
    bench_settle(b);
    bad.app = UINT16_MAX; /* which may switch the check off */
    ask(b, d, 0, bad);
    bench_settle(b);
}

static void inserted(struct bench *b, struct digest *d)
{
    set_up(b, d,
           (struct fal_nvme_word){.nsid = 1,
                                  .start = FIRST,
                                  .block_shift = 9,
                                  .pi = FAL_NVME_PI_INSERT,
                                  .encrypt = true});
    traffic(b, d, 1, 3, 18);
}

/* A chunk group of one stripe. */
static void one_stripe(struct bench *b, struct digest *d)
{
    set_up(b, d, (struct fal_nvme_word){.nsid = 1, .start = FIRST, .S = 12, .block_shift = 12});
    traffic(b, d, 1, (UINT64_C(1) << 18) - 2, 5);
}

/* Devices that fail, and that hold. */
static void failing(struct bench *b, struct digest *d)
{
    set_up(b, d, (struct fal_nvme_word){.nsid = 1, .start = FIRST, .block_shift = 12});
    ask(b, d, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .status = 0x281});
    traffic(b, d, 1, 5, 3);
    ask(b, d, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .hold = true});
    ask(b, d, 0, io(1, 6, FAL_NVME_WRITE, 62, 5));
    ask(b, d, 0, io(1, 7, FAL_NVME_READ, 0, 3));
    bench_settle(b);
    for (uint32_t status = 1, dcmd = 1; dcmd < 16; dcmd++, status++) {
        ask(b, d, 1,
            (struct fal_nvme_word){
                .kind = FAL_NVME_DEV_COMPLETE, .dcmd = dcmd, .status = status});
        bench_settle(b);
    }
}

static void words(struct bench *b, struct digest *d)
{
    struct fal_params params = b->pair.open[0].params;
    uint32_t conn = b->ends[0].conns[2];
    int rc[2];

    ask(b, d, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_IDENTIFY, .nsid = 1});
    fal_nvme_engine_detach(b->ends[0].engine, conn);
    params.ordered = true;
    rc[0] = fal_nvme_engine_attach(b->ends[0].engine, conn, &params);
    params.ordered = false;
    params.mtu = 1500;
    rc[1] = fal_nvme_engine_attach(b->ends[0].engine, conn, &params);
    d->hash = fal_payload_hash_on(d->hash, (const uint8_t *)rc, sizeof rc);
}

static const struct fal_impairment plain = {.latency_ns = 5000};
static const struct fal_impairment reordering = {
    .latency_ns = 5000, .jitter_ns = 40000, .loss_ppm = 50000};

static const struct scene {
    void (*play)(struct bench *b, struct digest *d);
    const struct fal_impairment *impairment;
    bool wrong_outer; /* the initiator makes wrong outer guards, whatever else it does */
} scenes[] = {
    {striped, &plain, false},      {protected, &plain, false}, {inserted, &plain, false},
    {one_stripe, &plain, false},   {failing, &plain, false},   {words, &plain, false},
    {striped, &reordering, false}, {protected, &plain, true},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* What happens in a scene; `acts` counts the actions of a fault. */
static uint64_t look(const struct scene *scene, const struct bench_plan *plan, int fault,
                     uint64_t *acts)
{
    struct bench_plan own = *plan;
    struct digest d = {fal_payload_hash(NULL, 0)};
    struct bench *b;

    own.seed = 7;
    own.impairment = *scene->impairment;
    if (scene->wrong_outer)
        fal_fault_add(&own.faults[0], FAL_FAULT_GUARD_FROM_ONES);
    b = bench_new(&own);
    scene->play(b, &d);
    for (unsigned side = 0; side < 2; side++) {
        uint64_t chances, all;

        ck_assert_uint_le(b->ends[side].num_events, BENCH_EVENTS);
        for (unsigned i = 0; i < b->ends[side].num_events; i++)
            mix(&d, &b->ends[side].events[i], false);
        if (fault >= 0)
            *acts += fal_nvme_engine_fault_acts(b->ends[side].engine, (enum fal_fault_id)fault);
        fal_nvme_engine_faults(b->ends[side].engine, &chances, &all);
        ck_assert_uint_ge(chances, all);
        if (fault >= 0)
            ck_assert_uint_ge(all, fal_nvme_engine_fault_acts(b->ends[side].engine,
                                                              (enum fal_fault_id)fault));
        ck_assert(!fal_nvme_engine_out_of_memory(b->ends[side].engine));
    }
    d.hash ^= b->pair.trace;
    bench_free(b);
    return d.hash;
}

START_TEST(each_fault_acts_and_shows)
{
    int fault = FAL_FAULT_NVME_FIRST + _i;
    struct bench_plan sound = {0}, faulty = {0};
    uint64_t acts = 0;
    unsigned shown = 0;
    size_t n;

    fal_fault_add(&faulty.faults[0], (enum fal_fault_id)fault);
    faulty.faults[1] = faulty.faults[0];
    for (unsigned i = 0; i < SCENES; i++)
        shown += look(&scenes[i], &sound, -1, NULL) != look(&scenes[i], &faulty, fault, &acts);
    ck_assert_msg(acts > 0, "%s never acts", fal_faults(&n)[fault].name);
    ck_assert_msg(shown > 0, "%s changes nothing", fal_faults(&n)[fault].name);
}
END_TEST

START_TEST(a_scene_is_the_same_each_time)
{
    const struct bench_plan sound = {0};

    for (unsigned i = 0; i < SCENES; i++)
        ck_assert_uint_eq(look(&scenes[i], &sound, -1, NULL),
                          look(&scenes[i], &sound, -1, NULL));
}
END_TEST

START_TEST(each_variant_shows)
{
    int twin = FAL_TWIN_NVME_FIRST + _i;
    struct bench_plan sound = {0}, other = {0};
    unsigned shown = 0;
    size_t n;

    fal_twin_add(&other.twins[0], (enum fal_twin_id)twin);
    other.twins[1] = other.twins[0];
    for (unsigned i = 0; i < SCENES; i++)
        shown += look(&scenes[i], &sound, -1, NULL) != look(&scenes[i], &other, -1, NULL);
    ck_assert_msg(shown > 0, "%s changes nothing", fal_twins(&n)[twin].name);
}
END_TEST

START_TEST(a_fault_acts_when_its_parameters_say)
{
    struct bench_plan plan = {0};
    struct fal_fault_how how = {.id = FAL_FAULT_FUA_DROPPED, .from = UINT32_MAX};
    uint64_t acts = 0, all = 0;

    fal_fault_add(&plan.faults[0], how.id);
    (void)look(&scenes[0], &plan, (int)how.id, &all);
    ck_assert_int_eq(fal_fault_add_how(&plan.faults[0], &how), 0);
    (void)look(&scenes[0], &plan, (int)how.id, &acts);
    ck_assert_uint_eq(acts, 0);
    how.from = 0;
    how.one_in = 8;
    ck_assert_int_eq(fal_fault_add_how(&plan.faults[0], &how), 0);
    (void)look(&scenes[0], &plan, (int)how.id, &acts);
    ck_assert_uint_gt(acts, 0);
    ck_assert_uint_lt(acts, all);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NVMe faults and variants");
    TCase *tc = tcase_create("odd");

    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, each_fault_acts_and_shows, 0,
                        FAL_FAULT_COUNT - FAL_FAULT_NVME_FIRST);
    tcase_add_loop_test(tc, each_variant_shows, 0, FAL_TWIN_COUNT - FAL_TWIN_NVME_FIRST);
    tcase_add_test(tc, a_scene_is_the_same_each_time);
    tcase_add_test(tc, a_fault_acts_when_its_parameters_say);
    suite_add_tcase(suite, tc);
    return suite;
}
