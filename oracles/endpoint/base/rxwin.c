/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/rxwin.h"

#include <assert.h>

/* The invariant of rxwin.h. */
static bool sound(const struct fal_rxwin *win)
{
    return win->size <= 128 && !fal_u128_test(win->ack, 0) && (win->ack & ~win->rx) == 0 &&
           (win->rx & ~fal_u128_ones(win->size)) == 0;
}

/* The number of ones from bit 0 on. */
static unsigned ones(fal_u128 v)
{
    if (~fal_u128_lo(v) != 0)
        return (unsigned)__builtin_ctzll(~fal_u128_lo(v));
    return 64 + (~fal_u128_hi(v) != 0 ? (unsigned)__builtin_ctzll(~fal_u128_hi(v)) : 64);
}

static void shift(struct fal_rxwin *win, unsigned n)
{
    win->base += n;
    win->rx = fal_u128_shr(win->rx, n);
    win->ack = fal_u128_shr(win->ack, n);
}

enum fal_rx fal_rxwin_check(const struct fal_rxwin *win, uint32_t psn)
{
    uint32_t ahead = psn - win->base;

    if (ahead == 0) /* bit 0 of `ack` is 0 */
        return (win->rx & 1) != 0 ? FAL_RX_RECEIVED : FAL_RX_NEW;
    assert(sound(win));
    if (ahead > INT32_MAX) /* less, mod 2^32 (AMB-09) */
        return FAL_RX_OLD;
    if (ahead >= win->size)
        return FAL_RX_BEYOND;
    if (fal_u128_test(win->ack, ahead))
        return FAL_RX_DUPLICATE;
    return fal_u128_test(win->rx, ahead) ? FAL_RX_RECEIVED : FAL_RX_NEW;
}

void fal_rxwin_receive(struct fal_rxwin *win, uint32_t psn)
{
    if (psn - win->base < win->size)
        win->rx = fal_u128_with(win->rx, psn - win->base);
    assert(sound(win));
}

void fal_rxwin_ack(struct fal_rxwin *win, uint32_t psn)
{
    if (psn == win->base && win->ack == 0) { /* the next one, and none beyond it */
        win->base++;
        win->rx >>= 1;
        return;
    }
    if (psn - win->base >= win->size)
        return;
    win->rx = fal_u128_with(win->rx, psn - win->base);
    win->ack = fal_u128_with(win->ack, psn - win->base);
    shift(win, ones(win->ack));
    assert(sound(win));
}

void fal_rxwin_forget(struct fal_rxwin *win, uint32_t psn)
{
    uint32_t ahead = psn - win->base;
    fal_u128 bit = fal_u128_with(0, ahead < win->size ? ahead : 0);

    if (ahead < win->size && !fal_u128_test(win->ack, ahead))
        win->rx &= ~bit;
    assert(sound(win));
}

void fal_rxwin_claim(struct fal_rxwin *win, uint32_t base, fal_u128 ack, fal_u128 rx)
{
    uint32_t ahead = base - win->base;

    if (ahead > win->size)
        return; /* behind: acknowledgements since then stay; too far ahead: the peer would
                   ignore it */
    shift(win, ahead);
    rx = (rx | ack) & fal_u128_ones(win->size);
    ack &= fal_u128_ones(win->size);
    win->rx |= rx;
    win->ack |= ack;
    shift(win, ones(win->ack));
    assert(sound(win));
}

bool fal_rxwin_holes(const struct fal_rxwin *win)
{
    return fal_u128_shr(win->rx, ones(win->rx)) != 0;
}
