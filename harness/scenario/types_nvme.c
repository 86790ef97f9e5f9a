/* SPDX-License-Identifier: Apache-2.0
 * types_nvme.c - the steps `nvme` and `expect_nvme`. Which members a word has, the tables of
 * codecs/nvme say; read_word.c checks them. */
#include "harness/scenario/types_impl.h"

static const struct tl_type word = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("nvme_ns", "nvme_lba", "nvme_post", "dev_format", "dev_fill", "dev_hash",
                   "dev_policy", "dev_complete", "dev_identify")};
static const struct tl_type event = {.shape = TL_SHAPE_WORD,
                                     .words = WORDS("nvme_cqe", "dev_cmd")};

#define NUMBER(key, what)                      \
    {                                          \
        key, &tl_type_value, false, what, NULL \
    }
#define WORD(key, what)                       \
    {                                         \
        key, &tl_type_text, false, what, NULL \
    }
#define FLAG(key, what)                       \
    {                                         \
        key, &tl_type_flag, false, what, NULL \
    }
#define DATA(what)                                                                           \
    NUMBER("data", what), NUMBER("from", "... from this byte of the pattern on; default 0"), \
        NUMBER("bytes", "... and has so many bytes")
static const struct tl_member command_members[] = {
    {"do", &word, true, "the command (docs/sut-protocol.md)", "\"nvme_post\""},
    NUMBER("nsid", "namespace: of the initiator in nvme_..., of the device in dev_..."),
    NUMBER("start", "nvme_ns: first row in the LBA translation table"),
    NUMBER("C", "nvme_ns: a chunk has 2^C GiB"),
    NUMBER("S", "nvme_ns: a stripe has 2^S * 256 KiB"),
    NUMBER("N", "nvme_ns: a striping group has 2^N chunks"),
    NUMBER("block_shift", "a block has 2^block_shift bytes: 9 or 12 (default)"),
    WORD("pi", "nvme_ns: protection information: off, host, insert"),
    FLAG("encrypt", "nvme_ns: AES-256-XTS at the initiator"),
    FLAG("exclusive", "nvme_ns: only the tester submits commands to it"),
    NUMBER("index", "nvme_lba: number of the row"),
    FLAG("valid", "nvme_lba: the row has a translation"),
    NUMBER("sqid", "submission queue at the target"),
    NUMBER("target_nsid", "nvme_lba: namespace of the target"),
    NUMBER("chunk", "nvme_lba: number of the target chunk"),
    NUMBER("cmd", "nvme_post: number of the command, which its event repeats"),
    NUMBER("sq", "nvme_post: submission queue of the initiator; absent: the SUT chooses"),
    WORD("op", "nvme_post: read, write"),
    NUMBER("slba", "first block"),
    NUMBER("nlb0", "number of blocks, less 1"),
    NUMBER("fua", "nvme_post: force unit access"),
    NUMBER("lr", "nvme_post: limited retry"),
    NUMBER("dsm", "nvme_post: dataset management"),
    NUMBER("dtype", "nvme_post: directive type of a write"),
    NUMBER("dspec", "nvme_post: directive specific of a write"),
    NUMBER("prinfo", "nvme_post: PRACT, guard, application tag, reference tag, as 4 bits"),
    NUMBER("tag", "of the payload pattern"),
    NUMBER("seed", "of the payload pattern; default: that of `data` in packets"),
    NUMBER("app", "nvme_post: application tag of each block that the host gives"),
    FLAG("bad_pi", "nvme_post: the host gives a wrong guard for the first block"),
    NUMBER("dev", "number of the device"),
    NUMBER("metadata", "dev_format: bytes of metadata per block: 0 or 16"),
    FLAG("meta", "dev_hash: the metadata of each block too"),
    NUMBER("after_ns", "dev_policy: time that a command takes"),
    NUMBER("status", "dev_policy, dev_complete: CQE status field"),
    FLAG("hold", "dev_policy: commands wait for dev_complete"),
    NUMBER("dcmd", "dev_complete: number of the command")};
OBJECT(command, "nvme_command", "A command of NVMe.", command_members,
       .expected = "{\"do\": \"nvme_post\", ...}");

static const struct tl_member reply_members[] = {
    NUMBER("function", "nvme_ns: initiator function"),
    NUMBER("mdts", "nvme_ns: most bytes of one command"),
    NUMBER("sq", "nvme_post: submission queue"),
    NUMBER("cid", "nvme_post: command identifier"),
    NUMBER("hash", "dev_hash: FNV-1a of the bytes"),
    NUMBER("metadata", "dev_identify: bytes of metadata per block"),
    NUMBER("pil", "dev_identify: 1: protection information first in the metadata"),
    NUMBER("pi_type", "dev_identify: type of the protection information, 0: off"),
    NUMBER("mset", "dev_identify: 1: metadata follow the data of each block"),
    DATA("dev_hash: the blocks hold the payload pattern of this tag")};
OBJECT(reply, "nvme_reply", "What the reply must be.", reply_members,
       .expected = "{\"function\": 7}");

static const struct tl_member nvme_members[] = {
    {"nvme", &command, true,
     "a command for an upper layer, of the SUT unless `side` says tester",
     "{\"do\": \"dev_policy\", \"hold\": true}"},
    {"as", &tl_type_text, false,
     "a name for its reply, whose numbers become variables: $n_function, $n_mdts, $p_sq, "
     "$p_cid",
     "\"n\""},
    {"reply", &reply, false, NULL, NULL},
    {"refused", &tl_type_flag, false, "true: the SUT must refuse it", NULL},
    {"may_refuse", &tl_type_flag, false, "true: the SUT may refuse it", NULL},
    SIDE,
    COMMON};
const struct tl_type tl_type_step_nvme = {.shape = TL_SHAPE_OBJECT,
                                          .name = "step_nvme",
                                          .doc = "Commands the NVMe upper layer of one side.",
                                          MEMBERS(nvme_members),
                                          .select = "nvme",
                                          .expected = "{\"nvme\": ...}"};

static const struct tl_member seen_members[] = {
    {"event", &event, true, "which event", "\"nvme_cqe\""},
    NUMBER("cmd", "nvme_cqe: number of the command"),
    NUMBER("status", "nvme_cqe: CQE status field; 0: success"),
    NUMBER("dcmd", "dev_cmd: number of the command at the device"),
    NUMBER("dev", "dev_cmd: number of the device"),
    WORD("op", "dev_cmd: read, write"),
    NUMBER("nsid", "dev_cmd: namespace of the device"),
    NUMBER("slba", "dev_cmd: first block"),
    NUMBER("nlb0", "dev_cmd: number of blocks, less 1"),
    NUMBER("sqid", "dev_cmd: submission queue"),
    NUMBER("hash", "FNV-1a of the data: of a read in nvme_cqe, of a write in dev_cmd"),
    DATA("the data behind `hash` is the payload pattern of this tag")};
OBJECT(seen, "seen_nvme", "An event of NVMe with these members.", seen_members,
       .expected = "{\"event\": \"nvme_cqe\", ...}");
static const struct tl_member expect_members[] = {
    {"expect_nvme", &seen, true,
     "the first matching event after the one that met the last expectation",
     "{\"event\": \"nvme_cqe\", \"cmd\": 1, \"status\": 0}"},
    AFTER,
    WITHIN,
    SIDE,
    COMMON};
const struct tl_type tl_type_step_expect_nvme = {
    .shape = TL_SHAPE_OBJECT,
    .name = "step_expect_nvme",
    .doc = "An NVMe upper layer must report an event.",
    MEMBERS(expect_members),
    .select = "expect_nvme",
    .expected = "{\"expect_nvme\": ...}"};
static const struct tl_member none_members[] = {
    {"expect_no_nvme", &seen, true, "no matching event comes",
     "{\"event\": \"nvme_cqe\", \"cmd\": 1}"},
    {"for", &tl_type_duration, true, "so long", "\"1ms\""},
    SIDE,
    COMMON};
const struct tl_type tl_type_step_expect_no_nvme = {
    .shape = TL_SHAPE_OBJECT,
    .name = "step_expect_no_nvme",
    .doc = "An NVMe upper layer must not report such an event.",
    MEMBERS(none_members),
    .select = "expect_no_nvme",
    .expected = "{\"expect_no_nvme\": ...}"};
