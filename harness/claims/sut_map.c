/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/sut_map.h"

#include "harness/doc/address.h"
#include "reports/base/shard_list.h"

#include <stdio.h>
#include <string.h>

enum { DEVICE_TEXT = 300 };

#define AT(field) FAL_AT(struct tl_sut_map_row, field)
static const struct fal_shape word = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 4000};
static const struct fal_shape shard_number = {
    .kind = FAL_SHAPE_UINT, .min = 1, .max = TL_SUT_MAP_MAX, .doc = "the I of --shard I/N"};
static const struct fal_member row_members[] = {
    {"shard", &shard_number, FAL_MUST, AT(shard)},
    {"sut", &word, FAL_MUST, AT(sut), .doc = "as for talon run --sut"},
    {"control", &word, FAL_NULL, AT(control), .doc = "as for --control"},
    {"connections", &word, FAL_NULL, AT(connections), .doc = "a file, as for --connections"},
    {"sut_exec", &word, FAL_NULL, AT(sut_exec), .doc = "as for --sut-exec"},
    {"psp_keys", &word, FAL_NULL, AT(psp_keys), .doc = "a file, as for --psp-keys"},
    {"esp_keys", &word, FAL_NULL, AT(esp_keys), .doc = "a file, as for --esp-keys"},
    {"host_check", &word, FAL_NULL, AT(host_check), .doc = "a file, as for --host-check"},
    {"path_check", &word, FAL_NULL, AT(path_check), .doc = "a file, as for --path-check"},
};
static const struct fal_shape row = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(row_members)};
static const struct fal_shape rows = {.kind = FAL_SHAPE_LIST,
                                      FAL_OF(&row),
                                      .min = 1,
                                      .max = TL_SUT_MAP_MAX,
                                      .item_size = sizeof(struct tl_sut_map_row)};
static const struct fal_shape map_name = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 200};
static const struct fal_member members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_SUT_MAP_SCHEMA), .flags = FAL_MUST},
    {"name", &map_name, FAL_MUST, FAL_AT(struct tl_sut_map, name),
     .doc = "what the results of all shards call the SUT: devices of one kind with the same "
            "firmware"},
    {"shards", &rows, FAL_MUST, FAL_AT(struct tl_sut_map, rows),
     FAL_COUNT(struct tl_sut_map, num_rows), .doc = "each shard of the run once"},
};
const struct fal_shape tl_sut_map_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "Which SUT each shard of a run plays: talon run --shard I/N --sut-map FILE. Two "
           "shards cannot play one device.",
    FAL_MEMBERS(members)};

/* ---- devices ---- */

/* Prints a numeric address in its only form, any other text as it is. */
static void plain_address(const char *text, char out[DEVICE_TEXT])
{
    struct tl_address address;
    struct fal_error unused;

    if (tl_address_parse(text, &address, &unused) == 0)
        tl_address_text(&address, out);
    else
        (void)snprintf(out, DEVICE_TEXT, "%s", text);
}

/* Copies the item of a list with commas that begins at `at`. */
static void item(const char *at, char out[DEVICE_TEXT])
{
    (void)snprintf(out, DEVICE_TEXT, "%.*s", (int)strcspn(at, ","), at);
}

/* Prints what tells the device of a live SUT from others. Returns false for a SUT in virtual
 * time: each process has its own. */
static bool device(const char *sut, char out[DEVICE_TEXT])
{
    char text[DEVICE_TEXT], *colon;

    if (strncmp(sut, "udp:", 4) == 0) { /* HOST:PORT[,from=...] */
        item(sut + 4, text);
        plain_address(text, out);
        return true;
    }
    if (strncmp(sut, "raw:", 4) == 0) { /* IFACE,HOST[:PORT][,...] */
        const char *comma = strchr(sut, ',');

        item(comma != NULL ? comma + 1 : sut + 4, text);
        colon = text[0] == '[' ? strchr(text, ']') : strchr(text, ':');
        if (colon != NULL && (text[0] == '[' || strchr(colon + 1, ':') == NULL))
            *colon = 0; /* a device has one port for Falcon: the host alone counts */
        (void)snprintf(out, DEVICE_TEXT, "%s", text[0] == '[' ? text + 1 : text);
        return true;
    }
    (void)snprintf(out, DEVICE_TEXT, "%s", sut);
    return strncmp(sut, "bridge:", 7) == 0;
}

static bool same_control(const char *a, const char *b)
{
    char plain_a[DEVICE_TEXT], plain_b[DEVICE_TEXT];

    if (a == NULL || b == NULL)
        return false;
    if (strncmp(a, "tcp:", 4) != 0 || strncmp(b, "tcp:", 4) != 0)
        return strcmp(a, b) == 0 && strncmp(a, "exec:", 5) != 0;
    plain_address(a + 4, plain_a);
    plain_address(b + 4, plain_b);
    return strcmp(plain_a, plain_b) == 0;
}

/* The member that shows that both rows are about one device, or NULL. */
static const char *same_device(const struct tl_sut_map_row *a, const struct tl_sut_map_row *b)
{
    char device_a[DEVICE_TEXT], device_b[DEVICE_TEXT];

    if (device(a->sut, device_a) && device(b->sut, device_b) && strcmp(device_a, device_b) == 0)
        return "sut";
    return same_control(a->control, b->control) ? "control" : NULL;
}

/* ---- reading ---- */

static int check_pair(const struct tl_sut_map *map, size_t first, size_t second)
{
    const struct tl_sut_map_row *a = &map->rows[first], *b = &map->rows[second];
    const char *same = a->shard == b->shard ? "shard" : same_device(a, b);
    const struct tl_path root = {0}, list = {.up = &root, .key = "shards"},
                         at = {.up = &list, .index = second}, member = {.up = &at, .key = same};

    if (same == NULL)
        return 0;
    if (a->shard == b->shard)
        return tl_doc_fail(&map->doc, &member,
                           "shard %u is there twice (shards[%zu]); expected each shard once",
                           a->shard, first);
    return tl_doc_fail(&map->doc, &member,
                       "shards %u and %u would play one device at the same time; expected a "
                       "device for each shard",
                       a->shard, b->shard);
}

int tl_sut_map_load(const char *path, struct tl_sut_map *out, struct fal_error *err)
{
    struct tl_path root = {0};
    int rc;

    *out = (struct tl_sut_map){.name = NULL};
    rc = tl_doc_open(&out->doc, path, TL_SUT_MAP_SCHEMA, err);
    if (rc == 0)
        rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_sut_map_shape, out);
    for (size_t i = 0; rc == 0 && i < out->num_rows; i++)
        for (size_t k = 0; rc == 0 && k < i; k++)
            rc = check_pair(out, k, i);
    if (rc != 0)
        tl_sut_map_free(out);
    return rc;
}

void tl_sut_map_free(struct tl_sut_map *map)
{
    fal_shape_free(&tl_sut_map_shape, map);
    tl_doc_close(&map->doc);
    *map = (struct tl_sut_map){.name = NULL};
}

/* ---- one shard ---- */

static const struct tl_sut_map_row *row_of(const struct tl_sut_map *map, unsigned shard)
{
    for (size_t i = 0; i < map->num_rows; i++)
        if (map->rows[i].shard == shard)
            return &map->rows[i];
    return NULL;
}

const struct tl_sut_map_row *tl_sut_map_find(const struct tl_sut_map *map,
                                             struct tl_shard shard, struct fal_error *err)
{
    struct tl_shard_list missing = {.first = 0};
    unsigned holes = 0;

    for (size_t i = 0; i < map->num_rows; i++)
        if (map->rows[i].shard > shard.total) {
            (void)fal_fail(err, FAL_ERR_FORM,
                           "%.200s: shards[%zu] is of shard %u, and the run has %u; expected "
                           "each shard from 1 to %u once",
                           map->doc.path, i, map->rows[i].shard, shard.total, shard.total);
            return NULL;
        }
    for (unsigned n = 1; n <= shard.total; n++)
        if (row_of(map, n) == NULL) {
            tl_shard_list_add(&missing, n);
            holes++;
        }
    if (holes > 0) {
        (void)fal_fail(err, FAL_ERR_FORM,
                       "%.200s: no SUT for shard%s %s of %u; expected each shard from 1 to %u "
                       "once",
                       map->doc.path, holes > 1 ? "s" : "", missing.text, shard.total,
                       shard.total);
        return NULL;
    }
    return row_of(map, shard.number);
}
