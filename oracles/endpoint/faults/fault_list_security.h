/* SPDX-License-Identifier: Apache-2.0
 * fault_list_security.h - the rows of faults.h that are about acceptance checks, keys, stamps
 * and the RUE. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_SECURITY_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_SECURITY_H

/* clang-format off */
#define FAL_FAULTS_SECURITY(X)                                                                         \
    X(INTEGRITY_UNCHECKED, "integrity-unchecked", "9.2.2.1",                                           \
      "FTP-9.2.2.1-05 FTP-9.2.2.1-02 FTP-9.2.2.1-03 FTP-9.2.2.1-04 FTP-6.5-01 FTP-11-15 FTP-7.1-04",   \
      "Accepts packets that are damaged or could not be opened, if they look like Falcon.")            \
    X(DAMAGED_PIGGYBACK_TAKEN, "damaged-piggyback-taken", "11", "FTP-11-15",                           \
      "Processes the piggybacked bases of packets that fail the integrity check.")                     \
    X(PLAINTEXT_ACCEPTED, "plaintext-accepted", "6.5", "FTP-6.5-01 FTP-7.1-01",                        \
      "Accepts unsealed packets on a connection with a security association.")                         \
    X(SPI_ZERO_ACCEPTED, "spi-zero-accepted", "9.2.2.3", "FTP-9.2.2.3-09",                             \
      "A connection without an SPI takes packets of SPI 0.")                                           \
    X(SPI_UNCHECKED, "spi-unchecked", "9.2.2.3",                                                       \
      "FTP-9.2.2.3-16 FTP-6.5-06 FTP-9.2.1-12 FTP-9.2.2.3-01 FTP-9.2.2.3-12",                          \
      "Accepts packets of any SPI.")                                                                   \
    X(SPI_UNCHECKED_ON_ACKS, "spi-unchecked-on-acks", "9.2.2.3", "FTP-9.2.2.3-01",                     \
      "Accepts ACKs and NACKs of any SPI.")                                                            \
    X(SPI_FAILURE_SILENT, "spi-failure-silent", "9.2.2.3", "FTP-9.2.2.3-02",                           \
      "Drops packets of a wrong SPI without telling the connection manager.")                          \
    X(SPI_FAILURE_ACKNOWLEDGED, "spi-failure-acknowledged", "9.2.2.3", "FTP-9.2.2.3-03",               \
      "Answers packets of a wrong SPI with an ACK.")                                                   \
    X(OLD_GENERATION_ACCEPTED, "old-generation-accepted", "9.2.2.3",                                   \
      "FTP-9.2.2.3-11 FTP-9.2.2.3-14 FTP-9.2.1-20",                                                    \
      "Accepts packets of the previous key generation when that is disallowed.")                       \
    X(GENERATION_BY_TWO, "generation-by-two", "9.2.2.3", "FTP-9.2.1-19",                               \
      "A new master key counts as two generations.")                                                   \
    X(GENERATION_BEFORE_UNKNOWN, "generation-before-unknown", "9.2.2.3",                               \
      "FTP-9.2.2.3-10 FTP-9.2.2.3-11 FTP-9.2.2.3-14",                                                  \
      "Accepts the current key generation only, even where the previous one is allowed.")              \
    X(GENERATION_OF_SPI_KEPT, "generation-of-spi-kept", "9.2.1", "FTP-9.2.1-13",                       \
      "A new SPI leaves the connection in the generation of its first one.")                           \
    X(NEW_SPI_UNKNOWN, "new-spi-unknown", "9.2.2.3", "FTP-9.2.1-12 FTP-9.2.2.3-12",                    \
      "Continues to check for the first SPI of a connection.")                                         \
    X(PREVIOUS_SPI_REFUSED, "previous-spi-refused", "9.2.2.3", "FTP-9.2.2.3-13 FTP-9.2.2.3-14",        \
      "Drops packets of the previous SPI as soon as there is a new one.")                              \
    X(PREVIOUS_SPI_FORGOTTEN, "previous-spi-forgotten", "9.2.2.3", "FTP-9.2.2.3-05 FTP-9.2.1-14",      \
      "A key rotation does not keep the SPI that was current.")                                        \
    X(OLD_SPI_SENT, "old-spi-sent", "6.5", "FTP-6.5-03 FTP-9.2.2.3-06",                                \
      "Continues to use the old SPI after the peer has announced a new one.")                          \
    X(PCID_UNCHECKED, "pcid-unchecked", "9.2.2.3", "FTP-9.2.2.3-15 FTP-9.2.1-17",                      \
      "Accepts packets of any PCID although they are to be matched.")                                  \
    X(PCID_OF_PEER, "pcid-of-peer", "9.2.2.3", "FTP-9.2.2.3-15 FTP-9.2.1-17",                          \
      "Matches the PCID of packets with that of its own packets to the peer.")                         \
    X(PCID_ALWAYS_MATCHED, "pcid-always-matched", "9.2.2.3", "FTP-9.2.1-21 FTP-9.2.2.3-15",            \
      "Drops packets of another PCID although they are not to be matched.")                            \
    X(REPLAY_UNCHECKED, "replay-unchecked", "9.2.2.2", "FTP-9.2.2.2-02 FTP-6.5-07",                    \
      "Accepts packets however old their IV.")                                                         \
    X(REPLAY_MARGIN_INVERTED, "replay-margin-inverted", "9.2.2.2", "FTP-9.2.2.2-01 FTP-9.2.2.2-04",    \
      "Adds the replay margin to Remote Time instead of taking it away.")                              \
    X(REPLAY_WITHOUT_MARGIN, "replay-without-margin", "9.2.2.2", "FTP-9.2.2.2-04 FTP-6.5-08",          \
      "Drops every packet whose IV is not newer than Remote Time.")                                    \
    X(REPLAY_AT_EQUALITY, "replay-at-equality", "9.2.2.2", "FTP-9.2.2.2-02",                           \
      "Accepts a packet whose IV is as old as Remote Time less the margin.")                           \
    X(REPLAY_COMPARE_UNSIGNED, "replay-compare-unsigned", "9.2.2.2", "FTP-9.2.2.2-05",                 \
      "Compares IVs without regard to their wrap-around.")                                             \
    X(REPLAY_MARGIN_FIXED, "replay-margin-fixed", "9.2.1", "FTP-9.2.1-18",                             \
      "The replay margin is 100 us, regardless of what the connection manager sets.")                  \
    X(REPLAY_ACKNOWLEDGED, "replay-acknowledged", "9.2.2.2", "FTP-9.2.2.2-03 FTP-6.5-07",              \
      "Answers a packet that the replay check drops with an ACK.")                                     \
    X(REMOTE_TIME_FROZEN, "remote-time-frozen", "9.2.1", "FTP-9.2.1-16",                               \
      "Remote Time stays where the connection manager put it.")                                        \
    X(REMOTE_TIME_GOES_BACK, "remote-time-goes-back", "9.2.1", "FTP-9.2.1-16",                         \
      "Remote Time becomes the IV of every packet, also of an older one.")                             \
    X(REMOTE_TIME_UNPROVEN, "remote-time-unproven", "9.2.1", "FTP-9.2.1-16 FTP-9.2.2.1-05",            \
      "Packets that could not be opened move Remote Time.")                                            \
    X(REMOTE_TIME_KEPT, "remote-time-kept", "9.2.2.2", "FTP-9.2.2.2-01 FTP-9.2.2.2-04",                \
      "A key rotation leaves Remote Time as it was.")                                                  \
    X(SEAL_MISSING, "seal-missing", "6.5", "FTP-6.5-01 FTP-7.1-01 NVME-8.1-01",                        \
      "Sends packets of a sealed connection in the clear.")                                            \
    X(SEAL_NEXT_HEADER, "seal-next-header", "7.1", "FTP-7.1-02",                                       \
      "The PSP header announces nothing where Falcon, or an IP header, follows.")                      \
    X(SEAL_CRYPT_OFFSET, "seal-crypt-offset", "7.1", "FTP-7.1-03",                                     \
      "Leaves 4 more bytes of the Falcon header in the clear.")                                        \
    X(PCID_NOT_SENT, "pcid-not-sent", "9.2.1", "FTP-9.2.1-17",                                         \
      "The virtualization cookie of its packets is 0 instead of the PCID.")                            \
    X(SEAL_OTHER_MODE, "seal-other-mode", "7.1",                                                       \
      "FTP-7.1.1-01 FTP-7.1.2-01 RDMA-8.1.1-01 RDMA-8.1.2-01 NVME-8.1.1-01 "                           \
      "NVME-8.1.2-01",                                                                                 \
      "Puts an inner IP header where there is to be none, and leaves it out in a tunnel.")             \
    X(IV_REPEATED, "iv-repeated", "10.1", "FTP-10.1-01",                                               \
      "Every packet leaves with the same IV.")                                                         \
    X(T1_T2_SWAPPED, "t1-t2-swapped", "7.7.1",                                                         \
      "FTP-7.7.1-09 FTP-10.1-05 FTP-7.7.1-10 FTP-7.8-08 FTP-7.8-09",                                   \
      "ACKs and NACKs carry t1 and t2 in each other's place.")                                         \
    X(T1_ZERO, "t1-zero", "10.1", "FTP-10.1-05 FTP-7.7.1-09 FTP-7.8-08",                               \
      "ACKs and NACKs carry no t1.")                                                                   \
    X(T1_OF_THE_FIRST, "t1-of-the-first", "10.1", "FTP-10.1-10",                                       \
      "A coalesced ACK carries t1 and t2 of the first packet that it acknowledges.")                   \
    X(T2_OF_THE_ACK, "t2-of-the-ack", "10.1", "FTP-10.1-02 FTP-7.7.1-10 FTP-7.8-09",                   \
      "t2 is the time when the ACK leaves.")                                                           \
    X(T2_IN_MICROSECONDS, "t2-in-microseconds", "7.7.1", "FTP-7.7.1-11 FTP-7.7.1-10",                  \
      "t2 counts microseconds.")                                                                       \
    X(HOPS_ARE_TTL, "hops-are-ttl", "7.7.1", "FTP-7.7.1-12 FTP-7.8-10",                                \
      "hop_count is the TTL that arrived, not how much it fell.")                                      \
    X(ECN_NEVER_COUNTED, "ecn-never-counted", "7.7.1",                                                 \
      "FTP-7.7.1-14 FTP-9.1.6-10 FTP-9.1.7-07 FTP-7.8-12",                                             \
      "Congestion marks are not counted.")                                                             \
    X(ECN_COUNTS_CAPABLE, "ecn-counts-capable", "7.7.1", "FTP-7.7.1-14 FTP-7.8-12",                    \
      "Packets that could be marked count as marked.")                                                 \
    X(ECN_NOT_CUMULATIVE, "ecn-not-cumulative", "7.7.1",                                               \
      "FTP-7.7.1-14 FTP-9.1.6-10 FTP-9.1.7-07 FTP-7.8-12",                                             \
      "ecn_rx_count tells of the newest packet only.")                                                 \
    X(LEVEL_OF_THE_EMPTIER, "level-of-the-emptier", "10.2", "FTP-10.2-06 FTP-7.8-11",                  \
      "ACKs and NACKs report the level of the emptier receive pool.")                                  \
    X(LEVEL_THRESHOLDS_SHARED, "level-thresholds-shared", "10.2", "FTP-10.2-05 FTP-10.2-04",           \
      "The receive buffer pool has the thresholds of the receive packet pool.")                        \
    X(LEVEL_NEVER_FALLS, "level-never-falls", "10.2", "FTP-10.2-03 FTP-7.7.1-13",                      \
      "ACKs and NACKs report the highest level so far.")                                               \
    X(LEVEL_OF_WHAT_IS_TAKEN, "level-of-what-is-taken", "10.2", "FTP-10.2-03 FTP-7.7.1-13",            \
      "The level is updated when requests take resources, not when they free them.")                   \
    X(LEVEL_OUTLIVES_CONNECTION, "level-outlives-connection", "10.2", "FTP-10.2-03 FTP-7.7.1-13",      \
      "The end of a connection frees receive resources and does not lower the level.")                 \
    X(LEVEL_WITHOUT_AVERAGE, "level-without-average", "10.2", "FTP-10.2-02",                           \
      "The level is that of the present occupancy, whatever alpha is.")                                \
    X(LEVEL_OF_PACKETS_ALONE, "level-of-packets-alone", "10.2", "FTP-10.2-01 FTP-10.2-06",             \
      "The network Rx buffer pool has no effect on the level.")                                        \
    X(RTT_FROM_T2, "rtt-from-t2", "9.2.3", "FTP-9.2.3-08 FTP-9.2.4-06",                                \
      "Uses t2 - t1, which belong to two clocks, as the round trip time.")                             \
    X(RESOURCE_DROP_NOT_TOLD, "resource-drop-not-told", "9.2.4",                                       \
      "FTP-9.2.4-07 FTP-10.6.1-01 FTP-10.6.2.1-01",                                                    \
      "A NACK of code 1 gives no event for the RUE.")                                                  \
    X(RETRANSMIT_REASON_SWAPPED, "retransmit-reason-swapped", "10.6.2.1", "FTP-10.6.2.1-09",           \
      "Events call an early retransmission a timeout, and the reverse.")                               \
    X(ACKED_COUNT_KEPT, "acked-count-kept", "10.6.2.1", "FTP-10.6.2.1-19 FTP-10-02 FTP-10.5.5-01",     \
      "num_packets_acked is not reset by an event.")                                                   \
    X(FCWND_RESULT_IGNORED, "fcwnd-result-ignored", "10.6.2.2", "FTP-10.6.2.2-18 FTP-10.6.2.2-06",     \
      "Results do not change fcwnd.")                                                                  \
    X(NCWND_RESULT_IGNORED, "ncwnd-result-ignored", "10.6.2.2", "FTP-10.6.2.2-18 FTP-10.6.2.2-08",     \
      "Results do not change ncwnd.")                                                                  \
    X(RTO_RESULT_IGNORED, "rto-result-ignored", "10.6.2.2", "FTP-10.6.2.2-18 FTP-10.6.2.2-09",         \
      "Results do not change the retransmit timeout.")                                                 \
    X(GAP_IGNORED, "gap-ignored", "10.3.5",                                                            \
      "FTP-10.3-02 FTP-10.3.5-02 FTP-10.6.2.2-18 FTP-10.6.2.2-07",                                     \
      "Does not pace packets while fcwnd is below one.")                                               \
    X(GAP_ABOVE_ONE, "gap-above-one", "10.3.4", "FTP-10.3.4-09",                                       \
      "Paces packets by the gap although fcwnd is above one.")                                         \
    X(PATH_NEVER_CHANGED, "path-never-changed", "10.6.2.2", "FTP-10.6.2.2-03 FTP-10.6.2.2-18",         \
      "Stays on its path when a result asks for a new one.")

/* congestion control: times of ACKs, events of the RUE, what its results change */
#define FAL_FAULTS_CONGESTION(X)                                                                       \
    X(CC_SHARED_STATE, "cc-shared-state", "10", "FTP-10-01",                                           \
      "A result changes the windows, gap and timeout of all connections.")                             \
    X(T3_OF_ARRIVAL, "t3-of-arrival", "10.1", "FTP-10.1-03",                                           \
      "The IV of an ACK or NACK is the time when its packet arrived.")                                 \
    X(T3_BEFORE_QUEUE, "t3-before-queue", "10.1", "FTP-10.1-03",                                       \
      "The IV of an ACK is the time when its coalescing timer started.")                               \
    X(T4_OF_THE_EVENT, "t4-of-the-event", "10.1", "FTP-10.1-04 FTP-10.6.2.1-07",                       \
      "t4 of an event is 100 us later than the arrival of its ACK or NACK.")                           \
    X(RTO_FUTURE_ONLY, "rto-future-only", "10.6.2.2",                                                  \
      "FTP-10.6.2.2-09 FTP-10.6.2.2-18 FTP-9.1.1-17",                                                  \
      "The retransmit timeout of a result is for packets that are sent later only.")                   \
    X(GAP_HALVED, "gap-halved", "10.3.5", "FTP-10.3.5-02 FTP-10.6.2.2-07 FTP-10.6.2.2-18",             \
      "Waits half of the gap of a result between packets.")                                            \
    X(STATE_LOST_BETWEEN_EVENTS, "state-lost-between-events", "10.6.2.1",                              \
      "FTP-10.6.2.1-25 FTP-10.6.2.1-26 FTP-10.6.2.1-29 FTP-10.6.2.1-30 FTP-10.6.2.1-31 FTP-10.5.6-01", \
      "Events do not return the markers, smoothed values and cc_opaque of the result before.")         \
    X(RESULTS_CROSS_CONNECTIONS, "results-cross-connections", "10.6.2.2",                              \
      "FTP-10.6.2.2-02 FTP-10.6.2.2-18 FTP-10-01",                                                     \
      "A result changes the next connection, not its own.")                                            \
    X(PATH_PER_PACKET, "path-per-packet", "10.5.7",                                                    \
      "FTP-10.5.7-02 FTP-10.6.2.2-03 FTP-10.4-11",                                                     \
      "Every packet has another path.")                                                                \
    X(EACK_DROP_ALWAYS, "eack-drop-always", "10.6.2.1", "FTP-10.6.2.1-20",                             \
      "Every event of an EACK has eack_drop set.")                                                     \
    X(EVENT_FOR_STALE_ACK, "event-for-stale-ack", "10.6.2.1",                                          \
      "FTP-10.6.2.1-01 FTP-9.2.3-02 FTP-9.2.3-04",                                                     \
      "An ACK that is discarded for its old base gives an event, too.")                                \
    X(GEN_STUCK, "gen-stuck", "10.6.2.1", "FTP-10.6.2.1-34",                                           \
      "gen does not change when the event queue begins from its start again.")                         \
    X(POLICY_INVERTED, "policy-inverted", "10.6.1", "FTP-10.6.1-02 FTP-10.6.1-01",                                   \
      "An event needs P1 and P2 while the queue is short, and nothing when it is long.")               \
    X(ENTRY_BIT_ORDER, "entry-bit-order", "10.6.2.1", "FTP-10.6.2.1-35 FTP-10.6.2.1-02",                               \
      "Events are packed in the other order of bits.")                                                 \
    X(RESULT_MISSING, "result-missing", "10.6.2.2", "FTP-10.6.2.2-01",                                 \
      "The RUE gives no result for every fourth event.")
/* clang-format on */

#endif
