/* SPDX-License-Identifier: Apache-2.0
 * types_verbs.c - the steps `verbs` and `expect_verbs`. Which members a word has, the tables of
 * codecs/verbs say; read_word.c checks them. */
#include "harness/scenario/types_impl.h"

static const struct tl_type word = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("pd_create", "cq_create", "srq_create", "mr_reg", "mr_dereg", "mr_fill",
                   "mr_hash", "mr_word", "qp_create", "qp_connect", "ah_create", "qp_query",
                   "post_send", "post_recv", "cq_arm")};
static const struct tl_type event = {.shape = TL_SHAPE_WORD,
                                     .words = WORDS("wc", "cq_event", "async")};
static const struct tl_type words = {
    .shape = TL_SHAPE_LIST, .expected = "an array of words", .of = OF(&tl_type_text)};
static const struct tl_member sge_members[] = {
    {"mr", &tl_type_text, true, "a memory region", "\"m\""},
    {"offset", &tl_type_number, false, "of the first byte in the region", NULL},
    {"length", &tl_type_number, true, "bytes", "64"}};
OBJECT(sge, "verbs_sge", "One entry of a scatter-gather list.", sge_members,
       .expected = "{\"mr\": \"m\", \"length\": 64}");
static const struct tl_type sgl = {.shape = TL_SHAPE_LIST,
                                   .expected = "an array of {\"mr\": \"m\", \"length\": 64}",
                                   .of = OF(&sge),
                                   .max = 16};
static const struct tl_member remote_members[] = {
    {"va", &tl_type_value, true, "virtual address at the target", "\"$r_va + 64\""},
    {"rkey", &tl_type_value, true, "key of the target's region", "\"$r_rkey\""}};
OBJECT(remote, "verbs_remote", "Memory of the target.", remote_members,
       .expected = "{\"va\": ..., \"rkey\": ...}");

#define OBJECT_NAME(key, what)                                        \
    {                                                                 \
        key, &tl_type_text, false, what ", by its name in `as`", NULL \
    }
#define NUMBER(key, what)                      \
    {                                          \
        key, &tl_type_value, false, what, NULL \
    }
#define WORD(key, what)                       \
    {                                         \
        key, &tl_type_text, false, what, NULL \
    }
static const struct tl_member command_members[] = {
    {"do", &word, true, "the command (docs/sut-protocol.md)", "\"post_send\""},
    OBJECT_NAME("pd", "a protection domain"),
    OBJECT_NAME("cq", "a completion queue"),
    OBJECT_NAME("srq", "a shared receive queue"),
    OBJECT_NAME("mr", "a memory region"),
    OBJECT_NAME("within", "the region whose memory this one shows"),
    OBJECT_NAME("qp", "a queue pair"),
    OBJECT_NAME("send_cq", "the completion queue of the send queue"),
    OBJECT_NAME("recv_cq", "the completion queue of the receive queue"),
    OBJECT_NAME("ah", "an address handle"),
    NUMBER("depth", "entries of a completion queue or a shared receive queue"),
    {"xrc", &tl_type_flag, false, "a shared receive queue for XRC", NULL},
    NUMBER("length", "bytes"),
    {"access", &words, false, "rights of a region: lw, rw, rr, ra, inv", "[\"lw\", \"rw\"]"},
    NUMBER("offset", "of the first byte"),
    NUMBER("va", "wished virtual address"),
    NUMBER("tag", "of the payload pattern"),
    NUMBER("seed", "of the payload pattern; default: that of `data` in packets"),
    NUMBER("set", "new value of 8 bytes"),
    WORD("type", "rc, ud, xrc_ini, xrc_tgt"),
    WORD("ordering", "strong, weak, unordered"),
    WORD("errors", "verbs, cie"),
    NUMBER("path_mtu", "most data bytes of a packet"),
    NUMBER("qkey", "Q_Key of UD"),
    NUMBER("sq", "work requests of the send queue"),
    NUMBER("rq", "work requests of the receive queue"),
    NUMBER("sge", "entries of a scatter-gather list"),
    NUMBER("rd_atomic", "reads and atomics that are open at once"),
    NUMBER("rnr_ns", "the delay that its RNR NACKs ask for, in ns"),
    NUMBER("dest_qpn", "queue pair number of the peer"),
    NUMBER("srqn", "XRC: number of the peer's shared receive queue"),
    NUMBER("wr_id", "number of the work request"),
    WORD("op", "send, send_imm, send_inv, write, write_imm, read, cas, faa"),
    {"sgl", &sgl, false, "local memory, in order", "[{\"mr\": \"m\", \"length\": 64}]"},
    {"remote", &remote, false, NULL, NULL},
    NUMBER("imm", "immediate data"),
    NUMBER("inv", "key to invalidate"),
    NUMBER("compare", "cas: the value expected"),
    NUMBER("swap", "cas: the new value"),
    NUMBER("add", "faa: what is added"),
    {"flags", &words, false, "signaled, solicited, fence", "[\"signaled\"]"},
    {"solicited_only", &tl_type_flag, false, "cq_arm: a solicited completion alone", NULL}};
OBJECT(command, "verbs_command", "A command of the verbs.", command_members,
       .expected = "{\"do\": \"post_send\", ...}");

static const struct tl_member reply_members[] = {
    NUMBER("hash", "mr_hash: FNV-1a of the bytes"),
    NUMBER("value", "mr_word: the 8 bytes before"),
    WORD("state", "qp_query: rts, sqe, err, other"),
    NUMBER("rsn_first", "post_send: RSN of its first transaction"),
    NUMBER("rsn_count", "post_send: number of its transactions"),
    NUMBER("path_mtu", "qp_create: what the SUT took"),
    NUMBER("qpn", "qp_create: number of the queue pair"),
    NUMBER("data", "mr_hash: the range holds the payload pattern of this tag"),
    NUMBER("from", "... from this byte of the pattern on; default 0"),
    NUMBER("bytes", "... and has so many bytes; default: `length` of the command")};
OBJECT(reply, "verbs_reply", "What the reply must be.", reply_members,
       .expected = "{\"state\": \"rts\"}");

static const struct tl_member verbs_members[] = {
    {"verbs", &command, true,
     "a command for an upper layer, of the SUT unless `side` says tester",
     "{\"do\": \"pd_create\"}"},
    {"as", &tl_type_text, false,
     "the name of what it makes; numbers of the reply become variables: $m_va, $m_lkey, "
     "$m_rkey, $q_qpn, $s_srqn",
     "\"m\""},
    {"reply", &reply, false, NULL, NULL},
    {"refused", &tl_type_flag, false, "true: the SUT must refuse it", NULL},
    {"may_refuse", &tl_type_flag, false, "true: the SUT may refuse it", NULL},
    SIDE,
    COMMON};
const struct tl_type tl_type_step_verbs = {.shape = TL_SHAPE_OBJECT,
                                           .name = "step_verbs",
                                           .doc = "Commands the RDMA upper layer of one side.",
                                           MEMBERS(verbs_members),
                                           .select = "verbs",
                                           .expected = "{\"verbs\": ...}"};

static const struct tl_member seen_members[] = {
    {"event", &event, true, "which event", "\"wc\""},
    OBJECT_NAME("cq", "a completion queue"),
    OBJECT_NAME("qp", "a queue pair"),
    NUMBER("wr_id", "number of the work request"),
    NUMBER("status", "0: success; numbers of InfiniBand's verbs"),
    WORD("opcode", "send, write, read, cas, faa, recv, recv_imm"),
    NUMBER("byte_len", "bytes received"),
    NUMBER("imm", "immediate data"),
    NUMBER("inv", "key that was invalidated"),
    NUMBER("src_qp", "UD: the sender's queue pair"),
    WORD("what", "async: what has happened")};
OBJECT(seen, "seen_verbs", "An event of the verbs with these members.", seen_members,
       .expected = "{\"event\": \"wc\", ...}");
static const struct tl_member expect_members[] = {
    {"expect_verbs", &seen, true,
     "the first matching event after the one that met the last expectation",
     "{\"event\": \"wc\", \"wr_id\": 1, \"status\": 0}"},
    AFTER,
    WITHIN,
    SIDE,
    COMMON};
const struct tl_type tl_type_step_expect_verbs = {
    .shape = TL_SHAPE_OBJECT,
    .name = "step_expect_verbs",
    .doc = "An RDMA upper layer must report an event.",
    MEMBERS(expect_members),
    .select = "expect_verbs",
    .expected = "{\"expect_verbs\": ...}"};
static const struct tl_member none_members[] = {
    {"expect_no_verbs", &seen, true, "no matching event comes",
     "{\"event\": \"wc\", \"qp\": \"q\"}"},
    {"for", &tl_type_duration, true, "so long", "\"1ms\""},
    SIDE,
    COMMON};
const struct tl_type tl_type_step_expect_no_verbs = {
    .shape = TL_SHAPE_OBJECT,
    .name = "step_expect_no_verbs",
    .doc = "An RDMA upper layer must not report such an event.",
    MEMBERS(none_members),
    .select = "expect_no_verbs",
    .expected = "{\"expect_no_verbs\": ...}"};
