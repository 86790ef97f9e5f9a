/* SPDX-License-Identifier: Apache-2.0
 * l1_well_formed_and_addressed.c - rule L1: what one packet violates by itself, as found by the
 * lint, and to whom it is addressed. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/nvme/walk.h"
#include "oracles/rules/rdma/walk.h"

#include "oracles/catalogue.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_l1 = {
    .id = "L1",
    .title = "each packet is well-formed and addressed to its receiver",
    .requirements = FAL_IDS(
        "FTP-6.1.1-01", "FTP-6.2-01", "FTP-6.2-02", "FTP-6.2-04", "FTP-7.2-01", "FTP-7.2-02",
        "FTP-7.2-03", "FTP-7.2-04", "FTP-7.2-05", "FTP-7.2-06", "FTP-7.2-07", "FTP-7.2-08",
        "FTP-7.2-09", "FTP-7.2-10", "FTP-7.2-11", "FTP-7.2-12", "FTP-7.2-13", "FTP-7.2-14",
        "FTP-7.2-15", "FTP-7.2-16", "FTP-7.2-17", "FTP-7.2-18", "FTP-7.3-01", "FTP-7.3-02",
        "FTP-7.3-05", "FTP-7.4-01", "FTP-7.5-01", "FTP-7.5-02", "FTP-7.5-03", "FTP-7.5-04",
        "FTP-7.6-01", "FTP-7.6-02", "FTP-7.6-10", "FTP-7.6-11", "FTP-7.6-12", "FTP-7.6-13",
        "FTP-7.7-01", "FTP-7.7.1-01", "FTP-7.7.1-02", "FTP-7.7.1-03", "FTP-7.7.1-04",
        "FTP-7.7.1-05", "FTP-7.7.1-06", "FTP-7.7.1-15", "FTP-7.7.2-01", "FTP-7.7.2-02",
        "FTP-7.7.2-07", "FTP-7.8-01", "FTP-7.8-03", "FTP-7.8-04", "FTP-7.8-05", "FTP-7.8-13",
        "FTP-7.8-16", "FTP-7.8-23", "FTP-7.8-24", "FTP-7.8-28", "FTP-9.1.6-14", "RDMA-6.7-06",
        "RDMA-6.7-09", "RDMA-6.7-14", "RDMA-8.1.3-01", "RDMA-8.1.3-02", "RDMA-8.1.3-03",
        "RDMA-8.1.3-04", "RDMA-8.1.3-05", "RDMA-8.1.3-06", "RDMA-8.1.3-07", "RDMA-8.1.3-08",
        "RDMA-8.1.3-09", "RDMA-8.1.3-10", "RDMA-8.1.3-11", "RDMA-8.1.3-12", "RDMA-8.1.3-13",
        "RDMA-8.1.3-14", "RDMA-8.1.3-15", "RDMA-8.1.3-16", "RDMA-8.1.3-17", "RDMA-8.1.3-18",
        "RDMA-8.1.3-19", "RDMA-8.1.3-20", "RDMA-8.1.3-21", "RDMA-8.1.3-22", "RDMA-8.1.3-23",
        "RDMA-8.1.3-24", "RDMA-8.1.3-25", "RDMA-8.1.3-26", "RDMA-8.1.3-27", "RDMA-8.2-01",
        "RDMA-8.2-02", "RDMA-8.2-03", "RDMA-8.2-05", "RDMA-8.2-06", "RDMA-8.2-07",
        "RDMA-8.2-09", "RDMA-8.2-11", "RDMA-8.3-01", "RDMA-8.3.1-04", "RDMA-8.3.6-01",
        "RDMA-8.3.9-01", "RDMA-8.3.9-02", "RDMA-8.3.10-03", "NVME-7.1-01", "NVME-7.1-05",
        "NVME-7.2-01", "NVME-7.2-02", "NVME-7.2-05", "NVME-8.1.3-01", "NVME-8.1.3-02",
        "NVME-8.1.3-03", "NVME-8.1.3-04", "NVME-8.1.3-05", "NVME-8.1.3-06", "NVME-8.1.3-07",
        "NVME-8.2-01", "NVME-8.2-02", "NVME-8.2-03", "NVME-8.2-05", "NVME-8.2-06",
        "NVME-8.2-14", "NVME-8.3-01", "NVME-8.3-07", "NVME-8.3-11", "NVME-8.3-15",
        "NVME-8.4-01", "NVME-8.4-06", "NVME-8.5-01", "NVME-8.5-05", "NVME-8.5-06",
        "NVME-8.5-08", "NVME-8.5-13", "NVME-8.6-01", "NVME-8.6-02", "NVME-8.7-01",
        "NVME-8.7-04", "NVME-8.8-01"),
    .role = "any",
    .needs = "wire",
    .assumes = "",
    .alone = true,
    .doc =
        "The rule checks every packet against the layouts of chapter 7, and those of RDMA and "
        "NVMe where a packet carries them: length, version, "
        "reserved bits, code points and lengths that must agree. It checks the CID and "
        "function against those that the receiver was set up with, and the protocol type and "
        "length against those that the connection was given. The Vendor Defined word of a "
        "Resync must be 0 if the SUT is known not to use it (ICS item resync-vendor-defined, "
        "or parameter resync_vendor). Bits that are reserved only in "
        "the figures give a warning (AMB-27). On a live path, a packet to a CID that no "
        "connection has may belong to an earlier connection for one second.",
};

/* The severity of an issue by the catalogue. Errors without an entry stay errors. */
static enum fal_verdict breach(const struct fal_issue *issue)
{
    const struct fal_requirement *r =
        issue->requirement != NULL ? fal_requirement_find(issue->requirement) : NULL;

    if (r != NULL)
        return fal_requirement_breach(r);
    return issue->severity == FAL_ERROR ? FAL_VERDICT_FAIL : FAL_VERDICT_NONE;
}

static void value_text(fal_u128 v, char out[40])
{
    if (fal_u128_hi(v) != 0)
        (void)snprintf(out, 40, "0x%" PRIx64 "%016" PRIx64, fal_u128_hi(v), fal_u128_lo(v));
    else if (fal_u128_lo(v) < 256)
        (void)snprintf(out, 40, "%" PRIu64, fal_u128_lo(v));
    else
        (void)snprintf(out, 40, "0x%" PRIx64, fal_u128_lo(v));
}

static void issue_break(struct fal_ctx *c, const struct fal_event *event,
                        const struct fal_issue *issue)
{
    struct fal_break b = fal_break_begin(c, issue->requirement);
    struct fal_at at = fal_at_event(event);
    char due[40], seen[40], line[FAL_LINE_MAX];

    b.finding.warn = issue->severity == FAL_WARNING; /* another reading stands */
    value_text(issue->due, due);
    value_text(issue->seen, seen);
    (void)fal_line(c, &event->u.packet, line);
    if (issue->has_values && issue->field != NULL) {
        fal_break_expected(&b, "%s=%s (%s)", issue->field, due, issue->message);
        fal_break_seen(&b, "%s=%s in %s", issue->field, seen, line);
    } else {
        fal_break_expected(&b, "%s", issue->message);
        fal_break_seen(&b, "%s", line);
    }
    fal_break_end(c, &b, &at);
}

/* The entry of the CID in the header that the packet has. */
static const char *cid_requirement(const struct fal_falcon *f)
{
    if (f->packet_type == FAL_NACK)
        return "FTP-7.8-04";
    return fal_falcon_is_ack(f->packet_type) ? "FTP-7.7.1-04" : "FTP-6.2-02";
}

static void stray_break(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_break b = fal_break_begin(c, cid_requirement(&event->u.packet.falcon));
    struct fal_at at = fal_at_event(event);
    char line[FAL_LINE_MAX];

    if (c->track != NULL)
        fal_break_expected(&b, "cid=%" PRIu32 ", which the receiver allocated",
                           event->u.packet.dir == FAL_TO_SUT ? c->track->setup.sut.cid
                                                             : c->track->setup.tester.cid);
    else
        fal_break_expected(&b, "the CID of a connection of the receiver");
    fal_break_seen(&b, "%s", fal_line(c, &event->u.packet, line));
    fal_break_end(c, &b, &at);
}

static void function_break(struct fal_ctx *c, const struct fal_event *event, uint32_t due)
{
    struct fal_break b = fal_break_begin(c, "FTP-7.2-05");
    struct fal_at at = fal_at_event(event);
    char line[FAL_LINE_MAX];

    fal_break_expected(&b, "fn=%" PRIu32, due);
    fal_break_seen(&b, "%s", fal_line(c, &event->u.packet, line));
    fal_break_end(c, &b, &at);
}

static const char *protocol_requirement(uint32_t protocol)
{
    switch (protocol) {
    case 2: return "FTP-7.2-07";
    case 3: return "FTP-7.2-08";
    default: return "FTP-7.2-06";
    }
}

static void protocol_break(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_at at = fal_at_event(event);

    fal_broken(c,
               &(struct fal_blame){.requirement = protocol_requirement(params->protocol_type),
                                   .effect = &at,
                                   .packet = &event->u.packet},
               "protocol_type=%u, the upper layer of the connection",
               (unsigned)params->protocol_type);
}

static void length_break(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);

    fal_broken(c,
               &(struct fal_blame){
                   .requirement = "FTP-6.2-04", .effect = &at, .packet = &event->u.packet},
               "at most %u bytes of payload", (unsigned)c->track->setup.params.mtu);
}

static void vendor_break(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);

    fal_broken(c,
               &(struct fal_blame){
                   .requirement = "FTP-7.6-13", .effect = &at, .packet = &event->u.packet},
               "vendor_defined=0, because the SUT does not use the word");
}

/* A Resync whose Vendor Defined word is not 0, of a SUT that is known not to use the word. */
static bool vendor_word_wrong(const struct fal_ctx *c, const struct fal_falcon *f)
{
    return c->subject == FAL_SUBJECT_SUT && f->packet_type == FAL_RESYNC &&
           f->vendor_defined != 0 && fal_given(c, FAL_PARAM_AT_resync_vendor) &&
           !c->track->setup.params.resync_vendor;
}

/* A reliable packet against what the connection was given: the function (like the CID; ACKs and
 * NACKs have no field for it), its upper layer, the longest packet, and the vendor's word. */
static bool setup_break(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    const struct fal_connection *setup = &c->track->setup;
    uint32_t due = packet->dir == FAL_TO_SUT ? setup->sut.function : setup->tester.function;

    if (!fal_falcon_reliable(packet->falcon.packet_type))
        return false;
    if (setup->initial_known && packet->falcon.dest_function != due)
        function_break(c, event, due);
    else if (fal_given(c, FAL_PARAM_AT_protocol_type) &&
             packet->falcon.protocol_type != setup->params.protocol_type)
        protocol_break(c, event);
    else if (fal_given(c, FAL_PARAM_AT_mtu) && packet->payload_len > setup->params.mtu)
        length_break(c, event);
    else if (vendor_word_wrong(c, &packet->falcon))
        vendor_break(c, event);
    else
        return false;
    return true;
}

static bool issues_break(struct fal_ctx *c, const struct fal_event *event,
                         const struct fal_issues *issues)
{
    bool broken = false;

    for (size_t i = 0; i < issues->count; i++) {
        if (breach(&issues->list[i]) == FAL_VERDICT_NONE)
            continue;
        issue_break(c, event, &issues->list[i]);
        broken = true;
    }
    return broken;
}

/* Whether the headers of the upper layer are the subject's own. */
static bool own(const struct fal_ctx *c, const struct fal_ev_packet *packet)
{
    return c->ulp->protocol == FAL_PROTOCOL_NVME ? fal_nvme_own(c, packet)
                                                 : fal_rdma_own(c, packet);
}

/* The headers of RDMA or NVMe. */
static bool ulp_break(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    struct fal_issues issues;

    issues.count = issues.dropped = 0;
    fal_ulp_lint(&packet->falcon, c->ulp,
                 &(struct fal_ulp_bytes){packet->payload, packet->payload_len,
                                         packet->truncated, (uint32_t)packet->header_len},
                 &issues);
    return issues_break(c, event, &issues);
}

static void raw(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit)
{
    bool broken = issues_break(c, event, &event->u.packet.issues);

    if (c->ulp != NULL && own(c, &event->u.packet) && ulp_break(c, event))
        broken = true;
    switch (fit) {
    case FAL_FITS:
        if (!setup_break(c, event) && !broken)
            fal_holds(c);
        break;
    case FAL_MALFORMED:
    case FAL_BAD: break;
    case FAL_STRAY_OLD: fal_undecided(c, FAL_EXCUSE_OUT_REORDER); break;
    case FAL_STRAY: stray_break(c, event); break;
    }
}

const struct fal_rule_impl fal_rule_l1 = {
    .about = &fal_about_l1,
    .power = 1,
    .raw = raw,
};
