/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/nvme/words.h"

#include <string.h>

const char *const fal_nvme_word_names[FAL_NVME_KINDS] = {
    [FAL_NVME_NS] = "nvme_ns",
    [FAL_NVME_LBA] = "nvme_lba",
    [FAL_NVME_POST] = "nvme_post",
    [FAL_NVME_DEV_FORMAT] = "dev_format",
    [FAL_NVME_DEV_FILL] = "dev_fill",
    [FAL_NVME_DEV_HASH] = "dev_hash",
    [FAL_NVME_DEV_POLICY] = "dev_policy",
    [FAL_NVME_DEV_COMPLETE] = "dev_complete",
    [FAL_NVME_DEV_IDENTIFY] = "dev_identify",
    [FAL_NVME_CQE] = "nvme_cqe",
    [FAL_NVME_DEV_CMD] = "dev_cmd",
};

enum fal_nvme_word_kind fal_nvme_word_of(const char *name)
{
    int kind = 0;

    while (kind < FAL_NVME_KINDS && strcmp(name, fal_nvme_word_names[kind]) != 0)
        kind++;
    return (enum fal_nvme_word_kind)kind;
}

static const struct fal_shape *shape_of(enum fal_nvme_word_kind kind, bool reply)
{
    return reply ? &fal_nvme_word_replies[kind] : &fal_nvme_word_shapes[kind];
}

int fal_nvme_word_read(enum fal_nvme_word_kind kind, bool reply, const json_t *object,
                       struct fal_nvme_word *out, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc;

    if (kind >= FAL_NVME_KINDS || (reply && kind >= FAL_NVME_COMMANDS))
        return fal_fail(err, FAL_ERR_FORM, "expected a word of NVMe");
    *out = (struct fal_nvme_word){.kind = kind};
    rc = fal_shape_read(shape_of(kind, reply), object, out, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, fal_nvme_word_names[kind], err);
    out->kind = kind;
    return 0;
}

json_t *fal_nvme_word_write(const struct fal_nvme_word *word, bool reply)
{
    return fal_shape_write(shape_of(word->kind, reply), word);
}
