/* SPDX-License-Identifier: Apache-2.0
 * nv18_requests_for_data_state_their_length.c - rule NV18: the request length of a Write Data
 * Request covers headers, data and metadata of the response. */
#include "oracles/rules/nvme/data.h"

const struct fal_rule fal_about_nv18 = {
    .id = "NV18",
    .title = "requests for write data state the length of the response",
    .requirements = FAL_IDS("NVME-8.6-02"),
    .role = "target",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a Write Data Request whose request_length is not 36 bytes of headers and "
        "the blocks of its nCMD, each with 16 bytes of metadata if the request asked for "
        "checks. The size of blocks is that of the format, or the one with which the command "
        "has as many nCMDs as it says. Not judged in a part of no whole 4 KB (AMB-N15).",
};

enum { HEADERS = 36, SMALL = 9, LARGE = 12 };

/* Whether a command without parts has as many nCMDs as it says, with blocks of that size. */
static bool may_be(const struct fal_ncmd *ncmd, unsigned shift)
{
    uint64_t bytes = ((uint64_t)ncmd->head.nlb + 1) << shift;

    return ncmd->head.s != 0 ||
           (bytes + FAL_NCMD_BYTES - 1) / FAL_NCMD_BYTES == ncmd->head.ncnt_total + 1U;
}

/* The length that is due; 0: not known. */
static uint32_t due_with(const struct fal_ncmd *ncmd, unsigned shift, bool metadata)
{
    uint32_t before, blocks, each = (1U << shift) + (metadata ? FAL_NDATA_METADATA : 0);

    return fal_ncmd_slice(ncmd, shift, &before, &blocks) ? HEADERS + blocks * each : 0;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;
    enum fal_ndata_metadata metadata;
    unsigned shift = 0;
    uint32_t due = 0;
    bool known;

    if (ncmd == NULL || n->head->packet_type != FAL_NVME_WRITE_DATA_REQUEST ||
        !fal_ncmd_is_write(ncmd))
        return;
    known = fal_ndata_shift(c, ncmd, &shift);
    metadata = fal_ndata_metadata_due(c, ncmd);
    for (unsigned s = SMALL; s <= LARGE; s += LARGE - SMALL) {
        if (known ? s != shift : !may_be(ncmd, s))
            continue;
        due = due_with(ncmd, s, metadata == FAL_NDATA_EACH);
        if (due == 0)
            return;
        if (q->length == due ||
            (metadata == FAL_NDATA_EITHER && q->length == due_with(ncmd, s, true))) {
            fal_holds(c);
            return;
        }
    }
    if (due > 0)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-8.6-02",
                                       .cause = {&ncmd->at},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "request_length=%u", (unsigned)due);
}

const struct fal_rule_impl fal_rule_nv18 = {
    .about = &fal_about_nv18,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_NVME,
};
