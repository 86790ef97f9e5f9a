/* SPDX-License-Identifier: Apache-2.0
 * table_receiver.h - the rules about what a receiver claims, when it acknowledges, OWN,
 * timestamps and counters, a row each (see table_nack.h). */

/* clang-format off */
ROW(r4,
    .id = "R4",
    .title = "an ACK or NACK reflects what was accepted",
    .requirements =
        IDS("FTP-9-03", "FTP-9.1.6-11", "FTP-9.1.6-12", "FTP-9.1.7-02", "FTP-9.2.1-03",
            "FTP-9.2.1-06", "FTP-9.2.1-08", "FTP-9.2.1-09", "FTP-9.2.2.4-09"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "The SUT's own words, other than a claim, prove that it accepted a number: a request "
        "or completion event, an answer that it applied, a NACK with code 6, 7 or 8, the data "
        "of a pull. An EACK that is surely later covers it by its base or its bit; a BACK does "
        "so by its base where the number was acknowledged, as an EACK would be due; a NACK has "
        "no base that was acknowledged. The rx bit of a push may go after a NACK with code 1 "
        "or 2 (AMB-65: warn).")
ROW(a5,
    .id = "A5",
    .title = "a piggyback is current",
    .requirements = IDS("FTP-9.1.6-04"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A reliable packet carries the newest bases: one whose base was surely acknowledged "
        "before, as an event, an applied answer or the data of a pull proves, breaks it. That "
        "a base is below one of an older packet is rule R3's.")
/* clang-format on */
