/* SPDX-License-Identifier: Apache-2.0
 * symptom_list.h - what can be seen of a violation: more than the rule or the step says by
 * which it was noticed. The includer defines SYMPTOM(id, kind, word, requirement, fields,
 * sentence).
 * The kind is SEEN, where a packet or an event shows it, or MISSING, where something did not
 * come. The word is a stable code of results. The requirement is the one that the sentence
 * violates. The fields are those in which a packet of the SUT shows it; "packet_type": it is of
 * another type than was due. */

/* clang-format off */

/* ---- acknowledgements of the SUT (9.1.6, 9.2.1) ---- */
SYMPTOM(BACK_FOR_REQUESTS, SEEN, "back-for-requests", "FTP-9.1.6-11", "packet_type",
        "The SUT sends a BACK while a request above its base has arrived: an EACK is due")
SYMPTOM(BACK_FOR_ACKS, SEEN, "back-for-acks", "FTP-9.1.6-12", "packet_type",
        "The SUT sends a BACK while a data packet above its base is acknowledged: an EACK is "
        "due")
SYMPTOM(BACK_FOR_HOLE, SEEN, "back-for-hole", "FTP-9.1.6-13", "packet_type",
        "The SUT sends a BACK while a data packet is missing below one that has arrived: an "
        "EACK is due")
SYMPTOM(BACK_FOR_OWN, SEEN, "back-for-own", "FTP-9.1.6-14", "packet_type own",
        "The SUT sends a BACK after it dropped a packet beyond the window: an EACK with its "
        "OWN bit is due")
SYMPTOM(REQ_BIT_MISSING, SEEN, "req-bit-missing", "FTP-9.2.1-07", "req_bitmap",
        "The req_bitmap of the SUT's EACK lacks the bit of a request that has arrived")
SYMPTOM(RX_BIT_MISSING, SEEN, "rx-bit-missing", "FTP-9.2.1-09", "data_rx_bitmap",
        "The data_rx_bitmap of the SUT's EACK lacks the bit of a packet that has arrived")
SYMPTOM(ACK_BIT_MISSING, SEEN, "ack-bit-missing", "FTP-9.2.1-08", "data_ack_bitmap",
        "The data_ack_bitmap of the SUT's EACK lacks the bit of a packet that is acknowledged")
SYMPTOM(REQ_BASE_BEHIND, SEEN, "req-base-behind", "FTP-9.2.1-03", "recv_req_base_psn",
        "The request base of the SUT does not move when the packet at the base arrives")
SYMPTOM(DATA_BASE_BEHIND, SEEN, "data-base-behind", "FTP-9.2.1-06", "recv_data_base_psn",
        "The data base of the SUT does not move when the packet at the base is acknowledged")
SYMPTOM(OLD_BASE, SEEN, "old-base", "FTP-9.1.6-08", TL_BASES,
        "An ACK of the SUT carries an older base than one that the SUT has sent before")
SYMPTOM(PIGGYBACK_OLD, SEEN, "piggyback-old", "FTP-9.1.6-04", TL_BASES,
        "A packet of the SUT leaves with an older base than the SUT's receive window has")
SYMPTOM(PIGGYBACK_STOPS_TIMER, MISSING, "piggyback-stops-timer", "FTP-9.1.6-06", "",
        "No ACK follows a packet of the SUT whose bases cannot acknowledge everything that "
        "has arrived")
SYMPTOM(OWN_MISSING_REQ, SEEN, "own-missing-requests", "FTP-9.2.2.4-02", "packet_type own",
        "The EACK of the SUT lacks the OWN bit for a request beyond the window")
SYMPTOM(OWN_MISSING_DATA, SEEN, "own-missing-data", "FTP-9.2.2.4-03", "packet_type own",
        "The EACK of the SUT lacks the OWN bit for a data packet beyond the window")
SYMPTOM(OWN_LOST_REQ, SEEN, "own-lost-requests", "FTP-9.2.1-10", "own",
        "The SUT forgets the OWN bit of the request window before an EACK has carried it")
SYMPTOM(OWN_LOST_DATA, SEEN, "own-lost-data", "FTP-9.2.1-11", "own",
        "The SUT forgets the OWN bit of the data window before an EACK has carried it")
SYMPTOM(ACKED_BEFORE_ULP, SEEN, "acked-before-ulp",
        "FTP-9.2.2.4-08", "recv_data_base_psn data_ack_bitmap",
        "The SUT acknowledges a push before its upper layer has accepted it")
SYMPTOM(ACKED_AND_DROPPED, SEEN, "acked-and-dropped", "FTP-11-20", TL_BASES,
        "The SUT acknowledges a packet that it dropped for lack of resources")
SYMPTOM(NO_ACK_OF_PUSH, MISSING, "no-ack-of-push", "FTP-9.1.6-03", "",
        "The SUT sends no ACK when its upper layer has accepted a push with AR")
SYMPTOM(NO_ACK_AT_ONCE, MISSING, "no-ack-at-once", "FTP-9.1.6-02", "",
        "The SUT sends no ACK at once for a packet with AR")
SYMPTOM(NO_ACK_IN_TIME, MISSING, "no-ack-in-time", "FTP-9.1.6-07", "",
        "The SUT sends no ACK within the coalescing timeout")
SYMPTOM(ACK_WORDS_REVERSED, SEEN, "ack-words-reversed", "FTP-7.7.2-03", "data_ack_bitmap",
        "The words of the SUT's data_ack_bitmap are in the opposite order")
SYMPTOM(RX_WORDS_REVERSED, SEEN, "rx-words-reversed", "FTP-7.7.2-04", "data_rx_bitmap",
        "The words of the SUT's data_rx_bitmap are in the opposite order")
SYMPTOM(REQ_WORDS_REVERSED, SEEN, "req-words-reversed", "FTP-7.7.2-05", "req_bitmap",
        "The words of the SUT's req_bitmap are in the opposite order")
SYMPTOM(BITS_MISPLACED, SEEN, "bits-misplaced", "FTP-7.7.2-06", TL_BITMAPS,
        "A bitmap of the SUT shows the packets that have arrived, at the wrong bits")
SYMPTOM(OWN_KEPT_REQ, SEEN, "own-kept-requests", "FTP-9.2.1-10", "own",
        "The SUT keeps the OWN bit of the request window after an EACK has carried it")
SYMPTOM(OWN_KEPT_DATA, SEEN, "own-kept-data", "FTP-9.2.1-11", "own",
        "The SUT keeps the OWN bit of the data window after an EACK has carried it")
SYMPTOM(IN_WINDOW_REFUSED, SEEN, "in-window-refused", "FTP-9-02", TL_BASES,
        "The SUT drops a packet inside its receive window as if it were beyond")
SYMPTOM(AFTER_WRAP, SEEN, "after-wrap", "FTP-9.2.2.4-12", TL_BASES,
        "The SUT does not accept packets whose PSN has wrapped past 2^32")
SYMPTOM(NO_ACK_OF_DROPPED, MISSING, "no-ack-of-dropped", "FTP-9.2.2.4-06", "",
        "The SUT sends no ACK for a packet that it discards")
SYMPTOM(TIMER_RESTARTED, SEEN, "timer-restarted", "FTP-9.1.6-01", "",
        "The SUT restarts a running coalescing timer with each packet that arrives")
SYMPTOM(TIMER_JAMMED, MISSING, "timer-jammed", "FTP-9.1.1-19", "",
        "The coalescing timer of the SUT does not run again after an ACK")
SYMPTOM(ULP_ACK_UNTIMED, MISSING, "ulp-ack-untimed", "FTP-9.1.1-18", "",
        "The coalescing timer of the SUT does not start when the upper layer accepts a push")
SYMPTOM(DAMAGED_ACCEPTED, SEEN, "damaged-accepted", "FTP-9.2.2.1-05", TL_BASES,
        "The SUT accepts a packet whose authentication fails")
SYMPTOM(SPI_ACCEPTED, BROAD, "spi-accepted", "FTP-9.2.2.3-01", TL_BASES,
        "The SUT accepts a packet with a wrong SPI")
SYMPTOM(PCID_ACCEPTED, SEEN, "pcid-accepted", "FTP-9.2.2.3-15", TL_BASES,
        "The SUT accepts a packet with a wrong virtualization cookie")
SYMPTOM(LATE_REFUSED, BROAD, "late-refused", "FTP-9.2.2.2-04", TL_BASES,
        "The SUT drops a packet that is older than the newest one by less than the replay "
        "margin")
SYMPTOM(BAD_ACK_TAKEN, BROAD, "bad-ack-taken", "FTP-11-15", "psn",
        "The SUT takes the acknowledgement of a packet that it must drop")
SYMPTOM(CID_ACCEPTED, SEEN, "cid-accepted", "FTP-6.2-01", TL_BASES,
        "The SUT accepts a packet with a connection ID that it has not allocated")
SYMPTOM(PULL_DATA_UNACKED, SEEN, "pull-data-unacked", "FTP-9.2.2.4-09", TL_BASES,
        "The SUT does not acknowledge Pull Data that it has received")
SYMPTOM(BASES_EXCHANGED, SEEN, "bases-exchanged", "FTP-7.2-22", TL_BASES,
        "The SUT exchanges the bases of the two windows in its packets")
SYMPTOM(JAMMED_BY_PIGGYBACK, MISSING, "timer-jammed-by-piggyback", "FTP-9.1.1-20", "",
        "The coalescing timer of the SUT does not run again after a packet that acknowledges "
        "everything")
SYMPTOM(REPLAY_ACCEPTED, SEEN, "replay-accepted", "FTP-9.2.2.2-02", TL_BASES,
        "The SUT accepts a packet that fails the replay check")
SYMPTOM(OLDER_ECHOED, SEEN, "older-echoed", "FTP-10.1-10", "t1",
        "An ACK of the SUT carries the times of another packet than the one that arrived last")

/* ---- NACKs of the SUT (8.5.3, 9.1.7) ---- */
SYMPTOM(NO_NACK_RNR, MISSING, "no-nack-rnr", "FTP-8.5.3.4-10", "nack_code packet_type",
        "The SUT sends no RNR NACK when its upper layer answers a push with RNR")
SYMPTOM(NO_NACK_CIE, MISSING, "no-nack-cie", "FTP-8.5.3.5-04", "nack_code packet_type",
        "The SUT sends no CIE NACK when its upper layer answers a push with CIE")
SYMPTOM(NO_NACK_NRE, MISSING, "no-nack-nre", "FTP-11-37", "nack_code packet_type",
        "The SUT sends no NACK with code 7 when its upper layer answers a push with NRE")
SYMPTOM(NO_NACK_CID, MISSING, "no-nack-cid", "FTP-11-38", "nack_code packet_type",
        "The SUT sends no NACK with code 8 when its upper layer answers a push with an "
        "invalid CID")
SYMPTOM(NO_NACK_RESOURCE, MISSING, "no-nack-resource", "FTP-11-19", "nack_code packet_type",
        "The SUT sends no NACK with code 1 for a packet that it drops for lack of resources")
SYMPTOM(NO_NACK_XLR, MISSING, "no-nack-xlr", "FTP-11-21", "nack_code packet_type",
        "The SUT sends no NACK with code 4 for a packet that matches an xLR drop filter")

SYMPTOM(NO_NACK_AGAIN, MISSING, "no-nack-again", "FTP-6.6.5-01", "",
        "The SUT sends no NACK again for another copy of a push that it has refused")

/* ---- retransmission and Resync of the SUT (9.1.4, 9.1.5, 9.1.8) ---- */
SYMPTOM(NO_REPEAT, MISSING, "no-repeat", "FTP-9.1.1-21", "psn",
        "The SUT does not retransmit a packet when the retransmit timer of the packet expires")
SYMPTOM(NO_RESYNC, MISSING, "no-resync", "FTP-9.1.8-01", "",
        "The SUT sends no Resync for a packet that got a NACK for an error")
SYMPTOM(NO_RESYNC_AT_END, MISSING, "no-resync-at-end", "FTP-11-07", "",
        "The SUT sends no Resync when the attempts of a packet are exhausted")
SYMPTOM(NO_RESYNC_AGAIN, MISSING, "no-resync-again", "FTP-9.1.8-02", "",
        "The SUT does not retransmit a Resync that nobody acknowledges")
SYMPTOM(RESYNC_CODE, SEEN, "resync-code", "FTP-9.1.8-05", "resync_code",
        "A Resync of the SUT carries another code than its reason has")
SYMPTOM(RESYNC_CODE_AT_END, SEEN, "resync-code-at-end", "FTP-11-07", "resync_code",
        "The Resync of a packet whose attempts are exhausted has another code than 3")
SYMPTOM(RESYNC_AFTER_RNR, SEEN, "resync-after-rnr", "FTP-9.2.4-09", "packet_type",
        "The SUT sends a Resync for a packet that got an RNR NACK: it must retransmit the "
        "packet")
SYMPTOM(RESYNC_AFTER_NACK_1, SEEN, "resync-after-nack-1", "FTP-9.2.4-08", "packet_type",
        "The SUT sends a Resync for a packet that got a NACK for lack of resources: it must "
        "retransmit the packet")
SYMPTOM(EARLY_AFTER_BACK, SEEN, "early-after-back", "FTP-9.2.3-14", "psn",
        "The SUT retransmits a packet early after a BACK")
SYMPTOM(EARLY_OF_RECEIVED, SEEN, "early-of-received", "FTP-9.1.4-15", "psn",
        "The SUT retransmits a packet early that an EACK shows as received")

/* ---- how the SUT takes acknowledgements (9.2.3, 9.2.4) ---- */
SYMPTOM(PIGGYBACK_DATA_IGNORED, SEEN, "piggyback-data-ignored",
        "FTP-7.2-20", "recv_data_base_psn",
        "The SUT ignores the data window base in a request or data packet of its peer")
SYMPTOM(PIGGYBACK_REQ_IGNORED, SEEN, "piggyback-requests-ignored",
        "FTP-7.2-21", "recv_req_base_psn",
        "The SUT ignores the request window base in a request or data packet of its peer")
SYMPTOM(REQ_BITS_IGNORED, SEEN, "req-bits-ignored", "FTP-9.2.3-09", "req_bitmap",
        "The SUT ignores the req_bitmap of an EACK")
SYMPTOM(ACK_BITS_IGNORED, SEEN, "ack-bits-ignored", "FTP-9.2.3-10", "data_ack_bitmap",
        "The SUT ignores the data_ack_bitmap of an EACK")
SYMPTOM(ACK_REQ_BASE_IGNORED, SEEN, "ack-request-base-ignored",
        "FTP-9.2.3-03", "recv_req_base_psn",
        "The SUT ignores the request window base of an ACK")
SYMPTOM(ACK_DATA_BASE_IGNORED, SEEN, "ack-data-base-ignored",
        "FTP-9.2.3-05", "recv_data_base_psn",
        "The SUT ignores the data window base of an ACK")
SYMPTOM(NACK_REQ_BASE_IGNORED, SEEN, "nack-request-base-ignored",
        "FTP-9.2.4-02", "recv_req_base_psn",
        "The SUT ignores the request window base of a NACK")
SYMPTOM(NACK_DATA_BASE_IGNORED, SEEN, "nack-data-base-ignored",
        "FTP-9.2.4-04", "recv_data_base_psn",
        "The SUT ignores the data window base of a NACK")
SYMPTOM(RX_BIT_COMPLETES, SEEN, "rx-bit-completes", "FTP-9.2.3-11", "data_rx_bitmap",
        "The SUT takes a packet that an EACK shows as received for acknowledged")
SYMPTOM(COMPLETES_EARLY, SEEN, "completes-early", "FTP-8.4.3.3-10", "",
        "The SUT completes a push before the push is acknowledged")
SYMPTOM(EQUAL_BASES_IGNORED, SEEN, "equal-bases-ignored", "FTP-9.2.3-06", TL_BASES,
        "The SUT ignores an EACK whose bases are those that it has already")

/* ---- completions of the SUT (11), deliveries, numbers ---- */
SYMPTOM(CODE_OF_SUCCESS, SEEN, "code-of-success", "FTP-11-43", "",
        "A transaction of the SUT that succeeded completes with another code than 0")
SYMPTOM(CODE_OF_CIE, SEEN, "code-of-cie", "FTP-11-29", "",
        "A push of the SUT that got a CIE NACK completes with another code than 1")
SYMPTOM(CODE_OF_NRE, SEEN, "code-of-nre", "FTP-11-30", "",
        "A push of the SUT that got an NRE NACK completes with another code than 3")
SYMPTOM(CODE_OF_CID, SEEN, "code-of-cid", "FTP-11-31", "",
        "A push of the SUT that got a CID NACK completes with another code than 4")
SYMPTOM(CODE_OF_XLR, SEEN, "code-of-xlr", "FTP-11-28", "",
        "A transaction of the SUT that got an xLR NACK completes with another code than 13")
SYMPTOM(CODE_OF_TIMEOUT, SEEN, "code-of-timeout", "FTP-11-23", "",
        "A transaction of the SUT that timed out completes with another code than 8")
SYMPTOM(CODE_RESERVED, SEEN, "code-reserved", "FTP-11-54", "",
        "A transaction of the SUT completes with a reserved code")
SYMPTOM(CODE_OF_TOO_LONG, SEEN, "code-of-too-long", "FTP-11-26", "",
        "A pull of the SUT that got more data than it asked for completes with another code "
        "than 8 or 9")
SYMPTOM(ERROR_OF_ANOTHER, SEEN, "error-of-another", "FTP-8.4.3.5-01", "",
        "The SUT completes a transaction with the error of another one")
SYMPTOM(COMPLETED_TWICE, SEEN, "completed-twice", "FTP-8.4.3.3-10", "",
        "The SUT completes a push twice")
SYMPTOM(EMPTY_PULL_DATA, MISSING, "empty-pull-data", "FTP-6.4-04", "",
        "The SUT does not complete a pull whose answer has no payload")
SYMPTOM(REDELIVERED_AFTER_ERROR, SEEN, "redelivered-after-error", "FTP-6.6.5-01", "",
        "The SUT delivers a push again that its upper layer has answered with an error")
SYMPTOM(REDELIVERED_PUSH, SEEN, "redelivered-push", "FTP-9.2.2.4-05", "",
        "The SUT delivers a push more often than its upper layer has answered RNR")
SYMPTOM(REDELIVERED_PULL, SEEN, "redelivered-pull", "FTP-8.5.3.4-07", "",
        "The SUT delivers a pull more often than its upper layer has answered RNR")
SYMPTOM(AFTER_RSN_WRAP, SEEN, "after-rsn-wrap", "FTP-8.5.1-06", "rsn",
        "The SUT does not deliver requests whose RSN has wrapped past 2^32")
SYMPTOM(RNR_CODE_0, SEEN, "rnr-code-0", "FTP-7.8-26", "rnr_timeout",
        "The SUT does not take RNR timeout code 0 for the longest delay")
SYMPTOM(PSNS_SWAPPED, SEEN, "psns-swapped", "FTP-9.1.3-04", "psn",
        "The SUT sends a new packet before one with a lower PSN")
SYMPTOM(IV_REPEATED, SEEN, "iv-repeated", "FTP-10.1-01", "",
        "Packets of the SUT that leave at different times have one IV")
SYMPTOM(RSN_SKIPPED, SEEN, "rsn-skipped", "FTP-8.4.1-04", "rsn",
        "The SUT leaves out an RSN")
SYMPTOM(RSN_SHARED, SEEN, "rsn-shared", "FTP-6.1.1-02", "rsn",
        "Two transactions of the SUT have one RSN")
SYMPTOM(PULL_DATA_TWICE, SEEN, "pull-data-twice", "FTP-8.1-01", "",
        "The SUT answers a pull by two Pull Data packets")
SYMPTOM(PSN_OF_OTHER_WINDOW, SEEN, "psn-of-other-window", "FTP-6.1.2-01", "psn",
        "The SUT numbers the packets of both windows by one counter")
/* clang-format on */
