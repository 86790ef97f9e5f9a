/* SPDX-License-Identifier: Apache-2.0
 * params.h - what the specification leaves to configuration, with our defaults: the same for
 * the endpoint, the scenarios and the tests (design.md, Defaults; `talon help defaults`).
 *
 * One list: B a switch, U a count, T a time. The C member of a time ends in _ns, as does its
 * key in the SUT control protocol; in scenarios its key is the bare name with a duration
 * ("rto": "1ms") and every row is a variable ($rto). Columns: name, default in virtual time,
 * default live, meaning. */
#ifndef FAL_ORACLES_PARAMS_H
#define FAL_ORACLES_PARAMS_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAL_US    UINT64_C(1000)
#define FAL_MS    UINT64_C(1000000)
#define FAL_S     UINT64_C(1000000000)
#define FAL_NEVER UINT64_MAX /* a deadline that does not come */

/* clang-format off */
#define FAL_PARAMS(B, U, T)                                                                            \
    B(ordered,             1,           1,           "requests and completions in RSN order (8.4.2, 8.5.2)") \
    B(rack_tlp,            0,           0,           "retransmits early by RACK-TLP or tail probes (9.1.6, ICS)") \
    U(protocol_type,       2,           2,           "upper layer: 2 RDMA, 3 NVMe (7.2)")              \
    T(rto,                 1 * FAL_MS,  50 * FAL_MS, "retransmit timeout (9.1.1)")                     \
    T(coalescing,          8 * FAL_US,  5 * FAL_MS,  "ACK coalescing timeout (9.1.1)")                 \
    U(ooo_threshold,       3,           3,           "out-of-order distance threshold (9.1.4)")        \
    U(max_attempts,        7,           7,           "max retransmit attempts (9.1.1)")                \
    U(tx_window_req,       128,         128,         "transmit window, requests (9, AMB-10)")          \
    U(tx_window_data,      256,         256,         "transmit window, data (9, AMB-10)")              \
    U(fcwnd,               64,          64,          "fabric congestion window, packets (9.1.2)")      \
    U(fcwnd_fraction,      0,           0,           "its fractional part, in 1,024ths (10.6.2.2, AMB-11)") \
    U(ncwnd,               64,          64,          "NIC congestion window, packets (9.1.2)")         \
    T(packet_gap,          0,           0,           "time between packets while fcwnd is 0 (10.3.5)") \
    U(ar_threshold,        8,           8,           "fcwnd up to which every packet asks for an ACK (9.1.3.1)") \
    U(ar_percent,          10,          10,          "share of packets that ask for an ACK above it (9.1.3.1)") \
    U(xlr_initiator,       0,           0,           "of the own transactions each whose RSN this divides matches the xLR drop filter; 0: none (11)") \
    U(xlr_target,          0,           0,           "of the peer's transactions each whose RSN this divides matches the xLR drop filter; 0: none (11)") \
    B(flow_control,        1,           1,           "the ULP has credits: one queue a connection (8.2.3)") \
    U(credit_req_pkt_tx,   0,           0,           "credits of the ULP, request transmit packets; 0: no limit, here and below (8.2.3)") \
    U(credit_req_buf_tx,   0,           0,           "the same, request transmit buffers, in cells")   \
    U(credit_req_pkt_rx,   0,           0,           "the same, request receive packets")              \
    U(credit_req_buf_rx,   0,           0,           "the same, request receive buffers, in cells")    \
    U(credit_data_pkt_tx,  0,           0,           "the same, packets of pull data")                 \
    U(credit_data_buf_tx,  0,           0,           "the same, buffers of pull data, in cells")       \
    U(net_pkt_rx,          0,           0,           "requests of the peer that are held at a time (8.2.4)") \
    U(net_buf_rx,          0,           0,           "their buffers, in cells (8.2.4)")                \
    T(initial_rtt,         10 * FAL_US, 1 * FAL_MS,  "round trip before the first sample (9.1.4)")     \
    T(turnaround,          0,           100 * FAL_US, "time the SUT may take to answer (IXIT); if it is not declared it is learned, except of the built-in SUT")        \
    T(pipeline,            0,           100 * FAL_US, "age of the state an outgoing packet may show (IXIT); learned likewise") \
    T(replay_margin,       100 * FAL_US, 100 * FAL_US, "replay protection margin (9.2.2.2)")           \
    U(initial_ttl,         64,          64,          "TTL that hop_count counts from (AMB-62)")        \
    U(mtu,                 4096,        4096,        "payload bytes of the longest packet (6.2)")      \
    T(transaction_timeout, 1 * FAL_S,   1 * FAL_S,   "time after which a transaction completes in error (11)") \
    T(tick,                0,           0,           "granularity of the SUT's timers and clock (IXIT)") \
    B(rto_varies,          0,           0,           "the SUT's own congestion control sets the RTO, between rto_lo and rto_hi (IXIT)") \
    T(rto_lo,              0,           0,           "the shortest RTO, if it varies; 0: not declared (IXIT)") \
    T(rto_hi,              0,           0,           "the longest RTO, if it varies; 0: not declared (IXIT)") \
    B(resync_vendor,       0,           0,           "Resyncs use their Vendor Defined word (7.6, ICS)")
/* clang-format on */

#define FAL_PARAM_BOOL(name, ...)  bool name;
#define FAL_PARAM_COUNT(name, ...) uint32_t name;
#define FAL_PARAM_TIME(name, ...)  uint64_t name##_ns;

struct fal_params {
    FAL_PARAMS(FAL_PARAM_BOOL, FAL_PARAM_COUNT, FAL_PARAM_TIME)
};

/* The rows by number: FAL_PARAM_AT_rto, ... */
#define FAL_PARAM_NUMBERED(name, ...) FAL_PARAM_AT_##name,
enum fal_param_at {
    FAL_PARAMS(FAL_PARAM_NUMBERED, FAL_PARAM_NUMBERED, FAL_PARAM_NUMBERED) FAL_PARAM_ROWS
};

/* The rows as a set: bit n stands for enum fal_param_at n. */
#define FAL_PARAM_BIT(at) (UINT64_C(1) << (at))
#define FAL_PARAM_ALL     (~UINT64_C(0) >> (64 - FAL_PARAM_ROWS))

enum fal_param_kind { FAL_PARAM_SWITCH, FAL_PARAM_NUMBER, FAL_PARAM_DURATION };

struct fal_param {
    const char *name; /* without _ns */
    const char *key;  /* with _ns where it is a time */
    enum fal_param_kind kind;
    uint64_t virtual_default, live_default;
    const char *doc;
};

/* The table behind the list, in its order. */
const struct fal_param *fal_param_table(size_t *n);
/* The row of that name or key, or NULL. */
const struct fal_param *fal_param_find(const char *name);

/* The values with which a connection can exist: a window holds a packet, an MTU a byte, a timer
 * runs for some time. */
void fal_param_range(const struct fal_param *param, uint64_t *least, uint64_t *most);

uint64_t fal_param_get(const struct fal_param *param, const struct fal_params *params);
/* Returns 0, or FAL_ERR_RANGE when the value does not fit the member. */
MUST_USE int fal_param_set(const struct fal_param *param, struct fal_params *params,
                           uint64_t value);

/* Every row at its default for virtual time or for real time. */
void fal_params_default(struct fal_params *out, bool live);

#endif
