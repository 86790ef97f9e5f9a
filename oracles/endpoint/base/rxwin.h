/* SPDX-License-Identifier: Apache-2.0
 * rxwin.h - a receive window (9.2.1, 9.2.2.4): which packets were received, which acknowledged.
 *
 * Only acknowledged packets move the base (AMB-01 B): a push is acknowledged by its ULP, any
 * other packet on receipt. Invariant between calls: bit 0 of `ack` is 0, `ack` is part of `rx`,
 * and no bit stands at or beyond `size`. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_RXWIN_H
#define FAL_ORACLES_ENDPOINT_BASE_RXWIN_H

#include "codecs/base/u128.h"

#include <stdbool.h>
#include <stdint.h>

enum fal_rx {
    FAL_RX_NEW,       /* in the window, not received before */
    FAL_RX_RECEIVED,  /* in the window, received, not acknowledged */
    FAL_RX_DUPLICATE, /* in the window, acknowledged */
    FAL_RX_OLD,       /* left of the window */
    FAL_RX_BEYOND,    /* right of the window */
};

struct fal_rxwin {
    uint32_t base;    /* RBPSN, DBPSN: the oldest PSN that is not acknowledged */
    uint32_t size;    /* 64 for requests, 128 for data */
    bool own;         /* a packet right of the window was dropped, and no EACK told so yet */
    fal_u128 rx, ack; /* bit n: base + n */
};

/* Where a PSN stands. Changes nothing. */
enum fal_rx fal_rxwin_check(const struct fal_rxwin *win, uint32_t psn);

/* Marks a PSN in the window received; others are ignored. */
void fal_rxwin_receive(struct fal_rxwin *win, uint32_t psn);

/* Marks a PSN in the window received and acknowledged, and moves the base over what is; others
 * are ignored. */
void fal_rxwin_ack(struct fal_rxwin *win, uint32_t psn);

/* Takes back that a PSN was received, as long as it is not acknowledged (AMB-65 B). */
void fal_rxwin_forget(struct fal_rxwin *win, uint32_t psn);

/* Makes a claim true that was sent in this receiver's name: all before `base`, when that is at
 * most the window's size ahead, and the bits that stand for base + n, are received, or
 * acknowledged too. */
void fal_rxwin_claim(struct fal_rxwin *win, uint32_t base, fal_u128 ack, fal_u128 rx);

/* Ones that are not consecutive from bit 0: something is missing (9.1.6). */
bool fal_rxwin_holes(const struct fal_rxwin *win);

#endif
