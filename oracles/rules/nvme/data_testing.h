/* SPDX-License-Identifier: Apache-2.0
 * data_testing.h - for tests only: write data of the SUT with metadata, and a timeline that has
 * them between lines. */
#ifndef FAL_ORACLES_RULES_NVME_DATA_TESTING_H
#define FAL_ORACLES_RULES_NVME_DATA_TESTING_H

#include "codecs/nvme/t10_dif.h"
#include "oracles/rules/nvme/tables_testing.h"

enum { TEST_DATA_MAX = 4224 };

/* Data of an nCMD, and how they are made. */
struct test_data {
    uint8_t bytes[TEST_DATA_MAX];
    size_t len;
    const struct kind *kind; /* of the timeline */
};

/* `blocks` blocks of `size` bytes of pattern 7 from block `from` on; with metadata behind each
 * (dif), or behind all: inner and outer information for the target block `slba` and those
 * behind it. */
static inline void test_data_make(struct test_data *d, unsigned blocks, unsigned size,
                                  unsigned from, uint64_t slba, bool dif)
{
    d->len = (size_t)blocks * (size + FAL_DIF_META_LEN);
    d->kind = &clean;
    for (unsigned i = 0; i < blocks; i++) {
        uint8_t *block = d->bytes + i * (size + (dif ? FAL_DIF_META_LEN : 0));
        uint8_t *meta =
            dif ? block + size : d->bytes + (size_t)blocks * size + i * FAL_DIF_META_LEN;
        struct fal_dif inner = {.ref = from + i},
                       outer = {.ref = (uint32_t)(slba + i), .app = (uint16_t)slba};

        fal_payload_slice(7, 0, (size_t)(from + i) * size, block, size);
        inner.guard = fal_dif_crc(0, block, size);
        fal_dif_write(&inner, meta);
        outer.guard = fal_dif_crc(inner.guard, meta, FAL_DIF_LEN);
        fal_dif_write(&outer, meta + FAL_DIF_LEN);
    }
}

/* Computes the outer guard of a block of DIX data again. */
static inline void test_data_seal(struct test_data *d, unsigned blocks, unsigned size,
                                  unsigned i)
{
    uint8_t *meta = d->bytes + (size_t)blocks * size + i * FAL_DIF_META_LEN;
    struct fal_dif outer = fal_dif_read(meta + FAL_DIF_LEN);

    outer.guard = fal_dif_crc(0, d->bytes + (size_t)i * size, size);
    outer.guard = fal_dif_crc(outer.guard, meta, FAL_DIF_LEN);
    fal_dif_write(&outer, meta + FAL_DIF_LEN);
}

/* A packet of the SUT: a Falcon packet with these headers of NVMe and data. */
static inline void script_nvme_data(struct script *s, const char *falcon,
                                    const struct fal_nvme *head, const struct test_data *d)
{
    uint8_t payload[PACKET_MAX], bytes[PACKET_MAX + FAL_HEADER_MAX];
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_NVME, .nvme = *head};
    struct fal_pattern pattern;
    struct fal_error err = {""};
    struct fal_relative rel = script_relative(s, FAL_FROM_SUT);
    struct fal_falcon f;
    int n, len;

    ck_assert_msg(fal_text_parse(falcon, &pattern, &err) == 0, "%s: %s", falcon, err.text);
    fal_layout_init(pattern.layout, &f);
    f.dest_cid = s->connection.tester.cid;
    f.dest_function = s->connection.tester.function;
    f.protocol_type = FAL_PROTOCOL_NVME;
    f.recv_data_base_psn = rel.peer_data_psn;
    f.recv_req_base_psn = rel.peer_req_psn;
    ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, NULL, &f, &err), 0);
    ulp.nvme.version = 1;
    n = fal_ulp_encode(&ulp, payload, sizeof payload, NULL);
    ck_assert_int_gt(n, 0);
    memcpy(payload + n, d->bytes, d->len);
    if (f.packet_type == FAL_PUSH_DATA)
        f.request_length = (uint16_t)((size_t)n + d->len);
    len = fal_falcon_encode(&f, payload, (size_t)n + d->len, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(len, 0);
    script_bytes(s, FAL_FROM_SUT, FAL_ORIGIN_ENDPOINT, bytes, (size_t)len);
}

/* Judges lines, then that packet, then more lines. */
static inline struct outcome judged_data(const char *rule, const char *const *before,
                                         const char *falcon, const struct fal_nvme *head,
                                         const struct test_data *d, const char *const *after)
{
    struct fal_connection connection = script_connection(d->kind);
    struct script s;
    struct outcome whole;

    script_start(&s, d->kind, &connection);
    for (; *before != NULL; before++)
        script_line(&s, *before);
    script_nvme_data(&s, falcon, head, d);
    for (; after != NULL && *after != NULL; after++)
        script_line(&s, *after);
    whole = script_judge(s.events, json_array_size(s.events), rule);
    json_decref(s.events);
    return whole;
}

/* A write of the SUT's host: 8 blocks of 512 bytes to the first blocks of row 10, whose chunk
 * is 5: target block 5 << 21. */
#define SMALL_SPACE(more)                                                                  \
    "nvme nvme_ns {\"nsid\":1,\"start\":10,\"C\":0,\"S\":0,\"N\":1,\"block_shift\":9" more \
    "} -> {\"function\":5,\"mdts\":262144}"
#define SMALL_FIRST UINT64_C(0xa00000)
#define SMALL_WRITE(pi, more)                                                        \
    SMALL_SPACE(pi), ROWS, POST(1, "write", 0, 7, ",\"tag\":7" more),                \
        "< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=1 itag=1 nlb=7 " \
        "slba=0xa00000 tnsid=9 sqid=3 prinfo=7 ilbrt=0xa00000 lbatm=0xffff lbat=0",  \
        "> pull_request psn=0r rsn=0r len=4260 / nvme write_data_request ifn=5 itag=1"
#define SMALL_DATA "< pull_data psn=1r rsn=0r"

static const struct fal_nvme small_data = {
    .packet_type = FAL_NVME_WRITE_DATA_RESPONSE, .initiator_function = 5, .initiator_tag = 1};

#endif
