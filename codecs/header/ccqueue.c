/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/ccqueue.h"

#include "codecs/header/layout_impl.h"

#define NAMES(id, ...)                                                                      \
    static const struct fal_name id##_entries[] = {__VA_ARGS__};                            \
    const struct fal_names fal_names_cc_##id = {sizeof id##_entries / sizeof *id##_entries, \
                                                id##_entries}

NAMES(event_type, {FAL_CC_ACK, "ack"}, {FAL_CC_NACK, "nack"},
      {FAL_CC_RETRANSMIT, "retransmit"});
NAMES(retransmit_reason, {FAL_CC_RTO, "rto"}, {FAL_CC_EARLY, "early"});
NAMES(delay_select, {FAL_CC_DELAY_FULL, "full"}, {FAL_CC_DELAY_FABRIC, "fabric"},
      {FAL_CC_DELAY_FORWARD, "forward"}, {FAL_CC_DELAY_REVERSE, "reverse"});
NAMES(ncwnd_direction, {FAL_CC_DECREASE, "decrease"}, {FAL_CC_INCREASE, "increase"});

NAMES(format, {FAL_CC_TABLE_MSB, "table-msb"}, {FAL_CC_GEN1_LSB, "gen1-lsb"});

typedef struct fal_cc_event HOST_cc_event;
typedef struct fal_cc_result HOST_cc_result, HOST_cc_result_gen1;

FAL_LAYOUT(cc_event, FAL_CC_EVENT_FIELDS, "FTP 10.6.2.1", "FTP-10.6.2.1-35", 512);
FAL_LAYOUT(cc_result, FAL_CC_RESULT_FIELDS, "FTP 10.6.2.2", "FTP-10.6.2.2-17", 512);
FAL_LAYOUT(cc_result_gen1, FAL_CC_RESULT_GEN1_FIELDS, "FTP 10.6.2.2", "FTP-10.6.2.2-17", 512);

const struct fal_layout *fal_cc_layout(enum fal_cc_format format, enum fal_cc_entry entry)
{
    if (entry == FAL_CC_ENTRY_EVENT)
        return &fal_cc_event_layout;
    return format == FAL_CC_GEN1_LSB ? &fal_cc_result_gen1_layout : &fal_cc_result_layout;
}

/* The bits from offset_bits on, the least significant first. */
static fal_u128 get_low_first(const uint8_t *bytes, const struct fal_field *field)
{
    fal_u128 value = 0;

    for (unsigned i = field->width_bits; i-- > 0;) {
        unsigned at = field->offset_bits + i;

        value = value << 1 | (bytes[at / 8] >> at % 8 & 1);
    }
    return value;
}

static void set_low_first(uint8_t *bytes, const struct fal_field *field, fal_u128 value)
{
    for (unsigned i = 0; i < field->width_bits; i++) {
        unsigned at = field->offset_bits + i;

        if (fal_u128_test(value, i))
            bytes[at / 8] = (uint8_t)(bytes[at / 8] | 1u << at % 8);
    }
}

int fal_cc_decode(enum fal_cc_format format, enum fal_cc_entry entry, const uint8_t *bytes,
                  size_t len, void *host)
{
    const struct fal_layout *layout = fal_cc_layout(format, entry);

    if (len < FAL_CC_ENTRY_LEN)
        return FAL_ERR_SHORT;
    if (entry == FAL_CC_ENTRY_RESULT)
        *(struct fal_cc_result *)host = (struct fal_cc_result){0};
    if (format == FAL_CC_TABLE_MSB)
        return fal_layout_decode(layout, bytes, len, host);
    for (size_t i = 0; i < layout->num_fields; i++) /* a value of its width fits its member */
        FAL_IGNORE(
            fal_field_set(&layout->fields[i], host, get_low_first(bytes, &layout->fields[i])));
    return FAL_CC_ENTRY_LEN;
}

int fal_cc_encode(enum fal_cc_format format, enum fal_cc_entry entry, const void *host,
                  uint8_t bytes[FAL_CC_ENTRY_LEN], const struct fal_field **bad)
{
    const struct fal_layout *layout = fal_cc_layout(format, entry);
    uint8_t out[FAL_CC_ENTRY_LEN];
    int rc = fal_layout_encode(layout, host, out, sizeof out, bad);

    if (rc < 0)
        return rc;
    if (format == FAL_CC_GEN1_LSB) {
        memset(out, 0, sizeof out);
        for (size_t i = 0; i < layout->num_fields; i++)
            set_low_first(out, &layout->fields[i], fal_field_get(&layout->fields[i], host));
    }
    memcpy(bytes, out, sizeof out);
    return FAL_CC_ENTRY_LEN;
}
