/* SPDX-License-Identifier: Apache-2.0
 * table_receiver.h - the rules about what a receiver claims, when it acknowledges, OWN,
 * timestamps and counters, a row each (see table_nack.h). */

ROW(l2, .id = "L2", .title = "a packet is carried as its connection was set up",
    .requirements = IDS("FTP-6.5-01", "FTP-7.1-01", "FTP-7.1-02", "FTP-7.1-03", "FTP-7.1.1-01",
                        "FTP-7.1.2-01"),
    .role = "any", .needs = "wire", .assumes = "", .alone = true,
    .doc =
        "Each packet of a sealed connection has the encapsulation that was agreed on, or, where "
        "nobody said, that of the sender's first sealed packet. PSP in transport mode announces "
        "Falcon (252) and leaves version and CID in the clear; tunnel mode may be configured "
        "otherwise (AMB-31: warn). Of a connection in plain UDP nothing is asked: that is a laboratory's.")
ROW(r4, .id = "R4", .title = "an ACK or NACK reflects what was accepted",
    .requirements = IDS("FTP-7.7.1-07", "FTP-7.7.1-08", "FTP-7.8-06", "FTP-7.8-07", "FTP-9-03",
                        "FTP-9.1.6-11", "FTP-9.1.6-12", "FTP-9.1.7-02", "FTP-9.2.1-03",
                        "FTP-9.2.1-06", "FTP-9.2.1-08", "FTP-9.2.1-09", "FTP-9.2.2.4-09"),
    .role = "receiver", .needs = "wire", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "The SUT's own words, other than a claim, prove that it accepted a number: a request "
        "or completion event, an answer that it applied, a NACK with code 6, 7 or 8, the data "
        "of a pull. An EACK that is surely later covers it by its base or its bit; a BACK does "
        "so by its base where the number was acknowledged, as an EACK would be due; a NACK has "
        "no base that was acknowledged. The rx bit of a push may go after a NACK with code 1 or 2 (AMB-65: warn).")
ROW(r5, .id = "R5", .title = "what arrives inside the window is accepted, or refused by a NACK",
    .requirements = IDS("FTP-6.5-08", "FTP-6.6.6-01", "FTP-8.5.3.1-03", "FTP-8.5.3.3-03",
                        "FTP-9-02", "FTP-9.2.1-12", "FTP-9.2.1-14", "FTP-9.2.2.2-01",
                        "FTP-9.2.2.2-04", "FTP-9.2.2.2-05", "FTP-9.2.2.3-11", "FTP-9.2.2.3-12",
                        "FTP-9.2.2.3-13", "FTP-9.2.2.3-14", "FTP-9.2.2.4-12", "FTP-11-19"),
    .role = "receiver", .needs = "wire", .assumes = "same-packet-on-retransmit",
    .doc =
        "On a path that loses nothing, a packet inside the window, whichever of the possible "
        "bases there was, has arrived before the state of an EACK. It breaks when that EACK "
        "shows neither base nor bit of it, and no NACK names it within twice the declared "
        "turnaround and coalescing timeout. Where the NACK may have been lost it was dropped for lack of resources, perhaps.")
ROW(r6, .id = "R6", .title = "a BACK only where an EACK is not due",
    .requirements = IDS("FTP-6.1.2-05", "FTP-9.1.6-11", "FTP-9.1.6-12", "FTP-9.1.6-13",
                        "FTP-9.1.6-17"),
    .role = "receiver", .needs = "wire", .assumes = "",
    .doc =
        "A BACK that is surely younger than an EACK breaks it, if that EACK showed an "
        "acknowledged number above the base of the BACK, or a received one above a number that "
        "was never sent until the BACK came: such a hole cannot have been filled. Where the "
        "receiver supports RACK-TLP no hole is needed. A bit of OWN in a BACK is the lint's (rule L1).")
ROW(r8, .id = "R8",
    .title = "on an ordered connection no push is acknowledged ahead of an unsent one",
    .requirements = IDS("FTP-8.5.2-01", "FTP-8.5.2-02", "FTP-8.1-06"), .role = "target",
    .needs = "wire+initial", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "The upper layer of an ordered connection takes transactions by RSN, and a push is "
        "acknowledged once it was taken. So the acknowledgement of a push breaks it while some "
        "lower RSN has had no copy and no Resync. A Resync of the push acknowledges by itself.")
ROW(r9, .id = "R9", .title = "nothing beyond the window is taken",
    .requirements = IDS("FTP-9-05", "FTP-9-06", "FTP-9.2.2.4-02", "FTP-9.2.2.4-03"),
    .role = "receiver", .needs = "wire", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A number that was taken, as an event, a NACK, the data of a pull or a claim says, "
        "breaks it if some number a window below was never sent, so that the base cannot have "
        "come past it; or if every copy had surely arrived before a base was claimed that still had it beyond the window.")
ROW(o2, .id = "O2", .title = "OWN is set for a packet beyond the window",
    .requirements = IDS("FTP-7.7.1-17", "FTP-7.8-02", "FTP-9-05", "FTP-9-06", "FTP-9.1.7-01",
                        "FTP-9.2.2.4-02", "FTP-9.2.2.4-03"),
    .role = "receiver", .needs = "wire", .assumes = "",
    .doc =
        "On a path that loses nothing, a packet came before the state of an ACK whose base has "
        "it beyond the window even then. That ACK is an EACK with the OWN bit of the window, "
        "unless one since the packet was sent has carried it, or may have and was lost. The "
        "two bits in the other order warn (AMB-06).")
ROW(a1, .id = "A1", .title = "the coalescing timeout by the subject's own clock",
    .requirements = IDS("FTP-9.1.1-24", "FTP-9.1.6-07"), .role = "receiver",
    .needs = "wire, IV, coalescing", .assumes = "same-packet-on-retransmit",
    .doc =
        "An ACK that echoes the t1 of a new packet other than a push, and is the first to "
        "tell of it, left no later than the coalescing timeout after t2, by its IV. Jitter of "
        "the path does not enter. On a path that loses packets an earlier ACK may have been lost.")
ROW(a2, .id = "A2", .title = "news is acknowledged within the coalescing timeout",
    .requirements = IDS("FTP-6.1.3-01", "FTP-6.6.1-02", "FTP-6.6.1-03", "FTP-9.1.1-18",
                        "FTP-9.1.1-19", "FTP-9.1.1-20", "FTP-9.1.1-24", "FTP-9.1.6-01",
                        "FTP-9.1.6-05", "FTP-9.1.6-06", "FTP-9.1.6-07", "FTP-9.2.1-12",
                        "FTP-9.2.1-14", "FTP-9.2.2.3-11", "FTP-9.2.2.3-12", "FTP-9.2.2.3-13",
                        "FTP-9.2.2.3-14", "FTP-9.2.2.4-06", "FTP-9.2.5-02"),
    .role = "receiver", .needs = "wire, coalescing, delays",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A pull_request, pull_data or Resync that surely came, a packet beyond the window, and a "
        "push that the upper layer took, are told by an ACK within the coalescing timeout, or by "
        "a piggyback after which nothing is left to tell: not one while a number above its base "
        "is acknowledged. Decided where the longest delays are declared and packets are not "
        "lost; a push that waits for its upper layer is no news (AMB-19).")
ROW(a3, .id = "A3", .title = "the AR bit is answered at once",
    .requirements = IDS("FTP-9.1.6-02", "FTP-9.1.6-03"), .role = "receiver",
    .needs = "wire, coalescing, delays", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A new packet with AR is answered by an ACK packet that tells of it; a push from the "
        "moment on that its upper layer took it. It breaks when none came by half the coalescing "
        "timeout, which must be at least 20 times the declared turnaround for that to mean anything.")
ROW(a4, .id = "A4", .title = "a dropped duplicate is acknowledged, and its AR bit ignored",
    .requirements = IDS("FTP-9.2.2.4-01", "FTP-9.2.2.4-06", "FTP-9.2.2.4-07", "FTP-11-16"),
    .role = "receiver", .needs = "wire, coalescing, delays",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A packet whose number was claimed acknowledged before it was sent is a duplicate. It "
        "breaks when no ACK comes within the coalescing timeout. One that comes sooner than any "
        "running timer explains answers the AR bit (AMB-18: warn).")
ROW(a5, .id = "A5", .title = "a piggyback is current",
    .requirements = IDS("FTP-7.2-20", "FTP-7.2-21", "FTP-8.4.3.1-06", "FTP-8.4.3.3-06",
                        "FTP-8.5.3.2-06", "FTP-9.1.6-04"),
    .role = "receiver", .needs = "wire", .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A reliable packet carries the newest bases: one whose base was surely acknowledged "
        "before, as an event, an applied answer or the data of a pull proves, breaks it. That "
        "a base is below one of an older packet is rule R3's.")
ROW(a6, .id = "A6", .title = "a transmitter asks for ACKs as configured",
    .requirements = IDS("FTP-7.2-19", "FTP-9.1.1-25", "FTP-9.1.1-26", "FTP-9.1.3.1-02",
                        "FTP-9.1.3.1-03"),
    .role = "transmitter", .needs = "wire+config", .assumes = "",
    .doc = "A guideline, so breaks are warnings (AMB-56): with a congestion window up to the "
           "threshold a first copy without AR; above it another share of first copies with AR "
           "than was configured, by six standard deviations, over 400 packets at least.")
ROW(t1, .id = "T1", .title = "t1 echoes a packet that was sent",
    .requirements = IDS("FTP-7.7.1-09", "FTP-7.8-08", "FTP-9.1.6-09", "FTP-9.1.7-06",
                        "FTP-10.1-05"),
    .role = "receiver", .needs = "wire, IV", .assumes = "",
    .doc =
        "The t1 of an ACK or NACK that is not the time in the IV of any packet sent before "
        "breaks it. Which bits of the IV that are is learned where the default, units of 2^17 ps, never fitted (AMB-32).")
ROW(t2, .id = "T2", .title = "t1 echoes the most recent packet",
    .requirements = IDS("FTP-9.1.6-09", "FTP-9.1.7-06", "FTP-10.1-10"), .role = "receiver",
    .needs = "wire, IV", .assumes = "",
    .doc =
        "A t1 of one packet breaks it, when another was sent later, surely came later, and had "
        "come by then as an older claim of the SUT shows. That they came in this order is known "
        "where the path keeps order, or they were sent further apart than the jitter.")
ROW(t3, .id = "T3", .title = "t2 is the time of arrival",
    .requirements = IDS("FTP-7.7.1-10", "FTP-7.7.1-11", "FTP-7.8-09", "FTP-9.1.7-06",
                        "FTP-10.1-02"),
    .role = "receiver", .needs = "wire", .assumes = "",
    .doc =
        "A t2 that goes back over packets that surely follow each other breaks it; one after "
        "the departure of the packet that brings it, once both were seen to be of one clock; "
        "and two that lie further apart, or closer, than the packets that they belong to, by more than the declared jitter.")
ROW(t4, .id = "T4", .title = "the counter of congestion marks only rises",
    .requirements = IDS("FTP-7.7.1-14", "FTP-7.8-12", "FTP-9.1.6-10", "FTP-9.1.7-07"),
    .role = "receiver", .needs = "wire", .assumes = "",
    .doc =
        "An ecn_rx_count that goes back, modulo 2^14, over packets that surely follow each other "
        "breaks it, or one that rises by more than the packets that were sent. How many of them "
        "were marked on their way nobody knows.")
ROW(t5, .id = "T5", .title = "the time of departure in the IV advances with time",
    .requirements = IDS("FTP-10.1-01", "FTP-10.1-03"), .role = "any",
    .needs = "wire, IV, delays", .assumes = "",
    .doc = "Two sealed packets with one IV, which left a millisecond apart or more, break it; "
           "and so do two whose IVs lie further apart, or closer, than the packets by more "
           "than the declared jitter, once the IVs were seen to count picoseconds.")
