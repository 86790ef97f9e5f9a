/* SPDX-License-Identifier: Apache-2.0
 * odd_request.c - faults and variants of the headers of requests. */
#include "oracles/nvme/odd.h"

#define ON(id) fal_nv_fault(engine, FAL_FAULT_##id)

enum { FUNCTION_HOST = 0xffff00 };

uint64_t fal_nv_at_order(const struct fal_nvme_engine *engine, uint64_t first, uint64_t end,
                         uint64_t n)
{
    return fal_nv_twin(engine, FAL_TWIN_REQUESTS_REVERSED) ? end - 1 - (n - first) : n;
}

static uint16_t swapped(uint16_t value)
{
    return (uint16_t)(value << 8 | value >> 8);
}

/* Fields of the host's command. */
static void of_command(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                       struct fal_nvme *h)
{
    if (h->fua && ON(FUA_DROPPED))
        h->fua = 0;
    if (h->lr && ON(LR_DROPPED))
        h->lr = 0;
    if (h->dsm != 0 && ON(DSM_DROPPED))
        h->dsm = 0;
    if (h->dtype != 0 && ON(DTYPE_DROPPED))
        h->dtype = 0;
    if (h->dspec != swapped(h->dspec) && ON(DSPEC_LITTLE_ENDIAN))
        h->dspec = swapped(h->dspec);
    if (icmd->post.nsid != icmd->post.nsid >> 16 && ON(NSID_HIGH_BITS))
        h->initiator_nsid = (uint16_t)(icmd->post.nsid >> 16);
    if (h->target_nsid != h->initiator_nsid && ON(TARGET_NSID_OF_INITIATOR))
        h->target_nsid = h->initiator_nsid;
    if (ON(SQID_OF_HOST_QUEUE))
        h->target_sqid = (uint8_t)(icmd->post.has_sq ? icmd->post.sq : 1);
    if (ON(NVME_FUNCTION_OF_HOST))
        h->initiator_function &= FUNCTION_HOST;
}

/* Counts and tags of nCMDs. */
static void of_ncmd(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                    struct fal_nvme *h)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    const struct fal_nv_part *part = &icmd->parts[ncmd->part];

    if (icmd->num_parts > 1 && fal_nv_twin(engine, FAL_TWIN_NCNT_PER_HALF)) {
        h->ncnt_total = (uint8_t)(part->ncmds - 1);
        h->ncnt_offset = (uint8_t)(ncmd->offset - part->offset);
    }
    if (ON(NCNT_TOTAL_N))
        h->ncnt_total++;
    if (ON(NCNT_OFFSET_FROM_ONE))
        h->ncnt_offset++;
    if (icmd->num_parts > 1 && ON(NLB_OF_WHOLE_COMMAND))
        h->nlb = (uint16_t)icmd->post.nlb0;
    if (ncmd->first > 0 && ON(SLBA_PER_NCMD))
        h->slba += ncmd->first;
    if (ncmd->offset > 0 && ON(ITAG_REUSED))
        h->initiator_tag = (uint32_t)(ncmd->number - ncmd->offset) & FAL_NV_TAG_MASK;
    if (ncmd->offset > 0 && ON(ICMD_ID_PER_NCMD))
        h->icmd_identifier = (h->icmd_identifier + ncmd->offset) & FAL_NV_TAG_MASK;
    if (icmd->num_parts > 1 && ON(SPLIT_BIT_MISSING))
        h->s = 0;
    if (icmd->num_parts > 1 && ON(NG_INVERTED))
        h->ng ^= 1;
}

static void set_ref(struct fal_nvme *h, uint32_t ref)
{
    h->ilbrt = h->eilbrt = ref;
}

static void set_app(struct fal_nvme *h, uint16_t app)
{
    h->lbat = h->elbat = app;
}

static void of_protection(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                          struct fal_nvme *h)
{
    const struct fal_nv_part *part = &ncmd->icmd->parts[ncmd->part];

    if (fal_nv_twin(engine, FAL_TWIN_TAGS_OF_NCMD)) {
        set_ref(h, (uint32_t)(part->tlba + ncmd->first));
        set_app(h, (uint16_t)(part->tlba + ncmd->first));
    }
    if (ON(PRCHK_GUARD_OFF))
        h->prinfo &= (uint8_t)~FAL_NV_CHECK_GUARD;
    if (ON(PRCHK_REF_OFF))
        h->prinfo &= (uint8_t)~FAL_NV_CHECK_REF;
    if (ON(PRCHK_APP_OFF))
        h->prinfo &= (uint8_t)~FAL_NV_CHECK_APP;
    if (ON(PRACT_SET))
        h->prinfo |= FAL_NV_PRACT;
    if ((uint32_t)part->tlba != (uint32_t)part->lba && ON(REF_OF_INITIATOR_LBA))
        set_ref(h, (uint32_t)part->lba);
    if (ON(APP_TAG_MASK_ZERO))
        h->lbatm = h->elbatm = 0;
    if (h->lbat != swapped(h->lbat) && ON(APP_TAG_SWAPPED))
        set_app(h, swapped(h->lbat));
}

static void without_protection(const struct fal_nvme_engine *engine, struct fal_nvme *h)
{
    if (ON(PI_OFF_TAGS_ZERO)) {
        set_ref(h, 0);
        set_app(h, 0);
        h->lbatm = h->elbatm = 0;
    }
    if (ON(PI_OFF_STILL_CHECKED))
        h->prinfo = FAL_NV_CHECK_GUARD;
}

bool fal_nv_at_request(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                       struct fal_nvme *header)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;

    of_command(engine, icmd, header);
    of_ncmd(engine, ncmd, header);
    if (icmd->ns.pi != FAL_NVME_PI_OFF)
        of_protection(engine, ncmd, header);
    else
        without_protection(engine, header);
    if (icmd->invalid[ncmd->offset] && fal_nv_twin(engine, FAL_TWIN_INV_IN_REQUEST))
        header->inv = 1;
    if (icmd->total == 1 || !ON(NCMD_8K))
        return true;
    header->ncnt_total = (uint8_t)((icmd->total - 1) / 2);
    header->ncnt_offset = (uint8_t)(ncmd->offset / 2);
    return ncmd->offset % 2 == 0;
}

static bool ends_split(const struct fal_nv_ncmd *ncmd)
{
    return ncmd->icmd->num_parts > 1 && ncmd->offset + 1 == ncmd->icmd->total;
}

void fal_nv_at_requested(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                         const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len)
{
    const struct fal_nv_ncmd *ncmd = fal_vb_ring_get(&engine->ncmds, packet->number);
    struct fal_nv_packet push = {
        .what = FAL_NV_ANSWER, .op = FAL_OP_PUSH, .number = packet->number};
    uint8_t data[FAL_NV_PACKET_MAX];
    struct fal_nvme header;
    uint32_t n;

    if (ON(NVME_REQUEST_TWICE))
        fal_nv_send(engine, link, &push, bytes, len);
    if (ncmd != NULL && ends_split(ncmd) && ON(SPLIT_IN_THREE)) {
        header = fal_nv_request(engine, ncmd);
        header.slba++;
        n = fal_nv_headers(&header, data, sizeof data);
        fal_nv_send(engine, link, &push, data, n);
    }
    if (ncmd == NULL || ncmd->icmd->post.op != FAL_NVME_WRITE || !ON(WRITE_DATA_PUSHED))
        return;
    header = fal_nv_request(engine, ncmd);
    header.packet_type = FAL_NVME_WRITE_DATA_RESPONSE;
    n = fal_nv_headers(&header, data, sizeof data);
    n += fal_nv_host_slice(engine, ncmd, data + n);
    fal_nv_send(engine, link, &push, data, n);
}
