/* SPDX-License-Identifier: Apache-2.0
 * walk.h - for the rules about NVMe: the packet at hand, and what may have gone unseen. */
#ifndef FAL_ORACLES_RULES_NVME_WALK_H
#define FAL_ORACLES_RULES_NVME_WALK_H

#include "oracles/rules/judge/report.h"

/* Whether the packet's headers of NVMe are the subject's own: those of a third party, and those
 * of the SUT, unless the tester tells its upper layer which bytes to send. */
bool fal_nvme_own(const struct fal_ctx *c, const struct fal_ev_packet *packet);
/* Whether the SUT's upper layer is NVMe. Where there is a control channel, it may also be a raw
 * one, which takes headers of NVMe as any payload. */
bool fal_nvme_speaks(const struct fal_ctx *c);
/* Whether Falcon may have ended transactions of the connection in error: packets may have got
 * lost, there were NACKs, the SUT is set up to drop requests, or the connection ended. */
bool fal_nvme_troubled(const struct fal_ctx *c);
/* What a packet of the subject says; NULL: it has no headers of NVMe that are its own, or is
 * not its first copy. */
const struct fal_nvme_seen *fal_nvme_mine(const struct fal_ctx *c, const struct fal_seen *q);
/* The same of a request. */
const struct fal_nvme_seen *fal_nvme_request(const struct fal_ctx *c, const struct fal_seen *q);

/* Whether a transaction that one side began, with an RSN of `from` or more, may have gone
 * unseen; INT64_MIN: any that is remembered. One of which nothing was seen may be newer than
 * all that were, so a gap in the packets of that side suffices. */
bool fal_nvme_holes(const struct fal_ctx *c, enum fal_dir space, int64_t from);
/* Returns whether a packet of the connection may have gone unseen since that event, whatever it
 * was: an answer to a request that was seen, a Resync, or a NACK. */
bool fal_nvme_missed(const struct fal_ctx *c, uint64_t since);
/* Returns whether the data of a write may have been sent unseen, or were not captured whole. */
bool fal_nvme_data_unread(const struct fal_ctx *c, const struct fal_ncmd *ncmd);
/* Whether the nCMD may have ended without an answer: its request failed, or was given up. */
bool fal_nvme_may_have_failed(const struct fal_ctx *c, const struct fal_ncmd *ncmd);

/* What a packet has, and what is due in its place. */
struct fal_nvme_diff {
    const char *requirement; /* NULL: nothing differs */
    const char *what;        /* a field */
    uint64_t due, seen;
    bool warn;
};
static inline struct fal_nvme_diff fal_nvme_differs(const char *requirement, const char *what,
                                                    uint64_t due, uint64_t seen)
{
    return (struct fal_nvme_diff){requirement, what, due, seen, false};
}
/* Reports it; `cause` is what asks for it, or NULL. */
void fal_nvme_broken(struct fal_ctx *c, const struct fal_seen *q,
                     const struct fal_nvme_diff *diff, const struct fal_at *cause);

/* What a rule compares: a request with the plan of the command that explains it. */
typedef struct fal_nvme_diff fal_nvme_compare(const struct fal_nvme_seen *n,
                                              const struct fal_nplan *plan,
                                              const struct fal_nwant *want);
/* Compares a request of the subject under each state of the tables that may be in force, and
 * reports the result: it holds if it agrees under one of them. Nothing is reported where no
 * command explains the request, or its namespace was never given. */
void fal_nvme_judge_request(struct fal_ctx *c, const struct fal_seen *q,
                            fal_nvme_compare *compare);

/* Returns whether the host may have submitted commands before anything was heard, so that the
 * one that is taken to explain a request may be another, and a request may have none. */
bool fal_nvme_late(const struct fal_ctx *c);

/* Whether a command that explains no request of the subject proves something: one that the
 * tester did not submit may be that of an operating system. */
bool fal_nvme_exclusive(const struct fal_ctx *c, uint32_t initiator_nsid);

/* SCT and SC of a status; other bits are the target's own. */
static inline uint32_t fal_nvme_code_of(uint32_t status)
{
    enum { CODE = 0x7ff };

    return status & CODE;
}

#endif
