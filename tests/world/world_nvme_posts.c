/* SPDX-License-Identifier: Apache-2.0
 * world_nvme_posts.c - the tables of a world whose upper layers are NVMe, and random programs
 * of commands. */
#include "tests/world/world_nvme.h"

#include <string.h>

enum {
    ERROR_PERCENT = 8,
    INVALID_ROWS = 6, /* one in so many, where commands are wrong */
    LARGE_PERCENT = 5,
    LARGE = 64,
    SMALL = 12,
    TAGS = 1000,
    GIB_SHIFT = 30,
    STRIPE_SHIFT = 18,    /* of the smallest stripe, 256 KiB */
    STRIPE_IS_CHUNK = 12, /* S - C where a chunk is one stripe */
    META = 16,
    LONG_COMMANDS = 200,     /* one in so many is as long as MDTS allows, */
    LONG_BYTES = 256 * 1024, /* where that is no more than this */
    MEDIA_ERROR = 0x281,     /* unrecovered read error, as a device may report it */
};

/* ---- where blocks lie (NVME 6.6.2) ---- */

static uint32_t stripe_shift(const struct nvme_space *space)
{
    return space->ns.S + STRIPE_SHIFT - space->ns.block_shift;
}

/* Of a striping group: 2^N chunks. */
static uint32_t group_shift(const struct nvme_space *space)
{
    return space->ns.C + space->ns.N + GIB_SHIFT - space->ns.block_shift;
}

uint64_t world_nvme_stripe(const struct nvme_space *space)
{
    return UINT64_C(1) << stripe_shift(space);
}

struct nvme_place world_nvme_place(const struct nvme_space *space, uint64_t lba)
{
    uint32_t gs = group_shift(space), ss = stripe_shift(space), n = space->ns.N;
    uint64_t group = lba >> gs, stripe = (lba >> ss) & ((UINT64_C(1) << (gs - ss)) - 1);
    uint64_t row = group << n | (stripe & ((UINT64_C(1) << n) - 1));
    struct nvme_place place = {.row = &space->rows[row % NVME_ROWS]};

    place.tlba = place.row->chunk << (gs - n) | stripe >> n << ss |
                 (lba & (world_nvme_stripe(space) - 1));
    return place;
}

/* ---- tables ---- */

/* The number of a namespace at the device of a queue. */
static uint32_t target_nsid(const struct world *w, int side, const struct nvme_space *space,
                            uint32_t sqid)
{
    uint32_t number = (uint32_t)(space - w->nvme->ends[side].spaces);

    return NVME_TARGET_NSID + number * NVME_DEVICES +
           (w->nvme->same_nsids ? 0 : sqid % NVME_DEVICES);
}

static void fill(struct world *w, int side, const struct nvme_space *space, uint64_t lba,
                 uint32_t blocks)
{
    struct nvme_place place = world_nvme_place(space, lba);
    struct fal_nvme_word word = {.kind = FAL_NVME_DEV_FILL,
                                 .dev = place.row->sqid % NVME_DEVICES,
                                 .nsid = place.row->target_nsid,
                                 .slba = place.tlba,
                                 .nlb0 = blocks - 1,
                                 .tag = 1 + nvme_below(w, TAGS)};

    FAL_IGNORE(world_nvme_ask(w, !side, &word, &word));
}

static void fill_all(struct world *w, int side, const struct nvme_space *space)
{
    for (size_t i = 0; i < NVME_BASES; i++) {
        if (space->bases[i] >= NVME_BEFORE)
            fill(w, side, space, space->bases[i] - NVME_BEFORE, NVME_BEFORE);
        fill(w, side, space, space->bases[i], NVME_AFTER);
    }
}

/* A row that is not valid has all that a valid one has. */
static void set_row(struct world *w, int side, struct nvme_space *space, uint32_t row)
{
    struct fal_nvme_word *word = &space->rows[row], answer;
    uint32_t c = nvme_below(w, w->conns), q = nvme_below(w, NVME_QUEUES);

    *word = (struct fal_nvme_word){.kind = FAL_NVME_LBA,
                                   .index = space->ns.start + row,
                                   .valid = true,
                                   .sqid = q,
                                   .target_nsid = target_nsid(w, side, space, q),
                                   .chunk = row + (uint64_t)NVME_ROWS * nvme_below(w, 1000)};
    memcpy(word->conn, w->setup[c].name, sizeof word->conn);
    FAL_IGNORE(world_nvme_ask(w, side, word, &answer));
    if (!w->nvme->errs || nvme_below(w, INVALID_ROWS) > 0)
        return;
    word->valid = false;
    FAL_IGNORE(world_nvme_ask(w, side, word, &answer));
}

static void draw_space(struct world *w, struct nvme_space *space, uint32_t number)
{
    struct fal_nvme_word *ns = &space->ns;
    uint32_t gs, ss;

    *ns = (struct fal_nvme_word){.kind = FAL_NVME_NS,
                                 .nsid = 1 + number + (nvme_below(w, 2) << 16),
                                 .start = NVME_ROWS * number,
                                 .C = nvme_below(w, 8),
                                 .S = nvme_below(w, 3),
                                 .N = nvme_below(w, 3),
                                 .block_shift = nvme_below(w, 2) > 0 ? 12 : 9,
                                 .pi = (enum fal_nvme_pi)nvme_below(w, FAL_NVME_PIS),
                                 .encrypt = nvme_below(w, 3) == 0,
                                 .exclusive = true};
    if (ns->N == 0 && nvme_below(w, 2) == 0)
        ns->S = ns->C + STRIPE_IS_CHUNK;
    gs = group_shift(space);
    ss = stripe_shift(space);
    for (size_t i = 0; i < NVME_BASES; i++) {
        uint64_t group = nvme_below(w, NVME_ROWS >> ns->N), stripes = UINT64_C(1) << (gs - ss),
                 stripe = 0;

        if (nvme_below(w, 3) > 0) /* else the base begins a group */
            stripe = fal_rng_below(&w->nvme->rng, stripes);
        space->bases[i] = group << gs | stripe << ss;
    }
}

static void format(struct world *w, int side, const struct nvme_space *space)
{
    for (uint32_t q = 0; q < NVME_QUEUES; q++) {
        struct fal_nvme_word word = {.kind = FAL_NVME_DEV_FORMAT,
                                     .dev = q % NVME_DEVICES,
                                     .nsid = target_nsid(w, side, space, q),
                                     .block_shift = space->ns.block_shift,
                                     .metadata = space->ns.pi != FAL_NVME_PI_OFF ? META : 0,
                                     .has_sqid = true,
                                     .sqid = q},
                             identify = {.kind = FAL_NVME_DEV_IDENTIFY,
                                         .dev = word.dev,
                                         .nsid = word.nsid},
                             answer;

        FAL_IGNORE(world_nvme_ask(w, !side, &word, &answer));
        FAL_IGNORE(world_nvme_ask(w, !side, &identify, &answer));
    }
}

void world_nvme_tables(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];

    end->num_spaces = 1 + nvme_below(w, NVME_SPACES);
    for (uint32_t s = 0; s < end->num_spaces; s++) {
        struct nvme_space *space = &end->spaces[s];
        struct fal_nvme_word answer;

        draw_space(w, space, s);
        FAL_IGNORE(world_nvme_ask(w, side, &space->ns, &answer));
        space->mdts = answer.mdts;
        format(w, side, space);
        for (uint32_t row = 0; row < NVME_ROWS; row++)
            set_row(w, side, space, row);
        fill_all(w, side, space);
    }
}

void world_nvme_move(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];

    for (uint32_t s = 0; s < end->num_spaces; s++) {
        for (uint32_t row = 0; row < NVME_ROWS; row++)
            if (nvme_below(w, 4) == 0)
                set_row(w, side, &end->spaces[s], row);
        fill_all(w, side, &end->spaces[s]);
    }
}

void world_nvme_policy(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];
    struct fal_nvme_word word = {.kind = FAL_NVME_DEV_POLICY};

    if (nvme_below(w, 2) > 0)
        word.after_ns = FAL_US * nvme_below(w, 200);
    word.hold = nvme_below(w, 4) == 0;
    if (w->nvme->errs && nvme_below(w, 4) == 0)
        word.status = MEDIA_ERROR;
    end->hold = word.hold;
    FAL_IGNORE(world_nvme_ask(w, side, &word, &word));
}

/* ---- commands ---- */

static uint32_t mdts_blocks(const struct nvme_space *space)
{
    return (uint32_t)(space->mdts >> space->ns.block_shift);
}

/* Changes a command so that the initiator must refuse it. */
static void spoil(struct world *w, const struct nvme_space *space, struct fal_nvme_word *word)
{
    switch (nvme_below(w, 4)) {
    case 0: word->nsid += 7; break;
    case 1: word->slba = UINT64_MAX - nvme_below(w, 8); break;
    case 2: word->nlb0 = UINT16_MAX; break;
    default: word->nlb0 = mdts_blocks(space);
    }
}

/* The first block of a command and how many there are, near a base: often it begins or ends
 * there, a block before or a block after. */
static void aim(struct world *w, const struct nvme_space *space, struct fal_nvme_word *word)
{
    uint64_t base = space->bases[nvme_below(w, NVME_BASES)];
    bool large = nvme_below(w, 100) < LARGE_PERCENT;
    uint32_t way = base >= NVME_BEFORE ? nvme_below(w, 5) : 4, before;

    word->slba = base;
    word->nlb0 = nvme_below(w, large ? LARGE : SMALL);
    if (way == 0) {
        before = 2 + nvme_below(w, NVME_BEFORE - 1);
        word->slba -= before;
        word->nlb0 = before - 2 + nvme_below(w, 3);
    } else if (way == 1 && !large) {
        word->slba = base - 1 + nvme_below(w, 3);
    } else if (way < 4) {
        word->slba -= nvme_below(w, NVME_BEFORE + 1);
    } else if (!large) {
        word->slba += nvme_below(w, NVME_AFTER - SMALL);
    }
}

/* ---- blocks of open commands ---- */

void world_nvme_done(struct nvme_end *end, uint64_t cmd)
{
    for (size_t i = 0; i < end->num_open; i++)
        if (end->open[i].cmd == cmd) {
            end->open[i] = end->open[--end->num_open];
            return;
        }
}

/* Returns whether an open command has a block of that one, or there are too many to know. */
static bool meets_open(const struct nvme_end *end, const struct nvme_space *space,
                       const struct fal_nvme_word *word)
{
    uint64_t last = word->slba + word->nlb0;

    for (size_t i = 0; i < end->num_open; i++)
        if (end->open[i].space == space && end->open[i].first <= last &&
            word->slba <= end->open[i].last)
            return true;
    return end->num_open == NVME_OPEN;
}

static void opened(struct nvme_end *end, const struct nvme_space *space,
                   const struct fal_nvme_word *word)
{
    end->open[end->num_open].cmd = word->cmd;
    end->open[end->num_open].space = space;
    end->open[end->num_open].first = word->slba;
    end->open[end->num_open++].last = word->slba + word->nlb0;
}

static void post(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];
    const struct nvme_space *space = &end->spaces[nvme_below(w, end->num_spaces)];
    struct fal_nvme_word word = {.kind = FAL_NVME_POST,
                                 .cmd = ++end->cmd,
                                 .op = (enum fal_nvme_op)nvme_below(w, FAL_NVME_OPS),
                                 .nsid = space->ns.nsid,
                                 .fua = nvme_below(w, 2),
                                 .lr = nvme_below(w, 2),
                                 .dsm = nvme_below(w, 256),
                                 .tag = 1 + nvme_below(w, TAGS)},
                         answer;

    aim(w, space, &word);
    if (nvme_below(w, LONG_COMMANDS) == 0 && space->mdts <= LONG_BYTES) {
        word.op = FAL_NVME_WRITE; /* only some of these blocks are filled */
        word.nlb0 = mdts_blocks(space) - 1 - nvme_below(w, 2);
    }
    if (space->ns.pi != FAL_NVME_PI_OFF)
        word.prinfo = nvme_below(w, 4) > 0 ? NVME_PRINFO : nvme_below(w, NVME_PRINFO + 1);
    if (word.op == FAL_NVME_WRITE) {
        word.dtype = nvme_below(w, 16);
        word.dspec = nvme_below(w, 65536);
        word.bad_pi =
            space->ns.pi == FAL_NVME_PI_HOST && nvme_below(w, 100) < w->nvme->bad_pi_percent;
    }
    if (w->nvme->errs && nvme_below(w, 100) < ERROR_PERCENT)
        spoil(w, space, &word);
    if (w->nvme->apart && meets_open(end, space, &word))
        return;
    if (w->nvme->apart)
        opened(end, space, &word);
    if (world_nvme_ask(w, side, &word, &answer) == 0)
        w->outcome->posted++;
    else
        world_nvme_done(end, word.cmd);
}

bool world_nvme_posts(struct world *w)
{
    struct world_nvme *n = w->nvme;

    if (n == NULL)
        return false;
    for (unsigned burst = 1 + nvme_below(w, 6); burst > 0 && w->posts_left > n->pause_at;
         burst--, w->posts_left--)
        post(w, (int)nvme_below(w, SIDES));
    w->next_post_ns = w->posts_left > n->pause_at
                          ? w->now_ns + nvme_below(w, (uint32_t)w->post_gap_ns)
                          : FAL_NEVER; /* until world_nvme_pause() */
    return true;
}
