/* SPDX-License-Identifier: Apache-2.0
 * nv10_protection_is_right.c - rule NV10: with protection information, requests ask for all
 * checks with the tags of the target, each block of a write has the outer information over its
 * data and the inner one, and namespaces of devices are formatted for it. */
#include "oracles/rules/nvme/data.h"

#include "codecs/nvme/t10_dif.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_nv10 = {
    .id = "NV10",
    .title = "protection information is that of the target's blocks",
    .requirements =
        FAL_IDS("NVME-6.7-01", "NVME-6.7-02", "NVME-6.7-05", "NVME-6.7-06", "NVME-6.7-08",
                "NVME-6.7-09", "NVME-6.7-10", "NVME-6.7-11", "NVME-6.7-12", "NVME-6.7-13",
                "NVME-6.7-14", "NVME-6.7-15", "NVME-6.7-16", "NVME-6.7-17", "NVME-6.7-18",
                "NVME-6.7-19", "NVME-6.7-20", "NVME-8.3-08", "NVME-8.3-12", "NVME-8.3-13",
                "NVME-8.3-14", "NVME-8.5-06", "NVME-8.5-10", "NVME-8.5-11", "NVME-8.5-12"),
    .role = "any",
    .needs = "posts",
    .assumes = "",
    .doc =
        "Where a namespace has protection information, violated by a request whose PRINFO is "
        "not 0111 (AMB-N08), or whose tags are not those of the first target block of its part "
        "with a mask of ones; tags of the nCMD's own block give a warning (AMB-N22). Violated "
        "by write data without 16 bytes of metadata per block; by an outer guard that is not "
        "the CRC-16/T10-DIF of the block as sent and the 8 bytes before it; by an outer "
        "reference tag that is not the target block; and by the outer application tag of the "
        "part's first block, if it is not the low 16 bits of the target block (AMB-N19). The "
        "inner guard is held against the block where nothing is encrypted; not that of the "
        "host where its application tag is 0xffff, which may switch the check of the block off "
        "(NVME-6.7-03). What dev_identify says of a namespace that has metadata, or was "
        "formatted with some, must be the format of 6.7; a target without them may have "
        "disabled protection information (NVME-6.7-21).",
};

enum { PRACT = 8, GUARD = 4, APPLICATION = 2, REFERENCE = 1, INNER = FAL_DIF_LEN };

static const struct fal_nvme_diff same = {0};

/* ---- requests ---- */

static struct fal_nvme_diff compare_prinfo(const struct fal_nvme *head)
{
    enum { DUE = GUARD | APPLICATION | REFERENCE };
    const char *requirement = NULL;

    if ((head->prinfo & PRACT) != 0)
        requirement = "NVME-6.7-15";
    else if ((head->prinfo & GUARD) == 0)
        requirement = head->prinfo == 0 ? "NVME-6.7-05" : "NVME-6.7-16";
    else if ((head->prinfo & REFERENCE) == 0)
        requirement = "NVME-6.7-17";
    else if ((head->prinfo & APPLICATION) == 0)
        requirement = "NVME-6.7-18";
    return requirement != NULL ? fal_nvme_differs(requirement, "prinfo", DUE, head->prinfo)
                               : same;
}

static struct fal_nvme_diff compare_tags(const struct fal_nvme_seen *n,
                                         const struct fal_nplan *plan, uint64_t due,
                                         unsigned first)
{
    const struct fal_nvme *h = n->head;
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    const char *requirement = write ? "NVME-6.7-20" : "NVME-6.7-19";
    uint32_t ref = write ? h->ilbrt : h->eilbrt;
    uint16_t mask = write ? h->lbatm : h->elbatm, app = write ? h->lbat : h->elbat;
    uint64_t each = (uint64_t)FAL_NCMD_BYTES >> plan->space.map.block;
    /* NCNT Offset counts over the command, or over its part (AMB-N06). */
    uint64_t own[] = {due + h->ncnt_offset * each, due + (h->ncnt_offset - first) * each};
    struct fal_nvme_diff diff = same;

    if (mask != UINT16_MAX)
        return fal_nvme_differs(requirement, write ? "lbatm" : "elbatm", UINT16_MAX, mask);
    if (ref != (uint32_t)due)
        diff = fal_nvme_differs(requirement, write ? "ilbrt" : "eilbrt", (uint32_t)due, ref);
    else if (app != (uint16_t)due)
        diff = fal_nvme_differs(requirement, write ? "lbat" : "elbat", (uint16_t)due, app);
    diff.warn = (ref == (uint32_t)own[0] && app == (uint16_t)own[0]) ||
                (ref == (uint32_t)own[1] && app == (uint16_t)own[1]);
    return diff;
}

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    struct fal_nvme_diff diff;

    if (plan->space.pi == FAL_NVME_PI_OFF)
        return same;
    diff = compare_prinfo(n->head);
    return diff.requirement != NULL || !want->row_known
               ? diff
               : compare_tags(n, plan, want->slba,
                              want->half > 0 ? want->ncmds_all - want->ncmds : 0);
}

/* ---- data ---- */

static uint16_t guard_of(const struct fal_ndata *data, uint32_t i, bool with_inner)
{
    uint16_t crc = fal_dif_crc(0, fal_ndata_block(data, i), data->size);

    return with_inner ? fal_dif_crc(crc, fal_ndata_metadata(data, i), INNER) : crc;
}

static uint16_t reversed(uint16_t v)
{
    return (uint16_t)(v << 8 | v >> 8);
}

/* The outer information of block i of an nCMD. */
static struct fal_nvme_diff compare_outer(const struct fal_ncmd *ncmd,
                                          const struct fal_ndata *data, uint32_t i)
{
    struct fal_dif outer = fal_dif_read(fal_ndata_metadata(data, i) + INNER);
    uint64_t block = ncmd->head.slba + data->before + i;
    uint16_t guard = guard_of(data, i, true);

    if (outer.guard != guard)
        return fal_nvme_differs(outer.guard == reversed(guard) ? "NVME-6.7-01" : "NVME-6.7-14",
                                "outer guard", guard, outer.guard);
    if (outer.ref != (uint32_t)block)
        return fal_nvme_differs("NVME-6.7-17", "outer reference tag", (uint32_t)block,
                                outer.ref);
    if (data->before + i == 0 && outer.app != (uint16_t)block)
        return fal_nvme_differs("NVME-6.7-18", "outer application tag", (uint16_t)block,
                                outer.app);
    return same;
}

/* The inner information of a block that is not encrypted. */
static struct fal_nvme_diff compare_inner(const struct fal_ncmd *ncmd,
                                          const struct fal_nspace *space,
                                          const struct fal_ndata *data, uint32_t i)
{
    struct fal_dif inner = fal_dif_read(fal_ndata_metadata(data, i));
    bool bad = ncmd->part->cmd->word.bad_pi && ncmd->part->half == 0 && data->before + i == 0;
    bool unchecked = space->pi == FAL_NVME_PI_HOST && fal_ndata_unchecked(data, i);
    uint16_t guard = guard_of(data, i, false);

    if (space->encrypt || bad || unchecked || inner.guard == guard)
        return same;
    return fal_nvme_differs(space->pi == FAL_NVME_PI_INSERT ? "NVME-6.7-02" : "NVME-6.7-06",
                            "inner guard", guard, inner.guard);
}

static void judge_data(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd)
{
    const struct fal_hcmd *cmd = ncmd->part->cmd;
    const struct fal_nspace *space =
        cmd != NULL ? fal_blocks_space(c->bench->blocks, cmd->word.nsid) : NULL;
    struct fal_ndata data;
    struct fal_nvme_diff diff = same;

    if (space == NULL || space->pi == FAL_NVME_PI_OFF || q->nvme->head->inv != 0 ||
        fal_ndata_of(c, ncmd, q->nvme, &data) != FAL_NDATA_FITS)
        return;
    if (!data.metadata)
        diff = fal_nvme_differs("NVME-6.7-08", "bytes", data.blocks * (data.size + 16U),
                                q->nvme->data_len);
    for (uint32_t i = 0; diff.requirement == NULL && i < data.blocks; i++) {
        diff = compare_outer(ncmd, &data, i);
        if (diff.requirement == NULL)
            diff = compare_inner(ncmd, space, &data, i);
    }
    if (diff.requirement == NULL)
        fal_holds(c);
    else if (fal_nvme_late(c))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        fal_nvme_broken(c, q, &diff, &cmd->asked);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_nspace *space;

    if (n == NULL)
        return;
    if (n->head->packet_type == FAL_NVME_WRITE_DATA_RESPONSE && n->ncmd != NULL &&
        n->ncmd->data.count == 0) {
        judge_data(c, q, n->ncmd);
        return;
    }
    space = n->cmd != NULL ? fal_blocks_space(c->bench->blocks, n->cmd->word.nsid) : NULL;
    if (space != NULL && space->pi != FAL_NVME_PI_OFF)
        fal_nvme_judge_request(c, q, compare);
}

/* ---- formats of devices ---- */

static struct fal_nvme_diff compare_format(const struct fal_nvme_word *format)
{
    if (format->metadata < FAL_NDATA_METADATA)
        return fal_nvme_differs("NVME-6.7-13", "metadata", FAL_NDATA_METADATA,
                                format->metadata);
    if (format->metadata != FAL_NDATA_METADATA)
        return fal_nvme_differs("NVME-6.7-09", "metadata", FAL_NDATA_METADATA,
                                format->metadata);
    if (format->pil != 0)
        return fal_nvme_differs("NVME-6.7-10", "pil", 0, format->pil);
    if (format->pi_type != 1)
        return fal_nvme_differs("NVME-6.7-11", "pi_type", 1, format->pi_type);
    if (format->mset != 0)
        return fal_nvme_differs("NVME-6.7-12", "mset", 0, format->mset);
    return same;
}

/* Returns whether the namespace of a device has, or was given, a format with metadata. One
 * without may belong to a target on which protection information is disabled (NVME-6.7-21). */
static bool has_metadata(const struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_nformat *format =
        fal_blocks_format(c->bench->blocks, said->asked->dev, said->asked->nsid);

    return said->told->metadata != 0 || (format != NULL && format->metadata != 0);
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    struct fal_at at = fal_at_event(said->event);
    struct fal_nvme_diff diff;
    char seen[60];

    if (said->event->u.nvme.phase != FAL_VERBS_ANSWERED || !said->ok || c->track == NULL ||
        said->asked->kind != FAL_NVME_DEV_IDENTIFY || !has_metadata(c, said))
        return;
    diff = compare_format(said->told);
    if (diff.requirement == NULL) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "%s=%" PRIu64, diff.what, diff.seen);
    fal_broken(c,
               &(struct fal_blame){.requirement = diff.requirement,
                                   .cause = {&said->asked_at},
                                   .effect = &at,
                                   .seen = seen},
               "%s=%" PRIu64 " of a namespace with protection information", diff.what,
               diff.due);
}

const struct fal_rule_impl fal_rule_nv10 = {
    .about = &fal_about_nv10,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
    .nvme = nvme,
};
