/* SPDX-License-Identifier: Apache-2.0
 * world_nvme.c - NVMe in a world: each end is the initiator of some namespaces, whose blocks
 * lie at the devices of the other end. The judge sees what the SUT was asked, what it answered,
 * completions of its commands, and commands of its devices. */
#include "tests/world/world_nvme.h"

#include <stdlib.h>
#include <string.h>

enum {
    NVME_PART = 0x4e56 /* of the seed */,
    HOLD_US = 300,
    AT_A_DEVICE = 8,
    BAD_PI_PERCENT = 15
};

/* ---- what the judge sees ---- */

static uint32_t conn_named(const struct world *w, const char *name)
{
    for (uint32_t c = 0; c < w->conns; c++)
        if (strcmp(w->setup[c].name, name) == 0)
            return c + 1;
    return 0;
}

static void show(struct world *w, struct fal_ev_nvme said, const struct fal_nvme_word *word)
{
    struct nvme_kept *kept = malloc(sizeof *kept);
    struct fal_event event = {.kind = FAL_EV_NVME, .conn = conn_named(w, word->conn)};

    if (kept == NULL)
        return;
    *kept = (struct nvme_kept){w->nvme->kept, *word};
    w->nvme->kept = kept;
    said.word = &kept->word;
    event.u.nvme = said;
    if (w->config->wire_only)
        return;
    if (said.phase == FAL_VERBS_ASKED)
        world_record(w, &event);
    else
        (void)world_tell(w, &event);
}

int world_nvme_ask(struct world *w, int side, const struct fal_nvme_word *word,
                   struct fal_nvme_word *answer)
{
    const struct fal_nvme_word asked = *word; /* *answer may be the same struct */
    struct fal_ev_nvme said = {.phase = FAL_VERBS_ASKED};
    uint32_t conn = conn_named(w, asked.conn);
    struct fal_error err;
    int rc;

    if (side == SUT) {
        said.id = ++w->command_id;
        show(w, said, &asked);
    }
    rc = fal_nvme_engine_command(w->nvme->ends[side].engine,
                                 conn > 0 ? w->numbers[conn - 1][side] : 0, &asked, answer,
                                 w->now_ns, &err);
    if (side == SUT) {
        answer->kind = asked.kind;
        memcpy(answer->conn, asked.conn, sizeof answer->conn);
        said.phase = FAL_VERBS_ANSWERED;
        said.ok = rc == 0;
        show(w, said, answer);
        if (asked.kind != FAL_NVME_POST)
            world_read_late(w, true); /* the tester waits for the reply */
    }
    world_drain(w, side);
    return rc;
}

bool world_nvme_take(struct world *w, int side, const struct fal_endpoint_out *out)
{
    if (w->nvme == NULL || w->nvme->ends[side].engine == NULL)
        return false;
    if (out->kind == FAL_OUT_COMPLETE && out->code == FAL_CMPL_LOCAL_TO)
        w->outcome->given_up++;
    return fal_nvme_engine_take(w->nvme->ends[side].engine, out, w->now_ns);
}

static void hold(struct world *w, struct nvme_end *end, uint64_t dcmd)
{
    if (!end->hold || end->num_held == NVME_HELD)
        return;
    end->held[end->num_held].dcmd = dcmd;
    end->held[end->num_held++].due_ns = w->now_ns + FAL_US * nvme_below(w, HOLD_US);
}

void world_nvme_events(struct world *w, int side)
{
    struct fal_nvme_word event;

    if (w->nvme == NULL || w->nvme->ends[side].engine == NULL)
        return;
    while (fal_nvme_engine_next(w->nvme->ends[side].engine, &event)) {
        struct fal_ev_nvme said = {.phase = FAL_VERBS_TOLD, .seq = w->ulp_seq + 1};

        w->outcome->completed += event.kind == FAL_NVME_CQE;
        if (event.kind == FAL_NVME_CQE)
            world_nvme_done(&w->nvme->ends[side], event.cmd);
        if (event.kind == FAL_NVME_DEV_CMD)
            hold(w, &w->nvme->ends[side], event.dcmd);
        if (side != SUT)
            continue;
        w->ulp_seq++;
        show(w, said, &event);
    }
}

/* ---- the ends ---- */

int world_nvme_new(struct world *w)
{
    if ((w->config->trials & WORLD_NVME) == 0)
        return 0;
    w->nvme = calloc(1, sizeof *w->nvme);
    if (w->nvme == NULL)
        return FAL_ERR_MEM;
    w->nvme->rng = fal_rng_split(w->config->seed, NVME_PART);
    w->nvme->errs = nvme_below(w, 3) == 0;
    w->nvme->bad_pi_percent = nvme_below(w, 2) == 0 ? BAD_PI_PERCENT : 0;
    /* The rules know the content of most blocks if commands do not share any, and if devices
     * number namespaces differently. */
    w->nvme->apart = nvme_below(w, 2) > 0;
    w->nvme->same_nsids = nvme_below(w, 4) == 0;
    w->nvme->pauses = nvme_below(w, 3);
    w->nvme->pause_at =
        w->nvme->pauses > 0 ? w->posts_left - w->posts_left / (w->nvme->pauses + 1) : 0;
    for (int side = 0; side < SIDES; side++) {
        struct fal_nvme_engine **engine = &w->nvme->ends[side].engine;
        struct fal_nvme_config config = {.endpoint = w->ep[side],
                                         .seed = w->config->seed + (uint64_t)side,
                                         .twins = side == SUT ? w->config->twins
                                                              : w->config->tester};

        if (side == SUT)
            config.faults = w->config->faults;
        *engine = fal_nvme_engine_new(&config);
        if (*engine == NULL)
            return FAL_ERR_MEM;
        for (uint32_t c = 0; c < w->conns; c++)
            if (fal_nvme_engine_attach(*engine, w->numbers[c][side], &w->setup[c].params) != 0)
                return FAL_ERR_MEM;
    }
    return 0;
}

void world_nvme_open(struct world *w)
{
    for (int side = 0; w->nvme != NULL && side < SIDES; side++) {
        world_nvme_tables(w, side);
        world_nvme_policy(w, side);
    }
}

void world_nvme_free(struct world *w)
{
    if (w->nvme == NULL)
        return;
    for (int side = 0; side < SIDES; side++)
        fal_nvme_engine_free(w->nvme->ends[side].engine);
    while (w->nvme->kept != NULL) {
        struct nvme_kept *next = w->nvme->kept->next;

        free(w->nvme->kept);
        w->nvme->kept = next;
    }
    free(w->nvme);
}

uint64_t world_nvme_acts(const struct world *w, enum fal_fault_id id)
{
    return w->nvme != NULL ? fal_nvme_engine_fault_acts(w->nvme->ends[SUT].engine, id) : 0;
}

/* ---- time ---- */

uint64_t world_nvme_ns(const struct world *w)
{
    uint64_t first = FAL_NEVER;

    for (int side = 0; w->nvme != NULL && side < SIDES; side++) {
        const struct nvme_end *end = &w->nvme->ends[side];
        uint64_t ns = fal_nvme_engine_deadline(end->engine);

        first = ns < first ? ns : first;
        for (size_t i = 0; i < end->num_held; i++)
            first = end->held[i].due_ns < first ? end->held[i].due_ns : first;
    }
    return first;
}

static void release(struct world *w, int side)
{
    struct nvme_end *end = &w->nvme->ends[side];

    for (size_t i = 0; i < end->num_held;) {
        struct fal_nvme_word word = {.kind = FAL_NVME_DEV_COMPLETE, .dcmd = end->held[i].dcmd};

        if (end->held[i].due_ns > w->now_ns) {
            i++;
            continue;
        }
        end->held[i] = end->held[--end->num_held];
        FAL_IGNORE(world_nvme_ask(w, side, &word, &word));
    }
}

void world_nvme_tick(struct world *w)
{
    for (int side = 0; w->nvme != NULL && side < SIDES; side++) {
        release(w, side);
        if (fal_nvme_engine_deadline(w->nvme->ends[side].engine) > w->now_ns)
            continue;
        fal_nvme_engine_tick(w->nvme->ends[side].engine, w->now_ns);
        world_drain(w, side);
    }
}

/* Blocks of the SUT's devices, as the namespaces of the tester lie there. */
static void look(struct world *w, const struct nvme_space *space)
{
    for (size_t i = 0; i < NVME_BASES; i++)
        for (uint64_t k = 0; k < NVME_AFTER; k += AT_A_DEVICE) {
            struct nvme_place place = world_nvme_place(space, space->bases[i] + k);
            struct fal_nvme_word word = {.kind = FAL_NVME_DEV_HASH,
                                         .dev = place.row->sqid % NVME_DEVICES,
                                         .nsid = place.row->target_nsid,
                                         .slba = place.tlba,
                                         .nlb0 = AT_A_DEVICE - 1,
                                         .meta = nvme_below(w, 2) > 0};

            FAL_IGNORE(world_nvme_ask(w, SUT, &word, &word));
        }
}

void world_nvme_wait(struct world *w)
{
    uint64_t most_ns = 0;

    if (w->nvme == NULL)
        return;
    for (uint32_t c = 0; c < w->conns; c++)
        if (w->setup[c].params.transaction_timeout_ns > most_ns)
            most_ns = w->setup[c].params.transaction_timeout_ns;
    w->now_ns += 2 * most_ns + FAL_MS;
}

bool world_nvme_pause(struct world *w)
{
    struct world_nvme *n = w->nvme;

    if (n == NULL)
        return false;
    for (uint32_t s = 0; s < n->ends[TESTER].num_spaces; s++)
        look(w, &n->ends[TESTER].spaces[s]);
    if (w->posts_left == 0)
        return false;
    for (int side = 0; side < SIDES; side++) {
        world_nvme_move(w, side);
        world_nvme_policy(w, side);
    }
    n->pauses -= n->pauses > 0;
    n->pause_at = n->pauses > 0 ? w->posts_left - w->posts_left / (n->pauses + 1) : 0;
    w->next_post_ns = w->now_ns;
    return true;
}
