/* SPDX-License-Identifier: Apache-2.0
 * json_ulp.c - "rdma": one object a header, and "nvme": one object, of what a Falcon packet
 * carries. In the frame they are the first bytes of its payload. */
#include "codecs/header/ulp_fill.h"
#include "codecs/json/json_impl.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- writing ---- */

static json_t *rdma_json(const struct fal_ulp *ulp)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(ulp->rdma.rbth.opcode);
    struct fal_rdma rdma = ulp->rdma;
    json_t *object = json_object();

    for (size_t i = 0; object != NULL && i < kind->num_headers; i++) {
        const struct fal_layout *layout = fal_rdma_layout(kind->headers[i]);

        if (json_object_set_new(
                object, layout->name,
                fal_json_header(layout, fal_rdma_host(&rdma, kind->headers[i]))) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

json_t *fal_json_ulp(const struct fal_ulp *ulp)
{
    return ulp->protocol == FAL_PROTOCOL_NVME
               ? fal_json_header(fal_nvme_layout(ulp->nvme.packet_type), &ulp->nvme)
               : rdma_json(ulp);
}

const struct fal_field *fal_json_ulp_field(const struct fal_ulp *ulp, const char *name)
{
    const struct fal_field *field = NULL;
    const struct fal_rdma_kind *kind;

    if (ulp->state != FAL_ULP_READ)
        return NULL;
    if (ulp->protocol == FAL_PROTOCOL_NVME)
        return fal_layout_find(fal_nvme_layout(ulp->nvme.packet_type), name);
    kind = fal_rdma_kind(ulp->rdma.rbth.opcode);
    for (size_t i = 0; field == NULL && i < kind->num_headers; i++)
        field = fal_layout_find(fal_rdma_layout(kind->headers[i]), name);
    return field;
}

/* ---- reading ---- */

static bool given(const json_t *object, const char *header, const char *field)
{
    return json_object_get(json_object_get(object, header), field) != NULL;
}

/* The value of a code in an object, which decides the headers; the initial one when it is not
 * given. */
static int read_code(const json_t *object, const struct fal_layout *layout, const char *name,
                     const char *where, unsigned *code, struct fal_error *err)
{
    const struct fal_field *field = fal_layout_find(layout, name);
    const json_t *json = json_object_get(object, name);
    fal_u128 value = field->initial;
    int status = json != NULL ? fal_json_read_value(field, json, where, &value, err) : 0;

    *code = (unsigned)value;
    return status;
}

static bool has_header(const struct fal_rdma_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->num_headers; i++)
        if (strcmp(fal_rdma_layout(kind->headers[i])->name, name) == 0)
            return true;
    return false;
}

static int read_rdma(const json_t *object, struct fal_rdma *rdma,
                     const struct fal_rdma_kind **kind, struct fal_error *err)
{
    const char *key;
    unsigned opcode;
    json_t *json;
    int status = read_code(json_object_get(object, "rbth"), &fal_rbth_layout, "opcode",
                           "rdma.rbth", &opcode, err);

    if (status != 0)
        return status;
    *kind = fal_rdma_kind(opcode);
    if (*kind == NULL)
        return fal_fail(
            err, FAL_ERR_FORM,
            "rdma.rbth.opcode: %u is reserved; give such a packet's headers as \"payload\"",
            opcode);
    /* jansson's iteration takes no const; it changes nothing. */
    json_object_foreach((json_t *)object, key, json)
    {
        if (!has_header(*kind, key))
            return fal_fail(err, FAL_ERR_FORM, "rdma.%s: a %s has no such header",
                            fal_quote(key, strlen(key)).text, (*kind)->name);
    }
    for (size_t i = 0; i < (*kind)->num_headers; i++) {
        enum fal_rdma_header header = (*kind)->headers[i];
        const struct fal_layout *layout = fal_rdma_layout(header);
        char where[32];

        fal_layout_init(layout, fal_rdma_host(rdma, header));
        (void)snprintf(where, sizeof where, "rdma.%s", layout->name);
        json = json_object_get(object, layout->name);
        status = json == NULL ? 0
                              : fal_json_read_header(layout, json, where,
                                                     fal_rdma_host(rdma, header), NULL, err);
        if (status != 0)
            return status;
    }
    return 0;
}

static int read_nvme(const json_t *object, struct fal_nvme *nvme, struct fal_error *err)
{
    const struct fal_layout *layout;
    unsigned type;
    int status = read_code(object, &fal_nbth_layout, "packet_type", "nvme", &type, err);

    if (status != 0)
        return status;
    layout = fal_nvme_layout(type);
    if (layout == NULL)
        return fal_fail(
            err, FAL_ERR_FORM,
            "nvme.packet_type: %u is reserved; give such a packet's headers as \"payload\"",
            type);
    fal_layout_init(layout, nvme);
    return fal_json_read_header(layout, object, "nvme", nvme, NULL, err);
}

int fal_json_read_ulp(const json_t *line, size_t data, struct fal_falcon *packet, uint8_t *out,
                      size_t cap, struct fal_error *err)
{
    const json_t *rdma = json_object_get(line, "rdma"), *nvme = json_object_get(line, "nvme");
    const json_t *object = rdma != NULL ? rdma : nvme,
                 *falcon = json_object_get(line, "falcon");
    const struct fal_rdma_kind *kind = NULL;
    struct fal_ulp ulp;
    int status;

    if (object == NULL)
        return 0;
    if (rdma != NULL && nvme != NULL)
        return fal_fail(err, FAL_ERR_FORM, "nvme: a packet is of RDMA or of NVMe, not of both");
    memset(&ulp, 0, sizeof ulp);
    ulp.state = FAL_ULP_READ;
    ulp.protocol = rdma != NULL ? FAL_PROTOCOL_RDMA : FAL_PROTOCOL_NVME;
    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "%s: not an object", fal_ulp_name(ulp.protocol));
    if (falcon == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: there is no falcon layer to carry it",
                        fal_ulp_name(ulp.protocol));
    if (json_object_get(falcon, "protocol_type") == NULL)
        packet->protocol_type = ulp.protocol;
    status = rdma != NULL ? read_rdma(object, &ulp.rdma, &kind, err)
                          : read_nvme(object, &ulp.nvme, err);
    if (status != 0)
        return status;
    if (kind != NULL)
        fal_rdma_fill(kind,
                      (struct fal_rdma_given){
                          given(object, "reth", "length"),
                          json_object_get(falcon, "request_length") != NULL,
                      },
                      data, &ulp.rdma, packet);
    status = fal_ulp_encode(&ulp, out, cap, NULL);
    return status >= 0 ? status
                       : fal_fail(err, status, "%s: more bytes than a frame can have",
                                  fal_ulp_name(ulp.protocol));
}
