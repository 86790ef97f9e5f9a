/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_inject.h"

/* The opcode that the pattern names, or that of a CNP. */
static unsigned opcode_of(const struct fal_roce_pattern *pattern)
{
    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_roce_value *value = &pattern->items[i].values[0].low;
        uint64_t code;

        if (pattern->items[i].by != FAL_ROCE_BY_OPCODE)
            continue;
        if (value->kind == FAL_ROCE_NUMBER)
            return (unsigned)value->number & UINT8_MAX;
        if (fal_name_find(&fal_names_roce_opcode, value->word, &code))
            return (unsigned)code;
    }
    return FAL_ROCE_OP_cnp;
}

/* ---- checks ---- */

static int check_opcode(const struct fal_roce_value *value, struct fal_error *err)
{
    uint64_t code = value->number;

    if (value->kind == FAL_ROCE_NUMBER
            ? code <= UINT8_MAX && fal_roce_kind((unsigned)code) != NULL
            : fal_name_find(&fal_names_roce_opcode, value->word, &code))
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "opcode: a packet that is sent needs the name of one opcode, as rc_ack");
}

static int check_item(const struct fal_roce_item *item, struct fal_roce_packet *packet,
                      struct fal_error *err)
{
    const struct fal_roce_value *value = &item->values[0].low;
    const struct fal_field *field;
    void *host;

    if (item->negated || item->num_values != 1 || item->values[0].range)
        return fal_fail(err, FAL_ERR_FORM,
                        "a packet that is sent has one value for each field: give no !, {} or "
                        "..");
    switch (item->by) {
    case FAL_ROCE_BY_OPCODE: return check_opcode(value, err);
    case FAL_ROCE_BY_ECN:
    case FAL_ROCE_BY_ICRC: return 0;
    case FAL_ROCE_BY_KIND:
    case FAL_ROCE_BY_QP:
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: it selects packets and makes none; expected an opcode, or the "
                        "member \"qp\" of the step",
                        item->by == FAL_ROCE_BY_KIND ? "kind" : "qp");
    case FAL_ROCE_BY_DATA:
        return value->kind == FAL_ROCE_NUMBER && value->number <= TL_ROCE_INJECT_DATA_MAX
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM, "data: expected 0 to %d bytes",
                              TL_ROCE_INJECT_DATA_MAX);
    case FAL_ROCE_BY_FIELD: break;
    }
    field = fal_roce_item_field(item, packet, &host);
    if (field == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: a packet of this opcode has no such field",
                        item->field->name);
    return value->kind != FAL_ROCE_NUMBER || fal_field_set(field, host, value->number) == 0
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "%s: the value does not fit in %u bits",
                          field->name, (unsigned)field->width_bits);
}

int tl_roce_inject_check(const struct fal_roce_pattern *pattern, struct fal_error *err)
{
    struct fal_roce_packet packet;
    int rc = 0;

    fal_roce_init(&packet, opcode_of(pattern));
    for (size_t i = 0; rc == 0 && i < pattern->num_items; i++)
        rc = check_item(&pattern->items[i], &packet, err);
    return rc;
}

/* ---- the packet ---- */

static uint64_t number_of(struct tl_roce_log *log, const struct fal_roce_value *value,
                          uint32_t base)
{
    const struct tl_roce_label *label;

    switch (value->kind) {
    case FAL_ROCE_RELATIVE: return (base + value->number) & FAL_ROCE_PSN_MASK;
    case FAL_ROCE_LABELLED:
        label = tl_roce_log_label(log, value->word);
        return label == NULL ? 0 : (uint64_t)(label->psn + value->offset) & FAL_ROCE_PSN_MASK;
    case FAL_ROCE_NUMBER:
    case FAL_ROCE_GLOB: break;
    }
    return value->number;
}

void tl_roce_inject_packet(struct tl_roce_log *log, const struct tl_roce_step *step,
                           const struct tl_roce_conn *conn, struct tl_roce_injected *out)
{
    unsigned to = (unsigned)step->to;

    *out = (struct tl_roce_injected){.ecn = 0};
    fal_roce_init(&out->packet, opcode_of(&step->pattern));
    out->packet.bth.dest_qp = conn->qpn[to];
    out->packet.bth.m = 1;
    out->packet.bth.becn = out->packet.bth.opcode == FAL_ROCE_OP_cnp;
    for (size_t i = 0; i < step->pattern.num_items; i++) {
        const struct fal_roce_item *item = &step->pattern.items[i];
        uint64_t number = number_of(log, &item->values[0].low, conn->psn[to]);
        const struct fal_field *field;
        void *host;

        switch ((unsigned)item->by) {
        case FAL_ROCE_BY_ECN:
            out->ecn = (unsigned)number & 3;
            out->has_ecn = true;
            break;
        case FAL_ROCE_BY_ICRC: out->bad_icrc = number == FAL_ICRC_BAD; break;
        case FAL_ROCE_BY_DATA: out->packet.data_len = (size_t)number; break;
        case FAL_ROCE_BY_FIELD:
            field = fal_roce_item_field(item, &out->packet, &host);
            if (field != NULL) /* tl_roce_inject_check has refused the others */
                FAL_IGNORE(fal_field_set(field, host, number));
            break;
        default: break;
        }
    }
}
