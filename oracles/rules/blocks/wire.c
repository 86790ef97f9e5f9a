/* SPDX-License-Identifier: Apache-2.0
 * wire.c - the nCMDs on the wire: their requests and answers, and the parts of commands that
 * they belong to. */
#include "oracles/rules/blocks/blocks_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
    NCMDS_MAX = 65536,    /* of all connections; then all are forgotten */
    BYTES_MAX = 64 << 20, /* of data that are kept */
    LOOK_BACK = 4096,     /* so many entries with one key are looked at */
};

/* ---- finding ---- */

static uint32_t key_of(uint32_t conn, enum fal_dir initiator, uint32_t function, uint32_t tag)
{
    uint32_t where = conn * 2 + (unsigned)initiator;

    return fal_index_number(tag ^ fal_index_number(function ^ fal_index_number(where)));
}

struct fal_ncmd *fal_blocks_ncmd(const struct fal_blocks *b, uint32_t conn,
                                 enum fal_dir initiator, uint32_t function, uint32_t tag)
{
    uint32_t at = fal_index_first(&b->tags, key_of(conn, initiator, function, tag));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->tags, at)) {
        struct fal_ncmd *n = fal_nlist_at(&b->ncmds, at);

        if (n->conn == conn && n->initiator == initiator && n->head.initiator_tag == tag &&
            n->head.initiator_function == function)
            return n;
    }
    return NULL;
}

struct fal_ncmd *fal_blocks_ncmd_at(const struct fal_blocks *b, size_t i)
{
    return i < b->ncmds.num ? fal_nlist_at(&b->ncmds, i) : NULL;
}

unsigned fal_blocks_type_at(const struct fal_blocks *b, uint32_t conn, uint64_t index)
{
    if (b->read_index == index)
        return b->read_type;
    for (size_t i = b->ncmds.num; i-- > 0 && b->ncmds.num - i <= LOOK_BACK;) {
        const struct fal_ncmd *n = fal_nlist_at(&b->ncmds, i);

        if (n->conn != conn)
            continue;
        if (n->data.count > 0 && n->data.at.index == index)
            return n->data.head.packet_type;
        if (n->end.count > 0 && n->end.at.index == index)
            return n->end.head.packet_type;
    }
    return FAL_NVME_TYPES;
}

bool fal_blocks_forgot(const struct fal_blocks *b)
{
    return b->forgot;
}

void fal_blocks_unseen(struct fal_blocks *b)
{
    b->unseen = true;
}

uint32_t fal_blocks_some_conn(const struct fal_blocks *b)
{
    return b->some_conn;
}

/* The nCMD whose Write Data Request has that RSN. */
static struct fal_ncmd *by_pull(const struct fal_blocks *b, uint32_t conn,
                                enum fal_dir initiator, int64_t rsn)
{
    for (size_t i = b->ncmds.num; i-- > 0 && b->ncmds.num - i <= LOOK_BACK;) {
        struct fal_ncmd *n = fal_nlist_at(&b->ncmds, i);

        if (n->conn == conn && n->initiator == initiator && n->pull.count > 0 &&
            n->pull.rsn == rsn)
            return n;
    }
    return NULL;
}

/* An open nCMD that an answer may be meant for, of which it copied one number wrong. */
static const struct fal_ncmd *near(const struct fal_blocks *b, uint32_t conn,
                                   const struct fal_nvme_seen *n)
{
    const struct fal_nvme *head = n->head;

    for (size_t i = b->ncmds.num; i-- > 0 && b->ncmds.num - i <= LOOK_BACK;) {
        const struct fal_ncmd *ncmd = fal_nlist_at(&b->ncmds, i);
        unsigned like = ncmd->head.initiator_function == head->initiator_function;

        like += ncmd->head.initiator_tag == head->initiator_tag;
        like += ncmd->head.icmd_identifier == head->icmd_identifier &&
                ncmd->head.ncnt_offset == head->ncnt_offset;
        if (ncmd->conn == conn && ncmd->initiator == n->initiator && ncmd->end.count == 0 &&
            fal_ncmd_is_write(ncmd) == (head->packet_type != FAL_NVME_READ_RESPONSE) &&
            like >= 2)
            return ncmd;
    }
    return NULL;
}

static bool has_offset(const struct fal_npart *part, unsigned offset)
{
    return (part->offsets[offset / 64] >> offset % 64 & 1) != 0;
}

static bool same_group(const struct fal_npart *part, const struct fal_nvme *head)
{
    return part->head.s == head->s && (head->s == 0 || part->head.ng == head->ng);
}

/* Whether an nCMD with that header may be one more of the part. */
static bool goes_on(const struct fal_npart *part, const struct fal_nvme *head)
{
    if (!same_group(part, head) || part->write != (head->packet_type == FAL_NVME_WRITE_REQUEST))
        return false;
    if (has_offset(part, head->ncnt_offset)) /* again, of a command with one tag for all */
        return part->cmd != NULL && !fal_hcmd_over(part->cmd) && part->seen > part->ended &&
               part->head.slba == head->slba && part->seen <= part->head.ncnt_total;
    if (part->cmd != NULL) /* an NG that is wrong does not hide the other part */
        return !fal_hcmd_over(part->cmd) && (head->s == 0 || part->head.slba == head->slba ||
                                             part->cmd->part[1 - part->half] != NULL);
    return part->head.ncnt_total == head->ncnt_total && part->head.slba == head->slba &&
           part->head.nlb == head->nlb;
}

/* Returns whether answers to a part are to come: to nCMDs that were seen, or to others. */
static bool may_be_open(const struct fal_npart *part)
{
    return part->ended < part->seen ||
           (part->head.s == 0 && part->seen <= part->head.ncnt_total);
}

/* Whether the two parts may be of one command: its two groups. */
static bool may_be_twins(const struct fal_npart *part, const struct fal_nvme *head)
{
    return part->head.s != 0 && head->s != 0 && part->head.ng != head->ng &&
           part->write == (head->packet_type == FAL_NVME_WRITE_REQUEST);
}

static bool same_blocks(const struct fal_npart *part, const struct fal_nvme *head)
{
    return part->head.slba == head->slba && part->head.nlb == head->nlb;
}

/* The part that a request goes on with, one of the same blocks if there is one, and an open one
 * of another command with the same identifier. */
static void find_part(const struct fal_blocks *b, uint32_t conn, struct fal_nvme_seen *out)
{
    const struct fal_nvme *head = out->head;
    uint32_t key =
        key_of(conn, out->initiator, head->initiator_function, head->icmd_identifier);
    uint32_t at = fal_index_first(&b->icmds, key);

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->icmds, at)) {
        struct fal_npart *part = fal_nlist_at(&b->parts, at);

        if (part->conn != conn || part->initiator != out->initiator ||
            part->head.icmd_identifier != head->icmd_identifier ||
            part->head.initiator_function != head->initiator_function)
            continue;
        if (goes_on(part, head)) {
            if (out->part == NULL || same_blocks(part, head))
                out->part = part;
            if (same_blocks(part, head))
                break;
            continue;
        }
        if (out->rival == NULL && part->ended < part->seen && !may_be_twins(part, head))
            out->rival = part;
    }
    if (out->part != NULL)
        out->rival = NULL;
}

/* ---- reading ---- */

void fal_blocks_read(struct fal_blocks *b, const struct fal_seen *seen, uint32_t conn,
                     const struct fal_ulp *ulp, struct fal_nvme_seen *out)
{
    const struct fal_nvme *head = &ulp->nvme;
    const struct fal_ev_packet *packet = seen->packet;

    *out = (struct fal_nvme_seen){.head = head,
                                  .data = packet->payload + ulp->size_bytes,
                                  .data_len = (uint32_t)(packet->payload_len - ulp->size_bytes),
                                  .whole = !packet->truncated,
                                  .sent_before = out->sent_before};
    b->read_index = seen->at.index;
    b->read_type = head->packet_type;
    out->initiator =
        fal_nvme_of_initiator(head->packet_type) ? seen->dir : fal_dir_other(seen->dir);
    out->ncmd =
        fal_blocks_ncmd(b, conn, out->initiator, head->initiator_function, head->initiator_tag);
    if (head->packet_type == FAL_NVME_WRITE_DATA_RESPONSE) {
        struct fal_ncmd *pulled = by_pull(b, conn, out->initiator, seen->rsn);

        if (pulled != NULL)
            out->ncmd = pulled;
    }
    if (!fal_nvme_is_request(head->packet_type)) {
        out->near = out->ncmd == NULL ? near(b, conn, out) : NULL;
        return;
    }
    if (out->ncmd != NULL && out->ncmd->end.count > 0)
        out->ncmd = NULL; /* its tag is free again */
    find_part(b, conn, out);
    /* Words tell what the SUT's host submits; requests of the tester need no command. */
    out->cmd =
        out->initiator == FAL_FROM_SUT && (out->part == NULL || !same_blocks(out->part, head))
            ? fal_plan_explain(b, out, conn, &out->half)
            : NULL;
    if (out->part != NULL && out->cmd != NULL && fal_plan_exact(b, out->cmd, out->half, head)) {
        out->rival = may_be_open(out->part) ? out->part : NULL; /* with the same identifier */
        out->part = NULL;
    }
    if (out->part != NULL) {
        out->cmd = out->part->cmd;
        out->half = out->part->half;
    }
}

/* ---- facts ---- */

static void forget_bytes(struct fal_blocks *b, struct fal_ncmd *n)
{
    b->bytes -= n->bytes_len;
    free(n->bytes);
    n->bytes = NULL;
    n->bytes_len = 0;
}

void fal_wire_free(struct fal_blocks *b)
{
    for (size_t i = 0; i < b->ncmds.num; i++)
        forget_bytes(b, fal_nlist_at(&b->ncmds, i));
    fal_nlist_free(&b->ncmds);
    fal_nlist_free(&b->parts);
    fal_index_free(&b->tags);
    fal_index_free(&b->icmds);
}

/* Facts about commands that are under way are lost, so that nothing more is said of them. */
static void forget_all(struct fal_blocks *b)
{
    fal_content_forget_writers(b);
    fal_wire_free(b);
    b->forgot = true;
    for (size_t i = 0; i < b->posts.num; i++) {
        struct fal_hcmd *cmd = fal_nlist_at(&b->posts, i);

        cmd->vague = true;
        cmd->part[0] = cmd->part[1] = NULL;
    }
    for (size_t i = 0; i < b->dcmds.num; i++) {
        struct fal_dcmd *dcmd = fal_nlist_at(&b->dcmds, i);

        dcmd->part = NULL;
        dcmd->mixed = true;
    }
}

static struct fal_npart *new_part(struct fal_blocks *b, uint32_t conn,
                                  const struct fal_nvme_seen *n, uint64_t index)
{
    struct fal_npart *part = fal_nlist_add(b, &b->parts, sizeof *part);
    uint32_t key =
        key_of(conn, n->initiator, n->head->initiator_function, n->head->icmd_identifier);

    if (part == NULL || !fal_index_add(&b->icmds, key)) {
        b->oom = true;
        return NULL;
    }
    part->conn = conn;
    part->initiator = n->initiator;
    part->write = n->head->packet_type == FAL_NVME_WRITE_REQUEST;
    part->head = *n->head;
    part->cmd = n->cmd;
    part->half = n->half;
    if (n->cmd != NULL)
        n->cmd->part[n->half] = part;
    if (part->write && part->initiator == FAL_TO_SUT)
        fal_content_writing(b, part, index);
    return part;
}

static void note_request(struct fal_blocks *b, const struct fal_seen *seen, uint32_t conn)
{
    const struct fal_nvme_seen *n = seen->nvme;
    struct fal_npart *part = n->part;
    struct fal_ncmd *ncmd;

    if (b->ncmds.num == NCMDS_MAX) {
        forget_all(b);
        return;
    }
    if (part == NULL)
        part = new_part(b, conn, n, seen->at.index);
    ncmd = part != NULL ? fal_nlist_add(b, &b->ncmds, sizeof *ncmd) : NULL;
    if (ncmd == NULL ||
        !fal_index_add(&b->tags, key_of(conn, n->initiator, n->head->initiator_function,
                                        n->head->initiator_tag))) {
        b->oom = true;
        return;
    }
    ncmd->at = seen->at;
    ncmd->rsn = seen->rsn;
    ncmd->conn = conn;
    ncmd->initiator = n->initiator;
    ncmd->head = *n->head;
    ncmd->part = part;
    *(part->last != NULL ? &part->last->next : &part->first) = ncmd;
    part->last = ncmd;
    part->seen++;
    part->offsets[n->head->ncnt_offset / 64] |= UINT64_C(1) << n->head->ncnt_offset % 64;
}

/* The bytes are kept where words may ask for them. */
static void keep_bytes(struct fal_blocks *b, struct fal_ncmd *ncmd,
                       const struct fal_nvme_seen *n)
{
    if (!b->words || n->data_len == 0 || !n->whole || ncmd->bytes != NULL ||
        b->bytes + n->data_len > BYTES_MAX)
        return;
    ncmd->bytes = malloc(n->data_len);
    if (ncmd->bytes == NULL) {
        b->oom = true;
        return;
    }
    memcpy(ncmd->bytes, n->data, n->data_len);
    ncmd->bytes_len = n->data_len;
    b->bytes += n->data_len;
}

/* False: it is not the first one. */
static bool note_answer(struct fal_nanswer *answer, const struct fal_seen *seen)
{
    const struct fal_nvme_seen *n = seen->nvme;

    answer->index_last = seen->at.index;
    if (answer->count++ > 0)
        return false;
    answer->at = seen->at;
    answer->rsn = seen->rsn;
    answer->head = *n->head;
    answer->length = seen->length;
    answer->data_len = n->data_len;
    answer->whole = n->whole;
    return true;
}

static void note_end(struct fal_blocks *b, struct fal_ncmd *ncmd, const struct fal_seen *seen)
{
    struct fal_npart *part = ncmd->part;
    bool read = seen->nvme->head->packet_type == FAL_NVME_READ_RESPONSE;

    if (!note_answer(&ncmd->end, seen))
        return;
    if (read && !fal_ncmd_is_write(ncmd))
        keep_bytes(b, ncmd, seen->nvme);
    if (part->ended++ == 0)
        part->first_end = seen->at;
    part->last_end = seen->at;
    part->failed = part->failed || seen->nvme->head->cqe_status != 0;
    if (part->write && part->initiator == FAL_TO_SUT && part->ended == part->seen)
        fal_content_written(b, part, seen->at.index);
}

void fal_blocks_commit(struct fal_blocks *b, const struct fal_seen *seen, uint32_t conn)
{
    const struct fal_nvme_seen *n = seen->nvme;
    struct fal_ncmd *ncmd = n->ncmd;

    b->some_conn = conn;
    if (fal_nvme_is_request(n->head->packet_type)) {
        note_request(b, seen, conn);
        return;
    }
    if (ncmd == NULL)
        return;
    switch ((enum fal_nvme_type)n->head->packet_type) {
    case FAL_NVME_WRITE_DATA_REQUEST:
        ncmd->part->pulled += note_answer(&ncmd->pull, seen);
        break;
    case FAL_NVME_WRITE_DATA_RESPONSE:
        if (!note_answer(&ncmd->data, seen))
            break;
        keep_bytes(b, ncmd, n);
        ncmd->part->sent++;
        ncmd->part->last_sent = seen->at;
        ncmd->part->bad_data = ncmd->part->bad_data || n->head->inv != 0;
        break;
    case FAL_NVME_WRITE_COMPLETION:
    case FAL_NVME_READ_RESPONSE: note_end(b, ncmd, seen); break;
    case FAL_NVME_WRITE_REQUEST:
    case FAL_NVME_READ_REQUEST: break;
    }
}
