/* SPDX-License-Identifier: Apache-2.0
 * fuzz_roce.c - RoCEv2: headers of any bytes, and the judge of their congestion management and
 * go-back-N over any sequence of packets. Each packet is judged twice, by judges that were told
 * the same: they must agree; and no rule finds without a frame that shows it.
 * The input: four bytes of setup, then packets: flags (1), time (2), opcode (1), queue pair
 * (1), PSN (1), length (1), and that many bytes behind the BTH. */
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/rules/roce/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS_MAX = 512, ETH = 14, IP = 20, UDP = 8, BTH = 12, BODY = 255 };

/* Flags of a packet. */
enum { FROM_B = 1, MARKED = 2, CUT = 4, GAP = 8, QUEUE = 16, FAR = 32, BEFORE = 64 };

static struct fal_rj_setup setup_of(struct fuzz_reader *in)
{
    uint8_t a = fuzz_u8(in), b = fuzz_u8(in), c = fuzz_u8(in), d = fuzz_u8(in);
    static const struct fal_rj_pair pair = {{{0x0a000001, false}, {0x0a000002, false}}, {1, 2}};
    struct fal_rj_setup s = {.have_dcqcn = a & 1,
                             .congestion_management = (enum fal_roce_claim)(a >> 1 & 1),
                             .limiter = (enum fal_roce_limiter)(a >> 2 & 3),
                             .vantage = (enum fal_roce_vantage)(a >> 4 & 3),
                             .suts = {{0x0a000001 + (a >> 6 & 1), false}},
                             .num_suts = a >> 7,
                             .pairs = &pair,
                             .num_pairs = b & 1,
                             .have_turnaround = b >> 1 & 1,
                             .have_delay = b >> 2 & 1,
                             .have_burst = b >> 3 & 1,
                             .complete = b >> 4 & 1,
                             .from_start = b >> 5 & 1,
                             .no_duplicates = b >> 6 & 1,
                             .lossless_out = b >> 7,
                             .lossless_in = c & 1,
                             .no_marking_behind = c >> 1 & 1,
                             .backlogged = c >> 2 & 1,
                             .separate_scheduler = c >> 3 & 1,
                             .alpha_from_cnp = c >> 4 & 1,
                             .cnp_becn = c >> 5 & 1,
                             .mtu = c >> 6 & 1 ? 256 : 0,
                             .icrc_captured = c >> 7,
                             .timeout_ns = (uint64_t)(d & 15) << 12,
                             .clock_error_ns = d >> 4};

    s.dcqcn = *fal_dcqcn_preset(d & 1 ? "paper" : "nic");
    s.dcqcn.line_rate_bps = UINT64_C(10000000000);
    s.dcqcn.cnp_interval_ns = (uint64_t)(d >> 1 & 7) << 12;
    return s;
}

/* An IPv4 packet; returns its length. */
static size_t build(uint8_t flags, struct fuzz_reader *in, uint8_t *out)
{
    uint8_t opcode = fuzz_u8(in), qp = fuzz_u8(in), psn = fuzz_u8(in), body = fuzz_u8(in);
    size_t len = (size_t)IP + UDP + BTH + body;
    uint8_t *ip = out + ETH, *udp = ip + IP, *bth = udp + UDP;

    memset(out, 0, (size_t)ETH + IP + UDP + BTH);
    out[12] = 8;
    ip[0] = 0x45;
    ip[1] = flags & MARKED ? 3 : 2;
    ip[2] = (uint8_t)(len >> 8);
    ip[3] = (uint8_t)len;
    ip[8] = 64;
    ip[9] = 17;
    ip[12] = ip[16] = 10;
    ip[15] = flags & FROM_B ? 2 : 1;
    ip[19] = flags & FROM_B ? 1 : 2;
    udp[2] = 4791 >> 8;
    udp[3] = 4791 & 0xff;
    udp[4] = (uint8_t)((len - IP) >> 8);
    udp[5] = (uint8_t)(len - IP);
    bth[0] = opcode;
    bth[7] = qp;
    bth[9] = flags & FAR ? 0xff : 0;
    bth[11] = psn;
    for (size_t i = 0; i < body; i++)
        bth[BTH + i] = fuzz_u8(in);
    return ETH + len;
}

static void show(struct fal_roce_judge *judge, const struct fal_captured *captured,
                 uint64_t at_ns, uint64_t number, uint8_t flags)
{
    struct fal_frame frame = {.number = number, .ts_ns = at_ns};
    struct fal_roce_seen seen;

    if (flags & GAP)
        fal_roce_judge_gap(judge);
    if (flags & QUEUE)
        fal_roce_judge_queue(judge, at_ns, number << 9);
    /* Only the link type could be wrong. */
    FAL_IGNORE(fal_frame_decode(captured, NULL, NULL, &frame));
    /* The lengths are right, so that the sum of IP is all that may be wrong. */
    if (!fal_roce_seen_of(&frame, &seen))
        return;
    if (seen.payload > seen.wire)
        fuzz_broken("roce: more data than the frame has");
    seen.damaged = false;
    seen.point = flags & BEFORE ? FAL_ROCE_BEFORE : FAL_ROCE_ANYWHERE;
    fal_roce_judge_seen(judge, &seen);
}

static void check(const struct fal_roce_judge *judge, const struct fal_roce_judge *same)
{
    const struct fal_tally *a = fal_roce_judge_tally(judge), *b = fal_roce_judge_tally(same);

    for (size_t i = 0; i < a->num_rules; i++) {
        const struct fal_tally_row *row = &a->rows[i];

        if (row->held != b->rows[i].held || row->broken != b->rows[i].broken ||
            row->excused != b->rows[i].excused)
            fuzz_broken("roce: %s differs in two judges", a->rules[i].id);
        if (row->excused > 0 && (row->excuse == NULL || row->excuse[0] == 0))
            fuzz_broken("roce: %s has an excuse without a name", a->rules[i].id);
        for (unsigned k = 0; k < row->num_findings; k++)
            if (row->findings[k].number == 0 || row->findings[k].what[0] == 0)
                fuzz_broken("roce: %s found without a frame", a->rules[i].id);
    }
}

void fuzz_roce(const uint8_t *data, size_t size)
{
    struct fuzz_reader in = {data, size};
    struct fal_rj_setup setup = setup_of(&in);
    struct fal_roce_judge *judge = fal_roce_judge_new(&setup),
                          *same = fal_roce_judge_new(&setup);
    uint64_t now_ns = 0;
    uint8_t *bytes = malloc((size_t)ETH + IP + UDP + BTH + BODY);

    for (uint64_t n = 1;
         judge != NULL && same != NULL && bytes != NULL && in.left > 0 && n <= PACKETS_MAX;
         n++) {
        uint8_t flags = fuzz_u8(&in);
        size_t len;
        struct fal_captured captured;

        now_ns += (uint64_t)fuzz_u16(&in) << (flags & FAR ? 16 : 0);
        len = build(flags, &in, bytes);
        captured = (struct fal_captured){bytes, len, len, FAL_LINKTYPE_ETHERNET};
        if (flags & CUT)
            captured.caplen -= len % 37;
        show(judge, &captured, now_ns, n, flags);
        show(same, &captured, now_ns, n, flags);
    }
    if (judge != NULL && same != NULL) {
        fal_roce_judge_end(judge);
        fal_roce_judge_end(same);
        check(judge, same);
    }
    free(bytes);
    fal_roce_judge_free(judge);
    fal_roce_judge_free(same);
}
