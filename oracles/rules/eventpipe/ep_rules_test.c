/* SPDX-License-Identifier: Apache-2.0
 * ep_rules_test.c - each rule of event pipelines on traces written by hand: one that violates
 * it and names no other rule (unless a row says so), and near misses in which everything holds.
 */
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/eventpipe/ep_lines_testing.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 40 };

/* `rule` alone is violated; NULL: nothing is. `also` may be violated, too. `excuse`: a reason
 * that the rule `of` gives. */
struct trace {
    const char *name, *rule, *also, *of, *excuse;
    struct fal_ep_setup setup;
    struct fal_ep_event lines[LINES]; /* ends at the first line of time 0 */
};

#define CLASSES             \
    {                       \
        0, 1, 1, 2, 3, 0, 4 \
    }
#define PLAIN .setup = {.classes = CLASSES}

static const struct trace traces[] = {
    /* EP1 */
    {"class event of a flow without events", "EP1", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), START(2, 8, 0, 2, 1, 1, 0, 1)}},
    {"an event is delivered twice", "EP1", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), START(2, 7, 0, 2, 1, 1, 0, 1),
               START(3, 7, 0, 2, 1, 1, 0, 1)}},
    {"its cause has the same time and a later line", NULL, PLAIN,
     .lines = {START(2, 7, 0, 2, 1, 1, 0, 1), SRC(2, 7, ACK, 1, 0)}},
    {"rate to a flow without events", "EP1", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), START(2, 7, 0, 2, 1, 1, 0, 1), RATE(3, 9, 0, 5, 0)}},
    {"rate to a flow that another processor runs", "EP1", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 8, ACK, 1, 0), START(2, 7, 0, 2, 1, 1, 0, 1),
               START(2, 8, 1, 2, 1, 1, 0, 1), RATE(3, 8, 0, 5, 0)}},
    {"a late rate, of the flow that ran before", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 8, ACK, 1, 0), START(2, 7, 1, 2, 1, 1, 0, 1),
               END(3, 7, 1), START(3, 8, 1, 2, 1, 1, 0, 1), RATE(4, 7, 1, 5, 0)}},
    {"rates of a timer", NULL, .setup = {.classes = CLASSES, .rates_without_events = true},
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 8, ACK, 1, 0), START(2, 7, 1, 2, 1, 1, 0, 1),
               RATE(4, 8, 1, 5, 0)}},
    {"a second rate for one run", "EP1", .setup = {.classes = CLASSES, .rate_per_event = true},
     .lines = {SRC(1, 7, ACK, 1, 0), START(2, 7, 1, 2, 1, 1, 0, 1), RATE(3, 7, 1, 5, 0),
               RATE(4, 7, 1, 5, 0)}},
    {"a rate for each run, late", NULL, .setup = {.classes = CLASSES, .rate_per_event = true},
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 7, ACK, 2, 0), START(2, 7, 1, 2, 1, 1, 0, 1),
               START(3, 7, 1, 2, 2, 2, 0, 1), RATE(4, 7, 1, 5, 0), RATE(4, 7, 1, 5, 0)}},
    {"several rates for one run", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), START(2, 7, 1, 2, 1, 1, 0, 1), RATE(3, 7, 1, 5, 0),
               RATE(4, 7, 1, 5, 0)}},
    {"a rate, and no run at all", "EP1", .setup = {.classes = CLASSES, .rate_per_event = true},
     .lines = {RATE(3, 7, 1, 5, 0)}},
    {"an event leaves its queue that never came", "EP1", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), Q_IN(1, 7, ACK, 1, RX_FIFO, 0),
               Q_OUT(2, 7, ACK, 2, RX_FIFO)}},
    {"no sources in the trace", NULL, .of = "EP1", .excuse = "no-source-points", PLAIN,
     .lines = {START(2, 7, 0, 2, 1, 1, 0, 1)}},
    /* EP2 */
    {"three bursts merged", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), SRC(3, 7, TX, 3, 30),
               START(4, 7, 0, 0, 1, 3, 60, 3)}},
    {"a part of what waits", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), SRC(3, 7, TX, 3, 30),
               START(4, 7, 0, 0, 1, 2, 30, 2), START(5, 7, 0, 0, 3, 3, 30, 1)}},
    {"bytes of the last alone", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 1, 2, 20, 2)}},
    {"first number not kept", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 2, 2, 30, 2)}},
    {"last number not replaced", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 1, 1, 30, 2)}},
    {"more merged than came", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 8, TX, 1, 20), START(4, 7, 0, 0, 1, 1, 30, 2)}},
    {"one lost before the others", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 2, 2, 20, 1)}},
    {"one dropped before the others", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), DROP(1, 7, TX, 1, 9), SRC(2, 7, TX, 2, 20),
               START(4, 7, 0, 0, 2, 2, 20, 1)}},
    {"of equal events the one before the FIFO is dropped", NULL, PLAIN,
     .lines = {SRC(1, 7, CNP, 1, 0), Q_IN(1, 7, CNP, 1, RX_FIFO, 0), SRC(2, 7, NACK, 1, 0),
               Q_IN(2, 7, NACK, 1, RX_FIFO, 1), SRC(3, 7, CNP, 1, 0), DROP(3, 7, CNP, 1, 9),
               Q_OUT(4, 7, CNP, 1, RX_FIFO), Q_OUT(5, 7, NACK, 1, RX_FIFO)}},
    {"RTT_SENT in the class of TX", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, RTT_SENT, 2, 64),
               START(4, 7, 0, 0, 1, 2, 10, 2)}},
    {"lost in the FIFO", "EP2", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), Q_IN(2, 7, TX, 1, TX_FIFO, 0),
               Q_IN(2, 7, TX, 2, TX_FIFO, 1), Q_OUT(3, 7, TX, 2, TX_FIFO)}},
    {"left at the end, at rest", "EP2", .setup = {.classes = CLASSES, .ends_at_rest = true},
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 1, 1, 10, 1)}},
    {"left at the end, not at rest", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, TX, 2, 20), START(4, 7, 0, 0, 1, 1, 10, 1)}},
    {"a class of two queues, in either order", NULL,
     .setup = {.classes = {0, 0, 0, 0, 0, 0, 1}},
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, ACK, 9, 0), START(4, 7, 0, 0, 9, 1, 10, 2)}},
    {"a class of two queues, wrong sum", "EP2", .setup = {.classes = {0, 0, 0, 0, 0, 0, 1}},
     .lines = {SRC(1, 7, TX, 1, 10), SRC(2, 7, ACK, 9, 0), START(4, 7, 0, 0, 9, 1, 11, 2)}},
    /* EP3 */
    {"dropped below TH1", "EP3",
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 3)}},
    {"dropped at TH1", NULL, .of = "EP3", .excuse = "at-threshold",
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 4)}},
    {"passes at TH2", "EP3",
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), Q_IN(1, 7, ACK, 1, RX_FIFO, 8)}},
    {"passes below TH2", NULL,
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), Q_IN(1, 7, ACK, 1, RX_FIFO, 7)}},
    {"a kind that is never dropped", "EP3",
     .setup = {.classes = CLASSES, .th1 = {4, 0, 4, 4}, .th2 = {8, 0, 8, 8}},
     .lines = {SRC(1, 7, CNP, 1, 0), DROP(1, 7, CNP, 1, 9)}},
    {"a full FIFO", NULL, .of = "EP3", .excuse = "fifo-full",
     .setup = {.classes = CLASSES,
               .th1 = {4, 4, 4, 99},
               .th2 = {8, 8, 8, 99},
               .fifo_depth = {16, 16}},
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 16)}},
    {"no occupancy in the trace", NULL, .of = "EP3", .excuse = "no-occupancy",
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 0)}},
    {"dropped at occupancy 0", "EP3",
     .setup = {.classes = CLASSES, .th1 = {4, 4, 4, 4}, .th2 = {8, 8, 8, 8}},
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 0), SRC(1, 7, ACK, 2, 0),
               DROP(2, 7, ACK, 2, 9)}},
    {"thresholds not declared", NULL, .of = "EP3", .excuse = "thresholds-not-declared", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), DROP(1, 7, ACK, 1, 0)}},
    /* EP4 */
    {"a flow on two processors", "EP4", .setup = {.classes = CLASSES, .all_points = true},
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 7, TX, 1, 9), START(2, 7, 0, 2, 1, 1, 0, 1),
               START(3, 7, 1, 0, 1, 1, 9, 1), END(4, 7, 0)}},
    {"one after the other at the same time", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 7, TX, 1, 9), START(2, 7, 0, 2, 1, 1, 0, 1),
               START(3, 7, 1, 0, 1, 1, 9, 1), END(3, 7, 0)}},
    {"two classes in one run", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 7, TX, 1, 9), START(2, 7, 1, 2, 1, 1, 0, 1),
               START(2, 7, 1, 0, 1, 1, 9, 1), END(3, 7, 1)}},
    {"two slices of a flow", "EP4", PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, EVENT, ARB), MAP(2, WRITE, 7, 1)}},
    {"another slice after the first was idle", NULL, PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MAP(3, WRITE, 7, 1), MOVE(3, 0, BUSY, DONE, IDLE)}},
    {"a slice changes its flow while it is busy", "EP4", PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MAP(3, WRITE, 8, 0)}},
    {"a hit of another flow's slice", "EP4", PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MAP(2, HIT, 8, 0)}},
    {"a miss of a flow that has a slice", "EP4", PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, EVENT, ARB), MAP(2, MISS, 7, 0)}},
    {"a miss of a flow whose slice is idle", NULL, PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, DONE, IDLE), MAP(4, MISS, 7, 0), MAP(4, WRITE, 7, 2)}},
    {"a class event of a stale map", "EP4", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 8, ACK, 1, 0), MAP(1, WRITE, 8, 1),
               START(2, 7, 1, 2, 1, 1, 0, 1)}},
    {"merged in the slice of another flow", "EP4", PLAIN,
     .lines = {MAP(1, WRITE, 8, 1), SRC(2, 7, ACK, 1, 0), ADD(2, 7, ACK, 1, 1, 2)}},
    {"merged in a slice that the flow gets at that time", NULL, PLAIN,
     .lines = {MAP(1, WRITE, 8, 1), SRC(2, 7, ACK, 1, 0), ADD(2, 7, ACK, 1, 1, 2),
               MAP(2, RELEASE, 8, 1), MAP(2, WRITE, 7, 1)}},
    {"a context read twice", "EP4", PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(1, READ, 7, 1), CTX(2, READ, 7, 1)}},
    {"read and written in turn, at one time", NULL, PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(1, READ, 7, 1), CTX(2, READ, 7, 2), CTX(2, WRITE, 7, 2)}},
    /* EP5 */
    {"done from busy to arb", "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, DONE, ARB)}},
    {"override of a slice in arb", "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, FW, OVERRIDE)}},
    {"an override that waits for busy", NULL, PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, FW, ARB),
               MOVE(3, 0, ARB, GRANT, BUSY), MOVE(4, 0, BUSY, FW, OVERRIDE)}},
    {"a transition from another state", "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, BUSY, DONE, IDLE)}},
    {"done under override, to idle", NULL, .of = "EP5", .excuse = "done-under-override", PLAIN,
     .lines = {MOVE(1, 0, IDLE, FW, OVERRIDE), MOVE(2, 0, OVERRIDE, DONE, IDLE)}},
    {"done under override, ignored", NULL, .of = "EP5", .excuse = "done-under-override", PLAIN,
     .lines = {MOVE(1, 0, IDLE, FW, OVERRIDE), MOVE(2, 0, OVERRIDE, DONE, OVERRIDE),
               MOVE(3, 0, OVERRIDE, FW_RELEASE, IDLE)}},
    {"override in more_a, taken", NULL, .of = "EP5", .excuse = "override-in-more-a", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, EVENT, MORE_A), MOVE(4, 0, MORE_A, FW, MORE_B),
               MOVE(5, 0, MORE_B, FW_RELEASE, ARB)}},
    {"override in more_a, ignored", NULL, PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, EVENT, MORE_A), MOVE(4, 0, MORE_A, FW, MORE_A),
               MOVE(5, 0, MORE_A, DONE, ARB)}},
    {"override in more_a, to idle", "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, EVENT, MORE_A), MOVE(4, 0, MORE_A, FW, IDLE)}},
    /* EP6 */
    {"RX is passed over three times", "EP6", .setup = {.classes = CLASSES, .round_robin = true},
     .lines = {SRC(1, 7, TX, 1, 9), SRC(1, 7, TX, 2, 9), SRC(1, 7, TX, 3, 9),
               SRC(1, 7, TX, 4, 9), SRC(1, 7, ACK, 1, 0), Q_IN(1, 7, TX, 1, TX_FIFO, 0),
               Q_IN(1, 7, TX, 2, TX_FIFO, 1), Q_IN(1, 7, TX, 3, TX_FIFO, 2),
               Q_IN(1, 7, TX, 4, TX_FIFO, 3), Q_IN(1, 7, ACK, 1, RX_FIFO, 0),
               Q_OUT(2, 7, TX, 1, TX_FIFO), Q_OUT(3, 7, TX, 2, TX_FIFO),
               Q_OUT(4, 7, TX, 3, TX_FIFO), Q_OUT(5, 7, TX, 4, TX_FIFO)}},
    {"RX is passed over twice", NULL, .setup = {.classes = CLASSES, .round_robin = true},
     .lines = {SRC(1, 7, TX, 1, 9), SRC(1, 7, TX, 2, 9), SRC(1, 7, TX, 3, 9),
               SRC(1, 7, ACK, 1, 0), Q_IN(1, 7, TX, 1, TX_FIFO, 0),
               Q_IN(1, 7, TX, 2, TX_FIFO, 1), Q_IN(1, 7, TX, 3, TX_FIFO, 2),
               Q_IN(1, 7, ACK, 1, RX_FIFO, 0), Q_OUT(2, 7, TX, 1, TX_FIFO),
               Q_OUT(3, 7, TX, 2, TX_FIFO), Q_OUT(4, 7, TX, 3, TX_FIFO),
               Q_OUT(5, 7, ACK, 1, RX_FIFO)}},
    {"another arbitration", NULL, .of = "EP6", .excuse = "arbitration-not-declared", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 9), Q_IN(1, 7, TX, 1, TX_FIFO, 0),
               Q_OUT(2, 7, TX, 1, TX_FIFO)}},
    {"an event of the firmware overwritten", "EP6",
     .setup = {.classes = CLASSES, .all_points = true},
     .lines = {SRC(1, 7, FW, 1, 0), Q_IN(1, 7, FW, 1, FW_REGISTER, 0), SRC(2, 7, FW, 2, 0),
               Q_IN(2, 7, FW, 2, FW_REGISTER, 1), Q_OUT(3, 7, FW, 1, FW_REGISTER)}},
    {"overwritten and gone at one time", "EP6",
     .setup = {.classes = CLASSES, .all_points = true},
     .lines = {SRC(1, 7, FW, 1, 0), SRC(1, 8, FW, 2, 0), Q_IN(1, 7, FW, 1, FW_REGISTER, 0),
               Q_IN(1, 8, FW, 2, FW_REGISTER, 1), Q_OUT(1, 8, FW, 2, FW_REGISTER)}},
    {"two of the firmware, one after the other at one time", NULL,
     .setup = {.classes = CLASSES, .all_points = true},
     .lines = {SRC(1, 7, FW, 0, 0), Q_IN(1, 7, FW, 0, FW_REGISTER, 0), SRC(1, 8, FW, 0, 0),
               Q_OUT(1, 7, FW, 0, FW_REGISTER), Q_IN(1, 8, FW, 0, FW_REGISTER, 0),
               Q_OUT(1, 8, FW, 0, FW_REGISTER)}},
    {"the next one at the time the first is taken", NULL,
     .setup = {.classes = CLASSES, .round_robin = true},
     .lines = {SRC(1, 7, FW, 1, 0), Q_IN(1, 7, FW, 1, FW_REGISTER, 0), SRC(2, 7, FW, 2, 0),
               Q_IN(2, 7, FW, 2, FW_REGISTER, 0), Q_OUT(2, 7, FW, 1, FW_REGISTER)}},
    /* EP7 */
    {"more_a to idle", "EP7", .also = "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, EVENT, MORE_A), MOVE(4, 0, MORE_A, DONE, IDLE)}},
    {"more_a to arb", NULL, PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               MOVE(3, 0, BUSY, EVENT, MORE_A), MOVE(4, 0, MORE_A, DONE, ARB)}},
    {"idle over an event", "EP7", .setup = {.classes = CLASSES, .pipeline_ns = 5},
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               START(2, 7, 0, 2, 1, 1, 0, 1), SRC(3, 7, ACK, 2, 0), ADD(3, 7, ACK, 2, 0, 2),
               MOVE(4, 0, BUSY, DONE, IDLE), SRC(12, 9, TX, 1, 1)}},
    {"idle over an event, no longer than the pipeline", NULL,
     .setup = {.classes = CLASSES, .pipeline_ns = 5},
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               START(2, 7, 0, 2, 1, 1, 0, 1), SRC(3, 7, ACK, 2, 0), ADD(3, 7, ACK, 2, 0, 2),
               MOVE(4, 0, BUSY, DONE, IDLE), MOVE(9, 0, IDLE, EVENT, ARB),
               SRC(12, 9, TX, 1, 1)}},
    {"idle over an event, pipeline not declared", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               SRC(12, 9, TX, 1, 1)}},
    {"the slice goes to another flow over an event", "EP7", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MAP(9, WRITE, 8, 0)}},
    {"the flow loses its slice over an event", "EP7", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MAP(9, RELEASE, 7, 0)}},
    {"the flow loses its slice and gets it again for an event", NULL, PLAIN,
     .lines = {MAP(1, WRITE, 7, 0), MAP(9, RELEASE, 7, 0), SRC(9, 7, ACK, 1, 0),
               MAP(9, WRITE, 7, 0), ADD(9, 7, ACK, 1, 0, 2)}},
    /* EP8 */
    {"merged in another class", "EP8", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), ADD(1, 7, ACK, 1, 0, 3)}},
    {"delivered in another class", "EP8", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), SRC(1, 7, ACK, 2, 0), START(2, 7, 0, 3, 1, 2, 0, 2)}},
    {"the class before a rewrite", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), TABLE(2, ACK, 4), START(3, 7, 0, 2, 1, 1, 0, 1)}},
    {"the class after a rewrite", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), TABLE(2, ACK, 4), START(3, 7, 0, 4, 1, 1, 0, 1)}},
    {"neither of both", "EP8", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), TABLE(2, ACK, 4), START(3, 7, 0, 3, 1, 1, 0, 1)}},
    {"the class before, of an event that came after", "EP8", PLAIN,
     .lines = {TABLE(2, ACK, 4), SRC(3, 7, ACK, 1, 0), START(4, 7, 0, 2, 1, 1, 0, 1)}},
    {"a class of more than three bits", "EP8", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), START(4, 7, 0, 4000000000, 1, 1, 0, 1)}},
    {"no table declared", NULL, .setup = {.slices = 1},
     .lines = {SRC(1, 7, ACK, 1, 0), START(4, 7, 0, 3, 1, 1, 0, 1)}},
    /* EP9: 1000 bytes at 8 Gb/s take 1000 ns */
    {"a rate that is not obeyed", "EP9", PLAIN,
     .lines = {SRC(1, 7, TX, 1, 1000), RATE(1, 7, 0, 4000000000, 0), WIRE(10, 7, 1000),
               WIRE(1010, 7, 1000), WIRE(2010, 7, 1000), WIRE(3010, 7, 1000),
               WIRE(4010, 7, 1000), WIRE(5010, 7, 1000)}},
    {"a rate that is obeyed one burst late", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 1000), RATE(1, 7, 0, 8000000000, 0), WIRE(10, 7, 1000),
               WIRE(1010, 7, 1000), RATE(1500, 7, 0, 4000000000, 0), WIRE(2010, 7, 1000),
               WIRE(3010, 7, 1000), WIRE(5010, 7, 1000), WIRE(7010, 7, 1000)}},
    {"one burst that comes early", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 1000), RATE(1, 7, 0, 8000000000, 0), WIRE(10, 7, 1000),
               WIRE(1010, 7, 1000), WIRE(2900, 7, 1000), WIRE(3010, 7, 1000),
               WIRE(4010, 7, 1000), WIRE(5010, 7, 1000)}},
    {"a flow that is slower", NULL, PLAIN,
     .lines = {SRC(1, 7, TX, 1, 1000), RATE(1, 7, 0, 8000000000, 0), WIRE(10, 7, 1000),
               WIRE(9010, 7, 1000), WIRE(19010, 7, 1000), WIRE(29010, 7, 1000)}},
    /* EP10 */
    {"T3 before T2", "EP10", PLAIN, .lines = {RTT(900, 7, 100, 500, 499, 900)}},
    {"T4 before T1", "EP10", PLAIN, .lines = {RTT(900, 7, 901, 500, 510, 900)}},
    {"another clock of the responder", NULL, PLAIN,
     .lines = {RTT(900, 7, 100, 500000, 500300, 900)}},
    {"synchronised clocks", "EP10", .setup = {.clocks_synchronised = true},
     .lines = {RTT(900, 7, 100, 500000, 500300, 900)}},
    {"longer inside than outside", "EP10", PLAIN,
     .lines = {RTT(900, 7, 100, 500000, 500900, 900)}},
    {"longer than declared", "EP10", .setup = {.responder_ns = 200},
     .lines = {RTT(900, 7, 100, 500, 701, 900)}},
    {"as long as declared", NULL, .setup = {.responder_ns = 200},
     .lines = {RTT(900, 7, 100, 500, 700, 900)}},
    {"a difference alone", NULL,
     .setup = {.rtt_by_difference = true, .clocks_synchronised = true},
     .lines = {RTT(900, 7, 100, 0, 50, 900)}},
    {"no stamps of the responder", NULL, .of = "EP10", .excuse = "no-responder-stamps", PLAIN,
     .lines = {RTT(900, 7, 100, 0, 0, 900)}},
    /* EP11 */
    {"another rate than the default", "EP11", .setup = {.default_rate_bps = 5},
     .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), RATE(2, 7, 0, 6, 1)}},
    {"no RTT request", "EP11", .setup = {.default_rate_bps = 5},
     .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), RATE(2, 7, 0, 5, 0)}},
    {"default rate and RTT request", NULL, .setup = {.default_rate_bps = 5},
     .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), RATE(2, 7, 0, 5, 1),
               RATE(3, 7, 0, 6, 0)}},
    {"no update after the first round trip", "EP11",
     .setup = {.classes = CLASSES, .default_rate_bps = 5},
     .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), START(1, 7, 0, 0, 1, 1, 1, 1),
               RATE(2, 7, 0, 5, 1), SRC(3, 7, RTT, 1, 0), START(3, 7, 0, 3, 1, 1, 0, 1),
               SRC(5, 7, ACK, 1, 0), START(5, 7, 0, 2, 1, 1, 0, 1)}},
    {"an update after the first round trip", NULL,
     .setup = {.classes = CLASSES, .default_rate_bps = 5},
     .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), START(1, 7, 0, 0, 1, 1, 1, 1),
               RATE(2, 7, 0, 5, 1), SRC(3, 7, RTT, 1, 0), START(3, 7, 0, 3, 1, 1, 0, 1),
               RATE(4, 7, 0, 9, 0), SRC(5, 7, ACK, 1, 0), START(5, 7, 0, 2, 1, 1, 0, 1)}},
    {"no default rate declared", NULL, .of = "EP11", .excuse = "default-rate-not-declared",
     PLAIN, .lines = {CTX(1, NEW, 7, 1), SRC(1, 7, TX, 1, 1), RATE(2, 7, 0, 6, 0)}},
    /* EP12 */
    {"a context older than the last", "EP12", PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, READ, 7, 2), CTX(4, WRITE, 7, 3),
               CTX(5, READ, 7, 2)}},
    {"the last context, after eviction", NULL, PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, EVICT, 7, 2),
               CTX(4, READ, 7, 2)}},
    {"an older context, after eviction", "EP12", PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, EVICT, 7, 2),
               CTX(4, READ, 7, 1)}},
    {"an older context is evicted", "EP12", PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, EVICT, 7, 1)}},
    {"new after eviction", NULL, PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, EVICT, 7, 2), CTX(4, NEW, 7, 1)}},
    {"new without eviction", "EP12", PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(4, NEW, 7, 1)}},
    {"read at the time of the write, either side", NULL, PLAIN,
     .lines = {CTX(1, NEW, 7, 1), CTX(2, WRITE, 7, 2), CTX(3, READ, 7, 2), CTX(4, READ, 7, 3),
               CTX(4, WRITE, 7, 3), CTX(4, WRITE, 7, 3)}},
    {"first read, nothing known", NULL, PLAIN, .lines = {CTX(4, READ, 7, 1)}},
    /* EP13 */
    {"override drops a merged event", "EP13", PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               START(2, 7, 0, 2, 1, 1, 0, 1), MOVE(3, 0, BUSY, FW, OVERRIDE),
               SRC(4, 7, ACK, 2, 0), ADD(4, 7, ACK, 2, 0, 2),
               MOVE(4, 0, OVERRIDE, EVENT, MORE_B), MOVE(5, 0, MORE_B, FW_RELEASE, ARB),
               SRC(6, 7, ACK, 3, 0), ADD(6, 7, ACK, 3, 0, 2), MOVE(7, 0, ARB, GRANT, BUSY),
               START(7, 7, 0, 2, 3, 3, 0, 1)}},
    {"override keeps it", NULL, PLAIN,
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), ADD(1, 7, ACK, 1, 0, 2),
               MOVE(1, 0, IDLE, EVENT, ARB), MOVE(2, 0, ARB, GRANT, BUSY),
               START(2, 7, 0, 2, 1, 1, 0, 1), MOVE(3, 0, BUSY, FW, OVERRIDE),
               SRC(4, 7, ACK, 2, 0), ADD(4, 7, ACK, 2, 0, 2),
               MOVE(4, 0, OVERRIDE, EVENT, MORE_B), MOVE(5, 0, MORE_B, FW_RELEASE, ARB),
               SRC(6, 7, ACK, 3, 0), ADD(6, 7, ACK, 3, 0, 2), MOVE(7, 0, ARB, GRANT, BUSY),
               START(7, 7, 0, 2, 2, 3, 0, 2)}},
    {"release forgets a merged event", "EP13", .also = "EP5", PLAIN,
     .lines = {MOVE(1, 0, IDLE, FW, OVERRIDE), MOVE(4, 0, OVERRIDE, EVENT, MORE_B),
               MOVE(5, 0, MORE_B, FW_RELEASE, IDLE)}},
    {"idle after an override, over an event", "EP13",
     .setup = {.classes = CLASSES, .pipeline_ns = 5},
     .lines = {SRC(1, 7, ACK, 1, 0), MAP(1, WRITE, 7, 0), MOVE(1, 0, IDLE, FW, OVERRIDE),
               ADD(2, 7, ACK, 1, 0, 2), MOVE(3, 0, OVERRIDE, FW_RELEASE, IDLE),
               SRC(20, 9, TX, 1, 1)}},
    {"no override", NULL, .of = "EP13", .excuse = "no-override", PLAIN,
     .lines = {MOVE(1, 0, IDLE, EVENT, ARB)}},
};

static const char *first_finding(const struct fal_tally *tally)
{
    static char text[300];

    for (size_t i = 0; i < tally->num_rules; i++)
        if (tally->rows[i].num_findings > 0) {
            (void)snprintf(text, sizeof text, "%s: %s", tally->rules[i].id,
                           tally->rows[i].findings[0].what);
            return text;
        }
    return "no finding";
}

static bool is(const char *id, const char *rule)
{
    return rule != NULL && strcmp(id, rule) == 0;
}

START_TEST(a_trace_violates_the_rule_that_it_is_for)
{
    const struct trace *t = &traces[_i];
    struct fal_ep_judge *judge = fal_ep_judge_new(&t->setup);
    const struct fal_tally *tally = fal_ep_judge_tally(judge);

    for (size_t i = 0; i < LINES && t->lines[i].at_ns != 0; i++) {
        struct fal_ep_event event = t->lines[i];

        event.number = i + 1;
        fal_ep_judge_event(judge, &event);
    }
    fal_ep_judge_end(judge);
    for (size_t i = 0; i < tally->num_rules; i++) {
        const struct fal_tally_row *row = &tally->rows[i];
        const char *id = tally->rules[i].id;

        ck_assert_msg(row->broken == 0 || is(id, t->rule) || is(id, t->also), "%s: %s: %s",
                      t->name, id, first_finding(tally));
        ck_assert_msg(!is(id, t->rule) || row->broken > 0, "%s: %s finds nothing; %s", t->name,
                      id, first_finding(tally));
        ck_assert_msg(!is(id, t->of) ||
                          (row->excuse != NULL && strcmp(row->excuse, t->excuse) == 0),
                      "%s: %s: expected the excuse %s, found %s", t->name, id, t->excuse,
                      row->excuse != NULL ? row->excuse : "none");
    }
    fal_ep_judge_free(judge);
}
END_TEST

START_TEST(the_rules_are_EP1_to_EP13)
{
    size_t n;
    const struct fal_tally_rule *rules = fal_ep_rules(&n);

    ck_assert_uint_eq(n, 13);
    for (size_t i = 0; i < n; i++) {
        char id[24];

        (void)snprintf(id, sizeof id, "EP%zu", i + 1);
        ck_assert_str_eq(rules[i].id, id);
        ck_assert(rules[i].text[0] != 0 && rules[i].source[0] != 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event pipelines: rules");
    TCase *tc = tcase_create("rules");

    tcase_add_loop_test(tc, a_trace_violates_the_rule_that_it_is_for, 0,
                        (int)(sizeof traces / sizeof *traces));
    tcase_add_test(tc, the_rules_are_EP1_to_EP13);
    suite_add_tcase(suite, tc);
    return suite;
}
