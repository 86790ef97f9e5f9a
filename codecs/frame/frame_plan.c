/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/frame_plan.h"

enum { WORD = 4 };

bool fal_plan_is_esp(const struct fal_plan *plan)
{
    return plan->seal >= 0 && plan->frame->layers[plan->seal].id == FAL_LAYER_ESP;
}

bool fal_plan_writes_vc(const struct fal_plan *plan)
{
    const struct fal_frame *frame = plan->frame;
    bool gave_up = frame->psp_state == FAL_PSP_BAD ||
                   (frame->psp_state == FAL_PSP_TRUNCATED && !frame->unauthenticated);

    if (!frame->psp.v || !plan->as_is)
        return frame->psp.v;
    if (gave_up && fal_frame_has(frame, FAL_LAYER_RAW))
        return false;
    return !fal_psp_encrypts(frame->psp.version) ||
           frame->psp.crypt_offset * (size_t)WORD >= FAL_PSP_VC_LEN;
}

static size_t options_size(const struct fal_plan *plan, const struct fal_span *options)
{
    return (plan->keep & FAL_KEEP_LENGTHS) != 0 ? options->len
                                                : (options->len + WORD - 1) / WORD * WORD;
}

/* Bytes of a layer, or FAL_ERR_TYPE. */
static int layer_size(const struct fal_plan *plan, enum fal_layer_id id, size_t *size)
{
    const struct fal_frame *frame = plan->frame;
    const struct fal_layout *layout = fal_layer_layout(id);
    size_t more = 0;

    switch (id) {
    case FAL_LAYER_ETH:
    case FAL_LAYER_SLL:
    case FAL_LAYER_SLL2:
    case FAL_LAYER_VLAN:
    case FAL_LAYER_INNER_VLAN:
    case FAL_LAYER_IPV6:
    case FAL_LAYER_UDP:
    case FAL_LAYER_INNER_IPV6:
    case FAL_LAYER_ROCE: break;
    case FAL_LAYER_IPV4: more = options_size(plan, &frame->ipv4_options); break;
    case FAL_LAYER_INNER_IPV4: more = options_size(plan, &frame->inner_ipv4_options); break;
    case FAL_LAYER_IPV6_EXT: *size = frame->ipv6_ext.len; return 0;
    case FAL_LAYER_INNER_IPV6_EXT: *size = frame->inner_ipv6_ext.len; return 0;
    case FAL_LAYER_PSP:
        more = (fal_plan_writes_vc(plan) ? FAL_PSP_VC_LEN : 0u) +
               (plan->as_is ? frame->psp_clear.len : 0u);
        break;
    case FAL_LAYER_ESP: more = plan->iv; break;
    case FAL_LAYER_FALCON: layout = fal_falcon_layout(frame->falcon.packet_type); break;
    case FAL_LAYER_RAW: *size = frame->raw.len; return 0;
    case FAL_LAYER_COUNT: break;
    }
    if (layout == NULL)
        return FAL_ERR_TYPE;
    *size = layout->size_bytes + more;
    return 0;
}

/* Which layer seals; FAL_ERR_TYPE when two do. */
static int find_seal(struct fal_plan *plan)
{
    const struct fal_frame *frame = plan->frame;

    plan->seal = -1;
    for (size_t i = 0; i < frame->num_layers; i++) {
        if (frame->layers[i].id != FAL_LAYER_PSP && frame->layers[i].id != FAL_LAYER_ESP)
            continue;
        if (plan->seal >= 0)
            return FAL_ERR_TYPE; /* one header cannot stand for two packets */
        plan->seal = (int)i;
    }
    return 0;
}

static bool was_not_opened(enum fal_psp_state state)
{
    return state == FAL_PSP_NO_KEY || state == FAL_PSP_TRUNCATED || state == FAL_PSP_BAD;
}

static void plan_psp(struct fal_plan *plan)
{
    const struct fal_frame *frame = plan->frame;

    plan->as_is = was_not_opened(frame->psp_state) && !fal_frame_has(frame, FAL_LAYER_FALCON);
    plan->crypt = !plan->as_is &&
                  ((plan->keep & FAL_KEEP_ICV) == 0 || fal_psp_encrypts(frame->psp.version));
    plan->icv = plan->crypt ? (size_t)FAL_PSP_ICV_LEN : frame->psp_icv.len;
}

struct fal_psp_dst fal_plan_receiver(const struct fal_plan *plan)
{
    const struct fal_frame *frame = plan->frame;
    struct fal_psp_dst dst = {0};

    for (int i = plan->seal; i-- > 0;) {
        if (frame->layers[i].id == FAL_LAYER_IPV4) {
            dst.len = 4;
            fal_bits_set(dst.bytes, 0, 32, frame->ipv4.dst);
            break;
        }
        if (frame->layers[i].id == FAL_LAYER_IPV6) {
            dst.len = 16;
            fal_bits_set_wide(dst.bytes, 0, 128, frame->ipv6.dst);
            break;
        }
    }
    return dst;
}

static int plan_esp(struct fal_plan *plan, const struct fal_esp_keys *keys)
{
    const struct fal_frame *frame = plan->frame;
    bool sealed = (size_t)plan->seal + 1 == frame->num_layers;
    struct fal_psp_dst dst = fal_plan_receiver(plan);
    struct fal_esp_form form;

    plan->as_is = was_not_opened(frame->esp_state);
    plan->crypt = !plan->as_is;
    plan->trailer = (plan->keep & FAL_KEEP_LENGTHS) != 0 ? frame->esp_has_trailer : true;
    if (plan->as_is) {
        plan->iv = frame->esp_has_iv ? FAL_ESP_IV_LEN : 0;
        plan->icv = frame->esp_icv.len;
        plan->trailer &= !sealed && frame->esp_state == FAL_PSP_NO_KEY;
        return 0;
    }
    if (!fal_esp_find(keys, &dst, frame->esp.spi, &form))
        return FAL_ERR_KEY;
    plan->iv = form.iv_len;
    plan->icv = form.icv_len;
    return 0;
}

/* Padding and trailer of ESP, whose payload is `len` bytes. */
static size_t trailer_size(struct fal_plan *plan, size_t len)
{
    if (!plan->trailer)
        return 0;
    plan->padding = (plan->keep & FAL_KEEP_LENGTHS) != 0 ? plan->frame->esp_padding.len
                                                         : fal_esp_padding(len);
    return plan->padding + FAL_ESP_TRAILER_MIN;
}

/* What follows the layers: payload, inner trailer, trailer of ESP, ICV. */
static int plan_rest(struct fal_plan *plan, size_t left)
{
    const struct fal_frame *frame = plan->frame;
    size_t parts[] = {frame->payload.len, frame->inner_trailer.len, 0, plan->icv};
    size_t headers = plan->at[frame->num_layers];

    if (parts[0] > left || parts[1] > left - parts[0])
        return FAL_ERR_SHORT;
    plan->inner_end = headers + parts[0];
    if (fal_plan_is_esp(plan))
        parts[2] = trailer_size(plan, plan->inner_end + parts[1] - plan->at[plan->seal + 1]);
    plan->end = headers;
    for (size_t i = 0; i < 4; i++) {
        if (parts[i] > left)
            return FAL_ERR_SHORT;
        left -= parts[i];
        plan->end += parts[i];
    }
    return frame->trailer.len > left ? FAL_ERR_SHORT : 0;
}

int fal_plan_make(struct fal_plan *plan, const struct fal_frame *frame,
                  const struct fal_frame_keys *keys, unsigned keep, size_t cap)
{
    size_t left = cap, size;
    int status;

    *plan = (struct fal_plan){.frame = frame, .keep = keep};
    if (frame->num_layers > FAL_LAYERS_MAX)
        return FAL_ERR_TYPE;
    status = find_seal(plan);
    if (status == 0 && fal_plan_is_esp(plan))
        status = plan_esp(plan, keys->esp);
    else if (status == 0 && plan->seal >= 0)
        plan_psp(plan);
    for (size_t i = 0; status == 0 && i < frame->num_layers; i++) {
        status = layer_size(plan, frame->layers[i].id, &size);
        if (status < 0)
            return status;
        if (size > left)
            return FAL_ERR_SHORT;
        left -= size;
        plan->at[i + 1] = plan->at[i] + size;
    }
    return status < 0 ? status : plan_rest(plan, left);
}
