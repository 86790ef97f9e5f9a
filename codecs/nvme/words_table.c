/* SPDX-License-Identifier: Apache-2.0
 * words_table.c - the members of each word of NVMe. Reader, writer and schema of commands,
 * replies, events and timelines come from these tables. */
#include "codecs/nvme/words.h"

#define AT(field)  FAL_AT(struct fal_nvme_word, field)
#define HAS(field) FAL_HAS(struct fal_nvme_word, field)

/* ---- shapes ---- */

const char *const fal_nvme_op_names[FAL_NVME_OPS] = {"read", "write"};
const char *const fal_nvme_pi_names[FAL_NVME_PIS] = {"off", "host", "insert"};

static const struct fal_shape op = {.kind = FAL_SHAPE_WORD, FAL_WORDS(fal_nvme_op_names)};
static const struct fal_shape pi = {.kind = FAL_SHAPE_WORD, FAL_WORDS(fal_nvme_pi_names)};
static const struct fal_shape bit = {.kind = FAL_SHAPE_UINT, .max = 1};
static const struct fal_shape bits4 = {.kind = FAL_SHAPE_UINT, .max = 15};
static const struct fal_shape bits8 = {.kind = FAL_SHAPE_UINT, .max = 255};
static const struct fal_shape bits16 = {.kind = FAL_SHAPE_UINT, .max = 65535};
static const struct fal_shape bits24 = {.kind = FAL_SHAPE_UINT, .max = 0xffffff};
static const struct fal_shape shift = {.kind = FAL_SHAPE_UINT, .max = 33};
static const struct fal_shape block = {.kind = FAL_SHAPE_UINT, .min = 9, .max = 12};
static const struct fal_shape status = {.kind = FAL_SHAPE_UINT, .max = FAL_NVME_STATUS_MAX};

/* ---- members ---- */

#define NSID                                                            \
    {                                                                   \
        "nsid", &fal_shape_uint, FAL_MUST, AT(nsid), .doc = "namespace" \
    }
#define DEV                                                               \
    {                                                                     \
        "dev", &fal_shape_uint, 0, AT(dev), .doc = "number of the device" \
    }
#define SLBA(flags)                                                   \
    {                                                                 \
        "slba", &fal_shape_u64, flags, AT(slba), .doc = "first block" \
    }
#define NLB0                                                            \
    {                                                                   \
        "nlb0", &bits16, 0, AT(nlb0), .doc = "number of blocks, less 1" \
    }
#define OP                                                          \
    {                                                               \
        "op", &op, FAL_MUST, AT(op), .doc = "what the command does" \
    }
#define META                                                                \
    {                                                                       \
        "meta", &fal_shape_flag, 0, AT(meta),                               \
            .doc = "the 16 bytes of metadata of each block follow its data" \
    }
#define PATTERN                                                              \
    {"tag", &fal_shape_u64, 0, AT(tag), .doc = "of the payload pattern"},    \
    {                                                                        \
        "seed", &fal_shape_u64, 0, AT(seed), .doc = "of the payload pattern" \
    }
#define BLOCK(flags)                                                         \
    {                                                                        \
        "block_shift", &block, flags, AT(block_shift),                       \
            .initial = 12, .doc = "a block has 2^block_shift bytes: 9 or 12" \
    }
#define STATUS(flags, text)                               \
    {                                                     \
        "status", &status, flags, AT(status), .doc = text \
    }

static const struct fal_member ns_members[] = {
    NSID,
    {"start", &fal_shape_uint, 0, AT(start), .doc = "first row in the LBA translation table"},
    {"C", &shift, 0, AT(C), .doc = "a chunk has 2^C GiB"},
    {"S", &shift, 0, AT(S), .doc = "a stripe has 2^S * 256 KiB"},
    {"N", &shift, 0, AT(N), .doc = "a striping group has 2^N chunks"},
    BLOCK(FAL_ALWAYS),
    {"pi", &pi, FAL_ALWAYS, AT(pi), .doc = "protection information"},
    {"encrypt", &fal_shape_flag, 0, AT(encrypt), .doc = "AES-256-XTS at the initiator"},
    {"exclusive", &fal_shape_flag, 0, AT(exclusive),
     .doc = "only the tester submits commands to this namespace"}};
static const struct fal_member ns_reply[] = {
    {"function", &bits24, FAL_MUST, AT(function), .doc = "initiator function: host, PF, VF"},
    {"mdts", &fal_shape_u64, FAL_MUST, AT(mdts), .doc = "most bytes of one command"},
    {"key", &fal_shape_name, 0, AT(key), .doc = "key of the encryption, 128 hex digits"}};
static const struct fal_member lba_members[] = {
    {"index", &fal_shape_uint, FAL_MUST, AT(index), .doc = "of the row"},
    {"valid", &fal_shape_flag, FAL_ALWAYS, AT(valid), .doc = "the row has a translation"},
    {"sqid", &bits8, 0, AT(sqid), .doc = "submission queue at the target"},
    {"conn", &fal_shape_name, 0, AT(conn), .doc = "handle of the connection to the target"},
    {"target_nsid", &fal_shape_uint, 0, AT(target_nsid), .doc = "namespace of the target"},
    {"chunk", &fal_shape_u64, 0, AT(chunk), .doc = "number of the target chunk"}};
static const struct fal_member post_members[] = {
    {"cmd", &fal_shape_u64, FAL_MUST, AT(cmd), .doc = "number that the event repeats"},
    {"sq", &fal_shape_uint, 0, AT(sq), HAS(has_sq), .doc = "submission queue"},
    OP,
    NSID,
    SLBA(FAL_MUST),
    NLB0,
    {"fua", &bit, 0, AT(fua), .doc = "force unit access"},
    {"lr", &bit, 0, AT(lr), .doc = "limited retry"},
    {"dsm", &bits8, 0, AT(dsm), .doc = "dataset management"},
    {"dtype", &bits4, 0, AT(dtype), .doc = "directive type, of writes"},
    {"dspec", &bits16, 0, AT(dspec), .doc = "directive specific, of writes"},
    {"prinfo", &bits4, 0, AT(prinfo), .doc = "PRACT, guard, application tag, reference tag"},
    PATTERN,
    {"app", &bits16, 0, AT(app), .doc = "application tag of each block that the host gives"},
    {"bad_pi", &fal_shape_flag, 0, AT(bad_pi),
     .doc = "the host gives a wrong guard for the first block"}};
static const struct fal_member post_reply[] = {
    {"sq", &fal_shape_uint, FAL_ALWAYS, AT(sq), .doc = "submission queue"},
    {"cid", &bits16, FAL_ALWAYS, AT(cid), .doc = "command identifier"}};
static const struct fal_member format_members[] = {
    DEV,
    NSID,
    BLOCK(FAL_ALWAYS),
    {"metadata", &bits16, 0, AT(metadata), .doc = "bytes of metadata per block: 0 or 16"},
    {"sqid", &bits8, 0, AT(sqid), HAS(has_sqid),
     .doc = "requests of this submission queue go to the device"}};
static const struct fal_member fill_members[] = {DEV, NSID, SLBA(FAL_MUST), NLB0, PATTERN};
static const struct fal_member hash_members[] = {DEV, NSID, SLBA(FAL_MUST), NLB0, META};
static const struct fal_member hash_reply[] = {
    {"hash", &fal_shape_hex, FAL_MUST, AT(hash), .doc = "FNV-1a of the bytes, 64 bits"}};
static const struct fal_member policy_members[] = {
    {"after_ns", &fal_shape_u64, 0, AT(after_ns), .doc = "time that a command takes"},
    STATUS(0, "status of commands"),
    {"hold", &fal_shape_flag, 0, AT(hold), .doc = "commands wait for dev_complete"}};
static const struct fal_member complete_members[] = {
    {"dcmd", &fal_shape_u64, FAL_MUST, AT(dcmd), .doc = "number of the command"},
    STATUS(0, "status of the command")};
static const struct fal_member identify_members[] = {DEV, NSID};
static const struct fal_member identify_reply[] = {
    {"metadata", &bits16, FAL_MUST, AT(metadata), .doc = "bytes of metadata per block"},
    {"pil", &bit, FAL_ALWAYS, AT(pil),
     .doc = "1: protection information first in the metadata"},
    {"pi_type", &bits4, FAL_ALWAYS, AT(pi_type), .doc = "protection type, 0: none"},
    {"mset", &bit, FAL_ALWAYS, AT(mset), .doc = "1: metadata follow the data of each block"}};
static const struct fal_member cqe_members[] = {
    {"cmd", &fal_shape_u64, FAL_MUST, AT(cmd), .doc = "number of the command"},
    STATUS(FAL_ALWAYS, "CQE status field, 0: success"),
    {"hash", &fal_shape_hex, 0, AT(hash), HAS(has_hash),
     .doc = "of a read: FNV-1a of the data blocks in the host's buffer"}};
static const struct fal_member dev_cmd_members[] = {
    {"dcmd", &fal_shape_u64, FAL_MUST, AT(dcmd), .doc = "number of the command"},
    DEV,
    OP,
    NSID,
    SLBA(FAL_MUST),
    NLB0,
    {"sqid", &bits8, FAL_ALWAYS, AT(sqid), .doc = "submission queue"},
    {"hash", &fal_shape_hex, 0, AT(hash), HAS(has_hash),
     .doc = "of a write: FNV-1a of the data blocks"}};

/* ---- words ---- */

#define SHAPE(text, table)                                                                    \
    {                                                                                         \
        .kind = FAL_SHAPE_OBJECT, .doc = text, .skips_unknown = true, .null_is_absent = true, \
        FAL_MEMBERS(table)                                                                    \
    }
#define NOTHING(text)                                                \
    {                                                                \
        .kind = FAL_SHAPE_OBJECT, .doc = text, .skips_unknown = true \
    }

const struct fal_shape fal_nvme_word_shapes[FAL_NVME_KINDS] = {
    [FAL_NVME_NS] = SHAPE("Sets a row of the NSID table.", ns_members),
    [FAL_NVME_LBA] = SHAPE("Sets a row of the LBA translation table.", lba_members),
    [FAL_NVME_POST] = SHAPE("Submits a command of the host.", post_members),
    [FAL_NVME_DEV_FORMAT] = SHAPE("Formats a namespace of a device.", format_members),
    [FAL_NVME_DEV_FILL] =
        SHAPE("Fills blocks with the payload pattern and valid metadata.", fill_members),
    [FAL_NVME_DEV_HASH] = SHAPE("Hashes blocks.", hash_members),
    [FAL_NVME_DEV_POLICY] = SHAPE("How devices complete commands from now on.", policy_members),
    [FAL_NVME_DEV_COMPLETE] = SHAPE("Completes a command that was held.", complete_members),
    [FAL_NVME_DEV_IDENTIFY] = SHAPE("Tells how a namespace is formatted.", identify_members),
    [FAL_NVME_CQE] = SHAPE("A command of the host has completed.", cqe_members),
    [FAL_NVME_DEV_CMD] = SHAPE("The target gave a command to a device.", dev_cmd_members),
};

const struct fal_shape fal_nvme_word_replies[FAL_NVME_COMMANDS] = {
    [FAL_NVME_NS] = SHAPE("Function and limits of the namespace.", ns_reply),
    [FAL_NVME_LBA] = NOTHING("Nothing."),
    [FAL_NVME_POST] = SHAPE("Queue and identifier of the command.", post_reply),
    [FAL_NVME_DEV_FORMAT] = NOTHING("Nothing."),
    [FAL_NVME_DEV_FILL] = NOTHING("Nothing."),
    [FAL_NVME_DEV_HASH] = SHAPE("The hash.", hash_reply),
    [FAL_NVME_DEV_POLICY] = NOTHING("Nothing."),
    [FAL_NVME_DEV_COMPLETE] = NOTHING("Nothing."),
    [FAL_NVME_DEV_IDENTIFY] = SHAPE("The format.", identify_reply),
};
