/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/verbs/memory.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

struct fal_image *fal_image_new(uint64_t length, bool *oom)
{
    struct fal_image *image;

    if (length == 0 || length > FAL_IMAGE_MAX)
        return NULL;
    image = calloc(1, sizeof *image);
    if (image == NULL) {
        *oom = true;
        return NULL;
    }
    image->length = length;
    image->bytes = calloc(3, (size_t)length);
    if (image->bytes == NULL) {
        *oom = true;
        free(image);
        return NULL;
    }
    image->known = image->bytes + length;
    image->vague = image->known + length;
    return image;
}

void fal_image_free(struct fal_image *image)
{
    if (image != NULL)
        free(image->bytes);
    free(image);
}

/* The part of the range that lies inside. */
static size_t inside(const struct fal_image *image, uint64_t at, uint64_t length)
{
    if (image == NULL || at >= image->length)
        return 0;
    return (size_t)(length < image->length - at ? length : image->length - at);
}

void fal_image_fill(struct fal_image *image, uint64_t at, uint64_t length, uint64_t tag,
                    uint64_t seed)
{
    size_t n = inside(image, at, length);

    if (n == 0)
        return;
    fal_payload_fill(tag, seed, image->bytes + at, n);
    memset(image->known + at, 1, n);
    memset(image->vague + at, 0, n);
}

void fal_image_write(struct fal_image *image, uint64_t at, const uint8_t *bytes, size_t len)
{
    size_t n = inside(image, at, len);

    if (n == 0)
        return;
    memcpy(image->bytes + at, bytes, n);
    memset(image->known + at, 1, n);
}

void fal_image_forget(struct fal_image *image, uint64_t at, uint64_t length)
{
    size_t n = inside(image, at, length);

    if (n > 0)
        memset(image->known + at, 0, n);
}

void fal_image_blur(struct fal_image *image, uint64_t at, uint64_t length)
{
    size_t n = inside(image, at, length);

    fal_image_forget(image, at, length);
    if (n > 0)
        memset(image->vague + at, 1, n);
}

bool fal_image_hash(const struct fal_image *image, uint64_t at, uint64_t length, uint64_t *hash)
{
    size_t n = inside(image, at, length);

    if (length == 0)
        return true;
    if (n != length || memchr(image->known + at, 0, n) != NULL)
        return false;
    *hash = fal_payload_hash_on(*hash, image->bytes + at, n);
    return true;
}
