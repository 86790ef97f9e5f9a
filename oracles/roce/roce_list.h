/* SPDX-License-Identifier: Apache-2.0
 * roce_list.h - what the player of RoCEv2 can do differently: planted faults, each of which
 * violates the rule that is named, and variants, which conform. */
#ifndef FAL_ORACLES_ROCE_ROCE_LIST_H
#define FAL_ORACLES_ROCE_ROCE_LIST_H

/* X(ID, name, who, rule, text) */
/* clang-format off */
#define FAL_ROCE_FAULTS(X)                                                                                         \
    X(CNP_PER_MARK, "cnp-per-mark", "receiver", "NP2", "A CNP leaves for each marked packet, whatever N is.")      \
    X(CNP_TO_RECEIVER_QP, "cnp-to-receiver-qp", "receiver", "NP4", "A CNP names the receiver's own queue pair.")   \
    X(CNP_FOR_ECT, "cnp-for-ect", "receiver", "NP1", "A CNP leaves for packets that are ECT and not marked.")      \
    X(CNP_NEVER, "cnp-never", "receiver", "NP3", "No CNP ever leaves, though congestion management is claimed.")   \
    X(CNP_LATE, "cnp-late", "receiver", "NP3", "A CNP leaves ten times N after its mark.")                         \
    X(CNP_NOT_ZERO, "cnp-not-zero", "receiver", "NP4", "The reserved bytes of a CNP are not zero.")                \
    X(CNP_WITHOUT_BECN, "cnp-without-becn", "receiver", "NP4", "The BECN bit of a CNP is not set.")                \
    X(CNP_BAD_ICRC, "cnp-bad-icrc", "receiver", "NP4", "The ICRC of a CNP is wrong.")                              \
    X(CNP_FOR_ACKS, "cnp-for-acks", "sender", "NP1", "An acknowledgement is answered by a CNP.")                   \
    X(CNP_IGNORED, "cnp-ignored", "sender", "RP1", "A CNP does not slow the sender.")                              \
    X(CNP_SLOWS_ALL, "cnp-slows-all", "sender", "RP4", "A CNP slows all queue pairs.")                             \
    X(ALPHA_NEVER_DECAYS, "alpha-never-decays", "sender", "RP2", "Alpha only rises.")                              \
    X(DECREASE_PER_CNP, "decrease-per-cnp", "sender", "RP2", "The rate falls at each CNP, whatever M is.")         \
    X(TARGET_LOST, "target-lost", "sender", "RP1", "A decrease sets the target rate to the line rate.")            \
    X(HYPER_AT_ONCE, "hyper-at-once", "sender", "RP1", "Each increase is a hyper increase.")                       \
    X(G_ORIENTATION, "g-orientation", "sender", "RP1", "g weighs the new value of alpha, not the old one.")        \
    X(BELOW_MIN, "below-min", "sender", "RP2", "Decreases go below the least rate.")                               \
    X(ECT1_DATA, "ect1-data", "sender", "ECN", "Data leaves as ECT(1), the code point of CNPs.")                   \
    X(BACK_TOO_FAR, "back-too-far", "sender", "K9", "After a NAK the sender goes back to the PSN before it.")      \
    X(RESENDS_ONE, "resends-one", "sender", "K9", "After a NAK the sender repeats only the PSN that it names.")    \
    X(NAK_IGNORED, "nak-ignored", "sender", "K9", "A NAK changes nothing: the timeout repairs the loss.")          \
    X(EARLY_TIMEOUT, "early-timeout", "sender", "K10", "The sender repeats after a quarter of its timeout.")       \
    X(NO_TIMEOUT, "no-timeout", "sender", "K8", "The sender never repeats by timeout.")                            \
    X(PSN_JUMP, "psn-jump", "sender", "K5", "The PSN jumps by two after 16 packets.")                              \
    X(RNR_TOO_EARLY, "rnr-too-early", "sender", "K10", "The sender repeats before the RNR timer has expired.")     \
    X(READ_FROM_START, "read-from-start", "sender", "K9", "A READ whose response was lost is repeated as a whole.")\
    X(COPY_CHANGED, "copy-changed", "sender", "K7", "The first byte of a packet that is sent again is another.")   \
    X(COPY_CUT, "copy-cut", "sender", "K7", "A packet that is sent again has less data.")                          \
    X(ACK_BELOW_LOSS, "ack-below-loss", "sender", "K1", "The sender takes a NAK for an ACK of its PSN.")           \
    X(NAK_TWICE, "nak-twice", "receiver", "K9", "Each packet behind a gap is answered by a NAK.")                  \
    X(NAK_WRONG_PSN, "nak-wrong-psn", "receiver", "K3", "A NAK names the PSN that arrived.")                       \
    X(NAK_NEVER, "nak-never", "receiver", "K9", "A gap is not reported.")                                          \
    X(ACKS_BEYOND, "acks-beyond", "receiver", "K3", "An ACK names a PSN that has not arrived.")                    \
    X(ACK_NEVER, "ack-never", "receiver", "K8", "The request for an acknowledgement is ignored.")                  \
    X(DELIVERS_TWICE, "delivers-twice", "receiver", "K2", "A repeated message is delivered again.")                \
    X(DELIVERS_GAP, "delivers-gap", "receiver", "K1", "A packet behind a gap is taken as the expected one.")       \
    X(ICRC_IGNORED, "icrc-ignored", "receiver", "ICRC", "A packet with a wrong ICRC is accepted.")                 \
    X(CE_CLEARED, "ce-cleared", "switch", "CP1", "The switch turns CE into ECT(0).")                               \
    X(CE_ON_NOT_ECT, "ce-on-not-ect", "switch", "CP1", "The switch marks packets that are not ECT.")

/* X(ID, name, text) */
#define FAL_ROCE_VARIANTS(X)                                                                                       \
    X(ALPHA_AT_CNP, "alpha-at-cnp", "Alpha rises at the CNP, which begins its slot anew, not at the slot's end.")  \
    X(ALPHA_AT_SLOT, "alpha-at-slot", "Alpha rises at the end of the slot in which a CNP came.")                   \
    X(CLAMP_TARGET, "clamp-target", "Each decrease sets the target rate to the rate before it.")                   \
    X(NP_PER_IP, "np-per-ip", "CNPs are paced by N for each remote address, not for each queue pair.")             \
    X(NP_PER_PORT, "np-per-port", "CNPs are paced by N for the whole port.")                                       \
    X(ACK_EACH, "ack-each", "Each request packet asks for an acknowledgement.")                                    \
    X(ACK_COALESCED, "ack-coalesced", "Acknowledgements wait for a microsecond and are joined.")                   \
    X(NAK_AFTER_LATE, "nak-after-late", "A NAK waits for a microsecond, and leaves if the gap is still there.")    \
    X(COPY_ASKS, "copy-asks", "A packet that is sent again asks for an acknowledgement.")                          \
    X(NO_RCM, "no-rcm", "No congestion management: no CNP is sent, and none is obeyed.")                           \
    X(NO_ECT, "no-ect", "Data leaves as not ECT.")
/* clang-format on */

#define FAL_ROCE_FAULT_ENUM(id, ...)   FAL_ROCE_FAULT_##id,
#define FAL_ROCE_VARIANT_ENUM(id, ...) FAL_ROCE_VARIANT_##id,
enum fal_roce_fault { FAL_ROCE_FAULTS(FAL_ROCE_FAULT_ENUM) FAL_ROCE_FAULT_COUNT };
enum fal_roce_variant { FAL_ROCE_VARIANTS(FAL_ROCE_VARIANT_ENUM) FAL_ROCE_VARIANT_COUNT };

#endif
