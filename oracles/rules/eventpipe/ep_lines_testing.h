/* SPDX-License-Identifier: Apache-2.0
 * ep_lines_testing.h - lines of a trace in short, for tests of the rules of event pipelines. */
#ifndef FAL_ORACLES_RULES_EVENTPIPE_EP_LINES_TESTING_H
#define FAL_ORACLES_RULES_EVENTPIPE_EP_LINES_TESTING_H

#include "oracles/beyond/eventpipe.h"

/* t: time, f: flow, k: kind, s: sequence number, b: bytes, o: occupancy, p: processor and
 * slice, c: class. clang-format off keeps one macro a line. */
/* clang-format off */
#define AT_POINT(t, p) .at_ns = (t), .point = FAL_EP_##p
#define EVENT_OF(f, k, s) .flow = (f), .kind = FAL_EP_##k, .seq = (s)
#define SRC(t, f, k, s, b)  {AT_POINT(t, SOURCE), EVENT_OF(f, k, s), .bytes = (b)}
#define DROP(t, f, k, s, o) {AT_POINT(t, WRED), .act = FAL_EP_DROP, EVENT_OF(f, k, s), .occupancy = (o)}
#define Q_IN(t, f, k, s, q, o) {AT_POINT(t, FIFO), .act = FAL_EP_IN, EVENT_OF(f, k, s), .queue = FAL_EP_##q, .occupancy = (o)}
#define Q_OUT(t, f, k, s, q)   {AT_POINT(t, FIFO), .act = FAL_EP_OUT, EVENT_OF(f, k, s), .queue = FAL_EP_##q}
#define TABLE(t, k, c)      {AT_POINT(t, TABLE), .act = FAL_EP_WRITE, .kind = FAL_EP_##k, .klass = (c)}
#define MAP(t, a, f, p)     {AT_POINT(t, MAP), .act = FAL_EP_##a, .flow = (f), .slice = (p)}
#define MOVE(t, p, a, by, b) {AT_POINT(t, SLICE), .act = FAL_EP_MOVE, .slice = (p), .from = FAL_EP_##a, .to = FAL_EP_##b, .cause = FAL_EP_BY_##by}
#define ADD(t, f, k, s, p, c) {AT_POINT(t, MERGE), EVENT_OF(f, k, s), .slice = (p), .klass = (c), .count = 1}
#define START(t, f, p, c, s, l, b, n) {AT_POINT(t, CCP), .act = FAL_EP_START, .flow = (f), .slice = (p), .processor = (p), .klass = (c), .seq = (s), .last_seq = (l), .bytes = (b), .count = (n)}
#define END(t, f, p)        {AT_POINT(t, CCP), .act = FAL_EP_END, .flow = (f), .slice = (p), .processor = (p)}
#define CTX(t, a, f, d)     {AT_POINT(t, CONTEXT), .act = FAL_EP_##a, .flow = (f), .digest = (d)}
#define RATE(t, f, p, r, q) {AT_POINT(t, RATE), .flow = (f), .processor = (p), .rate_bps = (r), .rtt_request = (q)}
#define WIRE(t, f, b)       {AT_POINT(t, WIRE), .flow = (f), .bytes = (b)}
#define RTT(t, f, a, b, c, d) {AT_POINT(t, SOURCE), EVENT_OF(f, RTT, 0), .t1_ns = (a), .t2_ns = (b), .t3_ns = (c), .t4_ns = (d)}
/* clang-format on */

#endif
