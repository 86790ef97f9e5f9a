/* SPDX-License-Identifier: Apache-2.0
 * table_nack.h - the rules of NACK, RNR and Resync, a row each: what it is for people, under
 * the name of what it does (fal_rule_NAME). No include guard: rule.h and table.c read it with a
 * ROW of their own. */

ROW(n1, .id = "N1", .title = "a NACK names a packet that was sent and not yet acknowledged",
    .requirements = IDS("FTP-7.8-15", "FTP-9.1.7-03", "FTP-9.1.7-04"), .role = "receiver",
    .needs = "wire", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "A NACK of a number of which no copy was sent before breaks it, or of one that is a "
           "number of the other window; so does one of a packet that was surely acknowledged "
           "before: its copies are duplicates, which are discarded. A NACK beside the window "
           "(AMB-12) names a packet that was sent, and is none of these.")
ROW(n2, .id = "N2", .title = "the code of a NACK fits the packet and the upper layer's answer",
    .requirements = IDS("FTP-6.4-02", "FTP-6.4-03", "FTP-6.4-05", "FTP-7.8-16", "FTP-7.8-17",
                        "FTP-7.8-18", "FTP-7.8-19", "FTP-7.8-20", "FTP-7.8-21", "FTP-7.8-22",
                        "FTP-7.8-25", "FTP-7.8-26", "FTP-7.8-27", "FTP-7.8-29", "FTP-8.2.2-12",
                        "FTP-8.4.3.4-04", "FTP-8.5.3.4-09", "FTP-8.5.3.4-10", "FTP-8.5.3.5-02",
                        "FTP-8.5.3.5-03", "FTP-8.5.3.5-04", "FTP-9.1.7-05", "FTP-11-21",
                        "FTP-11-37", "FTP-11-38", "FTP-11-40", "FTP-11-41"),
    .role = "target", .needs = "wire, ulp for the answers",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "RNR and the errors of the upper layer (2, 6, 7, 8) are for pushes alone, and no pull "
        "data lacks resources (1), but may have come beyond the window (AMB-12: warns). Code 8 "
        "for a pull_request warns (AMB-59). A code of the "
        "upper layer before it was answered so breaks it, where the tester holds the answer, "
        "or where the SUT tells of its own answers and a barrier has passed; so do another "
        "delay or ULP code than was given. On an ordered connection a later push may be NACKed "
        "for an RNR of an earlier request (AMB-49). Code 4 is for what a configured filter "
        "matches, which never reaches the upper layer.")
ROW(n3, .id = "N3", .title = "an RNR or an error of the upper layer for a push becomes a NACK",
    .requirements = IDS("FTP-6.4-05", "FTP-6.4-07", "FTP-6.6.3-02", "FTP-6.6.5-01",
                        "FTP-7.8-02", "FTP-8.5.3.4-09", "FTP-8.5.3.4-10", "FTP-8.5.3.5-03",
                        "FTP-8.5.3.5-04", "FTP-9.1.7-01", "FTP-11-37", "FTP-11-38"),
    .role = "target", .needs = "ulp", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "On a path that loses nothing, an answer that was applied without the NACK within the "
        "turnaround breaks it; so does a further copy of a push that ended in an error, "
        "before its Resync. Where packets may be lost the NACK may be one of them.")
ROW(n4, .id = "N4", .title = "a stale NACK does nothing, a fresh one moves the base",
    .requirements = IDS("FTP-9.2.4-01", "FTP-9.2.4-02", "FTP-9.2.4-03", "FTP-9.2.4-04"),
    .role = "transmitter", .needs = "wire", .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc =
        "A Resync whose only cause is a NACK with an older base than an acknowledgement sent "
        "before it breaks it, on a path that keeps order and loses nothing; where only the base "
        "of the other window was old, it warns (AMB-23). So does a packet "
        "below the base of a NACK, sent surely after the Resync which that NACK caused.")

ROW(rn1, .id = "RN1", .title = "a push is not sent again before its RNR delay has passed",
    .requirements = IDS("FTP-7.8-26", "FTP-7.8-27", "FTP-8.4.3.4-01", "FTP-8.4.3.4-03",
                        "FTP-9.2.4-09", "FTP-11-11"),
    .role = "initiator", .needs = "wire; RTO for the readings",
    .assumes = "base-not-beyond-sent",
    .doc = "A copy that comes sooner than the delay, counted from the NACK and from the copy "
           "before, breaks it, where the NACK surely arrived or no timer explains the copy. "
           "Between delay and RTO, or late enough from the copy alone, is the other reading of "
           "AMB-15. A NACK that was stale, or lost, excuses.")
ROW(rn2, .id = "RN2", .title = "a push comes again after its RNR",
    .requirements = IDS("FTP-6.6.3-01", "FTP-8.5.3.4-03"), .role = "initiator",
    .needs = "wire, RTO, lossless paths", .assumes = "base-not-beyond-sent",
    .doc =
        "The packet at the base, RNRed over paths that lose nothing, without a copy by twice "
        "the longer of delay and RTO breaks it, once the SUT sends something later: a silent "
        "one may be dead. Others may be held back by the windows.")
ROW(rn3, .id = "RN3", .title = "waiting for an RNR is no failed attempt",
    .requirements = IDS("FTP-11-07"), .role = "initiator", .needs = "wire, max attempts",
    .assumes = "base-not-beyond-sent",
    .doc =
        "A Resync for too many attempts (code 3) of a push after fewer copies than attempts, "
        "on paths that lose nothing, breaks it; one that counted the RNRs as attempts warns (AMB-15).")
ROW(rn4, .id = "RN4",
    .title = "a transaction is delivered again after its RNR delay, not before",
    .requirements = IDS("FTP-6.6.4-01", "FTP-8.5.3.4-02", "FTP-8.5.3.4-06", "FTP-8.5.3.4-07",
                        "FTP-11-39", "FTP-11-42"),
    .role = "target", .needs = "ulp", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A request event read sooner after the RNR was written than its delay breaks it for a "
        "pull; for a push only if no copy came that may have caused it (AMB-16). A pull that "
        "was not delivered again at a barrier long after its delay breaks it.")
ROW(rn5, .id = "RN5", .title = "nothing overtakes what was RNRed on an ordered connection",
    .requirements = IDS("FTP-8.5.3.4-04"), .role = "target", .needs = "ulp, ordered events",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A later transaction, sent after the RNR was known, that is delivered before the one "
        "that was RNRed and then taken by the upper layer breaks it. If it is RNRed in its "
        "turn, that is the other reading of AMB-49.")

ROW(s1, .id = "S1", .title = "a Resync has the cause that its code names",
    .requirements = IDS("FTP-7.6-02", "FTP-7.6-03", "FTP-7.6-04", "FTP-7.6-05", "FTP-7.6-07",
                        "FTP-7.6-08", "FTP-7.6-09", "FTP-9.1.8-05", "FTP-9.2.4-08",
                        "FTP-9.2.4-10", "FTP-9.2.4-11", "FTP-9.2.4-13", "FTP-9.2.4-15",
                        "FTP-11-07", "FTP-11-10"),
    .role = "transmitter", .needs = "wire; RTO and max attempts for code 3",
    .assumes = "base-not-beyond-sent",
    .doc = "Code 1, 5, 6 or 7 without a NACK 6, 4, 7 or 8 of that number before breaks it; so "
           "does code 3 sooner after the first copy than the allowed attempts take. Code 2 "
           "needs a filter that is configured; code 4 depends on timeouts that nobody sees.")
ROW(s2, .id = "S2", .title = "a Resync carries the numbers and the type of what it replaces",
    .requirements = IDS("FTP-6.6.5-02", "FTP-7.2-26", "FTP-9.1.8-03", "FTP-9.1.8-04"),
    .role = "transmitter", .needs = "wire", .assumes = "",
    .doc =
        "Another RSN, type or PSN than the packet had breaks it, and a Resync of a PSN that "
        "was never sent. A Resync of a pull_request may count in the data window (AMB-13), but then always.")
ROW(s3, .id = "S3", .title = "a Resync comes again until it is acknowledged",
    .requirements = IDS("FTP-9.1.8-02"), .role = "transmitter",
    .needs = "wire, RTO, lossless path", .assumes = "base-not-beyond-sent",
    .doc = "A Resync at the base that is not acknowledged and not repeated for four timeouts, "
           "before the SUT sends another packet, breaks it.")
ROW(s4, .id = "S4", .title = "after its Resync a packet is not sent any more",
    .requirements = IDS("FTP-9.2.4-10", "FTP-9.2.4-11", "FTP-9.2.4-13", "FTP-9.2.4-15",
                        "FTP-11-07"),
    .role = "transmitter", .needs = "wire", .assumes = "",
    .doc =
        "A copy of the packet surely after its Resync breaks it. One that the network doubled or delayed does not.")
ROW(s5, .id = "S5", .title = "a NACK for an error is followed by a Resync",
    .requirements = IDS("FTP-6.6.5-02", "FTP-8.4.3.5-02", "FTP-9.1.8-01", "FTP-9.2.4-10",
                        "FTP-9.2.4-11", "FTP-9.2.4-13", "FTP-9.2.4-15", "FTP-11-10"),
    .role = "transmitter", .needs = "wire, RTO, lossless path",
    .assumes = "base-not-beyond-sent",
    .doc =
        "The NACK surely arrived, by a path that loses nothing or by an error completion, it "
        "was not stale, its packet is at the base, and no Resync comes within an RTO, though the SUT sends something later.")
ROW(s6, .id = "S6", .title = "a Resync that arrived is acknowledged",
    .requirements = IDS("FTP-6.6.5-03", "FTP-9.2.5-01", "FTP-9.2.5-03", "FTP-9.2.5-05",
                        "FTP-11-18", "FTP-11-36"),
    .role = "receiver", .needs = "wire, lossless path", .assumes = "",
    .doc =
        "An ACK, or any packet with the number as its base, that shows a state after the "
        "Resync surely arrived, and does not cover it, breaks it. Whether the packet itself ever came does not matter.")
