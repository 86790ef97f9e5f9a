/* SPDX-License-Identifier: Apache-2.0
 * verbs_table.c - the members of each word of the verbs. Reader, writer and schema of commands,
 * replies, events and timelines come from these tables. */
#include "codecs/verbs/verbs.h"

#include <string.h>

#define AT(field)  FAL_AT(struct fal_verbs, field)
#define HAS(field) FAL_HAS(struct fal_verbs, field)

/* ---- shapes ---- */

const char *const fal_verbs_op_names[FAL_VERBS_OPS] = {
    "send", "send_imm", "send_inv", "write", "write_imm", "read", "cas", "faa"};
static const char *const type_names[FAL_VERBS_TYPES] = {"rc", "ud", "xrc_ini", "xrc_tgt"};
static const char *const ordering_names[FAL_VERBS_ORDERINGS] = {"strong", "weak", "unordered"};
static const char *const error_names[FAL_VERBS_ERROR_MODES] = {"verbs", "cie"};
static const char *const state_names[FAL_VERBS_STATES] = {"rts", "sqe", "err", "other"};
static const char *const done_names[FAL_VERBS_DONES] = {"send", "write", "read",    "cas",
                                                        "faa",  "recv",  "recv_imm"};

static const struct fal_shape op = {.kind = FAL_SHAPE_WORD, FAL_WORDS(fal_verbs_op_names)};
static const struct fal_shape type = {.kind = FAL_SHAPE_WORD, FAL_WORDS(type_names)};
static const struct fal_shape ordering = {.kind = FAL_SHAPE_WORD, FAL_WORDS(ordering_names)};
static const struct fal_shape errors = {.kind = FAL_SHAPE_WORD, FAL_WORDS(error_names)};
static const struct fal_shape state = {.kind = FAL_SHAPE_WORD, FAL_WORDS(state_names)};
static const struct fal_shape done = {.kind = FAL_SHAPE_WORD, FAL_WORDS(done_names)};

/* Bits as a list of words: "access", "flags". */
static int read_bits(const json_t *value, void *out, const char *const *words, size_t n,
                     struct fal_misfit *wrong)
{
    unsigned bits = 0;

    if (!json_is_array(value))
        return fal_misfit_say(wrong, "expected an array of words");
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));
        size_t at = 0;

        while (at < n && (word == NULL || strcmp(word, words[at]) != 0))
            at++;
        if (at == n)
            return fal_misfit_say(wrong, "element %zu: expected one of %s, %s, %s ...", i,
                                  words[0], words[1], words[2]);
        bits |= 1U << at;
    }
    if (out != NULL)
        memcpy(out, &bits, sizeof bits);
    return 0;
}

static int write_bits(const void *in, json_t **out, const char *const *words, size_t n)
{
    unsigned bits;

    memcpy(&bits, in, sizeof bits);
    *out = NULL;
    if (bits == 0)
        return 0;
    *out = json_array();
    for (size_t i = 0; i < n && *out != NULL; i++) {
        if ((bits >> i & 1) == 0 || json_array_append_new(*out, json_string(words[i])) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const char *const access_names[] = {"lw", "rw", "rr", "ra", "inv"};
enum { ACCESSES = sizeof access_names / sizeof *access_names };

static int read_access(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_bits(value, out, access_names, ACCESSES, wrong);
}

static int write_access(const void *in, json_t **out)
{
    return write_bits(in, out, access_names, ACCESSES);
}

static const struct fal_shape access_word = {.kind = FAL_SHAPE_WORD, FAL_WORDS(access_names)};
static const struct fal_shape access_list = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&access_word), .read = read_access, .write = write_access};

static const char *const flag_names[] = {"signaled", "solicited", "fence"};
enum { FLAGS = sizeof flag_names / sizeof *flag_names };

static int read_flags(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_bits(value, out, flag_names, FLAGS, wrong);
}

static int write_flags(const void *in, json_t **out)
{
    return write_bits(in, out, flag_names, FLAGS);
}

static const struct fal_shape flag_word = {.kind = FAL_SHAPE_WORD, FAL_WORDS(flag_names)};
static const struct fal_shape flag_list = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&flag_word), .read = read_flags, .write = write_flags};

#define SGE(field) FAL_AT(struct fal_verbs_sge, field)
static const struct fal_member sge_members[] = {
    {"mr", &fal_shape_name, FAL_MUST, SGE(mr), .doc = "handle of a memory region"},
    {"offset", &fal_shape_u64, 0, SGE(offset), .doc = "of the first byte in the region"},
    {"length", &fal_shape_uint, FAL_MUST, SGE(length), .doc = "bytes"},
};
static const struct fal_shape sge_shape = {.kind = FAL_SHAPE_OBJECT,
                                           .name = "verbs_sge",
                                           .doc = "one entry of a scatter-gather list",
                                           .null_is_absent = true,
                                           FAL_MEMBERS(sge_members)};
static const struct fal_shape sgl = {.kind = FAL_SHAPE_LIST,
                                     FAL_OF(&sge_shape),
                                     .max = FAL_VERBS_SGE_MAX,
                                     .in_place = true,
                                     .item_size = sizeof(struct fal_verbs_sge)};

#define REMOTE(field) FAL_AT(struct fal_verbs_remote, field)
static const struct fal_member remote_members[] = {
    {"va", &fal_shape_u64, FAL_MUST, REMOTE(va), .doc = "virtual address at the target"},
    {"rkey", &fal_shape_uint, FAL_MUST, REMOTE(rkey), .doc = "key of the target's region"},
};
static const struct fal_shape remote = {.kind = FAL_SHAPE_OBJECT,
                                        .name = "verbs_remote",
                                        .doc = "memory of the target",
                                        FAL_MEMBERS(remote_members)};

/* ---- members ---- */

#define NAME(key, field, flags, text)                       \
    {                                                       \
        key, &fal_shape_name, flags, AT(field), .doc = text \
    }
#define PD(flags)  NAME("pd", pd, flags, "handle of a protection domain")
#define CQ(flags)  NAME("cq", cq, flags, "handle of a completion queue")
#define SRQ(flags) NAME("srq", srq, flags, "handle of a shared receive queue")
#define MR(flags)  NAME("mr", mr, flags, "handle of a memory region")
#define QP(flags)  NAME("qp", qp, flags, "handle of a queue pair")
#define AH(flags)  NAME("ah", ah, flags, "handle of an address handle")
#define CONN       NAME("conn", conn, FAL_MUST, "handle of the connection")
#define QPN                                                                   \
    {                                                                         \
        "qpn", &fal_shape_uint, FAL_MUST, AT(qpn), .doc = "queue pair number" \
    }
#define DEST_QPN(flags)                                   \
    {                                                     \
        "dest_qpn", &fal_shape_uint, flags, AT(dest_qpn), \
            .doc = "queue pair number of the peer"        \
    }
#define LENGTH                                                         \
    {                                                                  \
        "length", &fal_shape_u64, FAL_MUST, AT(length), .doc = "bytes" \
    }
#define OFFSET                                                              \
    {                                                                       \
        "offset", &fal_shape_u64, 0, AT(offset), .doc = "of the first byte" \
    }
#define WR_ID                                                                             \
    {                                                                                     \
        "wr_id", &fal_shape_u64, FAL_MUST, AT(wr_id), .doc = "number of the work request" \
    }
#define SGL                                                            \
    {                                                                  \
        "sgl", &sgl, 0, AT(sgl), FAL_COUNT(struct fal_verbs, num_sge), \
            .doc = "local memory, in order"                            \
    }
#define IMM                                                                       \
    {                                                                             \
        "imm", &fal_shape_uint, 0, AT(imm), HAS(has_imm), .doc = "immediate data" \
    }
#define QKEY                                                                      \
    {                                                                             \
        "qkey", &fal_shape_uint, 0, AT(qkey), HAS(has_qkey), .doc = "Q_Key of UD" \
    }
#define NUMBER(key, field, text)                        \
    {                                                   \
        key, &fal_shape_uint, 0, AT(field), .doc = text \
    }
#define QP_SIZES                                                                               \
    {"ordering", &ordering, FAL_ALWAYS, AT(ordering), .doc = "of messages (RDMA 6.4)"},        \
        {"errors", &errors, FAL_ALWAYS, AT(errors),                                            \
         .doc = "what an error at the target ends (RDMA 6.3)"},                                \
        NUMBER("path_mtu", path_mtu, "most data bytes of a packet, 256 to 4096"),              \
        NUMBER("sq", sq, "work requests of the send queue"),                                   \
        NUMBER("rq", rq, "work requests of the receive queue"),                                \
        NUMBER("sge", sge, "entries of a scatter-gather list"),                                \
        NUMBER("rd_atomic", rd_atomic, "reads and atomics that are open at once"),             \
    {                                                                                          \
        "rnr_ns", &fal_shape_u64, 0, AT(rnr_ns), .doc = "the delay that its RNR NACKs ask for" \
    }

static const struct fal_member pd_members[] = {PD(FAL_MUST)};
static const struct fal_member cq_create[] = {
    {"depth", &fal_shape_uint, FAL_MUST, AT(depth), .doc = "entries"}};
static const struct fal_member cq_members[] = {CQ(FAL_MUST)};
static const struct fal_member srq_create[] = {
    PD(FAL_MUST),
    {"depth", &fal_shape_uint, FAL_MUST, AT(depth), .doc = "work requests"},
    {"xrc", &fal_shape_flag, 0, AT(xrc), .doc = "for XRC"}};
static const struct fal_member srq_reply[] = {
    SRQ(FAL_MUST), NUMBER("srqn", srqn, "number of the shared receive queue")};
static const struct fal_member mr_reg[] = {
    PD(FAL_MUST),
    LENGTH,
    {"access", &access_list, 0, AT(access), .doc = "rights"},
    NAME("within", within, 0, "region whose memory this one shows"),
    {"offset", &fal_shape_u64, 0, AT(offset), .doc = "of the first byte in `within`"},
    NAME("qp", qp, 0, "queue pair that may invalidate its key"),
    {"va", &fal_shape_u64, 0, AT(va), HAS(has_va), .doc = "wished virtual address"}};
static const struct fal_member mr_reply[] = {
    MR(FAL_MUST),
    {"va", &fal_shape_u64, FAL_MUST, AT(va), .doc = "virtual address of its first byte"},
    {"lkey", &fal_shape_uint, FAL_MUST, AT(lkey), .doc = "key for the own queue pairs"},
    {"rkey", &fal_shape_uint, FAL_MUST, AT(rkey), .doc = "key for the peer"}};
static const struct fal_member mr_members[] = {MR(FAL_MUST)};
static const struct fal_member mr_fill[] = {
    MR(FAL_MUST),
    OFFSET,
    LENGTH,
    {"tag", &fal_shape_u64, 0, AT(tag), .doc = "of the payload pattern"},
    {"seed", &fal_shape_u64, 0, AT(seed), .doc = "of the payload pattern"}};
static const struct fal_member mr_hash[] = {MR(FAL_MUST), OFFSET, LENGTH};
static const struct fal_member hash_reply[] = {
    {"hash", &fal_shape_hex, FAL_MUST, AT(hash), .doc = "FNV-1a of the bytes, 64 bits"}};
static const struct fal_member mr_word[] = {
    MR(FAL_MUST),
    OFFSET,
    {"set", &fal_shape_u64, 0, AT(set), HAS(has_set), .doc = "new value of the 8 bytes"}};
static const struct fal_member word_reply[] = {
    {"value", &fal_shape_u64, FAL_MUST, AT(value),
     .doc = "the 8 bytes before, in the byte order of the SUT"}};
static const struct fal_member qp_create[] = {
    {"type", &type, FAL_ALWAYS, AT(type), .doc = "transport service"},
    PD(FAL_MUST),
    NAME("send_cq", send_cq, FAL_MUST, "completion queue of the send queue"),
    NAME("recv_cq", recv_cq, FAL_MUST, "completion queue of the receive queue"),
    SRQ(0),
    QKEY,
    QP_SIZES};
static const struct fal_member qp_reply[] = {QP(FAL_MUST), QPN, QP_SIZES};
static const struct fal_member qp_connect[] = {QP(FAL_MUST), CONN, DEST_QPN(0)};
static const struct fal_member ah_create[] = {PD(FAL_MUST), CONN};
static const struct fal_member ah_members[] = {AH(FAL_MUST)};
static const struct fal_member qp_members[] = {QP(FAL_MUST)};
static const struct fal_member query_reply[] = {
    {"state", &state, FAL_MUST, AT(state), .doc = "state of the queue pair"}};
static const struct fal_member post_send[] = {
    QP(FAL_MUST),
    WR_ID,
    {"op", &op, FAL_MUST, AT(op), .doc = "operation"},
    SGL,
    {"remote", &remote, 0, AT(remote), HAS(has_remote)},
    IMM,
    {"inv", &fal_shape_uint, 0, AT(inv), HAS(has_inv), .doc = "key to invalidate"},
    {"compare", &fal_shape_u64, 0, AT(compare), .doc = "cas: the value expected"},
    {"swap", &fal_shape_u64, 0, AT(swap), .doc = "cas: the new value"},
    {"add", &fal_shape_u64, 0, AT(add), .doc = "faa: what is added"},
    AH(0),
    DEST_QPN(0),
    QKEY,
    {"srqn", &fal_shape_uint, 0, AT(srqn), HAS(has_srqn),
     .doc = "XRC: number of the peer's shared receive queue"},
    {"flags", &flag_list, 0, AT(flags), .doc = "what is special about it"}};
static const struct fal_member send_reply[] = {
    {"rsn_first", &fal_shape_uint, 0, AT(rsn_first), HAS(has_rsn),
     .doc = "RSN of its first transaction"},
    {"rsn_count", &fal_shape_uint, 0, AT(rsn_count), .doc = "number of its transactions"}};
static const struct fal_member post_recv[] = {QP(0), SRQ(0), WR_ID, SGL};
static const struct fal_member cq_arm[] = {
    CQ(FAL_MUST),
    {"solicited_only", &fal_shape_flag, 0, AT(solicited_only),
     .doc = "only a solicited completion gives an event"}};
static const struct fal_member wc_members[] = {
    CQ(FAL_MUST),
    QP(FAL_MUST),
    WR_ID,
    {"status", &fal_shape_uint, FAL_MUST, AT(status), .doc = "0: success; numbers of verbs"},
    {"opcode", &done, FAL_ALWAYS, AT(opcode), .doc = "what has completed"},
    NUMBER("byte_len", byte_len, "bytes received"),
    IMM,
    {"inv", &fal_shape_uint, 0, AT(inv), HAS(has_inv), .doc = "key that was invalidated"},
    {"src_qp", &fal_shape_uint, 0, AT(src_qp), HAS(has_src_qp),
     .doc = "UD: the sender's queue pair"}};
static const struct fal_member async_members[] = {
    QP(0), NAME("what", what, FAL_MUST, "what has happened")};

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

const struct fal_shape fal_verbs_shapes[FAL_VERBS_KINDS] = {
    [FAL_VERBS_PD_CREATE] = NOTHING("Makes a protection domain."),
    [FAL_VERBS_CQ_CREATE] = SHAPE("Makes a completion queue.", cq_create),
    [FAL_VERBS_SRQ_CREATE] = SHAPE("Makes a shared receive queue.", srq_create),
    [FAL_VERBS_MR_REG] = SHAPE("Registers a memory region.", mr_reg),
    [FAL_VERBS_MR_DEREG] = SHAPE("Ends a memory region.", mr_members),
    [FAL_VERBS_MR_FILL] = SHAPE("Fills a range with the payload pattern.", mr_fill),
    [FAL_VERBS_MR_HASH] = SHAPE("Hashes a range.", mr_hash),
    [FAL_VERBS_MR_WORD] = SHAPE("Reads 8 bytes, and may then set them.", mr_word),
    [FAL_VERBS_QP_CREATE] = SHAPE("Makes a queue pair.", qp_create),
    [FAL_VERBS_QP_CONNECT] = SHAPE("Ties a queue pair to a connection.", qp_connect),
    [FAL_VERBS_AH_CREATE] = SHAPE("Makes an address handle for UD.", ah_create),
    [FAL_VERBS_QP_QUERY] = SHAPE("Tells the state of a queue pair.", qp_members),
    [FAL_VERBS_POST_SEND] = SHAPE("Posts a work request to a send queue.", post_send),
    [FAL_VERBS_POST_RECV] = SHAPE("Posts a receive request.", post_recv),
    [FAL_VERBS_CQ_ARM] = SHAPE("Asks for an event at the next completion.", cq_arm),
    [FAL_VERBS_WC] = SHAPE("A work completion.", wc_members),
    [FAL_VERBS_CQ_EVENT] =
        SHAPE("A completion queue that was armed has a completion.", cq_members),
    [FAL_VERBS_ASYNC] =
        SHAPE("Something happened that belongs to no work request.", async_members),
};

const struct fal_shape fal_verbs_replies[FAL_VERBS_COMMANDS] = {
    [FAL_VERBS_PD_CREATE] = SHAPE("Its handle.", pd_members),
    [FAL_VERBS_CQ_CREATE] = SHAPE("Its handle.", cq_members),
    [FAL_VERBS_SRQ_CREATE] = SHAPE("Its handle and number.", srq_reply),
    [FAL_VERBS_MR_REG] = SHAPE("Its handle, address and keys.", mr_reply),
    [FAL_VERBS_MR_DEREG] = NOTHING("Nothing."),
    [FAL_VERBS_MR_FILL] = NOTHING("Nothing."),
    [FAL_VERBS_MR_HASH] = SHAPE("The hash.", hash_reply),
    [FAL_VERBS_MR_WORD] = SHAPE("The value.", word_reply),
    [FAL_VERBS_QP_CREATE] =
        SHAPE("Its handle, number, and what it took of the wishes.", qp_reply),
    [FAL_VERBS_QP_CONNECT] = NOTHING("Nothing."),
    [FAL_VERBS_AH_CREATE] = SHAPE("Its handle.", ah_members),
    [FAL_VERBS_QP_QUERY] = SHAPE("The state.", query_reply),
    [FAL_VERBS_POST_SEND] = SHAPE("The RSNs, where the SUT knows them.", send_reply),
    [FAL_VERBS_POST_RECV] = NOTHING("Nothing."),
    [FAL_VERBS_CQ_ARM] = NOTHING("Nothing."),
};
