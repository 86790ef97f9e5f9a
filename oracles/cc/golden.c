/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/golden.h"

#include "codecs/header/falcon.h"

#include <string.h>

enum { NOW = 100000, RTT = 400, ROUNDS = 5 };

/* An ACK after a round trip of `rtt`, of which the peer held the packet for `held`. */
static void begin(struct fal_cc_vector *v, uint32_t now, uint32_t rtt, uint32_t held)
{
    v->now = now & FAL_CC_TIME_MAX;
    v->event = (struct fal_cc_event){
        .connection_id = 1,
        .event_type = FAL_CC_ACK,
        .t1 = fal_cc_since(now, rtt),
        .t2 = 7000,
        .t3 = (7000 + held) & FAL_CC_TIME_MAX,
        .t4 = v->now,
        .rx_buffer_level = 15, /* the target: ncwnd stays */
        .fcwnd_integer = FAL_CC_START_FCWND,
        .ncwnd = FAL_CC_START_NCWND,
        .retransmit_timeout = FAL_CC_START_RTO,
        .num_packets_acked = 1,
        .delay_select = FAL_CC_DELAY_FABRIC,
        .fabric_window_time_marker = fal_cc_since(now, 1),
        .nic_window_time_marker = fal_cc_since(now, 1),
        .base_delay_target = FAL_CC_START_DELAY_TARGET,
        .delay_state = rtt - held,
        .rtt_state = rtt,
    };
}

/* ---- fcwnd ---- */

static const struct {
    const char *id, *what;
    uint32_t units, rtt, held; /* the window in 1/1024 packet */
    uint16_t acked;
    uint8_t hops;
    uint32_t age, now; /* of the marker; of the event */
} fabric[] = {
    {"G1", "fcwnd rises by acked / fcwnd", 32768, 150, 10, 4, 3, 500, NOW},
    {"G2", "fcwnd below 1 rises by acked", 512, 400, 0, 1, 3, 10, NOW},
    {"G3", "fcwnd falls with the excess delay", 32768, 400, 0, 4, 3, 500, NOW},
    {"G4", "fcwnd does not fall within a round trip", 32768, 400, 0, 4, 3, 399, NOW},
    {"G5", "fcwnd falls by half at most", 32768, 4000, 0, 1, 3, 5000, NOW},
    {"G6", "fcwnd stops at max_fcwnd", 262042, 150, 0, 40, 0, 10, NOW},
    {"G7", "fcwnd stops at min_fcwnd", 12, 4000, 0, 1, 0, 5000, NOW},
    {"G8", "fcwnd of 1 rises by acked", 1024, 150, 0, 1, 0, 10, NOW},
    {"G9", "the clock has wrapped round since the marker", 4096, 300, 0, 1, 5, 500, 50},
};

static void make_fabric(size_t n, struct fal_cc_vector *v)
{
    begin(v, fabric[n].now, fabric[n].rtt, fabric[n].held);
    strcpy(v->id, fabric[n].id);
    v->what = fabric[n].what;
    v->event.fcwnd_integer = (uint16_t)(fabric[n].units / FAL_CC_FRACTION);
    v->event.fcwnd_fraction = (uint16_t)(fabric[n].units % FAL_CC_FRACTION);
    v->event.num_packets_acked = fabric[n].acked;
    v->event.forward_hops = fabric[n].hops;
    v->event.fabric_window_time_marker = fal_cc_since(fabric[n].now, fabric[n].age);
}

/* ---- ncwnd ---- */

static const struct {
    const char *id, *what;
    uint8_t level, nack_code, direction; /* nack_code 0: an ACK */
    uint32_t age;
} nic[] = {
    {"N1", "ncwnd rises at once after a fall", 10, 0, FAL_CC_DECREASE, 1},
    {"N2", "ncwnd falls with the excess level", 20, 0, FAL_CC_DECREASE, RTT},
    {"N3", "ncwnd falls by half at most", 31, 0, FAL_CC_INCREASE, RTT},
    {"N4", "ncwnd stays at the target level", 15, 0, FAL_CC_INCREASE, RTT + 1},
    {"N5", "ncwnd does not fall within a round trip", 20, 0, FAL_CC_INCREASE, RTT - 1},
    {"N6", "ncwnd falls by half on a resource NACK", 10, FAL_NACK_RESOURCE, FAL_CC_INCREASE, 1},
};

static void make_nic(size_t n, struct fal_cc_vector *v)
{
    begin(v, NOW, RTT, 0);
    strcpy(v->id, nic[n].id);
    v->what = nic[n].what;
    v->event.event_type = nic[n].nack_code != 0 ? FAL_CC_NACK : FAL_CC_ACK;
    v->event.nack_code = nic[n].nack_code;
    v->event.rx_buffer_level = nic[n].level;
    v->event.ncwnd_direction = nic[n].direction;
    v->event.nic_window_time_marker = fal_cc_since(NOW, nic[n].age);
}

/* ---- retransmissions ---- */

static const struct {
    const char *id, *what;
    uint8_t count;
    uint32_t rtt_state;
} again[] = {
    {"R1", "the first retransmission halves fcwnd", 1, RTT},
    {"R2", "the second leaves fcwnd", 2, RTT},
    {"R3", "the third sets fcwnd to min_fcwnd", 3, RTT},
    {"R4.1", "the timeout is twice the smoothed round trip", 2, 1500},
    {"R4.2", "the timeout is min_retransmission_timeout at least", 2, 500},
};

static void make_again(size_t n, struct fal_cc_vector *v)
{
    begin(v, NOW, RTT, 0);
    strcpy(v->id, again[n].id);
    v->what = again[n].what;
    v->keep = again[n].count > 1 && again[n].rtt_state == RTT; /* R1 to R3 are one series */
    v->event.event_type = FAL_CC_RETRANSMIT;
    v->event.t1 = v->event.t2 = v->event.t3 = v->event.t4 = 0;
    v->event.num_packets_acked = 0;
    v->event.retransmit_count = again[n].count;
    v->event.rtt_state = again[n].rtt_state;
    v->event.fabric_window_time_marker = fal_cc_since(NOW, RTT);
}

/* ---- the figure of 10.3.6, whose clock counts to 100: a unit is 2^24 / 100 ticks ---- */

enum { UNIT = (FAL_CC_TIME_MAX + 1) / 100 };

static const struct {
    uint32_t at, marker; /* before the event */
    bool falls;
} figure[] = {{5, 70, true}, {40, 5, false}, {70, 10, false}, {110, 40, true}};

static void make_figure(size_t n, struct fal_cc_vector *v)
{
    uint32_t rtt = 30 * UNIT;

    begin(v, figure[n].at * UNIT, rtt, figure[n].falls ? 0 : rtt - 100);
    strcpy(v->id, "M1.1");
    v->id[3] = (char)('1' + n);
    v->what = "the marker follows the events, as in the figure of 10.3.6";
    v->event.fabric_window_time_marker = figure[n].marker * UNIT;
}

/* ---- PLB: a window of 4 and a delay 2 % above its target of 298.69 ticks ---- */

static void make_plb(size_t n, unsigned acked, struct fal_cc_vector *v)
{
    begin(v, NOW, 305, 0);
    strcpy(v->id, acked == 4 ? "P1.01" : "P2.01");
    v->id[3] = (char)('0' + (n + 1) / 10);
    v->id[4] = (char)('0' + (n + 1) % 10);
    v->what = acked == 4 ? "one congested round an event: a new path at the fifth"
                         : "half a congested round an event: a new path at the tenth";
    v->keep = n > 0;
    v->event.fcwnd_integer = 4;
    v->event.num_packets_acked = (uint16_t)acked;
}

bool fal_cc_vector(size_t n, struct fal_cc_vector *out)
{
    static const size_t numbers[] = {sizeof fabric / sizeof *fabric,
                                     sizeof nic / sizeof *nic,
                                     sizeof again / sizeof *again,
                                     sizeof figure / sizeof *figure,
                                     ROUNDS,
                                     2 * ROUNDS};
    size_t group = 0;

    while (group < sizeof numbers / sizeof *numbers && n >= numbers[group])
        n -= numbers[group++];
    *out = (struct fal_cc_vector){0};
    switch (group) {
    case 0: make_fabric(n, out); return true;
    case 1: make_nic(n, out); return true;
    case 2: make_again(n, out); return true;
    case 3: make_figure(n, out); return true;
    case 4: make_plb(n, 4, out); return true;
    case 5: make_plb(n, 2, out); return true;
    default: return false;
    }
}
