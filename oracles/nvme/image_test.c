/* SPDX-License-Identifier: Apache-2.0
 * image_test.c - a block device image is written and read through random programs over networks
 * that lose, duplicate and reorder. Afterwards the blocks of the devices and the buffers of the
 * hosts are what image_model.h says, byte for byte. Both ends are initiator and target, with
 * conforming variants drawn at random. Each fault that corrupts data silently is seen.
 *
 * So that the result does not depend on time, commands that are open at once touch different
 * blocks. */
#include "oracles/nvme/rig/bench_nvme.h"
#include "oracles/nvme/rig/image_model.h"
#include "oracles/rng.h"
#include "tests/testing.h"

enum { SEEDS = 120, FAULTY_SEEDS = 60, ROUNDS = 6, BATCH = 6, NSID = 0x10001 };

struct command {
    struct fal_nvme_word post;
    uint32_t area, offset, blocks;
    unsigned completions;
    uint32_t status;
    uint64_t hash;
};

struct side {
    struct model model;
    struct fal_nvme_word ns;
    struct command commands[BATCH];
    uint32_t num;
    uint64_t next_cmd;
};

struct program {
    struct bench *bench;
    struct fal_rng rng;
    struct side sides[2];
    char wrong[200]; /* "": nothing */
};

static uint32_t below(struct program *p, uint32_t n)
{
    return (uint32_t)fal_rng_below(&p->rng, n);
}

static void wrong(struct program *p, const char *what, unsigned side, uint64_t number)
{
    if (p->wrong[0] == 0)
        snprintf(p->wrong, sizeof p->wrong, "side %u: %s %llu", side, what,
                 (unsigned long long)number);
}

/* ---- drawing ---- */

static void draw_namespace(struct program *p, struct side *s)
{
    struct fal_nvme_word *ns = &s->ns;

    *ns = (struct fal_nvme_word){.kind = FAL_NVME_NS, .nsid = NSID};
    ns->block_shift = below(p, 2) == 0 ? 9 : 12;
    ns->start = 1 + below(p, 5);
    ns->C = below(p, 3);
    ns->N = below(p, 3);
    ns->S = below(p, 3);
    if (below(p, 4) == 0) { /* a chunk group of one stripe */
        ns->N = 0;
        ns->S = ns->C + 12;
    }
    ns->pi = (enum fal_nvme_pi)below(p, FAL_NVME_PIS);
    ns->encrypt = below(p, 3) == 0;
    s->model = (struct model){.block_len = 1U << ns->block_shift,
                              .chunk_len = MODEL_GIB << ns->C,
                              .stripe_len = MODEL_QUARTER << ns->S,
                              .striped = UINT64_C(1) << ns->N,
                              .start = ns->start};
}

/* Ranges over boundaries of stripes, chunks and groups, and one inside a stripe. */
static void draw_areas(struct program *p, struct side *s)
{
    struct model *m = &s->model;
    uint64_t group = m->chunk_len * m->striped / m->block_len;
    uint64_t stripe = m->stripe_len / m->block_len, edges[MODEL_AREAS];
    uint64_t stripes = group / stripe;

    edges[0] = MODEL_SPAN;
    edges[1] = group;
    edges[2] = 2 * group;
    for (unsigned i = 3; i < MODEL_AREAS; i++) /* apart from each other */
        edges[i] = stripes > 1 ? (i - 3) * group + (40 + below(p, 4)) * stripe : i * group;
    for (unsigned i = 0; i < MODEL_AREAS; i++)
        m->areas[i] = edges[i] - MODEL_SPAN / 2;
}

static void set_up_side(struct program *p, unsigned side)
{
    struct side *s = &p->sides[side];

    draw_namespace(p, s);
    draw_areas(p, s);
    if (!model_init(&s->model))
        wrong(p, "out of memory", side, 0);
    (void)bench_do(p->bench, side, s->ns);
    for (uint32_t i = 0; i < MODEL_ROWS; i++) {
        s->model.rows[i] =
            (struct model_row){.nsid = 100 + i, .chunk = i + 32768 * below(p, 9)};
        bench_row(p->bench, side,
                  (struct fal_nvme_word){.index = s->ns.start + i,
                                         .sqid = i,
                                         .target_nsid = 100 + i,
                                         .chunk = s->model.rows[i].chunk},
                  i % BENCH_CONNS);
        (void)bench_do(p->bench, 1 - side,
                       (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                              .nsid = 100 + i,
                                              .block_shift = s->ns.block_shift,
                                              .metadata = 16});
    }
    bench_row(p->bench, side, (struct fal_nvme_word){.index = 0, .target_nsid = 99}, 0);
    (void)bench_do(
        p->bench, 1 - side,
        (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .after_ns = 30000 * below(p, 3)});
}

static bool overlaps(const struct side *s, const struct command *c)
{
    for (uint32_t i = 0; i < s->num; i++) {
        const struct command *other = &s->commands[i];

        if (other->area == c->area && other->offset < c->offset + c->blocks &&
            c->offset < other->offset + other->blocks)
            return true;
    }
    return false;
}

/* Whether the blocks of a command lie in one stripe. */
static bool in_one_stripe(const struct model *m, uint64_t lba, uint32_t blocks)
{
    uint64_t stripe = m->stripe_len / m->block_len;

    return lba / stripe == (lba + blocks - 1) / stripe;
}

static void draw_command(struct program *p, struct side *s)
{
    struct command c = {.area = below(p, MODEL_AREAS)};
    uint32_t unit = 4096 / s->model.block_len;

    c.blocks = 1 + below(p, below(p, 3) == 0 ? 24 * unit : 3 * unit);
    c.offset = below(p, 3) == 0 ? below(p, MODEL_SPAN - c.blocks)
                                : MODEL_SPAN / 2 - below(p, c.blocks + 1); /* at the boundary */
    c.post = bench_io(s->next_cmd, below(p, 2) == 0 ? FAL_NVME_READ : FAL_NVME_WRITE,
                      s->model.areas[c.area] + c.offset, c.blocks);
    c.post.nsid = NSID;
    c.post.prinfo = s->ns.pi == FAL_NVME_PI_OFF ? 0 : 7;
    c.post.bad_pi =
        c.post.op == FAL_NVME_WRITE && s->ns.pi == FAL_NVME_PI_HOST && below(p, 8) == 0 &&
        in_one_stripe(&s->model, c.post.slba, c.blocks); /* else a part is written */
    if (overlaps(s, &c) || (c.post.op == FAL_NVME_READ && s->ns.encrypt &&
                            !model_all_written(&s->model, c.area, c.offset, c.blocks)))
        return;
    s->next_cmd++;
    s->commands[s->num++] = c;
}

/* ---- playing ---- */

static void post(struct program *p, unsigned side)
{
    struct side *s = &p->sides[side];

    s->num = 0;
    for (unsigned i = 0; i < BATCH; i++)
        draw_command(p, s);
    for (uint32_t i = 0; i < s->num; i++) {
        struct fal_nvme_word answer;

        if (bench_word(p->bench, side, s->commands[i].post, &answer) != 0)
            wrong(p, "refused:", side, s->commands[i].post.cmd);
    }
}

static void take_events(struct program *p, unsigned side)
{
    const struct fal_nvme_word *cqe;
    struct side *s = &p->sides[side];

    while ((cqe = bench_event(p->bench, side, FAL_NVME_CQE)) != NULL)
        for (uint32_t i = 0; i < s->num; i++)
            if (s->commands[i].post.cmd == cqe->cmd) {
                s->commands[i].completions++;
                s->commands[i].status = cqe->status;
                s->commands[i].hash = cqe->hash;
            }
}

/* Host buffers, and what the model has then. */
static void check_commands(struct program *p, unsigned side)
{
    struct side *s = &p->sides[side];

    for (uint32_t i = 0; i < s->num; i++) {
        const struct command *c = &s->commands[i];

        if (c->completions != 1)
            wrong(p, "completions of", side, c->post.cmd);
        if ((c->status != FAL_NVME_OK) != c->post.bad_pi)
            wrong(p, "status of", side, c->post.cmd);
        if (c->post.op == FAL_NVME_READ &&
            c->hash != model_hash(&s->model, c->area, c->offset, c->blocks))
            wrong(p, "buffer of", side, c->post.cmd);
        if (c->post.op == FAL_NVME_WRITE && !c->post.bad_pi)
            model_write(&s->model, c->area, c->offset, c->blocks, c->post.cmd);
    }
}

static uint64_t device_hash(struct program *p, unsigned side, uint32_t nsid, uint64_t lba)
{
    struct fal_nvme_word answer, ask = {.kind = FAL_NVME_DEV_HASH, .nsid = nsid, .slba = lba};

    return bench_word(p->bench, side, ask, &answer) == 0 ? answer.hash : 0;
}

/* The image at the devices: each block that was written, and nothing beside it. */
static void check_image(struct program *p, unsigned side)
{
    static const uint8_t zeros[MODEL_BLOCK_MAX];
    const struct side *s = &p->sides[side];
    const struct model *m = &s->model;
    uint64_t empty = fal_payload_hash(zeros, m->block_len);

    for (uint32_t i = 0; i < MODEL_AREAS * MODEL_SPAN && p->wrong[0] == 0; i++) {
        uint32_t area = i / MODEL_SPAN, offset = i % MODEL_SPAN;
        struct model_place at = model_place(m, m->areas[area] + offset);
        bool edge = offset > 0 && !m->written[i - 1];
        uint64_t due = m->written[i] ? model_hash(m, area, offset, 1) : empty;

        if ((device_hash(p, 1 - side, at.nsid, at.lba) == due) !=
            !(m->written[i] && s->ns.encrypt))
            wrong(p, "image of block", side, m->areas[area] + offset);
        if (!m->written[i])
            continue;
        if (edge && !model_holds(m, at.nsid, at.lba - 1) &&
            device_hash(p, 1 - side, at.nsid, at.lba - 1) != empty)
            wrong(p, "image before block", side, m->areas[area] + offset);
    }
}

static const struct fal_impairment impairments[] = {
    {.latency_ns = 5000},
    {.latency_ns = 5000, .loss_ppm = 50000},
    {.latency_ns = 5000, .jitter_ns = 40000, .duplicate_ppm = 100000},
    {.latency_ns = 5000,
     .loss_ppm = 100000,
     .duplicate_ppm = 50000,
     .reorder_ppm = 300000,
     .reorder_ns = 60000},
};

static void start(struct program *p, uint64_t seed, const struct fal_fault_set *faults)
{
    struct bench_plan plan = {.seed = seed};

    *p = (struct program){.rng = {seed}};
    plan.impairment = impairments[below(p, sizeof impairments / sizeof *impairments)];
    for (unsigned side = 0; side < 2; side++) {
        plan.faults[side] = *faults;
        for (int id = FAL_TWIN_NVME_FIRST; id < FAL_TWIN_COUNT; id++)
            if (below(p, 5) == 0)
                fal_twin_add(&plan.twins[side], (enum fal_twin_id)id);
    }
    p->bench = bench_new(&plan);
    for (unsigned side = 0; side < 2; side++) {
        p->sides[side].next_cmd = 1 + 100000 * side;
        set_up_side(p, side);
    }
}

/* A random program; what is wrong in p->wrong. */
static void play(struct program *p, uint64_t seed, const struct fal_fault_set *faults)
{
    start(p, seed, faults);
    for (unsigned round = 0; round < ROUNDS && p->wrong[0] == 0; round++) {
        for (unsigned side = 0; side < 2; side++)
            post(p, side);
        bench_settle(p->bench);
        for (unsigned side = 0; side < 2; side++) {
            take_events(p, side);
            check_commands(p, side);
        }
    }
    for (unsigned side = 0; side < 2; side++) {
        if (p->wrong[0] == 0)
            check_image(p, side);
        model_free(&p->sides[side].model);
    }
    bench_free(p->bench);
}

START_TEST(nvme_6_6_02_images_and_buffers_are_those_of_the_model)
{
    const struct fal_fault_set none = {0};
    uint64_t seed = test_seed(1);
    struct program p;

    for (unsigned long i = 0; i < test_rounds(SEEDS); i++) {
        play(&p, seed + i, &none);
        ck_assert_msg(p.wrong[0] == 0, "%s; repeat with: %s", p.wrong, test_again(seed + i));
    }
}
END_TEST

/* Faults after which data are wrong and nothing else says so. */
static const enum fal_fault_id silent[] = {
    FAL_FAULT_ROW_INDEX_WITHOUT_START,
    FAL_FAULT_TRANSLATION_SKIPPED,
    FAL_FAULT_TRANSLATION_CACHED,
    FAL_FAULT_STRIPE_NOT_SHIFTED,
    FAL_FAULT_CHUNK_OF_GROUP,
    FAL_FAULT_CHUNK_START_WITHOUT_N,
    FAL_FAULT_STRIPE_START_ONE_MORE,
    FAL_FAULT_TARGET_LBA_32_BITS,
    FAL_FAULT_TARGET_CHUNK_IGNORED,
    FAL_FAULT_SPLIT_AT_BOUNDARY_MINUS_1,
    FAL_FAULT_SPLIT_CHUNK_MISSED,
    FAL_FAULT_SPLIT_MISSED,
    FAL_FAULT_SLBA_HIGH_WORD_FIRST,
    FAL_FAULT_TARGET_NSID_OF_INITIATOR,
    FAL_FAULT_SLBA_PER_NCMD,
    FAL_FAULT_ENCRYPTION_OFF,
    FAL_FAULT_INV_NOT_SET,
    FAL_FAULT_NVME_INV_IGNORED,
    FAL_FAULT_NCMD_DATA_SWAPPED,
    FAL_FAULT_READ_DATA_BY_ARRIVAL,
    FAL_FAULT_CQE_FIRST_RESPONSE,
    FAL_FAULT_COMPLETION_BEFORE_DATA,
    FAL_FAULT_DEVICE_WRITE_EARLY,
    FAL_FAULT_WRITE_LOST,
    FAL_FAULT_WRITE_LAST_NCMD_LOST,
    FAL_FAULT_WRITE_ONE_BLOCK_ON,
    FAL_FAULT_READ_ONE_BLOCK_ON,
    FAL_FAULT_READ_OF_LAST_WRITE,
};

START_TEST(a_silent_corruption_is_seen)
{
    struct fal_fault_set faults = {0};
    uint64_t seed = test_seed(1);
    struct program p;
    size_t n;

    fal_fault_add(&faults, silent[_i]);
    for (unsigned i = 0; i < FAULTY_SEEDS; i++) {
        play(&p, seed + i, &faults);
        if (p.wrong[0] != 0)
            return;
    }
    ck_abort_msg("%s is not seen; repeat with: %s", fal_faults(&n)[silent[_i]].name,
                 test_again(seed));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("block device image");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, nvme_6_6_02_images_and_buffers_are_those_of_the_model);
    tcase_add_loop_test(tc, a_silent_corruption_is_seen, 0, sizeof silent / sizeof *silent);
    suite_add_tcase(suite, tc);
    return suite;
}
