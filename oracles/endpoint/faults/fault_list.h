/* SPDX-License-Identifier: Apache-2.0
 * fault_list.h - the rows of faults.h. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_H

#include "oracles/endpoint/faults/fault_list_formats.h"
#include "oracles/endpoint/faults/fault_list_packets.h"
#include "oracles/endpoint/faults/fault_list_security.h"
#include "oracles/endpoint/faults/fault_list_transactions.h"
#include "oracles/nvme/fault_list_nvme.h"
#include "oracles/ulp/fault_list_ulp.h"

/* clang-format off */
#define FAL_FAULTS(X)                                                                                  \
    X(HEADER_FIELD_SHIFTED, "header-field-shifted", "7.2",                                             \
      "FTP-7.2-20 FTP-7.2-23 FTP-7.7.1-07 FTP-7.8-15 FTP-7.2-02 FTP-7.2-05 FTP-7.2-06 "                \
      "FTP-7.2-09 FTP-7.2-10 FTP-7.2-18 FTP-7.2-27 FTP-7.3-03 FTP-7.5-03 FTP-7.6-02 "                  \
      "FTP-7.6-11 FTP-7.7.1-02 FTP-7.7.1-06 FTP-7.7.1-08 FTP-7.8-03 FTP-7.8-16 FTP-7.8-28",            \
      "A header field is shifted by one bit.")                                                         \
    X(HEADER_FIELD_CORRUPTED, "header-field-corrupted", "7.2",                                         \
      "FTP-7.2-04 FTP-7.2-27 FTP-7.7.2-04 FTP-7.6-11 FTP-7.2-03 FTP-7.3-02 FTP-7.3-05 "                \
      "FTP-7.5-02 FTP-7.6-12 FTP-7.7.1-03 FTP-7.7.1-05 FTP-7.7.1-15 FTP-7.8-05 FTP-7.8-13 "            \
      "FTP-7.8-24 FTP-7.8-04 FTP-7.2-23 FTP-7.2-09 FTP-7.2-18",                                        \
      "A header field leaves with one bit wrong.")                                                     \
    X(ACK_BEFORE_ULP, "ack-before-ulp", "9.2.2.4",                                                     \
      "FTP-9.2.2.4-08 FTP-8.1-06 FTP-6.1.1.1-02 FTP-9-03 FTP-9.1.6-03",                                \
      "Acknowledges a push when it arrives, not when its ULP acknowledges it.")                        \
    X(RX_BITMAP_SHIFTED, "rx-bitmap-shifted", "9.2.1",                                                 \
      "FTP-7.7.2-06 FTP-9.2.1-09 FTP-6.6.6-01 FTP-7.7.2-04",                                           \
      "The data_rx_bitmap of an EACK is shifted by one bit away from the base.")                       \
    X(EACK_OMITTED_ON_HOLE, "eack-omitted-on-hole", "9.1.6", "FTP-9.1.6-13 FTP-6.1.2-05 FTP-6.6.6-01", \
      "Sends a BACK although a packet of the data window is missing.")                                 \
    X(EACK_BIT0_SET, "eack-bit0-set", "9.2.2.4", "FTP-9.2.2.4-10 FTP-9.2.1-03 FTP-7.7.2-07",           \
      "Sets bit 0 of the data_ack_bitmap and the req_bitmap in every EACK.")                           \
    X(OWN_NEVER_SET, "own-never-set", "9.2.2.4",                                                       \
      "FTP-9.2.2.4-02 FTP-9.2.2.4-03 FTP-9.2.1-10 FTP-9.2.1-11 FTP-7.7.1-17",                          \
      "Drops packets right of the window without setting an OWN bit.")                                 \
    X(OWN_NEVER_CLEARED, "own-never-cleared", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11",                    \
      "Keeps an OWN bit set after an EACK has carried it.")                                            \
    X(BASE_GOES_BACK, "base-goes-back", "9.1.6", "FTP-9.1.6-08 FTP-9.2.1-06 FTP-6.6.2-01",             \
      "Every second ACK shows the data window as it was one PSN ago.")                                 \
    X(ACKS_UNSENT, "acks-unsent", "9.2.1", "FTP-9.2.1-04 FTP-9.2.1-06 FTP-6.6.2-01 FTP-9.2.1-09",      \
      "The first and then every third ACK claims a data packet that was never received.")              \
    X(AR_IGNORED, "ar-ignored", "9.1.6", "FTP-9.1.6-02 FTP-9.1.6-03 FTP-7.2-19",                       \
      "Does not answer the AR bit; only the coalescing timer sends ACKs.")                             \
    X(COALESCING_NEVER, "coalescing-never", "9.1.6", "FTP-9.1.6-07 FTP-9.1.1-24",                      \
      "The coalescing timer fires without an ACK being sent.")                                         \
    X(WINDOW_EDGE_REFUSED, "window-edge-refused", "9.2.2.4", "FTP-9.2.2.4-02 FTP-9.2.2.4-03 FTP-9-02", \
      "Drops the last PSN of a receive window as if it lay beyond.")                                   \
    X(REQUEST_WINDOW_WIDE, "request-window-wide", "9.2.2.4", "FTP-9.2.2.4-02 FTP-9-05",                \
      "Accepts the PSN right behind the request window.")                                              \
    X(REQUEST_WINDOW_SHORT, "request-window-short", "9.2.2.4",                                         \
      "FTP-9-05 FTP-9.2.2.4-02 FTP-9.2.1-10 FTP-9-02",                                                 \
      "Has a request window of 32 packets.")                                                           \
    X(DATA_WINDOW_SHORT, "data-window-short", "9.2.2.4",                                               \
      "FTP-9-06 FTP-9.2.2.4-03 FTP-9.2.1-11 FTP-9-02",                                                 \
      "Has a data window of 64 packets.")                                                              \
    X(OWN_ON_OLD, "own-on-old", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11",                                  \
      "Sets the OWN bit for a packet left of the window too.")                                         \
    X(OWN_CLEARED_BY_NACK, "own-cleared-by-nack", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11",                \
      "Forgets the OWN bits when a NACK leaves.")                                                      \
    X(OWN_CLEARED_BY_PIGGYBACK, "own-cleared-by-piggyback", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11",      \
      "Forgets the OWN bits when a data packet leaves.")                                               \
    X(DISCARD_SILENT, "discard-silent", "9.2.2.4", "FTP-9.2.2.4-06 FTP-11-16 FTP-11-17",               \
      "Discards duplicates and packets beyond the window without an ACK.")                             \
    X(PIGGYBACK_IGNORED, "piggyback-ignored", "9.2.3", "FTP-9-17 FTP-7.2-20 FTP-7.2-21",               \
      "Ignores the bases that data packets carry.")                                                    \
    X(PIGGYBACK_OF_DUPLICATE_IGNORED, "piggyback-of-duplicate-ignored", "11", "FTP-11-16 FTP-11-17",   \
      "Ignores the bases that a discarded packet carries.")                                            \
    X(RESYNC_IGNORED, "resync-ignored", "9.2.5",                                                       \
      "FTP-9.2.5-01 FTP-9.2.5-03 FTP-6.6.5-03 FTP-9.2.5-02 FTP-11-18 FTP-9.1.8-01 "                    \
      "FTP-11-05 FTP-11-36",                                                                           \
      "Drops every resync.")                                                                           \
    X(RESYNC_OF_RECEIVED_DROPPED, "resync-of-received-dropped", "9.2.5",                               \
      "FTP-9.2.5-05 FTP-11-18 FTP-6.6.5-03",                                                           \
      "Drops the resync of a push that was received and not acknowledged.")                            \
    X(RESYNC_UNACKNOWLEDGED, "resync-unacknowledged", "9.2.5", "FTP-9.2.5-02 FTP-11-18 FTP-6.6.5-03",  \
      "A resync causes no ACK.")                                                                       \
    X(RESYNC_DELIVERED, "resync-delivered", "9.2.5", "FTP-9.2.5-06",                                   \
      "Delivers an empty push for every resync.")                                                      \
    X(RESYNC_BLOCKS_RSN, "resync-blocks-rsn", "9.2.5", "FTP-9.2.5-07",                                 \
      "A resync moves the window, but requests with later RSNs are never delivered.")                  \
    X(RESOURCE_DROP_RECEIVED, "resource-drop-received", "11", "FTP-11-20",                             \
      "Acknowledges a packet that it drops for lack of resources.")                                    \
    X(RESOURCE_DROP_SILENT, "resource-drop-silent", "11", "FTP-11-19",                                 \
      "Drops a packet for lack of resources without a NACK.")                                          \
    X(ACK_BITMAP_SHIFTED, "ack-bitmap-shifted", "9.2.1", "FTP-9.2.1-08 FTP-7.7.2-06",                  \
      "The data_ack_bitmap of an EACK is shifted by one bit away from the base.")                      \
    X(REQ_BITMAP_SHIFTED, "req-bitmap-shifted", "9.2.1", "FTP-9.2.1-07 FTP-7.7.2-06",                  \
      "The req_bitmap of an EACK is shifted by one bit away from the base.")                           \
    X(REQ_BITMAP_EMPTY, "req-bitmap-empty", "9.2.1", "FTP-9.2.1-07 FTP-7.7.2-07 FTP-7.7.2-06",         \
      "The req_bitmap of an EACK is always 0.")                                                        \
    X(RX_BITMAP_MIRRORED, "rx-bitmap-mirrored", "7.7.2", "FTP-7.7.2-04 FTP-7.7.2-06 FTP-6.6.6-01",     \
      "The data_rx_bitmap of an EACK has bit 0 where bit 127 belongs.")                                \
    X(RX_BITMAP_UNSHIFTED, "rx-bitmap-unshifted", "9.2.2.4",                                           \
      "FTP-9.2.2.4-11 FTP-9.2.1-09 FTP-7.7.2-07 FTP-9.2.1-06 FTP-9.2.5-04",                            \
      "The base of an EACK moves on, its data_rx_bitmap does not move along.")                         \
    X(RX_BITMAP_IS_ACK, "rx-bitmap-is-ack", "9.2.1", "FTP-9.2.1-09 FTP-7.7.2-07 FTP-9-03",             \
      "The data_rx_bitmap shows only acknowledged packets.")                                           \
    X(ACK_BITMAP_IS_RX, "ack-bitmap-is-rx", "9.2.1", "FTP-9.2.1-08 FTP-9.2.2.4-08",                    \
      "The data_ack_bitmap also shows packets that are only received.")                                \
    X(EACK_OMITTED_ON_OWN, "eack-omitted-on-own", "9.1.6", "FTP-9.1.6-14",                             \
      "Sends a BACK although an OWN bit is set.")                                                      \
    X(EACK_OMITTED_ON_REQUESTS, "eack-omitted-on-requests", "9.1.6", "FTP-9.1.6-11 FTP-6.1.2-05",      \
      "Sends a BACK although the req_bitmap is not 0.")                                                \
    X(EACK_OMITTED_ON_ACKS, "eack-omitted-on-acks", "9.1.6", "FTP-9.1.6-12",                           \
      "Sends a BACK although the data_ack_bitmap is not 0.")                                           \
    X(BACK_CARRIES_OWN, "back-carries-own", "9.1.6", "FTP-9.1.6-14 FTP-7.7.1-17",                      \
      "Every BACK has the OWN bit of the data window set.")                                            \
    X(ACK_TIMES_FROZEN, "ack-times-frozen", "9.1.6", "FTP-9.1.6-09 FTP-9.1.7-06 FTP-10.1-10",          \
      "Every ACK and NACK carries the t1 and t2 of the first packet.")                                 \
    X(AR_OF_PUSH_AT_ONCE, "ar-of-push-at-once", "9.1.6", "FTP-9.1.6-03 FTP-9.2.2.4-08",                \
      "Answers the AR bit of a push when it arrives, not when its ULP acknowledges.")                  \
    X(COALESCING_RESTARTED, "coalescing-restarted", "9.1.6", "FTP-9.1.6-01",                           \
      "Every packet restarts the running coalescing timer.")                                           \
    X(COALESCING_DOUBLED, "coalescing-doubled", "9.1.6", "FTP-9.1.6-07 FTP-9.1.1-24",                  \
      "The coalescing timer runs twice its timeout.")                                                  \
    X(ULP_ACK_UNTIMED, "ulp-ack-untimed", "9.1.1", "FTP-9.1.1-18 FTP-8.5.3.3-09",                      \
      "The coalescing timer does not start when the ULP acknowledges a push.")                         \
    X(PIGGYBACK_ENDS_TIMER, "piggyback-ends-timer", "9.1.6", "FTP-9.1.6-06 FTP-9.1.1-20",              \
      "Every data packet stops the coalescing timer, even one that cannot carry all the news.")        \
    X(PIGGYBACK_STALE, "piggyback-stale", "9.1.6",                                                     \
      "FTP-9.1.6-04 FTP-8.4.3.1-06 FTP-8.4.3.3-06 FTP-8.5.3.2-06",                                     \
      "Data packets carry the bases of the ACK before.")                                               \
    X(NACK_STALE_BASE, "nack-stale-base", "9.1.7", "FTP-9.1.7-02",                                     \
      "A NACK carries the bases of the ACK before.")                                                   \
    X(NACK_WRONG_PSN, "nack-wrong-psn", "9.1.7",                                                       \
      "FTP-9.1.7-03 FTP-7.8-15 FTP-8.5.3.4-09 FTP-8.5.3.5-03",                                         \
      "A NACK carries the PSN after that of the packet it refuses.")                                   \
    X(NACK_WRONG_WINDOW, "nack-wrong-window", "9.1.7", "FTP-9.1.7-04 FTP-7.8-28",                      \
      "A NACK names the wrong window.")                                                                \
    X(NACK_ULP_CODE_LOST, "nack-ulp-code-lost", "9.1.7", "FTP-9.1.7-05 FTP-7.8-29 FTP-8.5.3.5-04",     \
      "A NACK carries ULP code 0, regardless of the code of the ULP.")                                 \
    X(NACK_RNR_TIMEOUT_SHORT, "nack-rnr-timeout-short", "9.1.7",                                       \
      "FTP-9.1.7-05 FTP-7.8-25 FTP-7.8-27 FTP-8.5.3.4-10",                                             \
      "An RNR NACK carries the shortest timeout, regardless of the one the ULP gave.")                 \
    X(NACK_OMITTED, "nack-omitted", "9.1.7",                                                           \
      "FTP-9.1.7-01 FTP-7.8-02 FTP-8.5.3.4-10 FTP-8.5.3.5-04 FTP-11-37 FTP-11-38 "                     \
      "FTP-6.4-07 FTP-6.6.3-02",                                                                       \
      "Refuses packets without a NACK.")                                                               \
    X(PSN_COMPARE_UNSIGNED, "psn-compare-unsigned", "9.2.2.4", "FTP-9.2.2.4-12 FTP-6.1.2-02",          \
      "Treats every PSN below the base as old, even after the PSN has wrapped.")                       \
    X(DUPLICATE_DELIVERED, "duplicate-delivered", "9.2.2.4",                                           \
      "FTP-9.2.2.4-04 FTP-9.2.2.4-05 FTP-9.2.2.4-01 FTP-11-16 FTP-11-17",                              \
      "Delivers every copy of a push to its ULP.")                                                     \
    X(PAYLOAD_CORRUPTED, "payload-corrupted", "9.2.2", "FTP-9.2.2-01 FTP-8.5.3.3-06 FTP-8.4.3.2-07",   \
      "Delivers pushes and pull responses with a wrong last byte.")                                    \
    X(DELIVERY_UNORDERED, "delivery-unordered", "8.5.2",                                               \
      "FTP-8.5.2-01 FTP-6.6.6-03 FTP-6.6.1-01 FTP-8.5.1-04 FTP-8.5.3.1-05 FTP-8.5.3.3-05 "             \
      "FTP-8.5.2-02",                                                                                  \
      "Delivers requests of an ordered connection in the order of their arrival.")                     \
    X(CIE_NACK_WRONG_CODE, "cie-nack-wrong-code", "8.5.3.5", "FTP-8.5.3.5-04 FTP-7.8-20",              \
      "Refuses a push that ended with CIE by a NACK of code 7.")                                       \
    X(RNR_TIMEOUT_IGNORED, "rnr-timeout-ignored", "11",                                                \
      "FTP-11-11 FTP-8.4.3.4-01 FTP-6.6.3-01 FTP-8.4.3.4-03 FTP-9.2.4-09 FTP-7.8-27",                  \
      "Retransmits a push that got RNR after half of the shorter of RTO and RNR timeout.")             \
    X(FCWND_IGNORED, "fcwnd-ignored", "9.1.2",                                                         \
      "FTP-9.1.2-01 FTP-9.1.2-03 FTP-9.1.2-04 FTP-9.1.1-13 FTP-8.4.3.1-05 FTP-9.1.3-02 "               \
      "FTP-9.1.2-13 FTP-10.3.5-01 FTP-10-01 FTP-6.3-01",                                               \
      "Sends new packets regardless of the fabric congestion window.")                                 \
    X(FCWND_FRACTION_COUNTS, "fcwnd-fraction-counts", "9.1.2", "FTP-9.1.2-13 FTP-10.3.5-01",           \
      "Counts the 1,024ths of the window as packets.")                                                 \
    X(FCWND_ONE_MORE, "fcwnd-one-more", "9.1.2",                                                       \
      "FTP-9.1.2-01 FTP-9.1.2-03 FTP-9.1.2-04 FTP-9.1.2-13 FTP-9.1.3-02 FTP-10.3.5-01",                \
      "Sends the packet at base + fcwnd too.")                                                         \
    X(FCWND_COUNTS_UNACKED, "fcwnd-counts-unacked", "9.1.2",                                           \
      "FTP-9.1.2-01 FTP-9.1.2-03 FTP-9.1.2-04 FTP-9.1.3-02",                                           \
      "Compares the number of unacknowledged packets with fcwnd, not the distance from the base.")     \
    X(NCWND_IGNORED, "ncwnd-ignored", "9.1.2",                                                         \
      "FTP-9.1.2-02 FTP-9.1.2-05 FTP-9.1.1-12 FTP-8.4.3.1-05 FTP-9.1.3-02",                            \
      "Sends new requests regardless of the NIC congestion window.")                                   \
    X(NCWND_GATES_PULL_DATA, "ncwnd-gates-pull-data", "9.1.2",                                         \
      "FTP-9.1.2-03 FTP-8.2.1.2-02 FTP-8.3-05",                                                        \
      "Sends no pull data while ncwnd requests of the data window are outstanding.")                   \
    X(RETRANSMIT_UNGATED, "retransmit-ungated", "9.1.5",                                               \
      "FTP-9.1.5-03 FTP-9.1.2-06 FTP-9.1.2-07 FTP-9.1.2-08",                                           \
      "Retransmits regardless of the congestion windows.")                                             \
    X(REPEATS_NEVER_FORGOTTEN, "repeats-never-forgotten", "9.1.2", "FTP-9.1.2-12",                     \
      "A retransmitted request that is due again still counts as outstanding.")                        \
    X(TX_WINDOW_IGNORED, "tx-window-ignored", "6.1.2", "FTP-6.1.2-06 FTP-9-10",                        \
      "Sends packets beyond the transmit window.")                                                     \
    X(AR_NEVER, "ar-never", "9.1.3.1", "FTP-9.1.3.1-02 FTP-9.1.3.1-03 FTP-9.1.1-26 FTP-7.2-19",        \
      "Never asks for an ACK.")                                                                        \
    X(AR_HALF_MORE, "ar-half-more", "9.1.3.1", "FTP-9.1.3.1-03 FTP-9.1.1-26",                          \
      "Half as many packets again as configured ask for an ACK.")                                      \
    X(AR_THRESHOLD_STRICT, "ar-threshold-strict", "9.1.3.1", "FTP-9.1.3.1-02 FTP-9.1.1-25",            \
      "At the AR threshold itself it asks for ACKs by percentage.")                                    \
    X(RETRANSMIT_PAYLOAD_CHANGED, "retransmit-payload-changed", "9.1.3", "FTP-9.1.3-05 FTP-9-12",      \
      "A retransmission has another last byte.")                                                       \
    X(RETRANSMIT_BACKWARDS, "retransmit-backwards", "9.1.5", "FTP-9.1.5-06",                           \
      "Retransmits a window from its end.")                                                            \
    X(RETRANSMIT_DATA_FIRST, "retransmit-data-first", "9.1.5", "FTP-9.1.5-05 FTP-8.2.1.1-01",          \
      "Retransmits the data window before the request window, regardless of the RSNs.")                \
    X(RESYNC_WRONG_RSN, "resync-wrong-rsn", "9.1.8", "FTP-9.1.8-03",                                   \
      "A resync carries the RSN after that of the packet it replaces.")                                \
    X(RESYNC_WRONG_TYPE, "resync-wrong-type", "9.1.8", "FTP-9.1.8-04 FTP-7.6-11",                      \
      "A resync of a push carries the packet type of pull data.")                                      \
    X(RESYNC_WRONG_CODE, "resync-wrong-code", "9.1.8",                                                 \
      "FTP-9.1.8-05 FTP-7.6-02 FTP-7.6-03 FTP-7.6-04 FTP-7.6-06 FTP-7.6-07 FTP-7.6-08 "                \
      "FTP-7.6-09",                                                                                    \
      "A resync carries the code for exhausted retransmissions, regardless of the reason.")            \
    X(RESYNC_UNGATED, "resync-ungated", "9.1.8", "FTP-9.1.8-06",                                       \
      "Sends a resync regardless of the congestion window.")                                           \
    X(RESYNC_ONCE, "resync-once", "9.1.8", "FTP-9.1.8-02",                                             \
      "A resync is not retransmitted.")                                                                \
    X(RESYNC_OMITTED, "resync-omitted", "9.2.4",                                                       \
      "FTP-9.2.4-11 FTP-9.2.4-13 FTP-9.2.4-15 FTP-11-10 FTP-9.1.8-01 FTP-6.6.5-02 "                    \
      "FTP-8.4.3.5-02",                                                                                \
      "Keeps retransmitting a packet that got a NACK.")                                                \
    X(RESYNC_ATTEMPTS_KEPT, "resync-attempts-kept", "11", "FTP-11-07 FTP-11-10",                       \
      "A resync continues the count of attempts of the packet it replaces.")                           \
    X(RTO_HALVED, "rto-halved", "9.1.1", "FTP-9.1.1-21 FTP-9-15",                                      \
      "Retransmits after half of the timeout.")                                                        \
    X(RTO_TREBLED, "rto-trebled", "9.1.1", "FTP-9.1.1-21 FTP-9-15 FTP-9.1.5-08",                       \
      "Retransmits after three times the timeout.")                                                    \
    X(RETRANSMIT_NEVER, "retransmit-never", "9.1.5",                                                   \
      "FTP-9-13 FTP-9-16 FTP-9-17 FTP-9.1.1-21 FTP-9.1.3-06 FTP-9.1.5-08 FTP-11-06 FTP-9-15",          \
      "Starts no retransmit timer.")                                                                   \
    X(RETRANSMIT_ONCE, "retransmit-once", "9.1.5", "FTP-9.1.5-08 FTP-9.1.1-21 FTP-11-06 FTP-9-15",     \
      "Starts no retransmit timer after a retransmission.")                                            \
    X(RECEIVED_UNTIMED, "received-untimed", "9.1.1", "FTP-9.1.1-21 FTP-9-13",                          \
      "Stops the retransmit timer of a push that a bitmap shows as received.")                         \
    X(ATTEMPTS_ENDLESS, "attempts-endless", "11", "FTP-11-07 FTP-9.1.5-02 FTP-9.1.1-23",               \
      "A packet that was retransmitted early once may be retransmitted without end.")                  \
    X(ATTEMPTS_DOUBLED, "attempts-doubled", "11", "FTP-11-07 FTP-11-08 FTP-9.1.5-02 FTP-9.1.1-23",     \
      "Makes twice as many attempts as allowed.")                                                      \
    X(ATTEMPTS_HALVED, "attempts-halved", "11", "FTP-11-06 FTP-11-07 FTP-9.1.1-23",                    \
      "Gives a packet up after half of the allowed attempts.")                                         \
    X(RNR_COUNTS_TWICE, "rnr-counts-twice", "11", "FTP-11-07 FTP-9.2.4-09",                            \
      "Each RNR of a push counts as two failed attempts.")                                             \
    X(EARLY_COPIES_COUNT, "early-copies-count", "9.1.1", "FTP-9.1.1-22",                               \
      "Early retransmissions count as attempts.")                                                      \
    X(FATAL_SILENT, "fatal-silent", "9.1.5", "FTP-9.1.5-02 FTP-11-08 FTP-9.1.1-23 FTP-6.4-09",         \
      "Gives a connection up without informing the connection manager.")                               \
    X(OOO_THRESHOLD_IGNORED, "ooo-threshold-ignored", "9.1.4", "FTP-9.1.4-04 FTP-9.1.1-27",            \
      "Treats every hole as a loss, even one near the newest packet.")                                 \
    X(EARLY_BY_ACK_BITMAP, "early-by-ack-bitmap", "9.1.4", "FTP-9.1.4-02 FTP-9.1.4-15",                \
      "Retransmits early packets that were received but not acknowledged.")                            \
    X(EARLY_NEVER, "early-never", "9.1.4",                                                             \
      "FTP-9.1.4-01 FTP-9.2.3-13 FTP-9-14 FTP-6.6.6-02 FTP-9.1.4-08 FTP-9.1.4-09 FTP-9.1.4-10",        \
      "Never retransmits early.")                                                                      \
    X(EARLY_FIRST_ONLY, "early-first-only", "9.1.4", "FTP-9.1.4-08",                                   \
      "Retransmits early only the first of the packets that count as lost.")                           \
    X(EARLY_ON_BACK, "early-on-back", "9.2.3", "FTP-9.2.3-14",                                         \
      "Retransmits all unacknowledged packets when a BACK arrives.")                                   \
    X(OWN_NOT_HEEDED, "own-not-heeded", "9.1.4", "FTP-9.1.4-10 FTP-9.2.3-13 FTP-9-13 FTP-9-14",        \
      "The OWN bits of an EACK change nothing.")                                                       \
    X(OWN_HEEDED_CROSSWISE, "own-heeded-crosswise", "9.1.4", "FTP-9.1.4-14",                           \
      "The OWN bit of one window retransmits the other.")                                              \
    X(OWN_REPEATS_RECEIVED, "own-repeats-received", "9.1.4", "FTP-9.1.4-12",                           \
      "An OWN bit also causes the retransmission of packets that the bitmap shows as received.")       \
    X(EACK_BITS_IGNORED, "eack-bits-ignored", "9.2.3",                                                 \
      "FTP-9.2.3-09 FTP-9.2.3-10 FTP-9.2.3-12 FTP-9.2.3-13",                                           \
      "The bitmaps of an EACK acknowledge nothing.")                                                   \
    X(RX_BITS_COMPLETE, "rx-bits-complete", "9.2.3", "FTP-9.2.3-11",                                   \
      "Treats packets that were only received as acknowledged.")                                       \
    X(ACK_BEYOND_SENT_TAKEN, "ack-beyond-sent-taken", "9.2.3", "FTP-9.2.3-03 FTP-9.2.3-05",            \
      "A base beyond all that was sent acknowledges everything.")                                      \
    X(ACK_STALE_TAKEN, "ack-stale-taken", "9.2.3", "FTP-9.2.3-02 FTP-9.2.3-04",                        \
      "An ACK with an older base is not discarded.")                                                   \
    X(NACK_STALE_REQUESTS_TAKEN, "nack-stale-requests-taken", "9.2.4", "FTP-9.2.4-01",                 \
      "A NACK with an older base of the request window alone is not discarded.")                       \
    X(NACK_STALE_TAKEN, "nack-stale-taken", "9.2.4", "FTP-9.2.4-01 FTP-9.2.4-03",                      \
      "A NACK with an older base is not discarded.")                                                   \
    X(RESOURCE_NACK_RESYNCED, "resource-nack-resynced", "9.2.4", "FTP-9.2.4-08",                       \
      "Gives a packet up that was dropped for lack of resources.")                                     \
    X(NACK_BASE_IGNORED, "nack-base-ignored", "9.2.4", "FTP-9.2.4-02 FTP-9.2.4-04 FTP-9.2.4-05",       \
      "The bases of a NACK acknowledge nothing.")                                                      \
    X(RESYNC_WRONG_PSN, "resync-wrong-psn", "9.1.8", "FTP-9.1.8-03 FTP-6.6.5-02 FTP-7.2-26",           \
      "A resync carries the PSN after that of the packet it replaces.")                                \
    X(RETRANSMIT_NEW_PSN, "retransmit-new-psn", "9.1.5",                                               \
      "FTP-9.1.5-04 FTP-9-16 FTP-6.6.3-01 FTP-11-06 FTP-9.1.3-01",                                     \
      "A retransmission gets a new PSN.")                                                              \
    X(PSN_SKIPPED, "psn-skipped", "9.1.3",                                                             \
      "FTP-9.1.3-01 FTP-6.1.2-03 FTP-9.1.1-04 FTP-9.1.1-09 FTP-6.1.2-08",                              \
      "The second new packet and then every fourth leaves a PSN out.")                                 \
    X(RECENCY_IGNORED, "recency-ignored", "9.1.4", "FTP-9.1.4-06 FTP-9.1.4-07 FTP-9.1.4-13",           \
      "Retransmits early on every EACK, even within a round trip.")                                    \
    X(COMPLETION_UNORDERED, "completion-unordered", "8.4.2",                                           \
      "FTP-8.4.2-01 FTP-8.4.3.3-11 FTP-8.4.3.5-04",                                                    \
      "Completes transactions of an ordered connection as they end.")                                  \
    X(COMPLETION_DOUBLED, "completion-doubled", "8.4.3.3", "FTP-8.4.3.3-10",                           \
      "Completes every transaction twice.")                                                            \
    X(RESERVED_BITS_SET, "reserved-bits-set", "7.2", "FTP-7.2-03 FTP-7.7.1-03",                        \
      "Sets a reserved bit in every packet.")                                                          \
    FAL_FAULTS_TRANSACTIONS(X)                                                                         \
    FAL_FAULTS_SECURITY(X)                                                                             \
    FAL_FAULTS_FORMATS(X)                                                                              \
    FAL_FAULTS_PACKETS(X)                                                                              \
    FAL_FAULTS_WINDOWS(X)                                                                              \
    FAL_FAULTS_REPEATS(X)                                                                              \
    FAL_FAULTS_STAMPS(X)                                                                               \
    FAL_FAULTS_LONG_LIVES(X)                                                                           \
    FAL_FAULTS_LOAD(X)                                                                                  \
    FAL_FAULTS_CONGESTION(X)                                                                           \
    FAL_FAULTS_ULP(X)                                                                                  \
    FAL_FAULTS_NVME(X)
/* clang-format on */

#endif
