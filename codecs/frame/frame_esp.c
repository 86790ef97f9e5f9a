/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/frame_walk.h"

static bool form_of(const struct fal_walk *walk, const uint8_t *esp, struct fal_esp_form *form)
{
    struct fal_psp_dst dst = fal_walk_receiver(walk->frame);

    return fal_esp_find(walk->options->esp_keys, &dst, (uint32_t)fal_bits_get(esp, 0, 32),
                        form);
}

bool fal_walk_esp_known(const struct fal_walk *walk)
{
    struct fal_esp_form form;

    return walk->left >= FAL_ESP_HEADER_LEN && form_of(walk, walk->at, &form);
}

/* ---- the trailer ---- */

/* Padding is 1, 2, 3, ... (RFC 4303, section 2.4). */
static void lint_padding(struct fal_walk *walk, const uint8_t *padding, size_t len,
                         uint32_t offset)
{
    for (size_t i = 0; i < len; i++) {
        if (padding[i] == (uint8_t)(i + 1))
            continue;
        fal_lint_add_values(&walk->frame->issues, FAL_LINT_PADDING,
                            &(struct fal_lint_at){NULL, "esp", NULL, offset + (uint32_t)i},
                            padding[i], (uint8_t)(i + 1));
        return;
    }
}

/* Takes padding, pad length and next header off the end of what is left, which is whole and has
 * room for the last two. False when the padding does not fit: the rest is then raw. */
static bool take_trailer(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    size_t before = walk->left - FAL_ESP_TRAILER_MIN, padding;

    fal_esp_trailer_layout.decode(walk->at + before, &frame->esp_trailer);
    padding = frame->esp_trailer.pad_length;
    if (padding > before) {
        fal_lint_add_values(&frame->issues, FAL_LINT_HEADER,
                            &(struct fal_lint_at){NULL, "esp",
                                                  &fal_esp_trailer_layout.fields[0],
                                                  walk->offset + (uint32_t)before},
                            padding, before);
        frame->damaged = true;
        fal_walk_raw(walk);
        return false;
    }
    before -= padding;
    frame->esp_has_trailer = true;
    frame->esp_padding = (struct fal_span){walk->at + before, padding};
    if (!walk->options->no_lint)
        lint_padding(walk, walk->at + before, padding, walk->offset + (uint32_t)before);
    walk->left = walk->wire = before;
    return true;
}

static void walk_next(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;

    if (!take_trailer(walk))
        return;
    fal_walk_opened(walk, "esp", &fal_esp_trailer_layout.fields[1],
                    frame->esp_trailer.next_header,
                    walk->offset + (uint32_t)(walk->left + frame->esp_padding.len));
}

/* ---- the packet ---- */

static void stay_sealed(struct fal_walk *walk)
{
    walk->frame->payload = (struct fal_span){walk->at, walk->left};
}

/* The IV, which is part of the ESP layer. */
static void take_iv(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;

    fal_esp_iv_layout.decode(walk->at, &frame->esp_iv);
    frame->esp_has_iv = true;
    frame->layers[frame->num_layers - 1].len += FAL_ESP_IV_LEN;
    fal_walk_skip(walk, FAL_ESP_IV_LEN);
}

/* Takes the ICV off the end of what is left, which is whole. */
static void take_icv(struct fal_walk *walk, size_t len)
{
    walk->left -= len;
    walk->wire -= len;
    walk->frame->esp_icv = (struct fal_span){walk->at + walk->left, len};
}

/* `packet`: from the ESP header on, `len` bytes, all there. */
static void open_gcm(struct fal_walk *walk, const struct fal_esp_form *form,
                     const uint8_t *packet, size_t len)
{
    struct fal_frame *frame = walk->frame;
    struct fal_psp_dst dst = fal_walk_receiver(frame);

    take_icv(walk, form->icv_len);
    frame->esp_state = FAL_PSP_NO_KEY;
    if (walk->scratch != NULL)
        frame->esp_state = fal_esp_open_to(walk->options->esp_keys, &dst, packet, len,
                                           walk->scratch, &frame->esp_sequence_high);
    if (frame->esp_state == FAL_PSP_BAD) {
        fal_lint_add(&frame->issues, FAL_LINT_ICV, NULL, "esp", NULL,
                     walk->offset + (uint32_t)walk->left);
        frame->damaged = true;
    }
    if (frame->esp_state == FAL_PSP_GOOD ||
        (frame->esp_state == FAL_PSP_BAD && walk->options->unproven)) {
        walk->at = walk->scratch;
        walk_next(walk);
        return;
    }
    stay_sealed(walk);
}

void fal_walk_esp(struct fal_walk *walk)
{
    struct fal_frame *frame = walk->frame;
    const uint8_t *packet = walk->at;
    uint32_t offset = walk->offset;
    size_t len = walk->wire, around;
    bool whole = walk->left == walk->wire, known;
    struct fal_esp_form form;

    known = fal_walk_esp_known(walk);
    if (known && !fal_frame_has(frame, FAL_LAYER_UDP))
        fal_walk_lint_ip(walk);
    if (!fal_walk_header(walk, FAL_LAYER_ESP, &frame->esp))
        return;
    frame->esp_state = whole ? FAL_PSP_NO_KEY : FAL_PSP_TRUNCATED;
    if (!known || !form_of(walk, packet, &form)) {
        stay_sealed(walk);
        return;
    }
    around = (size_t)form.iv_len + form.icv_len + FAL_ESP_TRAILER_MIN;
    if (walk->wire < around) {
        frame->esp_state = FAL_PSP_BAD;
        fal_walk_ended(walk, FAL_LAYER_ESP, around, offset);
        return;
    }
    if (form.iv_len > 0 && walk->left >= form.iv_len)
        take_iv(walk);
    if (!whole) {
        stay_sealed(walk);
        return;
    }
    if (form.algorithm != FAL_ESP_NULL) {
        open_gcm(walk, &form, packet, len);
        return;
    }
    take_icv(walk, form.icv_len);
    frame->unauthenticated = true;
    walk_next(walk);
}
