/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/frame_full.h"

#include "codecs/text/text_full.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>

/* A header's fields, each behind a '#' in its first column. */
static void print_fields(struct fal_out *out, const struct fal_layout *layout, const void *host)
{
    char text[FAL_TEXT_FULL_MAX];
    char *line = text;

    (void)fal_text_full(layout, host, text, sizeof text);
    while (*line != 0) {
        size_t len = strcspn(line, "\n");

        fal_out_format(out, "    # %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void print_title(struct fal_out *out, const char *name, size_t offset, size_t len)
{
    fal_out_format(out, "    # %s: at byte %zu, %zu bytes\n", name, offset, len);
}

static void print_rdma(struct fal_out *out, const struct fal_ulp *ulp, size_t offset)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(ulp->rdma.rbth.opcode);
    struct fal_rdma rdma = ulp->rdma;

    for (size_t i = 0; i < kind->num_headers; i++) {
        const struct fal_layout *layout = fal_rdma_layout(kind->headers[i]);

        print_title(out, layout->name, offset, layout->size_bytes);
        print_fields(out, layout, fal_rdma_host(&rdma, kind->headers[i]));
        offset += layout->size_bytes;
    }
}

int fal_frame_full(const struct fal_frame *frame, char *text, size_t cap)
{
    struct fal_out start = fal_out_start(text, cap), *out = &start;
    struct fal_frame *f = (struct fal_frame *)frame; /* only read */
    const struct fal_ulp *ulp = &frame->ulp;
    size_t end = 0;

    for (size_t i = 0; i < frame->num_layers; i++) {
        const struct fal_layer *layer = &frame->layers[i];
        const struct fal_layout *layout;
        const void *host = fal_frame_host(f, layer->id, &layout);

        end = (size_t)layer->offset + layer->len;
        print_title(out, fal_layer_name(layer->id), layer->offset, layer->len);
        if (host != NULL)
            print_fields(out, layout, host);
    }
    if (ulp->state != FAL_ULP_READ)
        return fal_out_end(out);
    if (ulp->protocol == FAL_PROTOCOL_RDMA) {
        print_rdma(out, ulp, end);
        return fal_out_end(out);
    }
    print_title(out, fal_ulp_name(ulp->protocol), end, ulp->size_bytes);
    print_fields(out, fal_nvme_layout(ulp->nvme.packet_type), &ulp->nvme);
    return fal_out_end(out);
}
