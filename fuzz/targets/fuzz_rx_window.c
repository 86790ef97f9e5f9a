/* SPDX-License-Identifier: Apache-2.0
 * fuzz_rx_window.c - a receive window under any sequence of acts, compared with a simple model:
 * an array with the state of every PSN since the first. The window's state of each PSN, its
 * base, its bitmaps, and the bitmaps in an EACK must equal those of the array.
 * The input: a byte (which window), the first base (4), then acts: kind (1), a PSN relative to
 * the base (2, signed); a claim has two bitmaps in addition (32). */
#include "codecs/header/falcon.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/endpoint/base/rxwin.h"

#include <stdlib.h>

enum { ACTS_MAX = 256, SPAN = (ACTS_MAX + 2) * 256 };

enum psn_state { NOTHING, RECEIVED, ACKNOWLEDGED };

struct model {
    uint32_t first, size;
    size_t base; /* index of the oldest PSN that is not acknowledged */
    uint8_t state[SPAN];
};

static void slide(struct model *model)
{
    while (model->state[model->base] == ACKNOWLEDGED)
        model->base++;
}

/* Index of a PSN in the window, or SPAN. */
static size_t inside(const struct model *model, uint32_t psn)
{
    uint32_t ahead = psn - (model->first + (uint32_t)model->base);

    return ahead < model->size ? model->base + ahead : SPAN;
}

static enum fal_rx say(const struct model *model, uint32_t psn)
{
    int64_t ahead = (int32_t)(psn - (model->first + (uint32_t)model->base));

    if (ahead < 0)
        return FAL_RX_OLD;
    if (ahead >= model->size)
        return FAL_RX_BEYOND;
    switch ((enum psn_state)model->state[model->base + (size_t)ahead]) {
    case NOTHING: return FAL_RX_NEW;
    case RECEIVED: return FAL_RX_RECEIVED;
    case ACKNOWLEDGED: return FAL_RX_DUPLICATE;
    }
    return FAL_RX_NEW;
}

static void claim(struct model *model, uint32_t base, fal_u128 ack, fal_u128 rx)
{
    uint32_t ahead = base - (model->first + (uint32_t)model->base);

    if (ahead > model->size)
        return;
    for (uint32_t n = 0; n < ahead; n++)
        model->state[model->base + n] = ACKNOWLEDGED;
    model->base += ahead;
    for (unsigned n = 0; n < model->size; n++) {
        uint8_t *state = &model->state[model->base + n];

        if (fal_u128_test(ack, n))
            *state = ACKNOWLEDGED;
        else if (fal_u128_test(rx, n) && *state == NOTHING)
            *state = RECEIVED;
    }
    slide(model);
}

/* As an EACK carries the bitmaps, and back. */
static void check_eack(const struct fal_rxwin *win)
{
    struct fal_falcon eack, again;
    uint8_t wire[FAL_HEADER_MAX];
    bool data = win->size > 64;

    fal_falcon_init(&eack, FAL_EACK);
    if (data) {
        eack.recv_data_base_psn = win->base;
        eack.data_ack_bitmap = win->ack;
        eack.data_rx_bitmap = win->rx;
    } else {
        eack.recv_req_base_psn = win->base;
        eack.req_bitmap = fal_u128_lo(win->ack);
    }
    if (fal_falcon_encode(&eack, NULL, 0, wire, sizeof wire, NULL) <= 0 ||
        fal_falcon_decode(wire, sizeof wire, &again) <= 0)
        fuzz_broken("rx_window: an EACK of these bitmaps cannot be");
    if (data
            ? again.data_ack_bitmap != win->ack || again.data_rx_bitmap != win->rx ||
                  again.recv_data_base_psn != win->base
            : again.req_bitmap != fal_u128_lo(win->ack) || again.recv_req_base_psn != win->base)
        fuzz_broken("rx_window: an EACK says something else");
}

static void check(const struct model *model, const struct fal_rxwin *win, uint32_t psn)
{
    bool holes = false, gap = false;

    if (win->base != model->first + (uint32_t)model->base)
        fuzz_broken("rx_window: base %u is due, and is %u",
                    model->first + (uint32_t)model->base, win->base);
    for (unsigned n = 0; n < 128; n++) {
        uint8_t state = n < model->size ? model->state[model->base + n] : NOTHING;

        if (fal_u128_test(win->rx, n) != (state != NOTHING) ||
            fal_u128_test(win->ack, n) != (state == ACKNOWLEDGED))
            fuzz_broken("rx_window: bit %u is not what happened", n);
        if (state == NOTHING)
            gap = true;
        else
            holes |= gap;
    }
    if (fal_rxwin_holes(win) != holes)
        fuzz_broken("rx_window: holes, or not");
    if (fal_rxwin_check(win, psn) != say(model, psn))
        fuzz_broken("rx_window: psn %u is not where it is", psn);
    check_eack(win);
}

static void act(struct model *model, struct fal_rxwin *win, struct fuzz_reader *reader)
{
    uint8_t what = fuzz_u8(reader);
    uint32_t psn = win->base + fuzz_near16(reader);
    size_t at = inside(model, psn);

    switch (what % 5) {
    case 0:
        fal_rxwin_receive(win, psn);
        if (at < SPAN && model->state[at] == NOTHING)
            model->state[at] = RECEIVED;
        break;
    case 1:
        fal_rxwin_ack(win, psn);
        if (at < SPAN)
            model->state[at] = ACKNOWLEDGED;
        slide(model);
        break;
    case 2:
        fal_rxwin_forget(win, psn);
        if (at < SPAN && model->state[at] == RECEIVED)
            model->state[at] = NOTHING;
        break;
    case 3: {
        fal_u128 ack = fuzz_u128(reader), rx = fuzz_u128(reader);

        fal_rxwin_claim(win, psn, ack, rx);
        claim(model, psn, ack, rx);
        break;
    }
    default: /* a number far away */ psn = fuzz_u32(reader); break;
    }
    check(model, win, psn);
}

void fuzz_rx_window(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    struct model *model = calloc(1, sizeof *model);
    struct fal_rxwin win = {0};

    if (model == NULL)
        return;
    model->size = win.size = fuzz_u8(&reader) % 2 == 0 ? FAL_RX_WINDOW_REQ : FAL_RX_WINDOW_DATA;
    model->first = win.base = fuzz_u32(&reader);
    for (unsigned i = 0; i < ACTS_MAX && reader.left > 0; i++)
        act(model, &win, &reader);
    free(model);
}
