/* SPDX-License-Identifier: Apache-2.0
 * table_transmitter.h - the rules about order, windows and retransmission, a row each (see
 * table_nack.h). */

ROW(x3, .id = "X3", .title = "first copies leave in order",
    .requirements = IDS("FTP-7.5-06", "FTP-8.2.1.1-01", "FTP-8.3-04", "FTP-8.4.1-04",
                        "FTP-8.4.1-06", "FTP-8.4.3.1-03", "FTP-8.4.3.3-03", "FTP-9.1.3-03",
                        "FTP-9.1.3-04", "FTP-9.1.5-05", "FTP-9.1.5-06"),
    .role = "transmitter", .needs = "wire", .assumes = "base-not-beyond-sent",
    .doc =
        "Of two first copies in a window the one with the higher PSN, or on an ordered "
        "connection of two transactions in either window the one with the higher RSN, was "
        "surely sent first: broken, once no older copy of the other can still appear. It is "
        "known only where nothing is lost. On an ordered connection an RSN that is left out breaks it "
        "too, where the path keeps order as well. Repeats are held against each other where two packets "
        "of a kind were first sent in the same moment, and only their timers repeat them (AMB-58).")
ROW(x4, .id = "X4", .title = "no number beyond the congestion or transmit window",
    .requirements = IDS("FTP-6.1.2-06", "FTP-6.3-01", "FTP-8.4.3.1-05", "FTP-9-10",
                        "FTP-9.1.1-13", "FTP-9.1.2-01", "FTP-9.1.2-03", "FTP-9.1.2-04",
                        "FTP-9.1.2-06", "FTP-9.1.2-07", "FTP-9.1.2-08", "FTP-9.1.2-13",
                        "FTP-9.1.3-02", "FTP-9.1.5-03", "FTP-9.1.8-06", "FTP-9.2.3-01",
                        "FTP-10-01", "FTP-10.3.5-01"),
    .role = "transmitter", .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "A copy whose PSN lies fcwnd or more above the highest base that was ever sent to the SUT "
        "breaks it, or a transmit window and more; exactly a window is the other reading of its "
        "right edge (AMB-10: warn). It holds where the last number of the window was used. "
        "Running beyond the receiver's window breaks nothing.")
ROW(x5, .id = "X5", .title = "no more requests outstanding than ncwnd",
    .requirements = IDS("FTP-9.1.1-12", "FTP-9.1.2-02", "FTP-9.1.2-05"), .role = "transmitter",
    .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "A first copy of a pull_request or push, while ncwnd of its kind were sent and nothing "
        "ever sent to the SUT acknowledges them, breaks it. Those that a Resync may have "
        "replaced unseen are not counted. It holds where the last place was taken.")
ROW(x6, .id = "X6", .title = "nothing is repeated once its acknowledgement was taken",
    .requirements = IDS("FTP-7.7-01", "FTP-9-11", "FTP-9-15", "FTP-9.2.3-01", "FTP-9.2.3-02",
                        "FTP-9.2.3-03", "FTP-9.2.3-04", "FTP-9.2.3-05", "FTP-9.2.3-06",
                        "FTP-9.2.3-09", "FTP-9.2.3-10"),
    .role = "transmitter", .needs = "wire", .assumes = "base-not-beyond-sent",
    .doc =
        "A copy of a number that was acknowledged breaks it if the SUT surely had the "
        "acknowledgement when the copy left: it had sent a number that only a higher base "
        "permits, or told the completion, or the path loses nothing and its longest delay is "
        "declared. Else the copy was under way, or the ACK lost.")
ROW(x7, .id = "X7", .title = "what is acknowledged holds nothing up",
    .requirements = IDS("FTP-7.3-06", "FTP-8.4.3.1-01", "FTP-8.4.3.3-02", "FTP-8.5.3.2-02",
                        "FTP-9.2.3-03", "FTP-9.2.3-07", "FTP-9.2.3-12", "FTP-9.2.4-05"),
    .role = "transmitter", .needs = "ulp, posts of the tester, RTO, lossless path",
    .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc =
        "All that the SUT sent is acknowledged and complete, so its windows are open and its "
        "resources are free: a post, or the answer to a pull, of which no packet comes within "
        "four timeouts breaks it, and so does a post that is refused, when one as long went well before.")
ROW(e1, .id = "E1", .title = "a round trip passes before an early repeat",
    .requirements = IDS("FTP-9.1.4-06", "FTP-9.1.4-07", "FTP-9.1.4-13"), .role = "transmitter",
    .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "A packet that an EACK, or OWN, allows to be repeated early is repeated sooner after its "
        "last copy than the least round trip that the SUT can have measured: the initial one, "
        "and no sample is less than the time for which the other side held what it echoes. To "
        "give it power hold every ACK. Between the least sample and the greatest nothing is judged.")
ROW(e2, .id = "E2", .title = "nothing is repeated before its time without a cause",
    .requirements = IDS("FTP-9-15", "FTP-9.1.1-16", "FTP-9.1.1-27", "FTP-9.1.4-02",
                        "FTP-9.1.4-03", "FTP-9.1.4-04", "FTP-9.1.4-05", "FTP-9.1.4-12",
                        "FTP-9.1.4-14", "FTP-9.1.4-15", "FTP-9.2.3-14"),
    .role = "transmitter", .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "Two copies of a packet closer together than its retransmit timeout break it, unless an "
        "EACK showed it missing by the out-of-order threshold, or carried OWN, or a NACK with "
        "code 1 or 2 named it. That lasts until it is acknowledged. Unseen copies only shorten "
        "the true time. Where RACK-TLP is claimed nothing is judged; where it was not denied a break is a warning.")
ROW(e3, .id = "E3", .title = "what an EACK shows missing should be repeated early",
    .requirements = IDS("FTP-9-14", "FTP-9.1.4-01", "FTP-9.2.3-13"), .role = "transmitter",
    .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "The base of a window was repeated only after a whole timeout, though an EACK that "
        "surely came long before, and two round trips after the last copy, called for it: a warning at most.")
ROW(e4, .id = "E4", .title = "the timer repeats what nobody acknowledges",
    .requirements = IDS("FTP-9-13", "FTP-9.1.1-21", "FTP-9.1.3-06", "FTP-9.1.5-08",
                        "FTP-9.1.8-02", "FTP-11-06"),
    .role = "transmitter", .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "The base of a window had no other copy two timeouts after its last, and a timeout later "
        "still none, while the SUT sent other packets at both times. RNR waits, refusals and "
        "gaps suspend it; on a path that loses packets the copies may all be lost.")
ROW(e5, .id = "E5", .title = "attempts come to an end",
    .requirements = IDS("FTP-9.1.1-23", "FTP-9.1.5-02", "FTP-11-07"), .role = "transmitter",
    .needs = "wire+config", .assumes = "base-not-beyond-sent",
    .doc =
        "More than max_attempts + 1 copies of a packet that only its timer repeats break it, as a "
        "Resync takes its place, or the connection fails (AMB-14: one more or less). It holds "
        "when such a Resync comes in time.")
ROW(e6, .id = "E6", .title = "the attempts of a Resync come to an end",
    .requirements = IDS("FTP-6.4-09", "FTP-9.1.1-23", "FTP-9.1.5-02", "FTP-11-08", "FTP-11-10"),
    .role = "transmitter", .needs = "wire+config, cm events for the signal",
    .assumes = "base-not-beyond-sent",
    .doc =
        "More than max_attempts + 1 copies of a Resync that only its timer repeats break it; "
        "so does a barrier four timeouts after the last of max_attempts copies, at which "
        "nobody acknowledged it and no fatal error was signalled. It holds with the signal.")
