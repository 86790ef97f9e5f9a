/* SPDX-License-Identifier: Apache-2.0
 * l2_carried_as_set_up.c - rule L2: a packet is encapsulated as the connection was set up, or
 * as the sender began (6.5, 7.1). A connection in plain UDP, or without any layer below, exists
 * only in laboratories and is not checked. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/nvme/walk.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_l2 = {
    .id = "L2",
    .title = "a packet is encapsulated as its connection was set up",
    .requirements =
        FAL_IDS("FTP-6.5-01", "FTP-7.1-01", "FTP-7.1-02", "FTP-7.1-03", "FTP-7.1.1-01",
                "FTP-7.1.2-01", "FTP-9.2.1-17", "RDMA-8.1-01", "RDMA-8.1.1-01", "RDMA-8.1.2-01",
                "NVME-8.1-01", "NVME-8.1.1-01", "NVME-8.1.2-01"),
    .role = "any",
    .needs = "wire",
    .assumes = "",
    .alone = true,
    .doc =
        "Each packet of a sealed connection has the agreed encapsulation, or, where none was "
        "stated, that of the sender's first sealed packet. PSP in transport mode announces "
        "Falcon (252) and leaves version and CID in clear text; tunnel mode may be configured "
        "otherwise (AMB-31: warn). Where the connection manager gave a PCID for the sender's "
        "packets, PSP's virtualization cookie is that PCID. Connections in plain UDP are not "
        "checked: only laboratories use them. RDMA and NVMe say the same of their packets "
        "(8.1), and their requirements are named where the upper layer of the SUT made the packet.",
};

struct state {
    bool learnt;
    enum fal_encap encap;
    struct fal_at by; /* the packet that told it; of a given one, none */
};

static bool seals(enum fal_encap encap)
{
    return encap != FAL_ENCAP_UDP && encap != FAL_ENCAP_BARE;
}

static bool tunnels(enum fal_encap encap)
{
    return encap == FAL_ENCAP_PSP_TUNNEL || encap == FAL_ENCAP_ESP_TUNNEL;
}

/* What the packet carries; UPPER_NONE: its payload is not that of an upper layer. */
enum upper { UPPER_NONE, UPPER_RDMA, UPPER_NVME, UPPERS };

/* Which sentence another encapsulation breaks: that of the transport, or of the upper layer. */
static const char *sentence(enum fal_encap due, enum fal_encap seen, enum upper upper)
{
    static const char *const any[UPPERS] = {"FTP-7.1-01", "RDMA-8.1-01", "NVME-8.1-01"};
    static const char *const tunnel[UPPERS] = {"FTP-7.1.2-01", "RDMA-8.1.2-01",
                                               "NVME-8.1.2-01"};
    static const char *const transport[UPPERS] = {"FTP-7.1.1-01", "RDMA-8.1.1-01",
                                                  "NVME-8.1.1-01"};

    if (!seals(seen))
        return "FTP-6.5-01";
    if (tunnels(due) == tunnels(seen)) /* PSP where ESP was agreed, or the reverse */
        return any[upper];
    if (tunnels(due))
        return tunnel[upper];
    return transport[upper];
}

/* Whose headers the packet has, if the upper layer of the subject made them. */
static enum upper upper_of(const struct fal_ctx *c, const struct fal_ev_packet *packet)
{
    if (c->ulp == NULL || c->ulp->state != FAL_ULP_READ)
        return UPPER_NONE;
    if (c->ulp->protocol == FAL_PROTOCOL_NVME)
        return fal_nvme_own(c, packet) ? UPPER_NVME : UPPER_NONE;
    return c->track->verbs && fal_rdma_own(c, packet) ? UPPER_RDMA : UPPER_NONE;
}

static bool is_ip(uint8_t next_header)
{
    return next_header == FAL_PROTOCOL_IPV4 || next_header == FAL_PROTOCOL_IPV6;
}

/* The virtualization cookie carries the PCID (9.2.1). Where none was given, a cookie is free.
 */
static bool carries_pcid(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_carrier *carrier = &event->u.packet.carrier;
    const struct fal_connection *setup = &c->track->setup;
    struct fal_at at = fal_at_event(event);
    char seen[64] = "no virtualization cookie";

    if (!setup->pcid_known || (carrier->has_vc && carrier->vc == setup->pcid))
        return true;
    if (carrier->has_vc)
        (void)snprintf(seen, sizeof seen, "virtualization cookie %" PRIu64, carrier->vc);
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-9.2.1-17", .effect = &at, .seen = seen},
               "virtualization cookie %" PRIu64 ", the PCID of the connection", setup->pcid);
    return false;
}

/* PSP's header: what follows, and what stays in the clear. In a tunnel, and with ESP, that is
 * the configuration's (AMB-31). */
static void psp_header(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_carrier *carrier = &event->u.packet.carrier;
    unsigned due = carrier->has_vc ? 3 : 1;
    struct fal_at at = fal_at_event(event);
    char seen[64];

    if (!carries_pcid(c, event))
        return;
    if (carrier->encap == FAL_ENCAP_PSP_TUNNEL && is_ip(carrier->next_header) &&
        carrier->inner_protocol == FAL_PROTOCOL_FALCON) {
        (void)fal_read_as(c, FAL_AMB_31, FAL_READ_ANY, &at);
    } else if (carrier->encap == FAL_ENCAP_PSP_TUNNEL) {
        (void)fal_read_as(c, FAL_AMB_31, FAL_READ_OTHER, &at);
    } else if (carrier->next_header != FAL_PROTOCOL_FALCON) {
        (void)snprintf(seen, sizeof seen, "next_header=%u", carrier->next_header);
        fal_broken(
            c, &(struct fal_blame){.requirement = "FTP-7.1-02", .effect = &at, .seen = seen},
            "next_header=%d, which announces a Falcon header", FAL_PROTOCOL_FALCON);
    } else if (carrier->crypt_offset != due) {
        (void)snprintf(seen, sizeof seen, "crypt_offset=%u", carrier->crypt_offset);
        fal_broken(
            c, &(struct fal_blame){.requirement = "FTP-7.1-03", .effect = &at, .seen = seen},
            "crypt_offset=%u: version and CID in the clear, the rest sealed", due);
    } else {
        fal_holds(c);
    }
}

static void raw(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit)
{
    const struct fal_carrier *carrier = &event->u.packet.carrier;
    struct state *state = c->state;
    struct fal_at at;

    if (!carrier->known || c->track == NULL || fit == FAL_STRAY || fit == FAL_STRAY_OLD)
        return;
    if (!state->learnt) {
        const struct fal_connection *setup = &c->track->setup;

        if (!setup->encap_known && !seals(carrier->encap))
            return;
        state->learnt = true;
        state->encap = setup->encap_known ? setup->encap : carrier->encap;
        state->by = fal_at_event(event);
    }
    if (!seals(state->encap))
        return;
    at = fal_at_event(event);
    if (carrier->encap != state->encap)
        fal_broken(
            c,
            &(struct fal_blame){.requirement = sentence(state->encap, carrier->encap,
                                                        upper_of(c, &event->u.packet)),
                                .cause = {c->track->setup.encap_known ? NULL : &state->by},
                                .effect = &at,
                                .seen = fal_encap_name(carrier->encap)},
            "%s, as %s", fal_encap_name(state->encap),
            c->track->setup.encap_known ? "the connection was set up" : "before");
    else if (carrier->encap == FAL_ENCAP_PSP_TRANSPORT ||
             carrier->encap == FAL_ENCAP_PSP_TUNNEL)
        psp_header(c, event);
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_l2 = {
    .about = &fal_about_l2,
    .power = 1,
    .state_size = sizeof(struct state),
    .raw = raw,
};
