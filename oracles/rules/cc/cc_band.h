/* SPDX-License-Identifier: Apache-2.0
 * cc_band.h - the judge's own reading of Swift and PLB (10.1, 10.3, 10.4): what a Rate Update
 * Engine may answer to one event, as intervals. It was written from the specification alone and
 * shares no code with the tester's player, so that one misreading does not hide in both.
 *
 * An interval contains each value that real arithmetic, and any rounding to a neighbour, can
 * give. fcwnd may differ by one more unit of 1/1024. At equality of a comparison, and within 2
 * ticks of a delay threshold, both branches are allowed.
 *
 * A requirement id names what the event decides. Of requirements that say the same in two
 * places, the one of the pseudo-code is named (10.3.1-08 for 10.3.6-04, 10.3.1-15 for
 * 10.3.6-06, 10.3.1-05 for 10.3.6-02 at ACKs and NACKs). */
#ifndef FAL_ORACLES_RULES_CC_CC_BAND_H
#define FAL_ORACLES_RULES_CC_CC_BAND_H

#include "codecs/header/ccqueue.h"
#include "oracles/rules/cc/cc_forks.h"
#include "oracles/rules/cc/cc_span.h"

/* The parameters of 10.5; windows in packets, times in ticks of 131.072 ns. The base delay
 * target is that of the event. */
struct fal_band_params {
    double max_fcwnd, min_fcwnd, fabric_additive_increment;
    double fabric_multiplicative_decrease_factor, max_fabric_multiplicative_decrease_factor;
    double max_ncwnd, min_ncwnd, nic_additive_increment;
    double nic_multiplicative_decrease_factor, max_nic_multiplicative_decrease_factor;
    unsigned target_rx_buffer_level;
    double plb_target_delay_multiplier, plb_congestion_threshold;
    unsigned plb_attempt_threshold;
    double rtt_smoothing_alpha, delay_smoothing_alpha, topology_scaling_per_hop;
    double retransmit_timeout_scalar, min_retransmission_timeout;
    unsigned retransmit_limit;
    double min_flow_scaling_window, max_flow_scaling_window, max_flow_scaling;
};

/* How wide the band was around results that it allowed, over many results: the distance between
 * the least and the most that the forks allow which allow the result. fcwnd in 1/1024. Markers,
 * the direction and the path have no width. */
struct fal_band_widths {
    struct fal_band_width {
        uint64_t results, narrow; /* narrow: at most FAL_BAND_NARROW and 0.1 % of the value */
        double widest;
    } of[FAL_BAND_FIELDS];
};
enum { FAL_BAND_NARROW = 3 };

struct fal_band_input {
    const struct fal_band_params *params;
    const struct fal_cc_event *event;
    struct fal_arc now;             /* the RUE handled the event at some time of these */
    struct fal_band_widths *widths; /* an allowed result is added; NULL: not wanted */
};

/* The counters of PLB (10.5.6) that a fork allows. More than fit: all are allowed, as with
 * `open`. */
enum { FAL_BAND_PLB_STATES = 8 };
struct fal_band_plb {
    uint8_t n;
    bool open;
    struct fal_band_plb_state {
        uint16_t acked, congested;
        uint16_t attempts;
    } at[FAL_BAND_PLB_STATES];
};

/* The counters that an RUE keeps of one connection from event to event. */
struct fal_band_series {
    unsigned row; /* successive retransmission events, of the last row */
    bool last_retransmit;
    double counted; /* at most so many packets were acknowledged since fcwnd rose (10.3.1-03);
                       of a connection whose beginning was not seen: FAL_BAND_UNCOUNTED */
    double counted_least; /* at least so many, since the last event that was no ACK, that
                             changed fcwnd, or whose delay may be above the target */
    struct fal_band_plb plb[FAL_BAND_S][FAL_BAND_T][FAL_BAND_L];
};
#define FAL_BAND_UNCOUNTED 1e9
/* Of a connection that opens. */
void fal_band_series_init(struct fal_band_series *series);
/* Of a connection whose beginning was not seen: every counter may have any value. */
void fal_band_series_unknown(struct fal_band_series *series);

struct fal_band_breach {
    enum fal_band_field field;  /* FAL_BAND_FIELDS: each is allowed, but not together */
    const char *requirement;    /* NULL: no single one */
    struct fal_cc_span allowed; /* fcwnd in 1/1024; a time may wrap: then hi is above 2^24 */
    double seen;
    bool mixed; /* a fork that earlier results ruled out would allow this result. The counters
                   of PLB are kept of possible forks only: the others are taken to reroute as
                   one of these does, or as they like if this connection's reroutes ruled them
                   out. */
};

/* Whether one of the forks allows the result. Then those that do not are removed, and the
 * series goes on. If not, forks and series remain as they were, and *breach says why. */
bool fal_band_holds(struct fal_band_forks *forks, struct fal_band_series *series,
                    const struct fal_band_input *input, const struct fal_cc_result *result,
                    struct fal_band_breach *breach);

#endif
