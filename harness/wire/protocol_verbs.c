/* SPDX-License-Identifier: Apache-2.0
 * protocol_verbs.c - the words of RDMA verbs in the control protocol. codecs/verbs has the
 * members of each word; here they get what every line has. */
#include "harness/wire/protocol_impl.h"

_Static_assert(TL_DO_CQ_ARM - TL_DO_PD_CREATE == FAL_VERBS_CQ_ARM,
               "the commands stand in the order of enum fal_verbs_kind");

/* ---- commands ---- */

#define VERB(kind, word) \
    [FAL_VERBS_##kind] = WORD_COMMAND(word, &fal_verbs_shapes[FAL_VERBS_##kind])
#define EVENT(kind, word) \
    [FAL_VERBS_##kind] = WORD_EVENT(word, &fal_verbs_shapes[FAL_VERBS_##kind])

const struct fal_shape tl_proto_verbs[FAL_VERBS_KINDS] = {
    VERB(PD_CREATE, "pd_create"),   VERB(CQ_CREATE, "cq_create"),
    VERB(SRQ_CREATE, "srq_create"), VERB(MR_REG, "mr_reg"),
    VERB(MR_DEREG, "mr_dereg"),     VERB(MR_FILL, "mr_fill"),
    VERB(MR_HASH, "mr_hash"),       VERB(MR_WORD, "mr_word"),
    VERB(QP_CREATE, "qp_create"),   VERB(QP_CONNECT, "qp_connect"),
    VERB(AH_CREATE, "ah_create"),   VERB(QP_QUERY, "qp_query"),
    VERB(POST_SEND, "post_send"),   VERB(POST_RECV, "post_recv"),
    VERB(CQ_ARM, "cq_arm"),         EVENT(WC, "wc"),
    EVENT(CQ_EVENT, "cq_event"),    EVENT(ASYNC, "async"),
};
#define V(kind) &tl_proto_verbs[FAL_VERBS_##kind]
const struct fal_shape tl_proto_verbs_commands = {
    .kind = FAL_SHAPE_ANY_OF,
    .name = "verbs_command",
    .doc = "A command of RDMA verbs.",
    FAL_OF(V(PD_CREATE), V(CQ_CREATE), V(SRQ_CREATE), V(MR_REG), V(MR_DEREG), V(MR_FILL),
           V(MR_HASH), V(MR_WORD), V(QP_CREATE), V(QP_CONNECT), V(AH_CREATE), V(QP_QUERY),
           V(POST_SEND), V(POST_RECV), V(CQ_ARM))};

/* ---- replies ---- */

#define REPLY(kind)                                                 \
    {                                                               \
        "", &fal_verbs_replies[FAL_VERBS_##kind], .flags = FAL_FLAT \
    }
static const struct fal_member reply_members[] = {
    REPLY(PD_CREATE), REPLY(CQ_CREATE), REPLY(SRQ_CREATE), REPLY(MR_REG),   REPLY(MR_HASH),
    REPLY(MR_WORD),   REPLY(QP_CREATE), REPLY(AH_CREATE),  REPLY(QP_QUERY), REPLY(POST_SEND)};
const struct fal_shape tl_proto_verbs_reply = {LINE, FAL_MEMBERS(reply_members)};

/* ---- events ---- */

const struct fal_shape tl_proto_verbs_events = {.kind = FAL_SHAPE_ANY_OF,
                                                .name = "verbs_event",
                                                .doc = "An event of RDMA verbs.",
                                                FAL_OF(V(WC), V(CQ_EVENT), V(ASYNC))};
