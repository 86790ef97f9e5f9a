/* SPDX-License-Identifier: Apache-2.0
 * r2_base_not_in_own_eack.c - rule R2: inside one EACK, the base is by definition not
 * acknowledged, so its ack bit is 0. Bit 0 of data_rx_bitmap may be 1: a push at the base that
 * waits for its upper layer (AMB-01). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r2 = {
    .id = "R2",
    .title = "the base is not acknowledged inside its own EACK",
    .requirements = FAL_IDS("FTP-9.2.2.4-10"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .alone = true,
    .doc =
        "Violated when bit 0 of data_ack_bitmap or req_bitmap is set: an acknowledged packet "
        "moves the base past itself. Bit 0 of data_rx_bitmap may be set: a push at the base "
        "waits for its upper layer (AMB-01). Allowed: an ack bit without its rx bit, all rx "
        "bits set, an EACK where a BACK would do.",
};

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *bitmap)
{
    struct fal_break b = fal_break_begin(c, "FTP-9.2.2.4-10");
    char line[FAL_LINE_MAX];

    fal_break_expected(&b, "bit 0 of %s is 0: the base is the first number not acknowledged",
                       bitmap);
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    bool data = fal_u128_test(q->claim[FAL_WINDOW_DATA].ack, 0);
    bool req = fal_u128_test(q->claim[FAL_WINDOW_REQ].ack, 0);

    if (q->falcon->packet_type != FAL_EACK)
        return;
    if (data)
        broken(c, q, "data_ack_bitmap");
    if (req)
        broken(c, q, "req_bitmap");
    if (!data && !req)
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_r2 = {
    .about = &fal_about_r2,
    .power = 1,
    .out = out,
    .on_out = FAL_ON_EACK,
};
