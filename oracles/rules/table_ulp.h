/* SPDX-License-Identifier: Apache-2.0
 * table_ulp.h - the rules of upper layer events, completions and security drops, a row each
 * (see table_nack.h). */

ROW(u3, .id = "U3", .title = "requests reach the upper layer in RSN order",
    .requirements = IDS("FTP-6.6.1-01", "FTP-6.6.6-03", "FTP-8.5.1-04", "FTP-8.5.1-06",
                        "FTP-8.5.2-01", "FTP-8.5.2-02", "FTP-8.5.3.1-05", "FTP-8.5.3.3-05"),
    .role = "target", .needs = "ulp, ordered events", .assumes = "one-psn-per-rsn",
    .doc =
        "On an ordered connection a first delivery after one with a higher RSN breaks it, "
        "where the adapter reports events in their order. What is delivered again after an RNR does not count.")
ROW(u4, .id = "U4", .title = "a push is taken before it is acknowledged, by stamps",
    .requirements = IDS("FTP-8.1-06"), .role = "target", .needs = "ulp stamps, IV",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "An upper layer that answers by itself stamps its answer in the clock of the SUT's "
        "packets: a claim whose IV is older by more than the pipeline allowance and the stamp's error breaks it.")
ROW(u5, .id = "U5", .title = "what was acknowledged reaches the upper layer",
    .requirements = IDS("FTP-8.5.2-03", "FTP-8.5.3.1-06", "FTP-8.5.3.3-06", "FTP-9.2.2-01",
                        "FTP-9.2.5-07", "FTP-11-20"),
    .role = "target", .needs = "ulp, barrier",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A push or pull_request that was acknowledged, and of which no request event was read "
        "before a barrier asked for afterwards, breaks it. A Resync delivers nothing, and "
        "holds up no later RSN (AMB-48). On an unordered connection nothing waits for a lower RSN.")
ROW(u6, .id = "U6", .title = "a push is acknowledged once its upper layer took it",
    .requirements = IDS("FTP-6.6.2-01", "FTP-8.5.3.3-09", "FTP-9.1.1-18"), .role = "target",
    .needs = "ulp, coalescing timeout, lossless path",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "No packet that covers the push within a coalescing timeout after the reply to the "
           "answer was read breaks it, on a path that loses nothing.")
ROW(u7, .id = "U7", .title = "what the upper layer gives is what is sent",
    .requirements = IDS("FTP-7.3-03", "FTP-7.3-04", "FTP-7.4-02", "FTP-7.5-05", "FTP-8.1-01",
                        "FTP-8.1-02", "FTP-8.1-03"),
    .role = "any", .needs = "ulp, posts and answers of the tester", .assumes = "",
    .doc = "The packet of a post has its kind, its length and its payload, and the data of a "
           "pull those of the answer that the tester gave: else it breaks. A post that is "
           "longer than a packet may take several transactions, and is not judged.")
ROW(c1, .id = "C1", .title = "a transaction completes once, and not before it is acknowledged",
    .requirements = IDS("FTP-6.1.1.1-01", "FTP-6.1.1.2-01", "FTP-6.4-01", "FTP-8.1-04",
                        "FTP-8.1-05", "FTP-8.4.3.2-01", "FTP-8.4.3.2-02", "FTP-8.4.3.3-10",
                        "FTP-9.2.3-01", "FTP-9.2.3-11"),
    .role = "initiator", .needs = "ulp", .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc = "A second completion breaks it; so does one without an error before the tester sent "
           "a base or ack bit for the push, or data for the pull.")
ROW(c2, .id = "C2", .title = "completions come in RSN order",
    .requirements = IDS("FTP-8.4.2-01", "FTP-8.4.2-02", "FTP-8.4.3.2-06", "FTP-8.4.3.3-11",
                        "FTP-8.4.3.5-04"),
    .role = "initiator", .needs = "ulp, ordered events", .assumes = "",
    .doc = "On an ordered connection a completion after one with a higher RSN breaks it, of "
           "pushes and pulls together, in error or not.")
ROW(c3, .id = "C3", .title = "the code of a completion fits its cause",
    .requirements = IDS("FTP-6.4-01", "FTP-6.4-06", "FTP-7.8-30", "FTP-8.4.3.2-03",
                        "FTP-8.4.3.5-01", "FTP-8.4.3.5-03", "FTP-9.2.4-12", "FTP-9.2.4-14",
                        "FTP-9.2.4-16", "FTP-11-23", "FTP-11-25", "FTP-11-26", "FTP-11-28",
                        "FTP-11-29", "FTP-11-30", "FTP-11-31", "FTP-11-33", "FTP-11-34",
                        "FTP-11-43", "FTP-11-44", "FTP-11-45", "FTP-11-46", "FTP-11-47",
                        "FTP-11-48", "FTP-11-49", "FTP-11-52", "FTP-11-53", "FTP-11-54"),
    .role = "initiator", .needs = "ulp", .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc = "Codes 1, 3, 4 and 0xD need a NACK 6, 7, 8 and 4 of the packet, and carry its ULP "
           "code; a push with such a NACK and its Resync does not complete with 0; reserved "
           "codes break it. Code 9 needs more data than was asked for, 0xF a filter that is "
           "configured, 8 the time of a transaction or of its attempts, 0xA a fatal error "
           "that was signalled by the next barrier; and what has such a cause does not "
           "complete with 0. Codes 0xB and 0xC have causes that nobody sees.")
ROW(c4, .id = "C4", .title = "an error completes once the Resync is acknowledged",
    .requirements = IDS("FTP-6.6.5-04"), .role = "initiator", .needs = "ulp",
    .assumes = "base-not-beyond-sent",
    .doc =
        "An error completion before the tester sent the acknowledgement of the Resync is the "
        "other reading of AMB-47: a warning.")
ROW(c5, .id = "C5", .title = "what was acknowledged completes",
    .requirements = IDS("FTP-6.4-04", "FTP-6.6.2-02", "FTP-8.4.3.2-07", "FTP-8.4.3.3-10",
                        "FTP-9.2.3-05", "FTP-11-27"),
    .role = "initiator", .needs = "ulp, barrier",
    .assumes = "base-not-beyond-sent same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "No completion at a barrier that was asked for after the SUT acknowledged the data of "
        "a pull, or after the acknowledgement of a push arrived over a path that loses "
        "nothing, breaks it. On an ordered connection earlier ones come first.")

ROW(d1, .id = "D1", .title = "nothing comes of a packet that must be dropped",
    .requirements = IDS("FTP-6.5-06", "FTP-6.5-07", "FTP-7.1-04", "FTP-9.2.1-17",
                        "FTP-9.2.2.1-01", "FTP-9.2.2.1-03", "FTP-9.2.2.1-04", "FTP-9.2.2.1-05",
                        "FTP-9.2.2.2-03", "FTP-9.2.2.3-01", "FTP-9.2.2.3-03", "FTP-9.2.2.3-09",
                        "FTP-9.2.2.3-11", "FTP-9.2.2.3-12", "FTP-9.2.2.3-13", "FTP-9.2.2.3-14",
                        "FTP-9.2.2.3-15", "FTP-9.2.2.3-16", "FTP-11-15"),
    .role = "receiver", .needs = "wire, why it must be dropped", .assumes = "",
    .doc =
        "A PSN, RSN or t1 that only such a packet bears, in a claim, a NACK, an echo or a "
        "request event, breaks it. It holds when the packet surely arrived and the same PSN "
        "was then taken well-formed; without the first it is excused, without the second undecided.")
ROW(d3, .id = "D3", .title = "replays are dropped, late packets are not",
    .requirements = IDS("FTP-6.5-07", "FTP-9.2.1-16", "FTP-9.2.1-18", "FTP-9.2.2.2-01",
                        "FTP-9.2.2.2-02", "FTP-9.2.2.2-04"),
    .role = "receiver", .needs = "IV, replay margin", .assumes = "",
    .doc =
        "A packet with an IV that is older, by the margin or more, than that of one which the "
        "SUT accepted before it was sent, and of which no other copy was sent, is acknowledged: that breaks it.")
ROW(d4, .id = "D4", .title = "a wrong SPI is signalled to the connection manager",
    .requirements = IDS("FTP-9.2.2.3-02"), .role = "receiver", .needs = "cm events, barrier",
    .assumes = "",
    .doc =
        "No error signal at a barrier that was asked for after such a packet surely arrived breaks it.")
