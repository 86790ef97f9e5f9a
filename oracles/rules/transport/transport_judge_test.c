/* SPDX-License-Identifier: Apache-2.0
 * transport_judge_test.c - each of K1 to K10: sequences that break it, and near misses. The
 * rule that is named must be broken, and no other. */
#include "oracles/rules/transport/k_script_testing.h"

#include <stdio.h>

/* Rows of the cases. */
static const struct fal_tp_row reno = {.name = "reno",
                                       .in_order = true,
                                       .cumulative = true,
                                       .dup_threshold = 3,
                                       .rto_min_ns = 1000,
                                       .rto_max_ns = 8000,
                                       .liveness_ns = 500,
                                       .max_window = 8};
static const struct fal_tp_row newreno = {.name = "newreno",
                                          .in_order = true,
                                          .cumulative = true,
                                          .dup_threshold = 3,
                                          .partial_acks = true,
                                          .rto_min_ns = 1000,
                                          .rto_max_ns = 8000,
                                          .max_window = 8};
static const struct fal_tp_row sack = {.name = "sack",
                                       .in_order = true,
                                       .cumulative = true,
                                       .selective = true,
                                       .dup_threshold = 3,
                                       .rto_min_ns = 1000,
                                       .rto_max_ns = 8000,
                                       .max_window = 8};
static const struct fal_tp_row rack = {.name = "rack",
                                       .cumulative = true,
                                       .selective = true,
                                       .reorder_by_time = true,
                                       .tail_probe = true,
                                       .rto_min_ns = 1000};
/* A sender that adapts its threshold and doubles its timeouts. */
static const struct fal_tp_row adapts = {.name = "adapts",
                                         .in_order = true,
                                         .cumulative = true,
                                         .dup_threshold = 3,
                                         .dup_least = 1,
                                         .partial_acks = true,
                                         .backoff = true,
                                         .rto_min_ns = 1000,
                                         .rto_max_ns = 8000};
static const struct fal_tp_row probes = {.name = "probes",
                                         .cumulative = true,
                                         .selective = true,
                                         .tail_probe = true,
                                         .backoff = true,
                                         .rto_min_ns = 1000};
static const struct fal_tp_row gbn = {.name = "gbn",
                                      .credit = FAL_TP_RATE,
                                      .repair = FAL_TP_GO_BACK_N,
                                      .in_order = true,
                                      .cumulative = true,
                                      .nacks = true,
                                      .rto_min_ns = 1000,
                                      .rate_bps = 8000000000, /* a byte a ns */
                                      .burst_bytes = 200};
static const struct fal_tp_row ndp = {.name = "ndp",
                                      .credit = FAL_TP_TOKENS,
                                      .selective = true,
                                      .nacks = true,
                                      .rto_min_ns = 1000,
                                      .initial_tokens = 3};
static const struct fal_tp_row irn = {.name = "irn",
                                      .cumulative = true,
                                      .selective = true,
                                      .nacks = true,
                                      .rto_min_ns = 1000,
                                      .rto_low_ns = 300};
static const struct fal_tp_row quick = {
    .name = "quick", .in_order = true, .cumulative = true, .answer_ns = 50};
static const struct fal_tp_row nothing = {.name = "nothing"};

enum {
    B = 1 << FAL_TP_BOTH,
    S = 1 << FAL_TP_SENDER,
    R = 1 << FAL_TP_RECEIVER,
    M = 1 << FAL_TP_MIDDLE
};

struct judged {
    const char *rule; /* that is broken; NULL: none is */
    unsigned at;      /* at these vantages, and at no other */
    const struct fal_tp_row *row;
    const char *script;
    const char *excuse; /* of the rule `excused`; NULL: not asked */
    enum fal_k_rule excused;
    const char *both; /* the rule that is broken at BOTH, if it is another */
};

static const struct judged cases[] = {
    /* A whole transfer. */
    {NULL, 0, &reno, "P2 S0 S1 +10 A0 D0 R1 A1 D1 R2 +10 F1 F2 done", NULL, 0, NULL},
    /* K1 */
    {"K1", B, &reno, "P2 S0 S1 +10 A0 D0 R1 +10 F1 F2 done", NULL, 0, NULL},
    {"K1", B | S, &reno, "P3 S0 +10 A0 D0 R1 F1 done", NULL, 0, NULL},
    {"K1", S, &reno, "P2 S0 S1 +10 A0 D0 A1 D1 R2 +10 F1 done", NULL, 0, NULL},
    {"K1", B, &reno, "P2 S0 S1 +10 A0 D0 R1 A1 R2 +10 F1 F2 done", NULL, 0, NULL},
    {NULL, 0, &reno, "P2 S0 S1 +10 A0 A1 R2 +10 F2 done", NULL, 0, NULL},
    {NULL, 0, &reno, "lost P2 S1 +10 A1 +10 F2 done", NULL, 0, NULL},
    /* K2 */
    {"K2", B | R, &reno, "S0 A0 D0 D0", NULL, 0, NULL},
    {"K2", B | R, &reno, "S0 A0 D0 R1 F1 S1 A1 D1 D0", NULL, 0, NULL},
    {"K2", B | R, &reno, "S0 S1 A0 D1", NULL, 0, NULL},
    {"K2", B | R, &reno, "S0 S1 A0 A1 D1 D0", NULL, 0, NULL},
    {"K2", B | R, &reno, "S0 S1 S2 A0 D0 A1 A2 D2", NULL, 0, NULL},
    {NULL, 0, &irn, "S0 S1 A0 A1 D1 D0", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 A0 D0 A0 A0 A1 D1", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 A0 D0 lost D4 D5", "capture-gap", FAL_K2, NULL},
    {"K2", B | R, &reno, "lost A3 D3 A4 D4 A6 D4", NULL, 0, NULL},
    /* K3 */
    {"K3", B | R, &reno, "S0 S1 A0 R2", NULL, 0, NULL},
    {"K3", B | R | M, &reno, "S0 A0 R1 R2", NULL, 0, NULL},
    {"K3", B | R, &sack, "S0 S1 S2 A0 R1:2-3", NULL, 0, NULL},
    {"K3", B | R, &reno, "S0 S1 A0 A1 R2 R1", NULL, 0, NULL},
    {"K3", B | R, &gbn, "S0 S1 +200 A0 D0 A1 D1 R1!1", NULL, 0, NULL},
    {"K3", B | R, &gbn, "S0 S1 +200 A0 A1 R2 R2!0", NULL, 0, NULL},
    {NULL, 0, &gbn, "S0 S1 +200 A0 A1 R1!1", "receiver-drop", FAL_K3, NULL},
    {"K3", B | R, &ndp, "S0 S1 A0 D0 R-!0", NULL, 0, NULL},
    {"K3", B | R, &ndp, "S0 S1 A1 R-:1-2 R-!1", NULL, 0, NULL},
    {"K3", S, &reno, "S0 S1 F3", NULL, 0, NULL},
    {"K3", S, &sack, "S0 S1 F0:1-3", NULL, 0, NULL},
    {"K3", S, &gbn, "S0 S1 F0!2", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 A1 R0 A0 R2 F2", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 A0 A2 R1:2-3 A1 R3", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0 S1 A0 D0 t0 R-!0", "stale", FAL_K3, NULL},
    {NULL, 0, &ndp, "S0 S1 t0 R-!0 A1 R-:1-2", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 A0 R1 lost R5", "capture-gap", FAL_K3, NULL},
    {"K3", B | R | M, &reno, "S0 A0 R1 lost R5 F5 R40", NULL, 0, NULL},
    /* K4: window */
    {"K4", B | S | R | M, &reno, "S0 S1 S2 S3 S4 S5 S6 S7 S8 +9 A0 A1 A2 A3 A4 A5 A6 A7 A8",
     NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 S3 S4 S5 S6 S7 +9 A0 R1 F1 S8 A1 A2 A3 A4 A5 A6 A7 A8", NULL, 0,
     NULL},
    {NULL, 0, &reno, "S0 S1 S2 S3 S4 S5 S6 S7 +9 A1 R0 A2 R0 A3 R0 A4 R0 F0 F0 F0 S0 F0 S8 A8",
     NULL, 0, NULL},
    {"K4", B | S | M, &reno, "S0 S1 S2 S3 S4 S5 S6 S7 +9 F0 S8 S9", NULL, 0, NULL},
    {"K4", B | S | R | M, &irn, "S0 +9 A0 R1w2 +9 F1w2 S1 S2 S3 +9 A1 A2 A3", NULL, 0, NULL},
    {NULL, 0, &irn, "S0 +9 A0 R1w2 +9 F1w2 S1 S2 +9 A1 A2 R3w1 +9 F3w1 S3 +9 A3 R4", NULL, 0,
     NULL},
    {NULL, 0, &irn, "S0 +9 A0 R1w4 F1w4 S1 A1 R2w1 F2w1 S2 S3 S4 A2 A3 A4", NULL, 0, NULL},
    {"K4", B | S, &sack, "S0 S1 S2 S3 S4 S5 S6 S7 +9 F0:5-8 S0 S8 S9 S10 S11 S12 S13 S14 S15",
     NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 S3 S4 S5 S6 S7 +9 A5 A6 A7 F0:5-8 S0 S1 S2 S3 S4 S8", NULL, 0,
     NULL},
    {NULL, 0, &nothing, "S0 S1 S2 S3", "row:max_window", FAL_K4, NULL},
    {NULL, 0, &reno, "S0 S1 lost S9 S10 S11 S30", "capture-gap", FAL_K4, NULL},
    /* K4: rate */
    {"K4", B | S, &gbn, "@1000 S0 S1 +99 S2", NULL, 0, NULL},
    {NULL, 0, &gbn, "@1000 S0 S1 +100 S2 +100 S3 +1000 S4 S5", NULL, 0, NULL},
    {"K4", B | S, &gbn, "@1000 S0 S1 +100 S2 +100 S3 +1000 S4 S5 S6/1", NULL, 0, NULL},
    /* K4: tokens */
    {"K4", B | S | R | M, &ndp, "S0 S1 S2 S3 +9 A0 A1 A2 A3", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0 S1 S2 +9 A0 R-:0-1g1 F-:0-1g1 S3 A1 A2 A3", NULL, 0, NULL},
    {"K4", B | S, &ndp, "S0 S1 S2 +9 t0 R-!0 F-!0 S0", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0 S1 S2 +9 t0 R-!0g1 F-!0g1 S0 +2000 S1", NULL, 0, NULL},
    /* K5 */
    {"K5", B | S, &reno, "S0 S1 S2 +9 F0 S0", NULL, 0, NULL},
    {"K5", B | S, &reno, "S0 S1 S2 S3 +9 F0 F0 S0", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 S3 +9 F0 F0 F0 S0", NULL, 0, NULL},
    {"K5", B | S, &reno, "S0 S1 S2 S3 S4 +9 F0 F0 F0 S0 +9 F0 S0", NULL, 0, NULL},
    {"K5", B | S, &reno, "S0 S1 S2 S3 S4 +9 F0 F0 F0 S0 +9 F2 S2", NULL, 0, NULL},
    {NULL, 0, &newreno, "S0 S1 S2 S3 S4 +9 F0 F0 F0 S0 +9 F2 S2 +9 F5", NULL, 0, NULL},
    {"K5", B | S, &newreno, "S0 S1 S2 S3 S4 +9 F0 F0 F0 S0 +9 F2 S2 S3", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 +1000 S0 S1 +500 F2 S2", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 +500 F1 +999 S1", NULL, 0, NULL}, /* since S1: more than 1000 */
    {"K5", B | S, &sack, "S0 S1 S2 S3 +9 F0:1-3 S0", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 S3 +9 F0:1-4 S0", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 S3 S4 S5 +9 F0:1-2:3-5 S0 S2 S5", NULL, 0, NULL},
    {"K5", B | S, &sack, "S0 S1 S2 S3 S4 S5 +9 F0:1-2:3-5 S0 S2 +9 F0:1-2:3-6 S2", NULL, 0,
     NULL},
    {NULL, 0, &rack, "S0 S1 S2 S3 +9 F0:2-3 S1 S0", NULL, 0, NULL},
    {NULL, 0, &rack, "S0 S1 S2 S3 +9 F3 +200 S3", NULL, 0, NULL},
    {"K5", B | S, &rack, "S0 S1 S2 S3 +9 F1 S1", NULL, 0, NULL},
    {"K10", B | S, &rack, "S0 S1 S2 S3 +9 F3 +200 S3 +200 S3", NULL, 0, "K5"},
    {"K5", B | S, &gbn, "S0 S1 +100 S2 +200 F1 S1", NULL, 0, NULL},
    {NULL, 0, &gbn, "S0 S1 +100 S2 +200 F1!1 S1 +100 S2", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0 S1 S2 +9 F-!1g1 S1", NULL, 0, NULL},
    {"K5", B | S, &ndp, "S0 S1 S2 +9 F-!1g1 S0", NULL, 0, NULL},
    {NULL, 0, &irn, "S0 S1 S2 S3 +9 F1:2-3!1 S1", NULL, 0, NULL},
    {NULL, 0, &irn, "S0 S1 +300 S0", NULL, 0, NULL},
    {NULL, 0, &nothing, "S0 S1 +9 S0", "row:rto_min_ns", FAL_K5, NULL},
    {NULL, 0, &reno, "S0 S1 S2 lost +9 F0 S0", "capture-gap", FAL_K5, NULL},
    {NULL, 0, &reno, "S0 A0 A0 R1 R1", NULL, 0, NULL},
    {NULL, 0, &adapts, "S0 S1 S2 S3 +9 F0 S0", NULL, 0, NULL},
    /* A sender that does not count the first one sends S4 by limited transmit, and begins the
     * recovery after it. */
    {NULL, 0, &newreno, "S0 S1 S2 S3 +9 F0u F0 F0 S4 F0 S0 +9 F4 S4", NULL, 0, NULL},
    {"K5", B | S, &newreno, "S0 S1 S2 S3 +9 F0 F0 F0 S0 S4 +9 F4 S4", NULL, 0, NULL},
    /* K6 */
    {"K6", B | S, &adapts, "S0 S1 S2 S3 +9 F0 F0 F0 S4 S0", NULL, 0, NULL},
    {NULL, 0, &adapts, "S0 S1 S2 S3 +9 F0 F0 S4 S0", NULL, 0, NULL},
    {"K6", B | S, &reno, "S0 S1 S2 S3 +9 F0u F0 F0 F0 S4 S0", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 S3 +9 F0u F0 F0 S4 F0 S0", NULL, 0, NULL},
    {"K6", B | S, &sack, "S0 S1 S2 S3 S4 +9 F0:1-2 F0:1-3 F0:1-4 S5 S0", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1/10 S2/10 S3/10 S4 +9 F0:1-4 S5 S0", NULL, 0, NULL},
    {"K6", B | S, &sack, "S0 S1/10 S2 S3 S4/10 S5 +9 F0:1-5 S6 S0", NULL, 0, NULL},
    {"K6", B | S, &reno, "S0 S1 S2 S3 +9 F0 F0 F0 S4 S0", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 S2 S3 +9 F0 S4 F0 S5 F0 S0 S6", NULL, 0, NULL},
    {"K6", B | S, &sack, "S0 S1 S2 S3 +9 F0:1-4 S4", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 S3 +9 F0:1-3 S4", NULL, 0, NULL},
    {"K6", B | S, &ndp, "S0 S1 +9 F-!1g9 S2 S1", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0 S1 +9 R-!1g9 F-!1g9 S1 S2 +9 F-!1g9 S3", NULL, 0, NULL},
    {"K6", B | S, &gbn, "S0 S1 +200 F0!0 S2", NULL, 0, NULL},
    {"K6", B | S, &reno, "S0 S1 +1000 T S2 S0", NULL, 0, NULL},
    {NULL, 0, &rack, "S0 S1 +1000 T S2 S0", NULL, 0, NULL},
    {NULL, 0, &reno, "lost S0 S1 S2 S3 +9 F0 F0 F0 S4 S0", NULL, 0, NULL},
    /* K7 */
    {"K7", B | S | M, &reno, "S0=5 S1 +1000 S0=6", NULL, 0, NULL},
    {"K7", B | S | M, &reno, "S0/100 S1 +1000 S0/99", NULL, 0, NULL},
    {"K7", R, &reno, "A0=5 A0=6", NULL, 0, NULL},
    {NULL, 0, &reno, "S0=5 S1=6 +1000 S0=5 A0=5 A0=5", NULL, 0, NULL},
    {NULL, 0, &ndp, "S0=5 t0/0 R-!0 A0=5", NULL, 0, NULL},
    /* K8 */
    {"K8", B | S, &reno, "S0 S1 +8001 F1", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 +8000 S0 +8000", NULL, 0, NULL},
    {"K8", B | S, &reno, "S0 +8001", NULL, 0, NULL},
    {"K8", B | S, &reno, "P2 S0 +100 F1 +501 S1", NULL, 0, NULL},
    {NULL, 0, &reno, "P2 S0 +100 F1 +500 S1 +9 F2 +99999", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 +8000 reset +9999", NULL, 0, NULL},
    {NULL, 0, &irn, "S0 +9999 F1", "row:rto_max_ns", FAL_K8, NULL},
    {"K8", B | R, &quick, "S0 A0 +51 R1", NULL, 0, NULL},
    {NULL, 0, &quick, "S0 A0 +50 R1 A2 +99", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 lost +9999 F1", NULL, 0, NULL},
    /* K9 */
    {"K9", B | S, &gbn, "S0 S1 +200 S2 +200 F1!1 S2", NULL, 0, NULL},
    {"K9", B | S, &gbn, "S0 S1 +200 S2 +200 F1!1 S0", NULL, 0, NULL},
    {"K9", B | S, &gbn, "S0 S1 +200 S2 S3 +200 F1!1 S1 S3", NULL, 0, NULL},
    {NULL, 0, &gbn, "S0 S1 +200 S2 S3 +200 F1!1 S1 S2 +200 S3 F4 S4", NULL, 0, NULL},
    {NULL, 0, &gbn, "S0 S1 +200 S2 S3 +200 F1!1 S1 F3 S3 +200 S4", NULL, 0, NULL},
    {"K9", B | S, &irn, "S0 S1 S2 S3 +9 F1:2-3!1 S1 S2", NULL, 0, NULL},
    {"K9", B | S, &reno, "S0 S1 +9 F2 S0", NULL, 0, NULL},
    {"K9", B | S, &reno, "S0 S1 +9 F2 +2000 S0", NULL, 0, NULL},
    {NULL, 0, &sack, "S0 S1 S2 S3 +9 F0:1-2 +1000 S0 S1", NULL, 0, NULL},
    /* K10 */
    {"K10", B | S, &reno, "S0 S1 +999 T S0", NULL, 0, NULL},
    {NULL, 0, &reno, "S0 S1 +1000 T S0", NULL, 0, NULL},
    {"K10", B | S, &reno, "S0 S1 +500 S0", NULL, 0, "K5"},
    {"K9", B | S, &irn, "S0 S1 S2 S3 S4 +9 F0:2-3:4-5!0 S1 S0", NULL, 0, NULL},
    {"K10", B | S, &reno, "S0 +1000 T S0 +500 T S0", NULL, 0, NULL},
    {"K10", B | S, &irn, "S0 S1 +299 T S0", NULL, 0, NULL},
    /* K10: each timeout without progress doubles the next. */
    {"K10", B | S, &adapts, "S0 S1 +1000 S0 +1999 S0", NULL, 0, "K5"},
    {NULL, 0, &adapts, "S0 S1 +1000 S0 +2000 S0 +4000 S0", NULL, 0, NULL},
    {"K10", B | S, &adapts, "S0 S1 +1000 S0 +2000 S0 +3999 S0", NULL, 0, "K5"},
    {NULL, 0, &adapts, "S0 S1 S2 +1000 S0 +9 F1 +1000 S1", NULL, 0, NULL},
    {"K10", B | S, &adapts, "S0 +1000 T S0 +1999 T S0", NULL, 0, NULL},
    {NULL, 0, &adapts, "S0 +1000 T S0 +2000 T S0 +4000 T S0 +8000 T S0 +8000 T S0", NULL, 0,
     NULL},
    {NULL, 0, &probes, "S0 +1000 S0 +1000 S0", NULL, 0, NULL},
    {NULL, 0, &probes, "S0 S1 S2 +1000 S0 +9 F0:1-2 +1000 S0", NULL, 0, NULL},
    {"K10", B | S, &probes, "S0 S1 S2 +1000 S0 +1009 S0", NULL, 0, "K5"},
    {NULL, 0, &reno, "S0 S1 +1000 S0 +1000 S0", NULL, 0, NULL},
    {NULL, 0, &nothing, "S0 S1 +1 T S0", "row:rto_min_ns", FAL_K10, NULL},
    {NULL, 0, &reno, "S0 F1 T", "nothing-in-flight", FAL_K10, NULL},
    {NULL, 0, &reno, "@500 S0 S1 @400 T @501 S0", "clock", FAL_K10, NULL},
};

START_TEST(each_rule_is_broken_by_its_cases_alone)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct judged *c = &cases[i];

        for (enum fal_tp_vantage v = FAL_TP_BOTH; v <= FAL_TP_MIDDLE; v++) {
            const struct fal_tp_view view = {.vantage = v, .complete = true};
            struct script_result r;

            script_play(c->script, c->row, &view, &r);
            for (unsigned k = 0; k < FAL_K_RULES; k++) {
                const bool expected =
                    c->rule != NULL && (c->at & (1U << v)) != 0 &&
                    strcmp(r.tally.rules[k].id,
                           c->both != NULL && v == FAL_TP_BOTH ? c->both : c->rule) == 0;

                if ((r.rows[k].broken > 0) == expected)
                    continue;
                wrong++;
                printf("case %zu, vantage %d, %s: \"%s\": %s\n", i, (int)v, r.tally.rules[k].id,
                       c->script, r.rows[k].broken > 0 ? r.rows[k].findings[0].what : "held");
            }
            if (c->excuse != NULL && v == FAL_TP_BOTH)
                ck_assert_msg(r.rows[c->excused].excuse != NULL &&
                                  strcmp(r.rows[c->excused].excuse, c->excuse) == 0,
                              "case %zu: \"%s\": %s", i, c->script,
                              r.rows[c->excused].excuse != NULL ? r.rows[c->excused].excuse
                                                                : "no excuse");
        }
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* Where any event may be missing, a rule fails nobody for what was not seen. */
START_TEST(a_view_with_gaps_shows_only_what_it_shows)
{
    static const char positive[] = "K2 K7 K9";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum fal_tp_vantage v = FAL_TP_BOTH; v <= FAL_TP_MIDDLE; v++) {
            const struct fal_tp_view view = {.vantage = v};
            struct script_result r;

            script_play(cases[i].script, cases[i].row, &view, &r);
            for (unsigned k = 0; k < FAL_K_RULES; k++)
                ck_assert_msg(r.rows[k].broken == 0 ||
                                  strstr(positive, r.tally.rules[k].id) != NULL ||
                                  strstr(r.rows[k].findings[0].what, "NACK") != NULL ||
                                  strstr(r.rows[k].findings[0].what, "went back") != NULL ||
                                  strstr(r.rows[k].findings[0].what, "bursts") != NULL,
                              "case %zu, vantage %d, %s: \"%s\": %s", i, (int)v,
                              r.tally.rules[k].id, cases[i].script, r.rows[k].findings[0].what);
        }
}
END_TEST

/* The declared allowance of the sender spares what was under way. */
START_TEST(a_segment_under_way_is_spared)
{
    static const struct {
        const char *script;
        enum fal_k_rule rule;
    } late[] = {
        {"S0 S1 S2 S3 +9 F0 F0 F0 +49 S4 S0", FAL_K6},
        {"S0 S1 +9 F2 +49 S0", FAL_K9},
        {"S0 S1 +951 S0", FAL_K10},
    };

    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        struct fal_tp_view view = {.vantage = FAL_TP_SENDER, .complete = true};
        struct script_result r;

        script_play(late[i].script, &reno, &view, &r);
        ck_assert_msg(r.rows[late[i].rule].broken == 1, "%s", late[i].script);
        view.pipeline_ns = 50;
        script_play(late[i].script, &reno, &view, &r);
        ck_assert_msg(r.rows[late[i].rule].broken == 0, "%s", late[i].script);
    }
}
END_TEST

/* Named variants of TCP, at the sender. What one allows is a violation where it is not
 * declared. PRR and undo change only when and how much is sent within the window, so that no
 * rule needs to know of them. */
START_TEST(a_variant_is_spared_where_it_is_declared)
{
    static const struct {
        const char *name, *script;
        struct fal_tp_row variant; /* what is added to the row `sack` */
        enum fal_k_rule rule;      /* violated without it; FAL_K_RULES: none */
    } variants[] = {
        {"F-RTO (RFC 5682 2.1)", "S0 S1 +1000 T S2 +9 F1 S1", {.frto = true}, FAL_K6},
        {"TLP (RFC 8985 7)", "S0 S1 S2 S3 +9 F3 +200 S3", {.tail_probe = true}, FAL_K10},
        {"RACK (RFC 8985 6)", "S0 S1 S2 S3 +9 F0:2-3 +9 S1", {.reorder_by_time = true}, FAL_K5},
        {"early threshold", "S0 S1 S2 S3 +9 F0 S0", {.dup_least = 1}, FAL_K5},
        {"PRR (RFC 6937)",
         "S0 S1 S2 S3 S4 S5 +9 F0:1-4 S0 +9 F0:1-5 +9 F0:1-6 S6 +9 F6 S7",
         {.rto_low_ns = 0},
         FAL_K_RULES},
        {"undo by timestamps (RFC 3522)",
         "S0 S1 S2 S3 S4 +9 F0:1-4 S0 +9 F5 S5 S6 S7 S8 S9 S10 S11 S12",
         {.undo = true},
         FAL_K_RULES},
        {"undo by D-SACK (RFC 3708)",
         "S0 S1 S2 S3 +1000 S0 +9 F4 S4 +9 F4:0-1 S5 S6 S7 S8 S9",
         {.undo = true},
         FAL_K_RULES},
    };

    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        for (unsigned with = 0; with < 2; with++) {
            const struct fal_tp_view view = {.vantage = FAL_TP_SENDER, .complete = true};
            const struct fal_tp_row *v = &variants[i].variant;
            struct fal_tp_row row = sack;
            struct script_result r;

            if (with) {
                row.frto = v->frto;
                row.tail_probe = v->tail_probe;
                row.reorder_by_time = v->reorder_by_time;
                row.dup_least = v->dup_least;
                row.undo = v->undo;
            }
            script_play(variants[i].script, &row, &view, &r);
            for (unsigned k = 0; k < FAL_K_RULES; k++)
                ck_assert_msg((r.rows[k].broken > 0) == (!with && variants[i].rule == k),
                              "%s, %sdeclared, K%u: %s", variants[i].name, with ? "" : "not ",
                              k + 1,
                              r.rows[k].broken > 0 ? r.rows[k].findings[0].what : "held");
        }
}
END_TEST

/* No prefix of a case fails where the whole passes. */
START_TEST(a_prefix_fails_no_more_than_the_whole)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *script = strdup(cases[i].script), *space;
        const struct fal_tp_view view = {.complete = true};
        struct script_result r;

        while (cases[i].rule == NULL && (space = strrchr(script, ' ')) != NULL) {
            *space = 0;
            script_play(script, cases[i].row, &view, &r);
            for (unsigned k = 0; k < FAL_K_RULES; k++)
                ck_assert_msg(r.rows[k].broken == 0, "case %zu: \"%s\"", i, script);
        }
        free(script);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transport_judge");
    TCase *tc = tcase_create("transport_judge");

    tcase_add_test(tc, each_rule_is_broken_by_its_cases_alone);
    tcase_add_test(tc, a_view_with_gaps_shows_only_what_it_shows);
    tcase_add_test(tc, a_segment_under_way_is_spared);
    tcase_add_test(tc, a_variant_is_spared_where_it_is_declared);
    tcase_add_test(tc, a_prefix_fails_no_more_than_the_whole);
    suite_add_tcase(suite, tc);
    return suite;
}
