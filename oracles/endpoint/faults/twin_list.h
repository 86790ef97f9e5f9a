/* SPDX-License-Identifier: Apache-2.0
 * twin_list.h - the rows of twins.h. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_TWIN_LIST_H
#define FAL_ORACLES_ENDPOINT_FAULTS_TWIN_LIST_H

#include "oracles/nvme/twin_list_nvme.h"
#include "oracles/ulp/twin_list_ulp.h"

/* clang-format off */
#define FAL_TWINS_PACKETS(X)                                                                           \
    X(EACK_ALWAYS, "eack-always", "9.1.6", "FTP-9.1.6-16 FTP-9-07", "AMB-20",                          \
      "Sends every ACK as an EACK, even without holes.")                                               \
    X(ACK_IMMEDIATE, "ack-immediate", "9.1.6", "FTP-9-08 FTP-9.1.6-15", "",                            \
      "Acknowledges every packet at once, with or without the AR bit.")                                \
    X(ACK_BY_COUNT, "ack-by-count", "9.1.6", "FTP-9-08 FTP-6.1.2-04", "",                              \
      "Sends an ACK after every fourth change, without waiting for the timer.")                        \
    X(COALESCING_EARLY, "coalescing-early", "9.1.6", "FTP-9-08 FTP-9.1.6-07", "",                      \
      "The coalescing timer runs for half of its timeout, which is an upper bound.")                   \
    X(DUPLICATE_ACK_AT_ONCE, "duplicate-ack-at-once", "11", "FTP-11-16 FTP-9.2.2.4-07", "AMB-18",      \
      "Answers the AR bit of a discarded packet at once.")                                             \
    X(PIGGYBACK_LAZY, "piggyback-lazy", "9.1.6", "FTP-9-09 FTP-9.1.6-05 FTP-6.1.1.1-03", "AMB-19",     \
      "A data packet does not stop the coalescing timer: an ACK without news follows.")                \
    X(CONVEYED_STOPS_TIMER, "conveyed-stops-timer", "9.1.1", "FTP-9.1.6-05 FTP-6.1.1.1-03", "AMB-19",  \
      "Any base that acknowledges all that arrived stops the coalescing timer, that of a NACK too.")   \
    X(QUEUES_SWAP, "queues-swap", "9.1.6", "FTP-9-08 FTP-9-09", "",                                    \
      "ACKs and data packets overtake each other within the pipeline allowance.")                      \
    X(RX_LANES, "rx-lanes", "9.2.2", "FTP-9-08 FTP-9-09 FTP-9.2.3-03", "",                             \
      "Receives by three engines, for requests, data and ACKs; each is late within the pipeline allowance.")\
    X(RX_LANES_HASHED, "rx-lanes-hashed", "9.2.2", "FTP-9-08 FTP-9-09 FTP-9.2.3-03", "",               \
      "Receives by engines chosen by PSN; each is late within the pipeline allowance.")                \
    X(TX_LANES, "tx-lanes", "9", "FTP-9-08 FTP-9-09", "",                                              \
      "Requests, data and ACKs leave by queues of their own, each late within the pipeline allowance.")\
    X(TIMERS_LATE, "timers-late", "9.1.1", "FTP-9.1.1-21 FTP-9.1.6-07", "",                            \
      "Each timer expires up to 5 % late.")                                                            \
    X(TIMERS_GRID, "timers-grid", "9.1.1", "FTP-9.1.1-21 FTP-9.1.6-07", "",                            \
      "Timers expire at ticks of the device (--param tick), up to a tick late.")                       \
    X(TIMERS_WHEEL, "timers-wheel", "9.1.1", "FTP-9.1.1-21 FTP-9.1.6-07", "",                          \
      "Timers expire at ticks of the device (--param tick), up to a tick early.")                      \
    X(RTO_VARIES, "rto-varies", "9.1.1", "FTP-9.1.1-21 FTP-9.1.1-17", "",                              \
      "Draws the RTO of each packet between rto_lo and rto_hi, where rto_varies is declared.")         \
    X(OWN_BITS_REVERSED, "own-bits-reversed", "7.7.1", "FTP-7.7.1-17", "AMB-06",                       \
      "OWN bit 0 is the left one on the wire: the request window's.")                                  \
    X(NACK_BEYOND_WINDOW, "nack-beyond-window", "7.8", "FTP-7.8-02 FTP-9.1.7-01", "AMB-12",            \
      "A packet beyond the window gets a NACK of code 1 in addition to the OWN bit.")                  \
    X(RX_BIT_DROPS, "rx-bit-drops", "9.2.2.4", "FTP-9.2.2.4-05 FTP-11-17 FTP-11-39", "AMB-17",         \
      "Drops a retransmitted push; after RNR only the target's timer delivers it again.")              \
    X(ACK_BASES_APART, "ack-bases-apart", "9.2.3", "FTP-9.2.3-02 FTP-9.2.3-04", "AMB-23",              \
      "An ACK that is newer for one window and older for the other counts for the newer one.")         \
    X(ACK_REQUESTS_FIRST, "ack-requests-first", "9.2.3", "FTP-9.2.3-03 FTP-9.2.3-04", "AMB-23",        \
      "Applies the request base of an ACK before it looks at the data base.")                          \
    X(AR_RANDOM, "ar-random", "9.1.3.1", "FTP-9.1.3.1-01 FTP-9.1.3.1-03", "AMB-56",                    \
      "Chooses at random which packets ask for an ACK, in the same proportion.")                       \
    X(AR_ALWAYS, "ar-always", "9.1.3.1", "FTP-9.1.3.1-01", "AMB-56",                                   \
      "Every packet asks for an ACK.")                                                                 \
    X(TX_WINDOW_INCLUSIVE, "tx-window-inclusive", "6.1.2", "FTP-6.1.2-06", "AMB-10",                   \
      "The packet at base + transmit window may leave too.")                                           \
    X(TX_WINDOW_SMALL, "tx-window-small", "9", "FTP-9-10", "AMB-10",                                   \
      "The transmit windows hold at most 16 packets.")                                                 \
    X(FCWND_SHARED, "fcwnd-shared", "9.1.2", "FTP-9.1.2-01 FTP-9.1.1-13", "AMB-11",                    \
      "Both windows together keep within fcwnd.")                                                      \
    X(FCWND_REAL, "fcwnd-real", "9.1.2", "FTP-9.1.2-13", "AMB-11",                                     \
      "A fabric congestion window of 1.5 packets lets two out.")                                       \
    X(ATTEMPTS_COUNT_FIRST, "attempts-count-first", "11", "FTP-11-07 FTP-9.1.1-23", "AMB-14",          \
      "The first transmission is an attempt: m transmissions in all.")                                 \
    X(FATAL_WITHOUT_RESYNC, "fatal-without-resync", "9.1.1", "FTP-9.1.1-23 FTP-9.1.5-02", "AMB-14",    \
      "At max attempts the connection ends, without a resync.")                                        \
    X(RNR_FROM_TRANSMISSION, "rnr-from-transmission", "8.4.3.4", "FTP-8.4.3.4-01 FTP-11-11", "AMB-15", \
      "The RNR delay runs from the last transmission, not from the NACK.")                             \
    X(RNR_WITHOUT_RTO, "rnr-without-rto", "8.4.3.4", "FTP-8.4.3.4-01 FTP-9.2.4-09", "AMB-15",          \
      "The RNR delay is the RNR timeout, even below the RTO.")                                         \
    X(EARLY_AT_EQUALITY, "early-at-equality", "9.1.4", "FTP-9.1.4-06", "AMB-55",                       \
      "Retransmits early as soon as a round trip has passed, to the nanosecond.")                      \
    X(PULLS_NOT_RESYNCED, "pulls-not-resynced", "7.2", "FTP-7.2-26 FTP-9.1.8-04 FTP-7.6-11", "AMB-13",  \
      "Retransmits a pull request instead of a resync; at max attempts the connection ends.")          \
    X(REPEATS_BEHIND_LOWER_RSN, "repeats-behind-lower-rsn", "9.1.5", "FTP-9.1.5-05 FTP-8.2.1.1-01", "AMB-58",\
      "A retransmission waits behind a lower RSN that waits for its RNR delay or for a window.")       \
    X(RESYNC_NCWND_GATED, "resync-ncwnd-gated", "9.1.8", "FTP-9.1.8-06", "AMB-53",                     \
      "Retransmitted resyncs wait for ncwnd, as requests do.")                                         \
    X(RACK_TLP, "rack-tlp", "9.1.6", "FTP-9.1.6-17 FTP-9-14", "AMB-20",                                \
      "Detects losses by time, not distance, and probes the tail; asks for an EACK on any rx bit.")

/* the transaction sublayer */
#define FAL_TWINS_TRANSACTIONS(X)                                                                      \
    X(THREE_QUEUES, "three-queues", "8.3", "FTP-8.3-04", "AMB-46",                                     \
      "Pushes and pull requests wait in queues of their own.")                                         \
    X(PULL_DATA_FIRST, "pull-data-first", "8.3", "FTP-8.3-02", "",                                     \
      "Sends pull data before requests.")                                                              \
    X(RESOURCE_DROPS, "resource-drops", "8.2.4", "FTP-8.2.4-01 FTP-11-19 FTP-8.2.4-04", "AMB-45",      \
      "Under load, drops some requests that are not head of line for lack of resources.")              \
    X(RESOURCES_BEFORE_WINDOW, "resources-before-window", "11", "FTP-11-19 FTP-8.2.4-01", "AMB-75",    \
      "Without resources, refuses a copy of an acknowledged request by a NACK of code 1.")             \
    X(POOLS_OF_DEVICE, "pools-of-device", "8.2.2", "FTP-8.2.3-03", "",                                 \
      "Resources are shared: what one connection holds is refused to the others.")                     \
    X(UNSENT_GIVEN_UP, "unsent-given-up", "11", "FTP-11-24", "AMB-74",                                 \
      "A transaction that times out before it was ever sent is given up, without a resync.")           \
    X(EXHAUSTION_AS_CIE, "exhaustion-as-cie", "8.2.3", "FTP-8.2.3-03 FTP-11-32", "AMB-54",             \
      "A post without resources completes in error with code 1.")                                      \
    X(COMPLETION_AT_NACK, "completion-at-nack", "8.4.3.5", "FTP-8.4.3.5-03 FTP-6.6.5-04 FTP-8.5.3.5-01", "AMB-47",\
      "A refused push completes when the NACK arrives, not when its resync is acknowledged.")          \
    X(COMPLETION_LATE, "completion-late", "8.4.3.5", "FTP-8.4.3.5-03 FTP-6.6.5-04 FTP-8.5.3.5-01", "AMB-47",\
      "A refused push completes when the NACK arrives; now and then the completion comes late.")       \
    X(COMPLETIONS_BACKWARDS, "completions-backwards", "8.4.2", "FTP-8.4.2-03", "",                     \
      "On unordered connections the last of several requests that an ACK acknowledges completes first.")\
    X(COMPLETIONS_IN_ORDER, "completions-in-order", "8.4.2", "FTP-8.4.2-03", "",                       \
      "Transactions complete in RSN order on unordered connections, too.")                             \
    X(ANSWER_CUT, "answer-cut", "8.1", "FTP-8.1-03", "",                                               \
      "Cuts an answer that is longer than the request asked for.")                                     \
    X(RESPONSE_LOST_TIMES_OUT, "response-lost-times-out", "11", "FTP-11-24", "AMB-48",                 \
      "A pull whose response was replaced by a resync ends by its timeout.")                           \
    X(PULL_DATA_SHORT_DROPPED, "pull-data-short-dropped", "8.4.3.2", "FTP-8.4.3.2-03", "AMB-25",       \
      "Discards pull data shorter than requested, except those without payload.")                      \
    X(PULL_DATA_LONG_TIMES_OUT, "pull-data-long-times-out", "11", "FTP-11-26", "AMB-25",               \
      "A pull whose response is too long ends by its timeout.")                                        \
    X(RNR_PUSH_BY_TIMER, "rnr-push-by-timer", "11", "FTP-11-39 FTP-8.5.3.4-01", "AMB-16",              \
      "Delivers a push again after RNR when its own timer expires, if that is first.")                 \
    X(RNR_CLEARS_RX, "rnr-clears-rx", "9.2.1", "FTP-8.5.3.4-10", "AMB-65",                             \
      "Treats a push that got RNR as never received.")                                                 \
    X(PULL_CID_NACKED, "pull-cid-nacked", "9.2.4", "FTP-9.2.4-15", "AMB-59",                           \
      "Sends a NACK of code 8 for a pull behind a hole, before any ACK says that it came.")            \
    X(RNR_FOLLOWERS_HELD, "rnr-followers-held", "8.5.3.4", "FTP-8.5.3.4-04", "AMB-49",                 \
      "Holds pushes behind a request that got RNR, without a NACK for each.")                          \
    X(RNR_FOLLOWERS_DELIVERED, "rnr-followers-delivered", "8.5.3.4", "FTP-8.5.3.4-04", "AMB-49",       \
      "Delivers requests behind one that got RNR, if the upper layer will answer them with RNR, too.")

/* acceptance checks, stamps, the RUE */
#define FAL_TWINS_SECURITY(X)                                                                          \
    X(INTEGRITY_SILENT, "integrity-silent", "9.2.2.1", "FTP-9.2.2.1-06", "AMB-64",                     \
      "Does not report packets that could not be opened to the connection manager.")                   \
    X(EVERY_DROP_TOLD, "every-drop-told", "11", "FTP-11-15 FTP-9.2.2.1-06", "AMB-64",                  \
      "Reports every integrity and replay failure to the connection manager.")                         \
    X(REPLAY_BEFORE_SPI, "replay-before-spi", "9.2.2.2", "FTP-9.2.2.2-03 FTP-9.2.2.3-02", "AMB-33",    \
      "Checks for replay before it checks the SPI.")                                                   \
    X(COOKIE_UNASKED, "cookie-unasked", "9.2.1", "FTP-9.2.1-17 FTP-7.1-03", "",                        \
      "Packets of a PSP connection without a PCID carry a virtualization cookie, its own SPI.")        \
    X(TUNNELS_REFUSED, "tunnels-refused", "7.1.2", "FTP-7.1.2-02", "",                                 \
      "Does not support tunnel mode: refuses to open a connection in it.")                             \
    X(REMOTE_TIME_NOT_OF_ACKS, "remote-time-not-of-acks", "9.2.1", "FTP-9.2.1-16", "AMB-33",           \
      "ACKs and NACKs do not move Remote Time.")                                                       \
    X(STAMPS_OF_ACKS_TOO, "stamps-of-acks-too", "10.1", "FTP-10.1-10 FTP-7.7.1-09", "AMB-61",          \
      "t1, t2, hops and marks are those of the most recent packet, even an ACK or NACK.")              \
    X(STAMPS_OF_NEW_ONLY, "stamps-of-new-only", "10.1", "FTP-10.1-10 FTP-7.7.1-09", "AMB-61",          \
      "t1, t2, hops and marks are those of the most recent new packet.")                               \
    X(CLOCK_COARSE, "clock-coarse", "10.1", "FTP-10.1-10 FTP-7.7.1-11", "AMB-32",                      \
      "Time stamps advance in steps of 131.072 ns, or of the tick if it is longer; timers in ticks.")  \
    X(HOPS_WRAP, "hops-wrap", "7.7.1", "FTP-7.7.1-12", "AMB-62",                                       \
      "A hop count beyond 15 wraps.")                                                                  \
    X(LEVEL_BELOW_AT_EQUALITY, "level-below-at-equality", "10.2", "FTP-10.2-04", "AMB-44",             \
      "An occupancy equal to a threshold belongs to the level below it.")                              \
    X(METADATA_WITHOUT_OWN, "metadata-without-own", "10.6.2.1", "FTP-10.6.2.1-13", "AMB-07",           \
      "cc_metadata of an event is rue_info without the OWN bits.")                                     \
    X(RUE_EVENT_EACH_TIME, "rue-event-each-time", "10.6.1", "FTP-10.6.1-02 FTP-10.6.2.1-01", "AMB-43", \
      "Every ACK, NACK and retransmission gives an event, even when the queue is full.")               \
    X(RUE_EVENT_AFTER_TIME, "rue-event-after-time", "10.6.1", "FTP-10.6.1-02 FTP-10.6.1-03 FTP-10.6.2.1-01", "AMB-43", \
      "An event needs P1 (enough time since the last one), even when the queue is short.")           \
    X(RUE_EVENT_AFTER_PACKETS, "rue-event-after-packets", "10.6.1", "FTP-10.6.1-02 FTP-10.6.1-04 FTP-10.6.2.1-01", "AMB-43", \
      "An event needs P2 (enough packets acknowledged), even when the queue is short.")              \
    X(RUE_EVENT_ONE_AT_A_TIME, "rue-event-one-at-a-time", "10.6.1", "FTP-10.6.1-02 FTP-10.6.2.1-01", "AMB-79", \
      "A connection has no other event before the result of its last one.")                          \
    X(RTT_SMOOTHED_REVERSED, "rtt-smoothed-reversed", "10.1", "FTP-10.1-11", "AMB-35",                 \
      "The average round trip weighs a sample with 1 - alpha, the average so far with alpha.")         \
    X(RUE_INFO_WIDE, "rue-info-wide", "7.7.1", "FTP-7.7.1-15", "AMB-04",                               \
      "The first bit of rue_info is always 1; figure and table disagree on whether it is reserved.")   \
    X(RESERVED_BITS_REFUSED, "reserved-bits-refused", "7.2", "FTP-7.2-03", "AMB-27",                   \
      "Drops packets that have a reserved bit set.")                                                   \
    X(RUE_P2_COUNTS_BYTES, "rue-p2-counts-bytes", "10.6.1", "FTP-10.6.1-05 FTP-10.6.1-04", "AMB-43",   \
      "P2 counts bytes of payload that were acknowledged, not packets.")                               \
    X(RUE_INFO_OF_UPPER_BITS, "rue-info-of-upper-bits", "10.6.2.2", "FTP-10.6.2.2-04", "AMB-07",       \
      "The two low bits of cc_metadata of a result count as OWN: rue_info holds the bits above.")

#define FAL_TWINS(X)                                                                                   \
    FAL_TWINS_PACKETS(X)                                                                               \
    FAL_TWINS_TRANSACTIONS(X)                                                                          \
    FAL_TWINS_SECURITY(X)                                                                              \
    FAL_TWINS_ULP(X)                                                                                   \
    FAL_TWINS_NVME(X)
/* clang-format on */

#endif
