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
    STRIPE_SHIFT = 18, /* of the smallest stripe, 256 KiB */
    META = 16,
    MEDIA_ERROR = 0x281, /* unrecovered read error, as a device may report it */
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

static void set_row(struct world *w, int side, struct nvme_space *space, uint32_t row)
{
    struct fal_nvme_word *word = &space->rows[row], answer;
    uint32_t c = nvme_below(w, w->conns);

    *word = (struct fal_nvme_word){
        .kind = FAL_NVME_LBA,
        .index = space->ns.start + row,
        .valid = !w->nvme->errs || nvme_below(w, INVALID_ROWS) > 0,
        .sqid = nvme_below(w, NVME_QUEUES),
        .target_nsid = NVME_TARGET_NSID + (uint32_t)(space - w->nvme->ends[side].spaces),
        .chunk = row + (uint64_t)NVME_ROWS * nvme_below(w, 1000)};
    memcpy(word->conn, w->setup[c].name, sizeof word->conn);
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
                                     .nsid = NVME_TARGET_NSID +
                                             (uint32_t)(space - w->nvme->ends[side].spaces),
                                     .block_shift = space->ns.block_shift,
                                     .metadata = space->ns.pi != FAL_NVME_PI_OFF ? META : 0,
                                     .has_sqid = true,
                                     .sqid = q};

        FAL_IGNORE(world_nvme_ask(w, !side, &word, &word));
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

/* What the initiator must refuse, or the host gives wrong. */
static void spoil(struct world *w, const struct nvme_space *space, struct fal_nvme_word *word)
{
    switch (nvme_below(w, 6)) {
    case 0: word->nsid += 7; break;
    case 1: word->slba = UINT64_MAX - nvme_below(w, 8); break;
    case 2: word->nlb0 = UINT16_MAX; break;
    default: word->bad_pi = space->ns.pi == FAL_NVME_PI_HOST && word->op == FAL_NVME_WRITE;
    }
}

static void post(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];
    const struct nvme_space *space = &end->spaces[nvme_below(w, end->num_spaces)];
    uint64_t base = space->bases[nvme_below(w, NVME_BASES)];
    bool large = nvme_below(w, 100) < LARGE_PERCENT;
    struct fal_nvme_word word = {.kind = FAL_NVME_POST,
                                 .cmd = ++end->cmd,
                                 .op = (enum fal_nvme_op)nvme_below(w, FAL_NVME_OPS),
                                 .nsid = space->ns.nsid,
                                 .slba = base,
                                 .nlb0 = nvme_below(w, large ? LARGE : SMALL),
                                 .fua = nvme_below(w, 2),
                                 .lr = nvme_below(w, 2),
                                 .dsm = nvme_below(w, 256),
                                 .tag = 1 + nvme_below(w, TAGS)};

    if (nvme_below(w, 2) > 0 && base >= NVME_BEFORE)
        word.slba -= nvme_below(w, NVME_BEFORE + 1);
    else if (!large)
        word.slba += nvme_below(w, NVME_AFTER - SMALL);
    if (space->ns.pi != FAL_NVME_PI_OFF)
        word.prinfo = NVME_PRINFO;
    if (word.op == FAL_NVME_WRITE) {
        word.dtype = nvme_below(w, 16);
        word.dspec = nvme_below(w, 65536);
    }
    if (w->nvme->errs && nvme_below(w, 100) < ERROR_PERCENT)
        spoil(w, space, &word);
    w->outcome->posted += world_nvme_ask(w, side, &word, &word) == 0;
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
