/* SPDX-License-Identifier: Apache-2.0
 * ics_list.h - the items of the implementation conformance statement (ICS): what a vendor says
 * of each whether it is offered. No include guard: it is expanded where a list is needed.
 *
 * X(symbol, name, implies, builtin, doc): `implies` names the item without which this one means
 * nothing (claiming this claims that), "" for none; `builtin` is what the built-in
 * implementation says of itself. */
X(TRANSPORT_MODE, "transport-mode", "", YES, "packets in transport mode (one IP header)")
X(TUNNEL_MODE, "tunnel-mode", "", YES, "packets in tunnel mode (an inner IP header)")
X(PSP, "psp", "", YES, "PSP encryption, with its SPI check and key rotation")
X(ESP, "esp", "", YES, "IPsec ESP encryption")
X(ORDERED, "ordered-connections", "", YES, "ordered connections: RSN order at both ends")
X(UNORDERED, "unordered-connections", "", YES, "unordered connections")
X(M_N, "m-n-association", "", NO, "connections and ULP queues in M:N association, UD say")
X(EARLY, "early-retransmission", "", YES, "early retransmission on EACKs (9.1.4)")
X(EARLY_200, "early-retransmission-window-200", "early-retransmission", YES,
  "early retransmission and a data transmit window of 200 packets or more")
X(RACK_TLP, "rack-tlp", "", YES, "the RACK-TLP extension (9.1.6)")
X(CONSTRAINED, "constrained-resources", "", YES,
  "limited transaction resources or receive pools: resource NACKs and levels occur (8.2)")
X(OVERSUBSCRIPTION, "credit-oversubscription", "constrained-resources", YES,
  "more credits are given out in sum than there are resources (8.2.3)")
X(ZONES, "green-red-zones", "constrained-resources", YES,
  "a level of the receive pool above which only head-of-line requests are taken (8.2.4)")
X(LEVELS, "levels-of-limits", "constrained-resources", YES,
  "the limits of receive resources that a case sets are the sizes of the receive pools; each 32nd "
  "part is a level of rx_buffer_occupancy, with an averaging constant of 1 (10.2)")
X(RESYNC_VENDOR, "resync-vendor-defined", "", NO,
  "Resyncs use their Vendor Defined word, as the vendor documents (7.6)")
X(QOS, "qos-policies", "", NO, "scheduler priorities of connections or transaction types (8.3)")
X(XLR, "xlr-filter", "", YES, "an interface to install xLR drop filters")
X(SWIFT, "swift", "", YES, "Swift as in 10.3 in the RUE, which is programmable")
X(PLB, "plb", "", YES, "PLB as in 10.4 in the RUE")
X(RUE_QUEUES, "rue-queues", "", YES, "event and result queues of 10.6 that can be read and fed")
X(MULTIPATH, "multipath", "", NO,
  "packets of one window may take several paths although no result asks for a new one")
X(CLOCKS, "synchronized-clocks", "", NO,
  "clocks of the nodes agree: one-way delays mean something")
X(RDMA, "rdma", "", YES, "RDMA over Falcon")
X(RDMA_UD, "rdma-ud", "rdma", YES, "UD queue pairs")
X(RDMA_XRC, "rdma-xrc", "rdma", YES, "XRC queue pairs")
X(RDMA_WEAK, "rdma-weakly-ordered", "rdma", YES, "weakly ordered queue pairs")
X(RDMA_UNORDERED, "rdma-unordered", "rdma", YES, "unordered queue pairs")
X(RDMA_VERBS, "rdma-verbs-errors", "rdma", YES, "the Verbs compatible error mode")
X(RDMA_COMPLETE, "rdma-complete-in-error", "rdma", YES, "the complete-in-error mode")
X(RDMA_IMMEDIATE, "rdma-immediate", "rdma", YES, "Send and Write with Immediate")
X(RDMA_ATOMICS, "rdma-atomics", "rdma", YES, "CmpSwap and FetchAdd")
X(RDMA_INVALIDATE, "rdma-send-with-invalidate", "rdma", YES, "Send with Invalidate")
X(RDMA_XON, "rdma-xon-xoff", "rdma", YES, "a global Xon/Xoff between RDMA and Falcon")
X(NVME, "nvme", "", YES, "NVMe over Falcon")
X(NVME_PI, "nvme-pi", "nvme", YES, "protection information")
X(NVME_ENCRYPTION, "nvme-encryption", "nvme", YES,
  "AES-XTS encryption of data at the initiator")
X(NVME_DIRECTIVES, "nvme-directives", "nvme", YES, "Write directives (DTYPE, DSPEC)")
