/* SPDX-License-Identifier: Apache-2.0
 * hunt_rdma.c - packets with the headers of RDMA: any operation in any Falcon packet, with
 * fields of its headers changed. On a connection of RDMA nothing of this may break the SUT. */
#include "fuzz/hunt/hunt.h"

#include "codecs/header/ulp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_LEN = 600, FIELDS_MAX = 4 };

bool hunt_is_rdma(const json_t *doc)
{
    const json_t *params = json_object_get(json_object_get(doc, "connection"), "params");

    return json_integer_value(json_object_get(params, "protocol_type")) == FAL_PROTOCOL_RDMA;
}

/* Adds " header.field=value"; a field of the first header has no prefix. */
static void add_field(const struct fal_rdma_kind *kind, struct fal_rng *rng, char *line,
                      size_t cap)
{
    size_t at = hunt_below(rng, kind->num_headers), len = strlen(line);
    const struct fal_layout *layout = fal_rdma_layout(kind->headers[at]);
    const struct fal_field *field = &layout->fields[hunt_below(rng, layout->num_fields)];
    unsigned width = field->width_bits < 62 ? field->width_bits : 62;
    uint64_t most = (UINT64_C(1) << width) - 1, value = fal_rng_next(rng) & most;
    char name[64];

    if (hunt_one_in(rng, 2)) /* the edges, where a length or a key is compared */
        value = hunt_one_in(rng, 2) ? most : hunt_below(rng, 3) & most;
    (void)snprintf(name, sizeof name, " %s%s%s=", at > 0 ? layout->name : "", at > 0 ? "." : "",
                   field->name);
    if (field->kind == FAL_CODE || strstr(line, name) != NULL)
        return; /* the operation is the line's first word */
    (void)snprintf(line + len, cap - len, "%s0x%" PRIx64, name, value);
}

json_t *hunt_rdma_packet(struct fal_rng *rng)
{
    static const char *const packets[] = {"push_data", "pull_request", "pull_data"};
    static const unsigned lengths[] = {0, 1, 3, 4, 64, 255, 256, 257, 1024, 4096};
    unsigned opcode = (unsigned)hunt_below(rng, 256), fields;
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);
    char line[LINE_MAX_LEN];
    size_t len;

    if (kind == NULL && hunt_one_in(rng, 4)) {
        (void)snprintf(line, sizeof line, "> %s / rdma rbth opcode=%u", HUNT_PICK(rng, packets),
                       opcode);
        return json_string(line);
    }
    while (kind == NULL)
        kind = fal_rdma_kind((unsigned)hunt_below(rng, 256));
    (void)snprintf(line, sizeof line, "> %s / rdma %s",
                   hunt_one_in(rng, 6) ? HUNT_PICK(rng, packets)
                                       : fal_falcon_layout(kind->packet)->name,
                   kind->name);
    fields = (unsigned)hunt_below(rng, FIELDS_MAX + 1);
    for (unsigned i = 0; i < fields; i++)
        add_field(kind, rng, line, sizeof line);
    len = strlen(line);
    if (kind->data || hunt_one_in(rng, 6))
        (void)snprintf(line + len, sizeof line - len, " data=%u", HUNT_PICK(rng, lengths));
    return json_string(line);
}
