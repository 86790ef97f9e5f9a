/* SPDX-License-Identifier: Apache-2.0
 * protocol_nvme.c - the words of NVMe in the control protocol. codecs/nvme has the members of
 * each word; here they get what every line has. */
#include "harness/wire/protocol_impl.h"

_Static_assert(TL_DO_DEV_IDENTIFY - TL_DO_NVME_NS == FAL_NVME_DEV_IDENTIFY,
               "the commands stand in the order of enum fal_nvme_word_kind");

#define WORD(kind, word) \
    [FAL_NVME_##kind] = WORD_COMMAND(word, &fal_nvme_word_shapes[FAL_NVME_##kind])
#define EVENT(kind, word) \
    [FAL_NVME_##kind] = WORD_EVENT(word, &fal_nvme_word_shapes[FAL_NVME_##kind])

const struct fal_shape tl_proto_nvme[FAL_NVME_KINDS] = {
    WORD(NS, "nvme_ns"),
    WORD(LBA, "nvme_lba"),
    WORD(POST, "nvme_post"),
    WORD(DEV_FORMAT, "dev_format"),
    WORD(DEV_FILL, "dev_fill"),
    WORD(DEV_HASH, "dev_hash"),
    WORD(DEV_POLICY, "dev_policy"),
    WORD(DEV_COMPLETE, "dev_complete"),
    WORD(DEV_IDENTIFY, "dev_identify"),
    EVENT(CQE, "nvme_cqe"),
    EVENT(DEV_CMD, "dev_cmd"),
};
#define N(kind) &tl_proto_nvme[FAL_NVME_##kind]
const struct fal_shape tl_proto_nvme_commands = {.kind = FAL_SHAPE_ANY_OF,
                                                 .name = "nvme_command",
                                                 .doc = "A command of NVMe.",
                                                 FAL_OF(N(NS), N(LBA), N(POST), N(DEV_FORMAT),
                                                        N(DEV_FILL), N(DEV_HASH), N(DEV_POLICY),
                                                        N(DEV_COMPLETE), N(DEV_IDENTIFY))};
const struct fal_shape tl_proto_nvme_events = {.kind = FAL_SHAPE_ANY_OF,
                                               .name = "nvme_event",
                                               .doc = "An event of NVMe.",
                                               FAL_OF(N(CQE), N(DEV_CMD))};

#define REPLY(kind)                                                    \
    {                                                                  \
        "", &fal_nvme_word_replies[FAL_NVME_##kind], .flags = FAL_FLAT \
    }
static const struct fal_member reply_members[] = {REPLY(NS), REPLY(POST), REPLY(DEV_HASH),
                                                  REPLY(DEV_IDENTIFY)};
const struct fal_shape tl_proto_nvme_reply = {LINE, FAL_MEMBERS(reply_members)};
