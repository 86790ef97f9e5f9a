/* SPDX-License-Identifier: Apache-2.0
 * seeds_samples.c - first inputs by seed: frames of every encapsulation and packet type as a
 * correct sender makes them (every fourth is damaged, so that error messages are reached too);
 * every header; short sequences of acts; the smallest files of each kind. */
#include "fuzz/seeds/seeds.h"
#include "fuzz/targets/acts.h"
#include "fuzz/targets/fuzz_frame.h"
#include "fuzz/targets/records.h"

#include "codecs/pcapng/pcapng.h"

#include <stdlib.h>

enum { ACTS_ROOM = 2048 };

/* ---- frames ---- */

static unsigned linktype_index(unsigned linktype)
{
    for (unsigned i = 0; i < FUZZ_FRAME_LINKTYPES; i++)
        if (fuzz_frame_linktypes[i] == linktype)
            return i;
    return 0;
}

/* The length after it. */
static size_t spoil(uint64_t *state, uint8_t *bytes, size_t len)
{
    if (test_random(state) % 2 == 0)
        return (size_t)(test_random(state) % (len + 1));
    for (uint64_t n = 1 + test_random(state) % 3; n > 0 && len > 0; n--)
        bytes[test_random(state) % len] ^= (uint8_t)(1u << test_random(state) % 8);
    return len;
}

/* The first byte for that link type with switches: both are read from it. */
static uint8_t first_byte(unsigned linktype, unsigned switches)
{
    for (unsigned low = 0; low < 16; low++)
        if ((switches | low) % FUZZ_FRAME_LINKTYPES == linktype_index(linktype))
            return (uint8_t)(switches | low);
    return (uint8_t)switches;
}

static void frames(struct seeds *seeds)
{
    struct fal_frame_keys keys = fuzz_frame_keys();
    uint64_t state = seeds->seed;

    for (unsigned long i = 0; seeds_wanted(seeds); i++) {
        uint8_t bytes[FUZZ_FRAME_HEAD + SAMPLE_MAX] = {0};
        unsigned linktype, switches = i % 3 != 0 ? FUZZ_FRAME_KEYS : 0;
        size_t len = sample_frame(&state, &keys, &linktype, bytes + FUZZ_FRAME_HEAD);

        if (len == 0)
            continue;
        if (i % 4 == 3)
            len = spoil(&state, bytes + FUZZ_FRAME_HEAD, len);
        if (i % 8 == 7)
            switches |= FUZZ_FRAME_CUT;
        bytes[0] = first_byte(linktype, switches);
        bytes[1] = (uint8_t)test_random(&state);
        (void)seeds_write(seeds, bytes, FUZZ_FRAME_HEAD + len);
    }
    fal_psp_keys_free(keys.psp);
    fal_esp_keys_free(keys.esp);
}

/* Ethernet frames alone, in the clear; Falcon packets alone. */
static void ether(struct seeds *seeds)
{
    struct fal_frame_keys keys = fuzz_frame_keys();
    uint64_t state = seeds->seed;

    while (seeds_wanted(seeds)) {
        uint8_t bytes[SAMPLE_MAX] = {0}, scratch[SAMPLE_MAX];
        struct fal_frame frame = {.number = 1};
        unsigned linktype;
        size_t len = sample_frame(&state, &keys, &linktype, bytes);

        if (len == 0 || linktype != FAL_LINKTYPE_ETHERNET)
            continue;
        /* The input is random: an error is as good. */
        FAL_IGNORE(fal_frame_decode(&(struct fal_captured){bytes, len, len, linktype}, NULL,
                                    scratch, &frame));
        if (fal_frame_has(&frame, FAL_LAYER_FALCON))
            (void)seeds_write(seeds, bytes, len);
    }
    fal_psp_keys_free(keys.psp);
    fal_esp_keys_free(keys.esp);
}

static void packets(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; seeds_wanted(seeds); i++) {
        uint8_t wire[FAL_HEADER_MAX + 64] = {0}, payload[64] = {0x80};
        enum fal_packet_type type = sample_types[i % SAMPLE_TYPES];
        size_t len = type == FAL_PUSH_DATA || type == FAL_PULL_DATA ? i % sizeof payload : 0;
        struct fal_falcon packet;
        int n;

        sample_packet(&state, type, &packet);
        if (type == FAL_PUSH_DATA)
            packet.request_length = (uint16_t)len;
        n = fal_falcon_encode(&packet, payload, len, wire, sizeof wire, NULL);
        if (n > 0)
            (void)seeds_write(seeds, wire, (size_t)n);
    }
}

/* ---- headers: each, with initial and with random values ---- */

/* `which` chooses: one of the n in the list, or, beyond them, one of the two that are not. */
static void header(struct seeds *seeds, size_t which, bool random, uint64_t *state)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    uint8_t bytes[1 + 2 * TEST_HEADER_MAX] = {(uint8_t)which};
    size_t len = TEST_HEADER_MAX;
    union test_host host;

    if (which < n) {
        fal_layout_init(layouts[which], &host);
        len = layouts[which]->size_bytes;
        /* The input is random: an error is as good. */
        FAL_IGNORE(fal_layout_encode(layouts[which], &host, bytes + 1, TEST_HEADER_MAX, NULL));
    }
    if (random)
        test_random_bytes(state, bytes + 1, sizeof bytes - 1);
    (void)seeds_write(seeds, bytes, 1 + len + (which % 2 == 0 ? 20 : 0));
}

static void headers(struct seeds *seeds)
{
    size_t n;
    uint64_t state = seeds->seed;

    (void)fal_layouts(&n);
    for (unsigned random = 0; random < 2; random++)
        for (size_t i = 0; i < n + 2 && seeds_wanted(seeds); i++)
            header(seeds, i, random == 1, &state);
}

/* ---- acts, which are random bytes of the right shape ---- */

static void seals(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 64 && seeds_wanted(seeds); i++) {
        uint8_t bytes[26 + 100];

        test_random_bytes(&state, bytes, sizeof bytes);
        bytes[0] = (uint8_t)(i % 8);
        bytes[1] = bytes[2] = (uint8_t)(i / 8);
        bytes[23] = (uint8_t)(i % 3);
        (void)seeds_write(seeds, bytes, 26 + i);
    }
}

/* Packets of each opcode, with what a queue pair knows in them, and words between them. */
static void verbs(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 96 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ACTS_ROOM];
        size_t len = 1;

        test_random_bytes(&state, bytes, sizeof bytes);
        bytes[0] = (uint8_t)i;
        for (unsigned n = 0; n < 6 && len + 100 < sizeof bytes; n++) {
            static const uint8_t opcodes[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 19, 20, 23};
            uint8_t opcode = opcodes[(i + n) % sizeof opcodes];
            bool pull = opcode == 12 || opcode == 19 || opcode == 20;
            uint8_t *act = bytes + len;

            memset(act, 0, 8);
            act[0] = 8; /* a receive request of 256 bytes */
            act[6] = 1;
            act += 8;
            act[0] = pull ? 5 : 0;
            act[1] = 15; /* all flags */
            act[2] = 0;
            act[3] = 72;
            act[7] = i % 8 < 3 * 2 ? opcode : (uint8_t)(0x60 | opcode);
            len = (size_t)(act - bytes) + 4 + 72 + 3;
        }
        (void)seeds_write(seeds, bytes, len);
    }
}

/* An act of fuzz_nvme.c that delivers a packet: its kind, flags that put in a header which the
 * engine has sent, or one of the sample's own. Returns its length. */
static size_t nvme_packet(uint8_t *act, uint8_t kind, uint8_t type, bool echo)
{
    enum { FRONT = 64, BODY = 36 + 4096 };
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_NVME};
    bool request = type == FAL_NVME_WRITE_REQUEST || type == FAL_NVME_READ_REQUEST;
    uint32_t len = request ? FRONT : BODY;

    memset(act, 0, 5 + FRONT + 2 + 2);
    act[0] = kind;
    act[1] = echo ? 7 : 6;
    act[2] = type;
    act[3] = (uint8_t)(len >> 8);
    act[4] = (uint8_t)len;
    fal_layout_init(fal_nvme_layout(type), &ulp.nvme);
    ulp.nvme.target_nsid = 9;
    FAL_IGNORE(fal_ulp_encode(&ulp, act + 5, FRONT, NULL));
    act[5 + FRONT] = BODY >> 8;
    act[6 + FRONT] = BODY & 0xff;
    if (kind != 5)
        return 5 + FRONT + 2;
    act[7 + FRONT] = 1; /* the completion of a Write Data Request, of the first command */
    return 5 + FRONT + 2 + 2;
}

/* Commands of the engine with answers to them, and commands of the peer with their data. */
static void nvme(struct seeds *seeds)
{
    static const uint8_t post[] = {6, 0, 0, 0, 0, 1}, tick[] = {10, 1, 0};

    for (unsigned i = 0; i < 72 && seeds_wanted(seeds); i++) {
        bool writes = i % 2 != 0, of_engine = i / 24 % 2 == 0;
        uint8_t bytes[ACTS_ROOM] = {(uint8_t)i}, *at = bytes + 1;

        if (of_engine) {
            memcpy(at, post, sizeof post);
            at[1] = (uint8_t)writes;
            at[4] = (uint8_t)(i / 3);
            at[5] = (uint8_t)(i % 24);
            at += sizeof post;
        } else {
            at += nvme_packet(at, 0, writes ? FAL_NVME_WRITE_REQUEST : FAL_NVME_READ_REQUEST,
                              false);
        }
        if (of_engine && writes)
            at += nvme_packet(at, 4, FAL_NVME_WRITE_DATA_REQUEST, true);
        else if (writes)
            at += nvme_packet(at, 5, FAL_NVME_WRITE_DATA_RESPONSE, true);
        if (of_engine)
            at += nvme_packet(
                at, 0, writes ? FAL_NVME_WRITE_COMPLETION : FAL_NVME_READ_RESPONSE, true);
        memcpy(at, tick, sizeof tick);
        at += sizeof tick;
        (void)seeds_write(seeds, bytes, (size_t)(at - bytes));
    }
}

static void rx_window(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 64 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ACTS_ROOM];
        size_t len = 5;

        test_random_bytes(&state, bytes, sizeof bytes);
        bytes[0] = (uint8_t)(i % 2);
        if (i % 4 == 0)
            memset(bytes + 1, 0xff, 4); /* the base wraps soon */
        for (unsigned n = 0; n < 4 + i && len + 35 < sizeof bytes; n++) {
            bytes[len + 1] = i % 8 == 7 ? bytes[len + 1] & 0x80 : 0;
            bytes[len + 2] &= i % 3 == 0 ? 3 : 0x7f; /* close to the base, or all over */
            len += bytes[len] % 5 == 3 ? 35 : 3;
        }
        (void)seeds_write(seeds, bytes, len);
    }
}

/* Posts, then what acknowledges some of them. */
static void tx_window(struct seeds *seeds)
{
    static const uint8_t lengths[] = {2, 2, 3, 52, 7, 3, 3}; /* of acts, by their number */
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 64 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ACTS_ROOM];
        size_t len = 10;

        test_random_bytes(&state, bytes, sizeof bytes);
        if (i % 4 == 0)
            memset(bytes, 0xff, 8);
        bytes[8] = bytes[9] = (uint8_t)(i % 3 == 0 ? 64 : i);
        for (unsigned n = 0; n < 6 + i && len + 60 < sizeof bytes; n++) {
            uint8_t act = (uint8_t)(n < 6 ? n % 2 : bytes[len] % 7);

            bytes[len] = act;
            if (act >= 2 && act <= 4) {
                bytes[len + 1] &= 3;
                bytes[len + 2] &= 3;
            }
            len += lengths[act];
        }
        (void)seeds_write(seeds, bytes, len);
    }
}

/* ---- sequences: each hostile packet type between lawful transactions ---- */

static size_t add_record(uint8_t *out, uint8_t kind, uint8_t when, const void *bytes,
                         size_t len)
{
    out[0] = kind;
    out[1] = when;
    out[2] = (uint8_t)(len >> 8);
    out[3] = (uint8_t)len;
    memcpy(out + FUZZ_RECORD_LEN, bytes, len);
    return FUZZ_RECORD_LEN + len;
}

static void sequences(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 48 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ACTS_ROOM] = {(uint8_t)i, (uint8_t)i, i % 5 == 4 ? 15 : 0,  0,
                                    64,         64,         i % 7 == 6 ? 0x33 : 0};
        static const uint8_t length[2] = {0, 64}, again[] = {1, 20, 1};
        size_t len = FUZZ_HEAD_LEN;

        for (unsigned n = 0; n < 6; n++) {
            uint8_t wire[FAL_HEADER_MAX + 16] = {0};
            struct fal_falcon packet;
            int size;

            sample_packet(&state, sample_types[(i + n) % SAMPLE_TYPES], &packet);
            packet.psn %= 4;
            packet.rsn %= 4;
            packet.nack_psn %= 4;
            packet.recv_req_base_psn %= 2;
            packet.recv_data_base_psn %= 2;
            if (packet.packet_type == FAL_PUSH_DATA)
                packet.request_length = 8;
            size = fal_falcon_encode(&packet, NULL, 0, wire, sizeof wire, NULL);
            len += add_record(bytes + len, n % 2 == 0 ? ACT_PUSH : ACT_PULL | ACT_SIDE, 0x55,
                              length, sizeof length);
            if (size > 0)
                len += add_record(
                    bytes + len,
                    (uint8_t)(n == 5 ? ACT_HOSTILE : ACT_AIMED | (i + n) % 2 * ACT_SIDE), 0x51,
                    wire, (size_t)size + (packet.packet_type == FAL_PUSH_DATA ? 8u : 0u));
        }
        len += add_record(bytes + len, ACT_AGAIN, 0x51, again, sizeof again);
        (void)seeds_write(seeds, bytes, len);
    }
}

/* ---- capture files ---- */

static void captures(struct seeds *seeds)
{
    static const uint8_t pcap_heads[][24] = {
        {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 1},
        {0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 101},
        {0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, [16] = 0, 0, 0xff, 0xff, 0, 0, 0, 147},
    };
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 24 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ACTS_ROOM], frame[64];
        size_t len = 0;

        test_random_bytes(&state, frame, sizeof frame);
        if (i % 2 == 0) {
            unsigned k = i / 2 % 3;
            uint8_t head[16] = {0};

            memcpy(bytes, pcap_heads[k], 24);
            head[k == 2 ? 11 : 8] = head[k == 2 ? 15 : 12] = sizeof frame;
            memcpy(bytes + 24, head, sizeof head);
            memcpy(bytes + 40, frame, sizeof frame);
            len = 40 + sizeof frame;
        } else {
            struct fal_pcapng_interface interface = {.linktype = 1, .tsresol = 9};
            struct fal_pcapng_packet packet = {.ts_ns = 1000u * i,
                                               .caplen = sizeof frame,
                                               .len = sizeof frame,
                                               .bytes = frame,
                                               .has_id = i % 4 == 1,
                                               .has_flags = i % 8 == 1};

            len += (size_t)fal_pcapng_write_section("t", bytes, sizeof bytes);
            len +=
                (size_t)fal_pcapng_write_interface(&interface, bytes + len, sizeof bytes - len);
            for (unsigned n = 0; n < 1 + i % 3; n++)
                len +=
                    (size_t)fal_pcapng_write_packet(&packet, bytes + len, sizeof bytes - len);
        }
        (void)seeds_write(seeds, bytes, len);
    }
}

/* Data, acknowledgements and CNPs between two queue pairs (fuzz_roce.c). */
static void roce(struct seeds *seeds)
{
    uint64_t state = seeds->seed;

    for (unsigned i = 0; i < 48 && seeds_wanted(seeds); i++) {
        uint8_t bytes[4 + 64 * 24], random[64];
        size_t len = 4;

        test_random_bytes(&state, random, sizeof random);
        memcpy(bytes, random, 4);
        for (unsigned n = 0; n < 16 + i; n++) {
            static const uint8_t opcodes[] = {0x07, 0x11, 0x07, 0x81};
            uint8_t kind = n % 4, body = kind == 3 ? 16 : 4;
            const uint8_t head[] = {(uint8_t)(kind & 1 ? 1 : 2 * (random[n] & 1)),
                                    random[n] & 31,
                                    random[63 - n],
                                    opcodes[kind],
                                    kind & 1 ? 1 : 2,
                                    (uint8_t)(n - (random[n] > 240)),
                                    body};

            memcpy(bytes + len, head, sizeof head);
            len += sizeof head;
            memset(bytes + len, 0, body);
            if (kind == 1)
                bytes[len] = random[n] > 220 ? 0x60 : 0x1f;
            len += body;
        }
        (void)seeds_write(seeds, bytes, len);
    }
}

bool seeds_samples(struct seeds *seeds)
{
    static const struct {
        const char *target;
        void (*write)(struct seeds *seeds);
    } makers[] = {
        {"frame", frames},          {"headers", headers},     {"seal", seals},
        {"rx_window", rx_window},   {"tx_window", tx_window}, {"endpoint", sequences},
        {"capture", captures},      {"ether", ether},         {"packet", packets},
        {"control", seeds_control}, {"cc", seeds_cc},         {"verbs", verbs},
        {"events", seeds_events},   {"roce", roce},           {"nvme", nvme},
        {"rules", seeds_rules},
    };

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].target, seeds->target) == 0) {
            makers[i].write(seeds);
            return true;
        }
    return false;
}
