/* SPDX-License-Identifier: Apache-2.0
 * nvme.h - what a packet of NVMe over Falcon is, as rules see it before it becomes a fact. */
#ifndef FAL_ORACLES_RULES_FACTS_NVME_H
#define FAL_ORACLES_RULES_FACTS_NVME_H

#include "codecs/header/ulp.h"
#include "oracles/timeline.h"

struct fal_ncmd;
struct fal_npart;
struct fal_hcmd;

/* The first copy of a reliable packet with headers of NVMe that could be read. */
struct fal_nvme_seen {
    const struct fal_nvme *head;
    const uint8_t *data; /* after the headers */
    uint32_t data_len;
    bool whole;             /* the packet was captured whole */
    enum fal_dir initiator; /* the direction of packets of the side that sent the command */
    /* Of an answer, or of write data: the nCMD that it belongs to, by its tags, or by the RSN
     * of the request for the data. Of a request: an open nCMD with the same tag. NULL: none. */
    struct fal_ncmd *ncmd;
    /* Of an answer that belongs to no nCMD: an open one of which it has two in three of
     * function, tag and identifier of the command; NULL: none. */
    const struct fal_ncmd *near;
    /* Of a request: the part of a command that it goes on with; NULL: it begins one. */
    struct fal_npart *part;
    /* Of a request that begins a part: an open part of another command with the same
     * identifier; NULL: none. */
    const struct fal_npart *rival;
    /* Of a request: the command of the host that explains it, and which part of it; NULL: none
     * does. */
    struct fal_hcmd *cmd;
    unsigned half;
    /* Of a request: the index of an event before which its first copy was sent, although it may
     * have gone unseen; UINT64_MAX: none is known. */
    uint64_t sent_before;
};

/* Whether a packet may carry NVMe headers: cheap, and never false where they can be read. */
static inline bool fal_nvme_likely(const struct fal_ev_packet *packet)
{
    enum { FRONT = 32 };

    return packet->falcon.protocol_type == FAL_PROTOCOL_NVME && packet->payload_len >= FRONT;
}

/* Whether it is a Read Request or a Write Request. */
static inline bool fal_nvme_is_request(unsigned packet_type)
{
    return packet_type == FAL_NVME_WRITE_REQUEST || packet_type == FAL_NVME_READ_REQUEST;
}

/* Whether it is a Read Response or a Write Completion, with which an nCMD ends. */
static inline bool fal_nvme_is_end(unsigned packet_type)
{
    return packet_type == FAL_NVME_WRITE_COMPLETION || packet_type == FAL_NVME_READ_RESPONSE;
}

/* Whether the initiator of commands sends it. */
static inline bool fal_nvme_of_initiator(unsigned packet_type)
{
    return fal_nvme_is_request(packet_type) || packet_type == FAL_NVME_WRITE_DATA_RESPONSE;
}

#endif
