/* SPDX-License-Identifier: Apache-2.0
 * fault_list.h - the rows of faults.h. */
#ifndef FAL_ORACLES_FAULT_LIST_H
#define FAL_ORACLES_FAULT_LIST_H

/* clang-format off */
#define FAL_FAULTS(X)                                                                                  \
    X(HEADER_FIELD_SHIFTED, "header-field-shifted", "7.2", "FTP-7.2-20 FTP-7.2-23 FTP-7.7.1-07 FTP-7.8-15",\
      "A header field stands one bit beyond its place.")                                               \
    X(HEADER_FIELD_CORRUPTED, "header-field-corrupted", "7.2", "FTP-7.2-04 FTP-7.2-27 FTP-7.7.2-04 FTP-7.6-11",\
      "A header field leaves with one bit wrong.")                                                     \
    X(ACK_BEFORE_ULP, "ack-before-ulp", "9.2.2.4", "FTP-9.2.2.4-08 FTP-8.1-06 FTP-6.1.1.1-02",         \
      "Acknowledges a push when it arrives, not when its ULP does.")                                   \
    X(RX_BITMAP_SHIFTED, "rx-bitmap-shifted", "9.2.1", "FTP-7.7.2-06 FTP-9.2.1-09",                    \
      "The data_rx_bitmap of an EACK stands one bit too far from the base.")                           \
    X(EACK_OMITTED_ON_HOLE, "eack-omitted-on-hole", "9.1.6", "FTP-9.1.6-13 FTP-6.1.2-05",              \
      "Sends a BACK although a packet of the data window is missing.")                                 \
    X(EACK_BIT0_SET, "eack-bit0-set", "9.2.2.4", "FTP-9.2.2.4-10 FTP-9.2.1-03",                        \
      "Sets bit 0 of the data_ack_bitmap and the req_bitmap in every EACK.")                           \
    X(OWN_NEVER_SET, "own-never-set", "9.2.2.4", "FTP-9.2.2.4-02 FTP-9.2.2.4-03",                      \
      "Drops packets right of the window without setting an OWN bit.")                                 \
    X(OWN_NEVER_CLEARED, "own-never-cleared", "9.2.1", "FTP-9.2.1-10 FTP-9.2.1-11",                    \
      "Keeps an OWN bit set after an EACK has carried it.")                                            \
    X(BASE_GOES_BACK, "base-goes-back", "9.1.6", "FTP-9.1.6-08 FTP-9.2.1-06",                          \
      "Every second ACK shows the data window as it was one PSN ago.")                                 \
    X(ACKS_UNSENT, "acks-unsent", "9.2.1", "FTP-9.2.1-04 FTP-9.2.1-06",                                \
      "The first and then every third ACK claims a data packet that was never received.")              \
    X(AR_IGNORED, "ar-ignored", "9.1.6", "FTP-9.1.6-02 FTP-9.1.6-03",                                  \
      "Does not answer the AR bit; only the coalescing timer sends ACKs.")                             \
    X(COALESCING_NEVER, "coalescing-never", "9.1.6", "FTP-9.1.6-07 FTP-9.1.1-24",                      \
      "The coalescing timer fires without an ACK being sent.")                                         \
    X(PSN_COMPARE_UNSIGNED, "psn-compare-unsigned", "9.2.2.4", "FTP-9.2.2.4-12",                       \
      "Takes every PSN below the base for an old one, wrapped round or not.")                          \
    X(DUPLICATE_DELIVERED, "duplicate-delivered", "9.2.2.4", "FTP-9.2.2.4-04 FTP-9.2.2.4-05",          \
      "Delivers every copy of a push to its ULP.")                                                     \
    X(PAYLOAD_CORRUPTED, "payload-corrupted", "9.2.2", "FTP-9.2.2-01",                                 \
      "Delivers pushes and pull responses with a wrong last byte.")                                    \
    X(DELIVERY_UNORDERED, "delivery-unordered", "8.5.2", "FTP-8.5.2-01 FTP-6.6.6-03",                  \
      "Delivers requests of an ordered connection in the order of their arrival.")                     \
    X(CIE_NACK_WRONG_CODE, "cie-nack-wrong-code", "8.5.3.5", "FTP-8.5.3.5-04 FTP-7.8-20",              \
      "Refuses a push that ended with CIE by a NACK of code 7.")                                       \
    X(RNR_TIMEOUT_IGNORED, "rnr-timeout-ignored", "11", "FTP-11-11 FTP-8.4.3.4-01 FTP-6.6.3-01",       \
      "Repeats an RNRed push after half of the shorter of RTO and RNR timeout.")                       \
    X(RESYNC_WRONG_PSN, "resync-wrong-psn", "9.1.8", "FTP-9.1.8-03 FTP-6.6.5-02",                      \
      "A resync carries the PSN after that of the packet it replaces.")                                \
    X(RETRANSMIT_NEW_PSN, "retransmit-new-psn", "9.1.5", "FTP-9.1.5-04 FTP-9-16",                      \
      "A retransmission gets a new PSN.")                                                              \
    X(PSN_SKIPPED, "psn-skipped", "9.1.3", "FTP-9.1.3-01 FTP-6.1.2-03",                                \
      "The second new packet and then every fourth leaves a PSN out.")                                 \
    X(RECENCY_IGNORED, "recency-ignored", "9.1.4", "FTP-9.1.4-06 FTP-9.1.4-07",                        \
      "Retransmits early on every EACK, even within a round trip.")                                    \
    X(COMPLETION_UNORDERED, "completion-unordered", "8.4.2", "FTP-8.4.2-01 FTP-8.4.3.3-11",            \
      "Completes transactions of an ordered connection as they end.")                                  \
    X(COMPLETION_DOUBLED, "completion-doubled", "8.4.3.3", "FTP-8.4.3.3-10",                           \
      "Completes every transaction twice.")                                                            \
    X(RESERVED_BITS_SET, "reserved-bits-set", "7.2", "FTP-7.2-03 FTP-7.7.1-03",                        \
      "Sets a reserved bit in every packet.")
/* clang-format on */

#endif
