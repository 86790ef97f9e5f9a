/* SPDX-License-Identifier: Apache-2.0
 * words.c - words of NVMe: the tables of the initiator, commands of the host, and what devices
 * were told to do. */
#include "oracles/rules/blocks/blocks_impl.h"

#include <stdlib.h>
#include <string.h>

enum { PENDING_MAX = 256 };

struct fal_blocks *fal_blocks_new(void)
{
    return calloc(1, sizeof(struct fal_blocks));
}

bool fal_blocks_oom(const struct fal_blocks *b)
{
    return b->oom;
}

bool fal_blocks_words(const struct fal_blocks *b)
{
    return b->words;
}

void fal_blocks_reset(struct fal_blocks *b)
{
    struct fal_nlist *const lists[] = {&b->spaces,  &b->rows,  &b->posts,  &b->dcmds,
                                       &b->pending, &b->early, &b->formats};
    bool oom = b->oom, words = b->words, forgot = b->forgot;

    fal_wire_free(b);
    fal_content_free(b);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        fal_nlist_free(lists[i]);
    fal_index_free(&b->space_keys);
    fal_index_free(&b->row_keys);
    fal_index_free(&b->post_numbers);
    fal_index_free(&b->post_blocks);
    *b = (struct fal_blocks){.oom = oom, .words = words, .forgot = forgot};
}

void fal_blocks_free(struct fal_blocks *b)
{
    if (b == NULL)
        return;
    fal_blocks_reset(b);
    free(b);
}

/* ---- hearing ---- */

static uint32_t key_of(uint64_t number)
{
    return fal_index_number((uint32_t)number ^ fal_index_number((uint32_t)(number >> 32)));
}

/* The command of the host with that number: of a reply the newest that has no answer, of a
 * completion the oldest that has not completed, else the newest. */
static struct fal_hcmd *hcmd_of(const struct fal_blocks *b, uint64_t number, bool reply)
{
    uint32_t at = fal_index_first(&b->post_numbers, key_of(number));
    struct fal_hcmd *found = NULL;

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->post_numbers, at)) {
        struct fal_hcmd *cmd = fal_nlist_at(&b->posts, at);

        if (cmd->word.cmd != number || cmd->refused)
            continue;
        if (reply && cmd->answered == 0)
            return cmd;
        if (!reply && (found == NULL || !cmd->completed))
            found = cmd;
    }
    return found;
}

bool fal_blocks_hear(struct fal_blocks *b, const struct fal_event *event,
                     struct fal_nsaid *said)
{
    const struct fal_ev_nvme *nvme = &event->u.nvme;

    *said = (struct fal_nsaid){.event = event, .ok = nvme->ok, .told = nvme->word};
    said->asked_at = fal_at_event(event);
    if (nvme->phase == FAL_VERBS_ANSWERED) {
        struct fal_nasked *asked = NULL;

        for (size_t i = 0; i < b->pending.num && asked == NULL; i++) {
            struct fal_nasked *one = fal_nlist_at(&b->pending, i);

            if (one->id == nvme->id)
                asked = one;
        }
        if (asked == NULL)
            return false;
        said->asked = &asked->word;
        said->asked_at = asked->at;
        if (said->asked->kind == FAL_NVME_POST)
            said->cmd = hcmd_of(b, said->asked->cmd, true);
    } else if (nvme->phase == FAL_VERBS_ASKED) {
        said->asked = nvme->word;
    } else if (nvme->word->kind == FAL_NVME_CQE) {
        said->cmd = hcmd_of(b, nvme->word->cmd, false);
    } else if (nvme->word->kind == FAL_NVME_DEV_CMD) {
        said->part = fal_dcmd_part(b, nvme->word, &said->mixed);
    }
    return true;
}

/* ---- tables ---- */

static struct fal_nspaces *spaces_of(const struct fal_blocks *b, uint32_t nsid)
{
    uint32_t at = fal_index_first(&b->space_keys, fal_index_number(nsid));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->space_keys, at)) {
        struct fal_nspaces *spaces = fal_nlist_at(&b->spaces, at);

        if (spaces->num > 0 && spaces->state[0].nsid == nsid)
            return spaces;
    }
    return NULL;
}

const struct fal_nspaces *fal_spaces_of(const struct fal_blocks *b, uint32_t nsid)
{
    return spaces_of(b, nsid);
}

const struct fal_nspace *fal_blocks_space(const struct fal_blocks *b, uint32_t nsid)
{
    const struct fal_nspaces *spaces = spaces_of(b, nsid);

    return spaces != NULL ? &spaces->state[0] : NULL;
}

static struct fal_nrows *rows_of(const struct fal_blocks *b, uint32_t index)
{
    uint32_t at = fal_index_first(&b->row_keys, fal_index_number(index));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->row_keys, at)) {
        struct fal_nrows *rows = fal_nlist_at(&b->rows, at);

        if (rows->num > 0 && rows->state[0].index == index)
            return rows;
    }
    return NULL;
}

const struct fal_nrows *fal_rows_of(const struct fal_blocks *b, uint64_t index)
{
    return index <= UINT32_MAX ? rows_of(b, (uint32_t)index) : NULL;
}

static void ask_space(struct fal_blocks *b, const struct fal_nsaid *said)
{
    const struct fal_nvme_word *word = said->asked;
    struct fal_nspaces *spaces = spaces_of(b, word->nsid);

    if (spaces == NULL) {
        spaces = fal_nlist_add(b, &b->spaces, sizeof *spaces);
        if (spaces == NULL)
            return;
        b->oom = !fal_index_add(&b->space_keys, fal_index_number(word->nsid)) || b->oom;
    }
    spaces->state[1] = spaces->state[0];
    spaces->num = spaces->num < FAL_NSTATES ? spaces->num + 1 : FAL_NSTATES;
    spaces->state[0] = (struct fal_nspace){.nsid = word->nsid,
                                           .map = {.start = word->start,
                                                   .chunk = word->C,
                                                   .stripe = word->S,
                                                   .group = word->N,
                                                   .block = word->block_shift},
                                           .pi = word->pi,
                                           .encrypt = word->encrypt,
                                           .exclusive = word->exclusive,
                                           .asked = said->asked_at};
}

static void ask_row(struct fal_blocks *b, const struct fal_nsaid *said, uint32_t conn)
{
    const struct fal_nvme_word *word = said->asked;
    struct fal_nrows *rows = rows_of(b, word->index);

    if (rows == NULL) {
        rows = fal_nlist_add(b, &b->rows, sizeof *rows);
        if (rows == NULL)
            return;
        b->oom = !fal_index_add(&b->row_keys, fal_index_number(word->index)) || b->oom;
    }
    rows->state[1] = rows->state[0];
    rows->num = rows->num < FAL_NSTATES ? rows->num + 1 : FAL_NSTATES;
    rows->state[0] = (struct fal_nrow){.index = word->index,
                                       .valid = word->valid,
                                       .sqid = (uint8_t)word->sqid,
                                       .conn = conn,
                                       .target_nsid = word->target_nsid,
                                       .chunk = word->chunk,
                                       .asked = said->asked_at};
}

/* The reply to a row: it is in force, or the one before it still is. */
static void answer_row(const struct fal_nsaid *said, struct fal_nrows *rows)
{
    if (rows == NULL || rows->state[0].asked.index != said->asked_at.index)
        return;
    if (said->ok) {
        rows->state[0].known = said->event->index;
        return;
    }
    rows->state[0] = rows->state[1];
    rows->num--;
}

static void answer_space(const struct fal_nsaid *said, struct fal_nspaces *spaces)
{
    if (spaces == NULL || spaces->state[0].asked.index != said->asked_at.index)
        return;
    if (said->ok) {
        spaces->state[0].known = said->event->index;
        spaces->state[0].told = true;
        spaces->state[0].function = said->told->function;
        spaces->state[0].mdts = said->told->mdts;
        return;
    }
    spaces->state[0] = spaces->state[1];
    spaces->num--;
}

/* ---- facts ---- */

static void note_asked(struct fal_blocks *b, const struct fal_nsaid *said, uint32_t conn)
{
    struct fal_nasked *asked;
    struct fal_hcmd *cmd;

    if (b->pending.num == PENDING_MAX)
        fal_nlist_remove(&b->pending, 0);
    asked = fal_nlist_add(b, &b->pending, sizeof *asked);
    if (asked == NULL)
        return;
    *asked = (struct fal_nasked){said->event->u.nvme.id, said->asked_at, *said->asked};
    switch (said->asked->kind) {
    case FAL_NVME_NS: ask_space(b, said); break;
    case FAL_NVME_LBA: ask_row(b, said, conn); break;
    case FAL_NVME_POST:
        cmd = fal_nlist_add(b, &b->posts, sizeof *cmd);
        if (cmd == NULL || !fal_index_add(&b->post_numbers, key_of(said->asked->cmd)) ||
            !fal_index_add(&b->post_blocks, key_of(said->asked->slba)))
            b->oom = true;
        if (cmd != NULL)
            *cmd = (struct fal_hcmd){.word = *said->asked, .asked = said->asked_at};
        break;
    case FAL_NVME_DEV_FILL: fal_content_asked(b, said->asked, said->event->index); break;
    case FAL_NVME_DEV_POLICY: b->policy.unsure = true; break;
    case FAL_NVME_DEV_COMPLETE: fal_dcmd_complete(b, said); break;
    case FAL_NVME_DEV_FORMAT:
    case FAL_NVME_DEV_HASH:
    case FAL_NVME_DEV_IDENTIFY:
    case FAL_NVME_CQE:
    case FAL_NVME_DEV_CMD:
    case FAL_NVME_KINDS: break;
    }
}

static void note_answer(struct fal_blocks *b, const struct fal_nsaid *said)
{
    switch (said->asked->kind) {
    case FAL_NVME_NS: answer_space(said, spaces_of(b, said->asked->nsid)); break;
    case FAL_NVME_LBA: answer_row(said, rows_of(b, said->asked->index)); break;
    case FAL_NVME_POST:
        if (said->cmd == NULL)
            break;
        said->cmd->answered = said->event->index;
        said->cmd->refused = !said->ok;
        said->cmd->sq = said->told->sq;
        said->cmd->cid = said->told->cid;
        break;
    case FAL_NVME_DEV_FILL:
        if (said->ok)
            fal_content_filled(b, said->asked, said->event->index);
        break;
    case FAL_NVME_DEV_POLICY:
        b->policy.unsure = false;
        if (said->ok)
            b->policy = (struct fal_npolicy){.asked = said->asked_at,
                                             .known = said->event->index,
                                             .hold = said->asked->hold,
                                             .after_ns = said->asked->after_ns,
                                             .status = said->asked->status};
        break;
    case FAL_NVME_DEV_FORMAT:
        if (said->ok)
            fal_content_format(b, said->asked);
        break;
    case FAL_NVME_DEV_COMPLETE:
        if (!said->ok)
            fal_dcmd_refused(b, said);
        break;
    case FAL_NVME_DEV_HASH:
    case FAL_NVME_DEV_IDENTIFY:
    case FAL_NVME_CQE:
    case FAL_NVME_DEV_CMD:
    case FAL_NVME_KINDS: break;
    }
    for (size_t i = 0; i < b->pending.num; i++)
        if (&((struct fal_nasked *)fal_nlist_at(&b->pending, i))->word == said->asked) {
            fal_nlist_remove(&b->pending, i);
            break;
        }
}

static void note_told(struct fal_blocks *b, const struct fal_nsaid *said)
{
    struct fal_hcmd *cmd = said->cmd;

    if (said->told->kind == FAL_NVME_DEV_CMD) {
        fal_dcmd_told(b, said);
        return;
    }
    if (cmd == NULL || cmd->completions++ > 0)
        return;
    cmd->completed = true;
    cmd->done = fal_at_event(said->event);
    cmd->status = said->told->status;
}

void fal_blocks_note(struct fal_blocks *b, const struct fal_nsaid *said, uint32_t conn)
{
    enum fal_verbs_phase phase = said->event->u.nvme.phase;

    b->words = true;
    if (phase == FAL_VERBS_ASKED)
        note_asked(b, said, conn);
    else if (phase == FAL_VERBS_ANSWERED)
        note_answer(b, said);
    else
        note_told(b, said);
}

struct fal_hcmd *fal_blocks_hcmd_at(const struct fal_blocks *b, size_t i)
{
    return i < b->posts.num ? fal_nlist_at(&b->posts, i) : NULL;
}

bool fal_hcmd_has_twin(const struct fal_blocks *b, const struct fal_hcmd *cmd)
{
    uint32_t at = fal_index_first(&b->post_blocks, key_of(cmd->word.slba));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->post_blocks, at)) {
        const struct fal_hcmd *other = fal_nlist_at(&b->posts, at);

        if (other != cmd && other->word.op == cmd->word.op &&
            other->word.nsid == cmd->word.nsid && other->word.slba == cmd->word.slba &&
            other->word.nlb0 == cmd->word.nlb0 &&
            (!other->completed || other->done.index > cmd->asked.index) &&
            (!cmd->completed || cmd->done.index > other->asked.index))
            return true;
    }
    return false;
}

const struct fal_npolicy *fal_blocks_policy(const struct fal_blocks *b)
{
    return &b->policy;
}
