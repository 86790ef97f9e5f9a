/* SPDX-License-Identifier: Apache-2.0
 * table.c - the rules: what each one is for people, and in the same order what it does. To add
 * a rule, add a row to both and a file; or one row to a table_*.h. */
#include "oracles/rules/rule.h"

#define IDS(...)          \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

static const struct fal_rule infos[] = {
    {
        .id = "L1",
        .title = "each packet is well-formed and addressed to its receiver",
        .requirements = IDS(
            "FTP-6.1.1-01", "FTP-6.2-01", "FTP-6.2-02", "FTP-6.2-04", "FTP-7.2-01",
            "FTP-7.2-02", "FTP-7.2-03", "FTP-7.2-04", "FTP-7.2-05", "FTP-7.2-06", "FTP-7.2-07",
            "FTP-7.2-08", "FTP-7.2-09", "FTP-7.2-10", "FTP-7.2-11", "FTP-7.2-12", "FTP-7.2-13",
            "FTP-7.2-14", "FTP-7.2-15", "FTP-7.2-16", "FTP-7.2-17", "FTP-7.2-18", "FTP-7.3-01",
            "FTP-7.3-02", "FTP-7.3-05", "FTP-7.4-01", "FTP-7.5-01", "FTP-7.5-02", "FTP-7.5-03",
            "FTP-7.5-04", "FTP-7.6-01", "FTP-7.6-02", "FTP-7.6-10", "FTP-7.6-11", "FTP-7.6-12",
            "FTP-7.7-01", "FTP-7.7.1-01", "FTP-7.7.1-02", "FTP-7.7.1-03", "FTP-7.7.1-04",
            "FTP-7.7.1-05", "FTP-7.7.1-06", "FTP-7.7.1-15", "FTP-7.7.2-01", "FTP-7.7.2-02",
            "FTP-7.7.2-07", "FTP-7.8-01", "FTP-7.8-03", "FTP-7.8-04", "FTP-7.8-05",
            "FTP-7.8-13", "FTP-7.8-16", "FTP-7.8-23", "FTP-7.8-24", "FTP-7.8-28",
            "FTP-9.1.6-14"),
        .role = "any",
        .needs = "wire",
        .assumes = "",
        .alone = true,
        .doc =
            "Holds every packet against the layouts of chapter 7: length, version, reserved bits, "
            "code points, lengths that must agree; its CID and function against those that the "
            "receiver was set up with, and its protocol type and length against those that the "
            "connection was given. Bits that only the figures reserve warn (AMB-27). A "
            "packet to a CID that nobody has may on a live path be of an earlier connection for a second.",
    },
    {
        .id = "R1",
        .title = "nothing is acknowledged that was not sent",
        .requirements =
            IDS("FTP-6.6.1-02", "FTP-6.6.6-01", "FTP-7.2-20", "FTP-7.2-21", "FTP-7.2-22",
                "FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.7.2-03", "FTP-7.7.2-04", "FTP-7.7.2-05",
                "FTP-7.7.2-06", "FTP-7.8-06", "FTP-7.8-07", "FTP-9-01", "FTP-9.2.1-01",
                "FTP-9.2.1-04", "FTP-9.2.1-07", "FTP-9.2.1-08", "FTP-9.2.1-09",
                "FTP-9.2.2.4-11", "FTP-9.2.5-04"),
        .role = "receiver",
        .needs = "wire",
        .assumes = "",
        .doc =
            "A base in any packet, or a bit of an EACK, says that numbers arrived. It breaks "
            "when no copy and no Resync of such a number was sent before the claim. It does not "
            "where packets may have gone unseen: before a capture began, in a gap, in a hole of a "
            "third party's stream.",
    },
    {
        .id = "R2",
        .title = "the base is not acknowledged inside its own EACK",
        .requirements = IDS("FTP-9.2.2.4-10"),
        .role = "receiver",
        .needs = "wire",
        .assumes = "",
        .alone = true,
        .doc =
            "Bit 0 of data_ack_bitmap or req_bitmap set breaks it: a number that is acknowledged "
            "moves the base past itself. Bit 0 of data_rx_bitmap may be set: a push at the "
            "base waits for its upper layer (AMB-01). An ack bit without its rx bit, all rx "
            "bits set, or an EACK where a BACK would do break nothing.",
    },
    {
        .id = "R3",
        .title = "nothing claimed is taken back",
        .requirements =
            IDS("FTP-7.2-20", "FTP-7.2-21", "FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.7.2-06",
                "FTP-7.8-06", "FTP-7.8-07", "FTP-9.1.6-04", "FTP-9.1.6-08", "FTP-9.1.7-02",
                "FTP-9.2.1-02", "FTP-9.2.1-05", "FTP-9.2.1-07", "FTP-9.2.1-08", "FTP-9.2.1-09",
                "FTP-9.2.2.4-11", "FTP-9.2.5-04"),
        .role = "receiver",
        .needs = "wire",
        .assumes = "",
        .doc =
            "Of two packets, the first surely older in the SUT, the second has a lower base, or "
            "is an EACK that misses a bit of the first; or a base is below the initial one. "
            "Surely older: by the IVs, by an order-keeping path, by declared delays, or because "
            "the second acknowledges something that was sent after the first was seen. The rx "
            "bit of a push may go after a NACK with code 1 or 2 (AMB-65: warn).",
    },
    {
        .id = "R7",
        .title = "a push is acknowledged only after its upper layer took it",
        .requirements = IDS("FTP-6.1.1.1-02", "FTP-6.6.2-01", "FTP-9.2.2.4-08"),
        .role = "target",
        .needs = "ulp",
        .assumes = "same-packet-on-retransmit one-psn-per-rsn",
        .doc =
            "A base beyond a push, or its data_ack bit, seen before the tester wrote the answer "
            "that the SUT then applied, breaks it; or at all while a policy withholds every "
            "answer. A Resync acknowledges by itself. Where the upper layer answers by itself the "
            "order cannot be known.",
    },
    {
        .id = "O1",
        .title = "OWN is set only for a packet beyond the window, and cleared when told",
        .requirements = IDS("FTP-7.7.1-17", "FTP-9.2.1-10", "FTP-9.2.1-11"),
        .role = "receiver",
        .needs = "wire",
        .assumes = "",
        .doc =
            "Each EACK that carries the OWN bit of a window clears it, so as many packets beyond "
            "that window must have been sent as EACKs carried it, each surely after the one "
            "before. Beyond: a number a window above the highest base seen when it was sent. "
            "Duplicates of the network excuse what exceeds the first. The two bits in the other "
            "order throughout warn (AMB-06).",
    },
    {
        .id = "X1",
        .title = "a number stands for one packet, a transaction for one number",
        .requirements = IDS("FTP-6.1.1-02", "FTP-7.2-27", "FTP-7.3-06", "FTP-7.4-03",
                            "FTP-8.1-01", "FTP-8.1-03", "FTP-8.5.3.2-03", "FTP-9-12",
                            "FTP-9-16", "FTP-9.1.3-01", "FTP-9.1.3-05", "FTP-9.1.5-04"),
        .role = "transmitter",
        .needs = "wire",
        .assumes = "one-psn-per-rsn (pull_data)",
        .doc =
            "Copies of a PSN that differ in type, RSN, length or payload break it; an RSN with two "
            "PSNs; a pull_data without a pull_request, or with more than it asked for. AR, bases and timestamps may differ.",
    },
    {
        .id = "X2",
        .title = "the numbers of a window run on without a gap",
        .requirements =
            IDS("FTP-6.1.2-01", "FTP-6.1.2-02", "FTP-6.1.2-03", "FTP-6.1.2-08", "FTP-6.1.3-01",
                "FTP-7.2-23", "FTP-7.2-24", "FTP-7.2-25", "FTP-8.4.3.1-07", "FTP-8.4.3.3-07",
                "FTP-8.5.3.2-07", "FTP-9-01", "FTP-9.1.1-04", "FTP-9.1.1-05", "FTP-9.1.1-09"),
        .role = "transmitter",
        .needs = "wire",
        .assumes = "base-not-beyond-sent",
        .doc =
            "A number never seen below one that was seen breaks it on a path that loses nothing, "
            "once it can no longer be under way; so does a number below the initial one. On a "
            "path that loses packets it was lost, unless the counters of both ends agree at the end.",
    },
    {
        .id = "U1",
        .title = "the upper layer is given only what came, as it was sent",
        .requirements = IDS("FTP-6.1.1.2-01", "FTP-7.4-02", "FTP-8.4.3.2-01", "FTP-8.4.3.2-07",
                            "FTP-8.5.3.1-01", "FTP-8.5.3.1-06", "FTP-8.5.3.3-01",
                            "FTP-8.5.3.3-06", "FTP-9.2.2-01", "FTP-9.2.5-06", "FTP-11-27"),
        .role = "any",
        .needs = "ulp",
        .assumes = "same-packet-on-retransmit one-psn-per-rsn",
        .doc =
            "A request event before any copy of its packet was sent breaks it, or one of which only "
            "a Resync was sent; data of a pull before a pull_data; and a length or payload hash "
            "that is not that of the packet.",
    },
    {
        .id = "U2",
        .title = "a transaction is delivered once, and once more for each RNR",
        .requirements = IDS("FTP-8.5.3.4-05", "FTP-9.2.2.4-01", "FTP-9.2.2.4-04",
                            "FTP-9.2.2.4-05", "FTP-11-17"),
        .role = "target",
        .needs = "ulp",
        .assumes = "one-psn-per-rsn",
        .doc =
            "More request events of an RSN than one and one for each RNR answer break it, whoever "
            "duplicated the packet. It is decided when the answer to each delivery is known, or at a "
            "barrier; without either an RNR may just not have been read yet.",
    },
#define ROW(rule, ...) {__VA_ARGS__},
#include "oracles/rules/table_nack.h"
#include "oracles/rules/table_receiver.h"
#include "oracles/rules/table_transmitter.h"
#include "oracles/rules/table_ulp.h"
#undef ROW
};

static const struct fal_rule_impl *const impls[] = {
    &fal_rule_l1, &fal_rule_r1, &fal_rule_r2, &fal_rule_r3, &fal_rule_r7,
    &fal_rule_o1, &fal_rule_x1, &fal_rule_x2, &fal_rule_u1, &fal_rule_u2,
#define ROW(rule, ...) &fal_rule_##rule,
#include "oracles/rules/table_nack.h"
#include "oracles/rules/table_receiver.h"
#include "oracles/rules/table_transmitter.h"
#include "oracles/rules/table_ulp.h"
#undef ROW
};

_Static_assert(sizeof infos / sizeof *infos == sizeof impls / sizeof *impls,
               "each rule has a row in both tables");

const struct fal_rule *fal_rules(size_t *n)
{
    *n = sizeof infos / sizeof *infos;
    return infos;
}

const struct fal_rule_impl *const *fal_rule_table(size_t *n)
{
    *n = sizeof impls / sizeof *impls;
    return impls;
}
