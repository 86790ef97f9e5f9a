/* SPDX-License-Identifier: Apache-2.0
 * Each error gives its issue and no other; a correct packet gives none; and each issue cites a
 * requirement of the catalogue, with the severity that the catalogue allows. */
#include "codecs/header/bitloop_test.h"
#include "codecs/header/lint.h"
#include "tests/testing.h"

#include <jansson.h>

enum { OFFSET = 42, PACKET_MAX = 128 }; /* where the packet stands in its frame */

static const enum fal_packet_type types[] = {
    FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA, FAL_RESYNC, FAL_NACK, FAL_BACK, FAL_EACK};

enum { TYPES = sizeof types / sizeof *types };

/* ---- against the catalogue ---- */

static json_t *catalogue;

static void read_catalogue(void)
{
    catalogue = json_load_file("oracles/catalogue/requirements.json", 0, NULL);
    ck_assert_msg(json_array_size(catalogue) > 1000,
                  "requirements.json: run from the top folder");
}

static void forget_catalogue(void)
{
    json_decref(catalogue);
}

/* The severity that the catalogue gives an id; the test fails when there is no such id. */
static enum fal_severity catalogue_severity(const char *id)
{
    const char *breach = "";
    json_t *entry;
    size_t i;

    json_array_foreach(catalogue, i, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "id")), id) == 0)
            breach = json_string_value(json_object_get(entry, "on_breach"));
    }
    ck_assert_msg(breach[0] != 0, "%s is not in the catalogue", id);
    if (strcmp(breach, "fail") == 0)
        return FAL_ERROR;
    return strcmp(breach, "warn") == 0 ? FAL_WARNING : FAL_NOTE;
}

START_TEST(rows_cite_the_catalogue_and_are_as_severe)
{
    const struct fal_lint_row *rows = fal_lint_rows();

    /* Of a packet too short to have a type. */
    ck_assert_int_eq(fal_lint_severity("FTP-7.2-01", FAL_NOTE),
                     catalogue_severity("FTP-7.2-01"));
    for (int i = 0; i < FAL_LINT_COUNT; i++) {
        ck_assert_ptr_nonnull(rows[i].code);
        ck_assert_ptr_nonnull(rows[i].message);
        ck_assert_uint_eq(strspn(rows[i].code, "abcdefghijklmnopqrstuvwxyz-"),
                          strlen(rows[i].code));
        for (int k = 0; k < i; k++)
            ck_assert_msg(rows[i].cites || strcmp(rows[i].code, rows[k].code) != 0, "%s",
                          rows[i].code);
        if (rows[i].requirement != NULL) {
            ck_assert(!rows[i].table);
            ck_assert_msg(rows[i].severity == catalogue_severity(rows[i].requirement), "%s",
                          rows[i].code);
        }
    }
}
END_TEST

START_TEST(fields_cite_the_catalogue_and_are_as_severe)
{
    size_t n, cited = 0;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        const struct fal_layout *l = layouts[i];

        if (l->requirement != NULL)
            ck_assert_int_eq(fal_lint_severity(l->requirement, FAL_NOTE),
                             catalogue_severity(l->requirement));
        for (size_t k = 0; k < l->num_fields; k++) {
            const struct fal_field *f = &l->fields[k];
            enum fal_severity due;

            if (f->requirement == NULL)
                continue;
            cited++;
            due = catalogue_severity(f->requirement); /* of every field: the id exists */
            /* Reserved bits of what Falcon carries warn, whatever the rest of their
             * requirement asks for (ulp_lint.c). */
            if (f->kind == FAL_RSVD && strncmp(f->requirement, "FTP", 3) != 0)
                continue;
            if (f->kind == FAL_RSVD || f->kind == FAL_CONST || f->kind == FAL_CODE)
                ck_assert_msg(fal_lint_severity(f->requirement, FAL_NOTE) == due, "%s.%s",
                              l->name, f->name);
        }
    }
    ck_assert_uint_ge(cited, 100);
}
END_TEST

/* Each Falcon header says by which requirement it is so long, and so does each of its fields.
 */
START_TEST(falcon_tables_leave_nothing_uncited)
{
    for (size_t i = 0; i < TYPES; i++) {
        const struct fal_layout *l = fal_falcon_layout(types[i]);

        ck_assert_ptr_nonnull(l->requirement);
        for (size_t k = 0; k < l->num_fields; k++)
            ck_assert_msg(l->fields[k].requirement != NULL, "%s.%s", l->name,
                          l->fields[k].name);
    }
}
END_TEST

/* ---- what is right ---- */

/* A packet of that type that breaks nothing, with payload where it may have some. */
static size_t right(enum fal_packet_type type, struct fal_falcon *packet)
{
    fal_falcon_init(packet, type);
    packet->dest_cid = 0xabcdef;
    packet->psn = 0xffffffff;
    packet->own = type == FAL_EACK ? 3 : 0;
    packet->rue_info = 0x1fffff;
    packet->data_ack_bitmap = fal_u128_halves(UINT64_C(1) << 63, 2);
    packet->data_rx_bitmap = fal_u128_halves(UINT64_C(3) << 62, 3); /* bit 0 is legal */
    packet->req_bitmap = ~UINT64_C(1);
    packet->rnr_timeout = 31;
    packet->nack_code = FAL_NACK_RNR;
    packet->request_length = 8;
    return type == FAL_PULL_DATA || type == FAL_PUSH_DATA || type == FAL_PULL_REQUEST ? 8 : 0;
}

static void lint(const struct fal_falcon *packet, size_t payload_len, bool truncated,
                 struct fal_issues *issues)
{
    static const uint8_t payload[PACKET_MAX];
    uint8_t bytes[PACKET_MAX];
    int n = fal_falcon_encode(packet, payload, payload_len, bytes, sizeof bytes, NULL);

    ck_assert_int_gt(n, 0);
    issues->count = issues->dropped = 0;
    fal_lint_falcon(bytes, (size_t)n, truncated, OFFSET, issues);
}

static const struct fal_issue *only(const struct fal_issues *issues)
{
    if (issues->count != 1)
        for (size_t i = 0; i < issues->count; i++)
            fprintf(stderr, "%s %s\n", issues->list[i].code, issues->list[i].field);
    ck_assert_uint_eq(issues->count, 1);
    ck_assert_uint_eq(issues->dropped, 0);
    ck_assert_str_eq(issues->list[0].layer, "falcon");
    return &issues->list[0];
}

START_TEST(a_right_packet_has_no_issue)
{
    struct fal_falcon packet;
    struct fal_issues issues;
    size_t payload = right(types[_i], &packet);

    lint(&packet, payload, false, &issues);
    ck_assert_uint_eq(issues.count, 0);
}
END_TEST

START_TEST(every_legal_code_has_no_issue)
{
    struct fal_falcon packet;
    struct fal_issues issues;
    size_t payload = right(types[_i], &packet);
    const struct fal_layout *l = fal_falcon_layout(types[_i]);

    for (size_t k = 0; k < l->num_fields; k++) {
        const struct fal_field *f = &l->fields[k];

        if (f->kind != FAL_CODE || strcmp(f->name, "packet_type") == 0)
            continue;
        for (size_t v = 0; v < f->names->count; v++) {
            right(types[_i], &packet);
            packet.rnr_timeout = 0;
            ck_assert_int_eq(fal_field_set(f, &packet, f->names->entries[v].value), 0);
            lint(&packet, payload, false, &issues);
            ck_assert_uint_eq(issues.count, 0);
        }
    }
}
END_TEST

/* ---- one field ---- */

/* Every value (of wide fields, every bit) that the table does not allow: that issue alone. */
START_TEST(FTP_7_2_02_03_09_7_3_05_7_6_10_11_7_8_13_23_24_each_field_that_is_wrong)
{
    const struct fal_layout *l = fal_falcon_layout(types[_i]);
    size_t wrong = 0;

    for (size_t k = 0; k < l->num_fields; k++) {
        const struct fal_field *f = &l->fields[k];
        uint64_t top = f->width_bits <= 8 ? UINT64_C(1) << f->width_bits : f->width_bits;

        if ((f->kind != FAL_RSVD && f->kind != FAL_CONST && f->kind != FAL_CODE) ||
            strcmp(f->name, "packet_type") == 0)
            continue;
        for (uint64_t i = 0; i < top; i++) {
            fal_u128 value = f->width_bits <= 8 ? (fal_u128)i : fal_u128_with(0, (unsigned)i);
            const struct fal_issue *issue;
            struct fal_falcon packet;
            struct fal_issues issues;
            size_t payload = right(types[_i], &packet);

            if (fal_field_legal(f, value))
                continue;
            wrong++;
            packet.rnr_timeout = 0;
            ck_assert_int_eq(fal_field_set(f, &packet, value), 0);
            lint(&packet, payload, false, &issues);
            issue = only(&issues);
            ck_assert_str_eq(issue->code, f->kind == FAL_RSVD    ? "reserved-not-zero"
                                          : f->kind == FAL_CONST ? "wrong-constant"
                                                                 : "reserved-code");
            ck_assert_str_eq(issue->field, f->name);
            ck_assert_uint_eq(issue->offset, OFFSET + f->offset_bits / 8u);
            ck_assert(issue->has_values && issue->seen == value);
            ck_assert(issue->due == f->initial);
            ck_assert_str_eq(issue->requirement, f->requirement);
            ck_assert_int_eq(issue->severity, catalogue_severity(f->requirement));
        }
    }
    ck_assert_uint_ge(wrong, 15 + 4); /* the version and the reserved bits beside it at least */
}
END_TEST

/* The reserved bits that only figures show warn, in every packet type (AMB-27). */
START_TEST(FTP_7_2_03_7_3_02_7_5_02_7_6_12_7_7_1_03_05_7_8_24_figure_only_bits_warn)
{
    static const struct {
        const char *field;
        enum fal_packet_type type;
        enum fal_severity severity;
    } rows[] = {
        {"reserved_0", FAL_PULL_REQUEST, FAL_WARNING},
        {"reserved_1", FAL_PULL_REQUEST, FAL_WARNING},
        {"reserved_2", FAL_PULL_REQUEST, FAL_ERROR},
        {"reserved_0", FAL_PUSH_DATA, FAL_WARNING},
        {"reserved_1", FAL_PUSH_DATA, FAL_WARNING},
        {"reserved_1", FAL_RESYNC, FAL_WARNING},
        {"reserved_0", FAL_BACK, FAL_WARNING},
        {"reserved_1", FAL_BACK, FAL_WARNING},
        {"reserved_2", FAL_BACK, FAL_WARNING},
        {"reserved_3", FAL_BACK, FAL_ERROR},
        {"reserved_0", FAL_NACK, FAL_WARNING},
        {"reserved_1", FAL_NACK, FAL_WARNING},
        {"reserved_2", FAL_NACK, FAL_WARNING},
        {"reserved_3", FAL_NACK, FAL_ERROR},
        {"reserved_4", FAL_NACK, FAL_WARNING},
        {"reserved_5", FAL_NACK, FAL_WARNING},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_falcon packet;
        struct fal_issues issues;
        size_t payload = right(rows[i].type, &packet);

        ck_assert_int_eq(
            fal_field_set(fal_layout_find(fal_falcon_layout(rows[i].type), rows[i].field),
                          &packet, 1),
            0);
        lint(&packet, payload, false, &issues);
        ck_assert_int_eq(only(&issues)->severity, rows[i].severity);
    }
}
END_TEST

START_TEST(FTP_7_2_18_reserved_packet_types)
{
    for (unsigned type = 0; type < 16; type++) {
        uint8_t bytes[PACKET_MAX] = {0x10, 0, 0, 1, 0, 0, 0, (uint8_t)(0x40 | type << 1)};
        struct fal_issues issues = {.count = 0};
        const struct fal_issue *issue;

        if (fal_falcon_layout(type) != NULL)
            continue;
        fal_lint_falcon(bytes, sizeof bytes, false, OFFSET, &issues);
        issue = only(&issues);
        ck_assert_str_eq(issue->code, "reserved-code");
        ck_assert_str_eq(issue->field, "packet_type");
        ck_assert_str_eq(issue->requirement, "FTP-7.2-18");
        ck_assert_uint_eq(fal_u128_lo(issue->seen), type);
        ck_assert_uint_eq(issue->offset, OFFSET + 7);
        ck_assert_int_eq(issue->severity, FAL_ERROR);
    }
}
END_TEST

/* ---- lengths ---- */

START_TEST(FTP_7_2_01_7_7_1_01_7_7_2_01_7_8_01_too_short_at_every_length)
{
    struct fal_falcon packet;
    uint8_t bytes[PACKET_MAX];
    const struct fal_layout *l = fal_falcon_layout(types[_i]);

    right(types[_i], &packet);
    ck_assert_int_gt(fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, NULL), 0);
    for (int cut = 0; cut < 2; cut++) {
        for (size_t len = 0; len < l->size_bytes; len++) {
            struct fal_issues issues = {.count = 0};
            const struct fal_issue *issue;

            fal_lint_falcon(bytes, len, cut, OFFSET, &issues);
            issue = only(&issues);
            ck_assert_str_eq(issue->code, cut ? "captured-short" : "packet-too-short");
            ck_assert_int_eq(issue->severity, cut ? FAL_NOTE : FAL_ERROR);
            ck_assert_uint_eq(issue->offset, OFFSET);
            ck_assert_uint_eq(fal_u128_lo(issue->seen), len);
            ck_assert_uint_eq(fal_u128_lo(issue->due), len < 8 ? 24 : l->size_bytes);
            if (cut)
                ck_assert_ptr_null(issue->requirement);
            else
                ck_assert_str_eq(issue->requirement, len < 8 ? "FTP-7.2-01" : l->requirement);
        }
    }
}
END_TEST

/* A wrong version is seen in a packet that is too short to be read, too. */
START_TEST(FTP_7_2_02_version_of_a_short_packet)
{
    static const uint8_t bytes[] = {0x20, 0, 0, 1, 0, 0, 0, 0x4a, 0, 0};

    for (size_t len = 0; len <= sizeof bytes; len++) {
        struct fal_issues issues = {.count = 0};

        fal_lint_falcon(bytes, len, false, OFFSET, &issues);
        ck_assert_uint_eq(issues.count, len < 4 ? 1 : 2);
        if (len >= 4) {
            ck_assert_str_eq(issues.list[0].code, "wrong-constant");
            ck_assert_uint_eq(fal_u128_lo(issues.list[0].seen), 2);
        }
    }
}
END_TEST

START_TEST(FTP_7_6_01_7_7_1_01_7_7_2_01_7_8_01_payload_where_none_is)
{
    struct fal_falcon packet;
    struct fal_issues issues;
    const struct fal_layout *l = fal_falcon_layout(types[_i]);
    bool takes = right(types[_i], &packet) > 0;

    lint(&packet, 8, false, &issues);
    if (takes) {
        ck_assert_uint_eq(issues.count, 0);
        return;
    }
    ck_assert_str_eq(only(&issues)->code, "unexpected-payload");
    ck_assert_str_eq(issues.list[0].requirement, l->requirement);
    ck_assert_uint_eq(issues.list[0].offset, OFFSET + l->size_bytes);
    ck_assert_uint_eq(fal_u128_lo(issues.list[0].seen), 8);
    ck_assert_int_eq(issues.list[0].severity, FAL_ERROR);
}
END_TEST

START_TEST(FTP_7_5_04_request_length_is_the_payload)
{
    for (unsigned given = 0; given < 20; given++) {
        for (unsigned payload = 0; payload < 20; payload++) {
            struct fal_falcon packet;
            struct fal_issues issues;

            right(FAL_PUSH_DATA, &packet);
            packet.request_length = (uint16_t)given;
            lint(&packet, payload, false, &issues);
            if (given == payload) {
                ck_assert_uint_eq(issues.count, 0);
                continue;
            }
            ck_assert_str_eq(only(&issues)->code, "request-length-mismatch");
            ck_assert_str_eq(issues.list[0].requirement, "FTP-7.5-04");
            ck_assert_uint_eq(fal_u128_lo(issues.list[0].seen), given);
            ck_assert_uint_eq(fal_u128_lo(issues.list[0].due), payload);
            ck_assert_uint_eq(issues.list[0].offset, OFFSET + 26);
            lint(&packet, payload, true, &issues); /* cut: the length says nothing */
            ck_assert_uint_eq(issues.count, 0);
        }
    }
}
END_TEST

/* The length of a pull request is the length it asks for, not that of its payload (7.3). */
START_TEST(FTP_7_3_04_pull_request_length_is_free)
{
    struct fal_falcon packet;
    struct fal_issues issues;

    right(FAL_PULL_REQUEST, &packet);
    packet.request_length = 4096;
    lint(&packet, 40, false, &issues);
    ck_assert_uint_eq(issues.count, 0);
}
END_TEST

/* ---- fields together ---- */

START_TEST(rnr_timeout_only_with_rnr)
{
    for (unsigned code = 0; code < 256; code++) {
        for (unsigned timeout = 0; timeout < 32; timeout += 31) {
            struct fal_falcon packet;
            struct fal_issues issues;

            if (fal_name_of(&fal_names_nack_code, code) == NULL)
                continue;
            right(FAL_NACK, &packet);
            packet.nack_code = (uint8_t)code;
            packet.rnr_timeout = (uint8_t)timeout;
            lint(&packet, 0, false, &issues);
            if (code == FAL_NACK_RNR || timeout == 0) {
                ck_assert_uint_eq(issues.count, 0);
                continue;
            }
            ck_assert_str_eq(only(&issues)->code, "rnr-timeout-without-rnr");
            ck_assert_int_eq(issues.list[0].severity, FAL_WARNING);
            ck_assert_str_eq(issues.list[0].field, "rnr_timeout");
        }
    }
}
END_TEST

START_TEST(FTP_9_1_6_14_own_is_for_eacks)
{
    for (unsigned own = 0; own < 4; own++) {
        struct fal_falcon packet;
        struct fal_issues issues;

        right(FAL_EACK, &packet);
        packet.own = (uint8_t)own;
        lint(&packet, 0, false, &issues);
        ck_assert_uint_eq(issues.count, 0);
        right(FAL_BACK, &packet);
        packet.own = (uint8_t)own;
        lint(&packet, 0, false, &issues);
        if (own == 0) {
            ck_assert_uint_eq(issues.count, 0);
            continue;
        }
        ck_assert_str_eq(only(&issues)->code, "own-in-back");
        ck_assert_str_eq(issues.list[0].requirement, "FTP-9.1.6-14");
        ck_assert_uint_eq(fal_u128_lo(issues.list[0].seen), own);
        ck_assert_uint_eq(issues.list[0].offset, OFFSET + 31);
    }
}
END_TEST

START_TEST(FTP_7_7_2_07_bit_0_is_never_acknowledged)
{
    struct fal_falcon packet;
    struct fal_issues issues;

    right(FAL_EACK, &packet);
    packet.data_ack_bitmap |= 1;
    lint(&packet, 0, false, &issues);
    ck_assert_str_eq(only(&issues)->code, "base-acknowledged");
    ck_assert_str_eq(issues.list[0].field, "data_ack_bitmap");
    ck_assert_str_eq(issues.list[0].requirement, "FTP-7.7.2-07");
    ck_assert_int_eq(issues.list[0].severity, FAL_ERROR);
    ck_assert(issues.list[0].seen == packet.data_ack_bitmap);
    ck_assert_uint_eq(fal_u128_lo(issues.list[0].due),
                      fal_u128_lo(packet.data_ack_bitmap) & ~UINT64_C(1));

    right(FAL_EACK, &packet);
    packet.req_bitmap |= 1;
    lint(&packet, 0, false, &issues);
    ck_assert_str_eq(only(&issues)->code, "base-acknowledged");
    ck_assert_str_eq(issues.list[0].field, "req_bitmap");
}
END_TEST

START_TEST(an_ack_bit_without_its_rx_bit_warns)
{
    for (unsigned bit = 1; bit < 128; bit++) {
        struct fal_falcon packet;
        struct fal_issues issues;

        right(FAL_EACK, &packet);
        packet.data_ack_bitmap = fal_u128_with(0, bit);
        packet.data_rx_bitmap = ~packet.data_ack_bitmap;
        lint(&packet, 0, false, &issues);
        ck_assert_str_eq(only(&issues)->code, "ack-without-rx");
        ck_assert_int_eq(issues.list[0].severity, FAL_WARNING);
        packet.data_rx_bitmap = packet.data_ack_bitmap;
        lint(&packet, 0, false, &issues);
        ck_assert_uint_eq(issues.count, 0);
    }
}
END_TEST

/* AMB-04, AMB-05: w7[8] is never an issue of severity error; it is noted when it is 1. */
START_TEST(FTP_7_7_1_16_7_8_14_disputed_rue_bit_is_noted)
{
    static const struct {
        enum fal_packet_type type;
        uint32_t bit;
    } rows[] = {{FAL_BACK, 1u << 21}, {FAL_EACK, 1u << 21}, {FAL_NACK, 1u << 23}};

    for (size_t i = 0; i < 3; i++) {
        struct fal_falcon packet;
        struct fal_issues issues;

        right(rows[i].type, &packet);
        packet.rue_info = rows[i].bit - 1;
        lint(&packet, 0, false, &issues);
        ck_assert_uint_eq(issues.count, 0);
        packet.rue_info = rows[i].bit;
        lint(&packet, 0, false, &issues);
        ck_assert_str_eq(only(&issues)->code, "disputed-rue-bit");
        ck_assert_int_eq(issues.list[0].severity, FAL_NOTE);
        ck_assert_uint_eq(issues.list[0].offset, OFFSET + 29);
    }
}
END_TEST

/* ---- the list of issues ---- */

START_TEST(a_full_list_counts_what_it_drops)
{
    struct fal_issues issues = {.count = 0};

    for (int i = 0; i < FAL_ISSUES_MAX + 5; i++)
        fal_issue_add(&issues, (struct fal_issue){.offset = (uint32_t)i});
    ck_assert_uint_eq(issues.count, FAL_ISSUES_MAX);
    ck_assert_uint_eq(issues.dropped, 5);
    ck_assert_uint_eq(issues.list[FAL_ISSUES_MAX - 1].offset, FAL_ISSUES_MAX - 1);
}
END_TEST

START_TEST(severities_have_names)
{
    ck_assert_str_eq(fal_severity_name(FAL_NOTE), "note");
    ck_assert_str_eq(fal_severity_name(FAL_WARNING), "warning");
    ck_assert_str_eq(fal_severity_name(FAL_ERROR), "error");
    ck_assert_str_eq(FAL_SEVERITIES, "note warning error");
    for (int i = FAL_NOTE; i <= FAL_ERROR; i++)
        ck_assert_int_eq(fal_severity_from(fal_severity_name((enum fal_severity)i)), i);
    ck_assert_int_eq(fal_severity_from("fatal"), -1);
    ck_assert_int_eq(fal_severity_from(""), -1);
}
END_TEST

static bool each_field_legal(const struct fal_layout *l, const void *host)
{
    for (size_t k = 0; k < l->num_fields; k++)
        if (!fal_field_legal(&l->fields[k], fal_field_get(&l->fields[k], host)))
            return false;
    return true;
}

static bool each_reserved_zero(const struct fal_layout *l, const void *host)
{
    for (size_t k = 0; k < l->num_fields; k++)
        if (l->fields[k].kind == FAL_RSVD && fal_field_get(&l->fields[k], host) != 0)
            return false;
    return true;
}

START_TEST(the_compiled_check_agrees_with_the_tables)
{
    size_t n, wrong = 0, reserved = 0;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        const struct fal_layout *l = layouts[i];

        for (size_t k = 0; k < l->num_fields; k++) {
            for (unsigned bit = 0; bit <= l->fields[k].width_bits; bit++) {
                union test_host host = {0};

                fal_layout_init(l, &host);
                ck_assert_int_eq(fal_field_set(&l->fields[k], &host,
                                               fal_u128_with(0, bit) &
                                                   fal_u128_ones(l->fields[k].width_bits)),
                                 0);
                ck_assert_msg(l->legal(&host) == each_field_legal(l, &host), "%s.%s bit %u",
                              l->name, l->fields[k].name, bit);
                ck_assert_msg(l->reserved_zero(&host) == each_reserved_zero(l, &host),
                              "%s.%s bit %u", l->name, l->fields[k].name, bit);
                wrong += !l->legal(&host);
                reserved += !l->reserved_zero(&host);
            }
        }
    }
    ck_assert_uint_ge(wrong, 100);
    ck_assert_uint_ge(reserved, 50);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lint");
    TCase *tcase = tcase_create("lint");

    tcase_add_checked_fixture(tcase, read_catalogue, forget_catalogue);
    tcase_add_test(tcase, rows_cite_the_catalogue_and_are_as_severe);
    tcase_add_test(tcase, fields_cite_the_catalogue_and_are_as_severe);
    tcase_add_loop_test(tcase,
                        FTP_7_2_02_03_09_7_3_05_7_6_10_11_7_8_13_23_24_each_field_that_is_wrong,
                        0, TYPES);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("alone");
    tcase_add_test(tcase, falcon_tables_leave_nothing_uncited);
    tcase_add_loop_test(tcase, a_right_packet_has_no_issue, 0, TYPES);
    tcase_add_loop_test(tcase, every_legal_code_has_no_issue, 0, TYPES);
    tcase_add_test(tcase,
                   FTP_7_2_03_7_3_02_7_5_02_7_6_12_7_7_1_03_05_7_8_24_figure_only_bits_warn);
    tcase_add_test(tcase, FTP_7_2_18_reserved_packet_types);
    tcase_add_loop_test(tcase, FTP_7_2_01_7_7_1_01_7_7_2_01_7_8_01_too_short_at_every_length, 0,
                        TYPES);
    tcase_add_test(tcase, FTP_7_2_02_version_of_a_short_packet);
    tcase_add_loop_test(tcase, FTP_7_6_01_7_7_1_01_7_7_2_01_7_8_01_payload_where_none_is, 0,
                        TYPES);
    tcase_add_test(tcase, FTP_7_5_04_request_length_is_the_payload);
    tcase_add_test(tcase, FTP_7_3_04_pull_request_length_is_free);
    tcase_add_test(tcase, rnr_timeout_only_with_rnr);
    tcase_add_test(tcase, FTP_9_1_6_14_own_is_for_eacks);
    tcase_add_test(tcase, FTP_7_7_2_07_bit_0_is_never_acknowledged);
    tcase_add_test(tcase, an_ack_bit_without_its_rx_bit_warns);
    tcase_add_test(tcase, FTP_7_7_1_16_7_8_14_disputed_rue_bit_is_noted);
    tcase_add_test(tcase, a_full_list_counts_what_it_drops);
    tcase_add_test(tcase, severities_have_names);
    tcase_add_test(tcase, the_compiled_check_agrees_with_the_tables);
    suite_add_tcase(suite, tcase);
    return suite;
}
