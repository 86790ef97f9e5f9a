/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/targets/timeline_nvme.h"

#include "oracles/payload.h"

#include <stdio.h>
#include <string.h>

/* The bits of a record say how its packet departs from the expected one. */
enum { OTHER_PSN = 1, OTHER_RSN = 2, OTHER_COMMAND = 4, OTHER_LENGTH = 8 };
enum { NSIDS = 3, ROWS = 8, TAGS = 16, DATA_MAX = 4224, LENGTHS = 4300 };

/* Close to 0, or to the beginning of a stripe or chunk. */
static uint64_t block_of(struct fuzz_reader *reader)
{
    uint8_t high = fuzz_u8(reader);

    return ((uint64_t)(high & 3) << (high >> 2)) + fuzz_u8(reader) % 16 - (high != 0 ? 8 : 0);
}

/* ---- words ---- */

static void put_tables(struct fuzz_reader *reader, struct fal_nvme_word *word)
{
    uint8_t how = fuzz_u8(reader);

    word->nsid = word->target_nsid = 1 + fuzz_u8(reader) % NSIDS;
    word->index = fuzz_u8(reader) % ROWS;
    word->start = fuzz_u8(reader) % ROWS;
    word->C = fuzz_u8(reader) % 34;
    word->S = fuzz_u8(reader) % 34;
    word->N = fuzz_u8(reader) % 34;
    word->block_shift = (how & 1) != 0 ? 9 : 12;
    word->encrypt = (how & 2) != 0;
    word->exclusive = (how & 4) != 0;
    word->valid = (how & 8) != 0;
    word->chunk = (how & 16) != 0 ? block_of(reader) : 0;
    word->pi = (enum fal_nvme_pi)(fuzz_u8(reader) % FAL_NVME_PIS);
    word->sqid = fuzz_u8(reader) % 4;
    word->function = TIMELINE_FUNCTION + fuzz_u8(reader) % 2;
    word->mdts = (uint64_t)fuzz_u8(reader) << 12;
    (void)snprintf(word->conn, sizeof word->conn, "c%u", (unsigned)fuzz_u8(reader) % 3);
}

static void put_command(struct fuzz_reader *reader, struct fal_nvme_word *word)
{
    uint8_t how = fuzz_u8(reader);

    word->cmd = word->dcmd = fuzz_u8(reader) % TAGS;
    word->sq = fuzz_u8(reader) % 4;
    word->dev = fuzz_u8(reader) / 64; /* mostly the first one */
    word->cid = fuzz_u8(reader) % TAGS;
    word->op = (enum fal_nvme_op)(how & 1);
    word->has_sq = word->has_sqid = (how & 2) != 0;
    word->bad_pi = (how & 4) != 0;
    word->hold = word->meta = (how & 8) != 0;
    word->has_hash = (how & 16) != 0;
    word->fua = how >> 5 & 1U;
    word->lr = how >> 6 & 1U;
    word->slba = block_of(reader);
    word->nlb0 = fuzz_u8(reader) % 32;
    word->dsm = word->dspec = fuzz_u8(reader);
    word->dtype = word->prinfo = fuzz_u8(reader) % 16;
    word->tag = fuzz_u8(reader) % 4;
    word->status = fuzz_u8(reader) % 4U << 7;
    word->after_ns = (uint64_t)fuzz_u8(reader) << 10;
    word->metadata = fuzz_u8(reader) % 2U * 16;
    word->pil = word->mset = fuzz_u8(reader) % 2;
    word->pi_type = fuzz_u8(reader) % 4;
    word->hash = fuzz_u64(reader);
}

bool timeline_nvme_word(const struct fuzz_record *record, struct fal_nvme_word *word,
                        struct fal_event *event)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_nvme_word made = {.kind = FAL_NVME_NS};
    uint8_t flags = fuzz_u8(&reader), kind = fuzz_u8(&reader), number = fuzz_u8(&reader);
    bool told = flags % 3 == FAL_VERBS_TOLD, answer = flags % 3 == FAL_VERBS_ANSWERED;
    bool ok = (flags & 64) != 0, read;
    json_t *json;

    made.kind = (enum fal_nvme_word_kind)(told ? FAL_NVME_COMMANDS + kind % 2
                                               : kind % FAL_NVME_COMMANDS);
    *event = (struct fal_event){.kind = FAL_EV_NVME};
    event->u.nvme = (struct fal_ev_nvme){.phase = (enum fal_verbs_phase)(flags % 3),
                                         .ok = answer && ok,
                                         .id = told ? 0 : number % 16,
                                         .seq = told ? number : 0,
                                         .word = word};
    *word = (struct fal_nvme_word){.kind = made.kind};
    if (answer && !ok)
        return true;
    put_tables(&reader, &made);
    put_command(&reader, &made);
    json = fal_nvme_word_write(&made, answer);
    read = json != NULL && fal_nvme_word_read(made.kind, answer, json, word, NULL) == 0;
    json_decref(json);
    return read;
}

/* ---- packets ---- */

static void put_headers(struct fuzz_reader *reader, struct fal_nvme *head)
{
    uint8_t how = fuzz_u8(reader);

    head->initiator_function = TIMELINE_FUNCTION + (how & 1);
    head->initiator_tag = fuzz_u8(reader) % TAGS;
    head->target_tag = fuzz_u8(reader) % TAGS;
    head->icmd_identifier = fuzz_u8(reader) % TAGS;
    head->initiator_nsid = head->target_nsid = 1 + fuzz_u8(reader) % NSIDS;
    head->s = how >> 1 & 1;
    head->ng = how >> 2 & 1;
    head->inv = how >> 3 & 1;
    head->fua = how >> 4 & 1;
    head->lr = how >> 5 & 1;
    head->ncnt_total = fuzz_u8(reader) % 8;
    head->ncnt_offset = fuzz_u8(reader) % 8;
    head->slba = block_of(reader);
    head->nlb = fuzz_u8(reader) % 32;
    head->dspec = fuzz_u8(reader);
    head->dsm = (uint8_t)head->dspec;
    head->dtype = head->prinfo = fuzz_u8(reader) % 16;
    head->target_sqid = fuzz_u8(reader) % 4;
    head->elbatm = head->lbatm = (how & 64) != 0 ? UINT16_MAX : 0;
    head->elbat = head->lbat = (uint16_t)head->slba;
    head->eilbrt = head->ilbrt = (how & 128) != 0 ? (uint32_t)head->slba : UINT32_MAX;
    head->cqe_status = (uint16_t)(fuzz_u8(reader) % 4 << 7);
}

/* Copies into an answer the tags and counts that it shares with its request. */
static void put_answer(const struct fal_nvme *asked, struct fal_nvme *head)
{
    head->initiator_function = asked->initiator_function;
    head->initiator_tag = asked->initiator_tag;
    head->icmd_identifier = asked->icmd_identifier;
    head->s = asked->s;
    head->ng = asked->ng;
    head->ncnt_total = asked->ncnt_total;
    head->ncnt_offset = asked->ncnt_offset;
}

/* Blocks of an nCMD, with or without metadata; or any number of bytes. */
static size_t length_of(struct fuzz_reader *reader, const struct fal_nvme *asked, bool other)
{
    uint8_t how = fuzz_u8(reader);
    size_t size = (how & 1) != 0 ? 4096 : 512, most = 4096 / size, blocks = asked->nlb + 1U;

    if (other)
        return fuzz_u16(reader) % (DATA_MAX + 1);
    return (blocks < most ? blocks : most) * (size + ((how & 2) != 0 ? 16 : 0));
}

static size_t put_payload(struct fuzz_reader *reader, uint8_t type, uint8_t how,
                          struct fal_nvme *asked, uint8_t *out)
{
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_NVME};
    bool request = type == FAL_NVME_READ_REQUEST || type == FAL_NVME_WRITE_REQUEST;
    size_t head, len;
    int n;

    fal_layout_init(fal_nvme_layout(type), &ulp.nvme);
    put_headers(reader, &ulp.nvme);
    if (request)
        *asked = ulp.nvme;
    else if ((how & OTHER_COMMAND) == 0)
        put_answer(asked, &ulp.nvme);
    n = fal_ulp_encode(&ulp, out, FAL_ULP_BYTES_MAX, NULL);
    if (n <= 0)
        return 0;
    head = (size_t)n;
    if (type != FAL_NVME_READ_RESPONSE && type != FAL_NVME_WRITE_DATA_RESPONSE)
        return head;
    len = length_of(reader, asked, (how & OTHER_LENGTH) != 0);
    fal_payload_fill(fuzz_u8(reader) % 4, 0, out + head, len);
    return head + len;
}

/* A number close to the first one. */
static uint32_t number_from(struct fuzz_reader *reader, uint32_t first)
{
    return first + fuzz_u8(reader) % 32;
}

size_t timeline_nvme_packet(const struct fuzz_record *record, struct timeline_numbers *numbers,
                            uint8_t out[TIMELINE_PACKET_MAX])
{
    struct fuzz_reader reader = {record->bytes, record->len};
    bool in = (record->kind & TIMELINE_FROM_SUT) == 0;
    enum fal_dir dir = in ? FAL_TO_SUT : FAL_FROM_SUT;
    uint8_t type = fuzz_u8(&reader) % 16, how = fuzz_u8(&reader);
    bool of_initiator = type == FAL_NVME_READ_REQUEST || type == FAL_NVME_WRITE_REQUEST ||
                        type == FAL_NVME_WRITE_DATA_RESPONSE;
    uint8_t payload[FAL_ULP_BYTES_MAX + DATA_MAX];
    struct fal_falcon p;
    enum fal_window w;
    size_t len;
    int n;

    if (fal_nvme_layout(type) == NULL)
        return 0;
    fal_falcon_init(&p, fal_nvme_carrier((enum fal_nvme_type)type));
    w = fal_falcon_window(&p);
    p.protocol_type = FAL_PROTOCOL_NVME;
    p.dest_cid = TIMELINE_CID + ((record->kind & TIMELINE_CONN_2) != 0 ? 10U : 0U) + in;
    p.dest_function = TIMELINE_FUNCTION + (uint32_t)in;
    p.recv_req_base_psn = numbers->psn[!dir][FAL_WINDOW_REQ];
    p.recv_data_base_psn = numbers->psn[!dir][FAL_WINDOW_DATA];
    p.psn =
        (how & OTHER_PSN) != 0 ? number_from(&reader, TIMELINE_PSN) : numbers->psn[dir][w]++;
    if ((how & OTHER_RSN) != 0)
        p.rsn = number_from(&reader, TIMELINE_RSN);
    else
        p.rsn = p.packet_type == FAL_PULL_DATA ? numbers->pulled[!dir] : numbers->rsn[dir]++;
    if (p.packet_type == FAL_PULL_REQUEST)
        numbers->pulled[dir] = p.rsn;
    len = put_payload(&reader, type, how, &numbers->asked[of_initiator ? dir : !dir], payload);
    p.request_length =
        (uint16_t)(p.packet_type == FAL_PULL_REQUEST ? fuzz_u16(&reader) % LENGTHS : len);
    n = fal_falcon_encode(&p, payload, len, out, TIMELINE_PACKET_MAX, NULL);
    return n > 0 ? (size_t)n : 0;
}
