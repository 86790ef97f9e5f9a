/* SPDX-License-Identifier: Apache-2.0
 * fault_list_packets.h - more rows of faults.h: the packet delivery sublayer (9). */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_PACKETS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_PACKETS_H

/* clang-format off */
#define FAL_FAULTS_WINDOWS(X)                                                                          \
    X(BASE_MOVES_TOO_FAR, "base-moves-too-far", "9.2.2.4",                                             \
      "FTP-9.2.2.4-10 FTP-9.2.1-03 FTP-9.2.1-06",                                                      \
      "Acknowledges one PSN too many when a base moves by 63 or more at once.")                        \
    X(BASE_MOVES_BY_64, "base-moves-by-64", "9.2.2.4",                                                 \
      "FTP-9.2.2.4-10 FTP-9.2.1-03 FTP-9.2.1-06",                                                      \
      "Moves the base of a receive window by at most 64 PSNs at once, and then no further.")           \
    X(EDGE_REFUSED_WHILE_HELD, "edge-refused-while-held", "9.2.2.4",                                   \
      "FTP-9.2.2.4-03 FTP-9-02 FTP-9-06 FTP-9.2.1-11",                                                 \
      "Drops the last PSN of the data window while the push at its base waits for its ULP.")           \
    X(FARTHEST_PSN_OLD, "farthest-psn-old", "9.2.2.4",                                                 \
      "FTP-9.2.2.4-12 FTP-9.2.2.4-02 FTP-9.2.2.4-03",                                                  \
      "Treats the PSN at base + 2^31 - 1 as old.")                                                     \
    X(BASE_ACKNOWLEDGES_64, "base-acknowledges-64", "9.2.3", "FTP-9.2.3-05 FTP-9.2.3-04 FTP-9-15",     \
      "A base that moves by more acknowledges 64 packets.")                                            \
    X(BASE_ACKNOWLEDGES_ITSELF, "base-acknowledges-itself", "9.2.3", "FTP-9.2.3-05 FTP-9.2.3-04",      \
      "A base that moves by 63 or more acknowledges its own PSN too.")

#define FAL_FAULTS_REPEATS(X)                                                                          \
    X(OVERTAKEN_EACK_FORGETS, "overtaken-eack-forgets", "9.2.3", "FTP-9.2.3-09 FTP-9.2.3-10 FTP-9-15", \
      "An EACK without a bit takes back what the bit of an earlier EACK acknowledged.")                \
    X(OWN_CLEARED_BY_RNR, "own-cleared-by-rnr", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11 FTP-9.1.6-14",     \
      "Forgets the OWN bits when a NACK of code 1 or 2 leaves.")                                       \
    X(AR_IGNORED_WITH_OWN, "ar-ignored-with-own", "9.1.6", "FTP-9.1.6-02 FTP-9.1.6-03",                \
      "Does not answer the AR bit while an OWN bit waits to be reported.")                             \
    X(EARLY_DURING_RNR, "early-during-rnr", "9.1.4", "FTP-8.4.3.4-03 FTP-8.4.3.4-01",                  \
      "An EACK retransmits a push early that waits for the end of its RNR delay.")                     \
    X(NACK_ACKNOWLEDGES, "nack-acknowledges", "9.1.7", "FTP-9.1.7-03 FTP-9.1.7-02 FTP-9.2.2.4-08",     \
      "The base of a NACK acknowledges the packet at the base that it refuses.")                       \
    X(REPEATS_KEPT_ON_ACK, "repeats-kept-on-ack", "9.1.2", "FTP-9.1.2-11 FTP-9.1.2-06 FTP-9.1.2-08",   \
      "A retransmitted request still counts as outstanding after its ACK.")                            \
    X(REPEATS_LOST_ON_ACK, "repeats-lost-on-ack", "9.1.2", "FTP-9.1.2-11 FTP-9.1.2-06 FTP-9.1.2-08",   \
      "The ACK of a request that waits for its retransmission makes the count of outstanding ones -1.")\
    X(REPEATS_BASE_ONLY, "repeats-base-only", "9.1.5", "FTP-9-15 FTP-9.1.1-21 FTP-9.1.5-04",           \
      "Retransmits only the packet at the base of a window.")                                          \
    X(REPEATS_FIRST_BASES, "repeats-first-bases", "9.1.6", "FTP-9.1.6-04 FTP-7.2-20 FTP-7.2-21",       \
      "A retransmission carries the bases with which the connection began.")                           \
    X(RTO_OF_ANOTHER, "rto-of-another", "9.1.5", "FTP-9-15 FTP-9.1.5-04 FTP-9.1.1-21",                 \
      "A connection waits for the RTO of the connection that was opened last.")

#define FAL_FAULTS_STAMPS(X)                                                                           \
    X(IV_TWICE, "iv-twice", "10.1", "FTP-6.5-01 FTP-10.1-01",                                          \
      "Packets that leave in the same moment have the same IV.")                                       \
    X(IV_COUNTS, "iv-counts", "10.1", "FTP-10.1-01 FTP-10.1-03", "The IV counts packets.")             \
    X(T2_KEPT, "t2-kept", "7.7.1", "FTP-7.7.1-10 FTP-9.1.7-06",                                        \
      "Where t1 is 0, t2 stays the arrival time of the first packet.")                                 \
    X(RTT_NEVER_MEASURED, "rtt-never-measured", "9.1.4", "FTP-9.1.4-07 FTP-9.1.4-06",                  \
      "Always uses the initial round trip time.")                                                      \
    X(RTT_QUARTERED, "rtt-quartered", "9.1.4", "FTP-9.1.4-07 FTP-9.1.4-06",                            \
      "Each measured round trip counts as a quarter of it.")                                           \
    X(RTT_FROM_ZERO, "rtt-from-zero", "9.1.4", "FTP-9.1.4-01 FTP-9.2.3-13",                            \
      "Measures a round trip also where an ACK carries no t1.")

#define FAL_FAULTS_PACKETS(X)                                                                          \
    X(CID_IGNORED, "cid-ignored", "9.2.3",                                                             \
      "FTP-6.2-01 FTP-8.4.3.2-01 FTP-8.5.3.1-01 FTP-8.5.3.3-01 FTP-9.2.3-01",                          \
      "Accepts packets of a CID that it never allocated.")                                             \
    X(VERSION_UNCHECKED, "version-unchecked", "9.2.2.1", "FTP-9.2.2.1-01",                             \
      "Accepts packets of any version.")                                                               \
    X(AR_DISCARDED_UNANSWERED, "ar-discarded-unanswered", "9.2.2.4",                                   \
      "FTP-9.2.2.4-07 FTP-9.2.2.4-06 FTP-11-16 FTP-11-17",                                             \
      "Sends no ACK for a discarded packet that asked for one.")                                       \
    X(PULL_UNACKNOWLEDGED, "pull-unacknowledged", "9.2.2.4", "FTP-9.2.2.4-09 FTP-9-03 FTP-9.2.1-03",   \
      "Acknowledges pull requests as if their ULP had to, which never does.")                          \
    X(PULL_DATA_UNACKNOWLEDGED, "pull-data-unacknowledged", "9.2.2.4",                                 \
      "FTP-9.2.2.4-09 FTP-9-03 FTP-6.6.1-03",                                                          \
      "Does not acknowledge pull data.")                                                               \
    X(ACK_BASE_IGNORED, "ack-base-ignored", "9.2.3",                                                   \
      "FTP-9.2.3-03 FTP-9.2.3-05 FTP-9.2.3-07 FTP-7.7-01",                                             \
      "The bases of an ACK acknowledge nothing.")                                                      \
    X(EQUAL_BASES_DISCARDED, "equal-bases-discarded", "9.2.3", "FTP-9.2.3-06",                         \
      "Discards an ACK whose bases equal the current ones.")                                           \
    X(PIGGYBACK_JAMS_TIMER, "piggyback-jams-timer", "9.1.6", "FTP-9.1.6-05 FTP-9.1.1-20",              \
      "After a full piggyback the coalescing timer seems to run, and never runs out.")                 \
    X(ACK_JAMS_TIMER, "ack-jams-timer", "9.1.1", "FTP-9.1.1-19 FTP-9.1.6-01",                          \
      "After an ACK the coalescing timer seems to run, and never runs out.")                           \
    X(REQUEST_BASE_LAGS, "request-base-lags", "9.2.1", "FTP-9.2.1-03 FTP-6.6.1-02 FTP-7.7.1-08",       \
      "ACKs show the request window as it was one PSN ago.")                                           \
    X(REQUESTS_UNSENT, "requests-unsent", "9.2.1", "FTP-9.2.1-01 FTP-9.2.1-03",                        \
      "The first and then every third ACK claims a request that was never received.")                  \
    X(RNR_CODE_0_SHORT, "rnr-code-0-short", "7.8", "FTP-7.8-26 FTP-11-11",                             \
      "Treats RNR timeout code 0 as a delay of zero.")                                                 \
    X(FIRST_COPIES_SWAPPED, "first-copies-swapped", "9.1.3", "FTP-9.1.3-04 FTP-9.1.3-01",              \
      "New packets leave in pairs, the later PSN first.")                                              \
    X(EARLY_WITHOUT_ONES, "early-without-ones", "9.1.4", "FTP-9.1.4-05",                               \
      "An EACK whose bitmap is 0 retransmits all that is unacknowledged.")                             \
    X(EARLY_UP_TO_THE_END, "early-up-to-the-end", "9.1.4", "FTP-9.1.4-03",                             \
      "Treats the end of the bitmap as the highest PSN received.")                                     \
    X(RACK_EACK_OMITTED, "rack-eack-omitted", "9.1.6", "FTP-9.1.6-17",                                 \
      "Claims RACK-TLP, and sends BACKs while pushes wait for their ULP.")                             \
    X(HEADER_CUT_TAKEN, "header-cut-taken", "9.2.2.1", "FTP-9.2.2.1-01",                               \
      "Accepts a packet that ends within its header, as if zeros followed.")                           \
    X(TYPE_UNCHECKED, "type-unchecked", "7.2", "FTP-7.2-18 FTP-9.2.2.1-01",                            \
      "Treats packets of reserved types as pushes.")                                                   \
    X(PROTOCOL_UNCHECKED, "protocol-unchecked", "7.2", "FTP-7.2-09",                                   \
      "Accepts packets of reserved protocol types.")                                                   \
    X(PSN_SKIPS_ZERO, "psn-skips-zero", "6.1.2", "FTP-6.1.2-02 FTP-9.1.1-04 FTP-9.1.1-09",             \
      "PSN 1 follows PSN 2^32 - 1.")                                                                   \
    X(MTU_IGNORED, "mtu-ignored", "6.2", "FTP-6.2-04", "Sends payloads that are longer than the MTU.") \
    X(PUSH_PAYLOAD_WRONG, "push-payload-wrong", "7.5", "FTP-7.5-05",                                   \
      "The last byte of a push is not the one that its ULP gave.")                                     \
    X(PULL_DATA_PAYLOAD_WRONG, "pull-data-payload-wrong", "7.4", "FTP-7.4-02",                         \
      "The last byte of pull data is not the one that their ULP gave.")                                \
    X(EARLY_ONE_WINDOW, "early-one-window", "9.1.4", "FTP-9.1.4-09",                                   \
      "Looks at the data_rx_bitmap only if the req_bitmap is 0.")                                      \
    X(OWN_WITHIN_BITMAP, "own-within-bitmap", "9.1.4", "FTP-9.1.4-11",                                 \
      "An OWN bit retransmits nothing beyond the end of the bitmap.")                                  \
    X(COPY_OF_PULL_DELIVERED, "copy-of-pull-delivered", "9.2.2.4", "FTP-9.2.2.4-01 FTP-9.2.2.4-04",    \
      "Delivers every copy of a pull request to its ULP.")
/* clang-format on */

#endif
