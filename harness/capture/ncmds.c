/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/ncmds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMMANDS = 256, NCMDS = 1024, DEVICE_COMMANDS = 256, SPACES = 64 };

/* A command of a host. */
struct command {
    uint64_t number; /* from 1; 0: the place is free */
    bool of_sut;     /* the SUT is its initiator */
    bool posted;     /* by a word; `post` is valid */
    bool sent;       /* a request of it was seen; function and icmd are valid */
    uint32_t function, icmd;
    struct fal_nvme_word post;
};

struct ncmd {
    struct tl_ncmds_place place; /* command 0: the place is free */
    uint32_t conn, rsn;          /* of its request */
    bool of_sut;
    struct fal_nvme request;
};

struct device_command {
    uint64_t dcmd;
    struct tl_ncmds_place place;
};

struct tl_ncmds {
    uint64_t num_commands, num_ncmds, num_dcmds;
    size_t num_spaces;
    struct command commands[COMMANDS];
    struct ncmd ncmds[NCMDS];
    struct device_command dcmds[DEVICE_COMMANDS];
    struct fal_nvme_word spaces[SPACES]; /* nvme_ns */
};

struct tl_ncmds *tl_ncmds_new(void)
{
    return calloc(1, sizeof(struct tl_ncmds));
}

void tl_ncmds_free(struct tl_ncmds *ncmds)
{
    free(ncmds);
}

/* ---- packets ---- */

static bool is_request(const struct fal_nvme *header)
{
    return header->packet_type == FAL_NVME_WRITE_REQUEST ||
           header->packet_type == FAL_NVME_READ_REQUEST;
}

static struct tl_ncmds_place place_in(const struct fal_nvme *header)
{
    return (struct tl_ncmds_place){.part = header->s ? 1u + header->ng : 0,
                                   .ncmd = 1u + header->ncnt_offset,
                                   .ncmds = 1u + header->ncnt_total};
}

static bool is_same_place(const struct tl_ncmds_place *a, const struct tl_ncmds_place *b)
{
    return a->part == b->part && a->ncmd == b->ncmd;
}

/* The nCMD that is `back` places older than the newest one. */
static const struct ncmd *ncmd_at(const struct tl_ncmds *ncmds, uint64_t back)
{
    return &ncmds->ncmds[(ncmds->num_ncmds - 1 - back) % NCMDS];
}

/* Whether a command that was posted may be the one of this request. The lowest bits of an LBA
 * are the same at the target: those that count the blocks of the smallest stripe, 256 KiB
 * (NVME 6.6.2). The second part of a split command begins with a stripe. */
static bool fits(const struct tl_ncmds *ncmds, const struct fal_nvme_word *post,
                 const struct fal_nvme *request)
{
    uint32_t block_shift = 12;
    uint64_t in_stripe;

    for (size_t i = 0; i < ncmds->num_spaces; i++)
        if (ncmds->spaces[i].nsid == post->nsid)
            block_shift = ncmds->spaces[i].block_shift;
    in_stripe = (UINT64_C(1) << (18 - block_shift)) - 1;
    return (post->op == FAL_NVME_WRITE) == (request->packet_type == FAL_NVME_WRITE_REQUEST) &&
           (post->nsid & 0xffff) == request->initiator_nsid &&
           (request->s ? post->nlb0 > request->nlb : post->nlb0 == request->nlb) &&
           (request->slba & in_stripe) ==
               (request->s && request->ng ? 0 : post->slba & in_stripe);
}

static bool is_known(const struct tl_ncmds *ncmds, uint64_t command,
                     const struct tl_ncmds_place *place)
{
    for (uint64_t i = 0; i < NCMDS && i < ncmds->num_ncmds; i++)
        if (ncmd_at(ncmds, i)->place.command == command &&
            is_same_place(&ncmd_at(ncmds, i)->place, place))
            return true;
    return false;
}

static struct command *add_command(struct tl_ncmds *ncmds)
{
    struct command *command = &ncmds->commands[ncmds->num_commands % COMMANDS];

    *command = (struct command){.number = ++ncmds->num_commands};
    return command;
}

/* The command of a request that was not seen before: one of whose identifier it has, unless
 * that has such an nCMD already; the oldest one that was posted and fits; or a new one. */
static struct command *command_of(struct tl_ncmds *ncmds, bool of_sut,
                                  const struct fal_nvme *request)
{
    struct tl_ncmds_place place = place_in(request);
    uint64_t n = ncmds->num_commands, kept = n < COMMANDS ? n : COMMANDS;
    struct command *command;

    for (uint64_t i = 0; i < kept; i++) {
        command = &ncmds->commands[(n - 1 - i) % COMMANDS];
        if (command->sent && command->of_sut == of_sut &&
            command->function == request->initiator_function &&
            command->icmd == request->icmd_identifier) {
            if (!is_known(ncmds, command->number, &place))
                return command;
            break;
        }
    }
    for (uint64_t i = n - kept; i < n; i++) {
        command = &ncmds->commands[i % COMMANDS];
        if (of_sut && command->posted && !command->sent && fits(ncmds, &command->post, request))
            return command;
    }
    command = add_command(ncmds);
    command->of_sut = of_sut;
    return command;
}

static struct tl_ncmds_place take_request(struct tl_ncmds *ncmds,
                                          const struct tl_ncmds_packet *packet, bool of_sut)
{
    const struct fal_nvme *request = &packet->ulp->nvme;
    struct command *command;
    struct ncmd *ncmd;

    for (uint64_t i = 0; i < NCMDS && i < ncmds->num_ncmds; i++) {
        const struct ncmd *old = ncmd_at(ncmds, i);

        if (old->conn == packet->conn && old->of_sut == of_sut &&
            old->rsn == packet->falcon->rsn &&
            old->request.initiator_tag == request->initiator_tag)
            return old->place; /* a retransmission */
    }
    command = command_of(ncmds, of_sut, request);
    command->sent = true;
    command->function = request->initiator_function;
    command->icmd = request->icmd_identifier;
    ncmd = &ncmds->ncmds[ncmds->num_ncmds++ % NCMDS];
    *ncmd = (struct ncmd){.place = place_in(request),
                          .conn = packet->conn,
                          .rsn = packet->falcon->rsn,
                          .of_sut = of_sut,
                          .request = *request};
    ncmd->place.command = command->number;
    return ncmd->place;
}

/* The nCMD whose tag the packet has; else the one whose place in the same command it has. */
static struct tl_ncmds_place take_answer(const struct tl_ncmds *ncmds,
                                         const struct tl_ncmds_packet *packet, bool of_sut)
{
    const struct fal_nvme *header = &packet->ulp->nvme;
    struct tl_ncmds_place place = place_in(header);
    const struct ncmd *found = NULL;

    for (uint64_t i = 0; i < NCMDS && i < ncmds->num_ncmds; i++) {
        const struct ncmd *ncmd = ncmd_at(ncmds, i);

        if (ncmd->conn != packet->conn || ncmd->of_sut != of_sut)
            continue;
        if (ncmd->request.initiator_tag == header->initiator_tag)
            return ncmd->place;
        if (found == NULL && ncmd->request.initiator_function == header->initiator_function &&
            ncmd->request.icmd_identifier == header->icmd_identifier &&
            is_same_place(&ncmd->place, &place))
            found = ncmd;
    }
    return found != NULL ? found->place : (struct tl_ncmds_place){.command = 0};
}

struct tl_ncmds_place tl_ncmds_take_packet(struct tl_ncmds *ncmds,
                                           const struct tl_ncmds_packet *packet)
{
    const struct fal_ulp *ulp = packet->ulp;
    bool of_initiator;

    if (ulp->state != FAL_ULP_READ || ulp->protocol != FAL_PROTOCOL_NVME)
        return (struct tl_ncmds_place){.command = 0};
    of_initiator =
        is_request(&ulp->nvme) || ulp->nvme.packet_type == FAL_NVME_WRITE_DATA_RESPONSE;
    return is_request(&ulp->nvme) ? take_request(ncmds, packet, !packet->to_sut)
                                  : take_answer(ncmds, packet, packet->to_sut != of_initiator);
}

/* ---- words ---- */

static void note_space(struct tl_ncmds *ncmds, const struct fal_nvme_word *word)
{
    for (size_t i = 0; i < ncmds->num_spaces; i++)
        if (ncmds->spaces[i].nsid == word->nsid) {
            ncmds->spaces[i] = *word;
            return;
        }
    if (ncmds->num_spaces < SPACES)
        ncmds->spaces[ncmds->num_spaces++] = *word;
}

/* The newest command that was posted with this number. */
static struct tl_ncmds_place completed(const struct tl_ncmds *ncmds,
                                       const struct fal_nvme_word *cqe)
{
    uint64_t n = ncmds->num_commands;

    for (uint64_t i = 0; i < COMMANDS && i < n; i++) {
        const struct command *command = &ncmds->commands[(n - 1 - i) % COMMANDS];

        if (command->posted && command->post.cmd == cqe->cmd)
            return (struct tl_ncmds_place){.command = command->number};
    }
    return (struct tl_ncmds_place){.command = 0};
}

/* The part whose requests to the SUT ask for what the device was given. */
static struct tl_ncmds_place given(struct tl_ncmds *ncmds, const struct fal_nvme_word *word)
{
    struct device_command *kept = &ncmds->dcmds[ncmds->num_dcmds++ % DEVICE_COMMANDS];

    *kept = (struct device_command){.dcmd = word->dcmd};
    for (uint64_t i = 0; i < NCMDS && i < ncmds->num_ncmds; i++) {
        const struct ncmd *ncmd = ncmd_at(ncmds, i);
        const struct fal_nvme *request = &ncmd->request;

        if (ncmd->of_sut || request->slba != word->slba || request->nlb != word->nlb0 ||
            request->target_sqid != word->sqid ||
            request->target_nsid != (word->nsid & 0xffff) ||
            (request->packet_type == FAL_NVME_WRITE_REQUEST) != (word->op == FAL_NVME_WRITE))
            continue;
        kept->place = ncmd->place;
        kept->place.ncmd = kept->place.ncmds = 0;
        break;
    }
    return kept->place;
}

static struct tl_ncmds_place of_device(const struct tl_ncmds *ncmds, uint64_t dcmd)
{
    for (size_t i = 0; i < DEVICE_COMMANDS; i++)
        if (ncmds->dcmds[i].place.command > 0 && ncmds->dcmds[i].dcmd == dcmd)
            return ncmds->dcmds[i].place;
    return (struct tl_ncmds_place){.command = 0};
}

static struct tl_ncmds_place posted(struct tl_ncmds *ncmds, const struct fal_nvme_word *word)
{
    struct command *command = add_command(ncmds);

    command->of_sut = command->posted = true;
    command->post = *word;
    return (struct tl_ncmds_place){.command = command->number};
}

struct tl_ncmds_place tl_ncmds_take_word(struct tl_ncmds *ncmds,
                                         const struct fal_ev_nvme *event)
{
    const struct fal_nvme_word *word = event->word;

    if (event->phase == FAL_VERBS_ANSWERED)
        return (struct tl_ncmds_place){.command = 0};
    switch (word->kind) {
    case FAL_NVME_NS: note_space(ncmds, word); break;
    case FAL_NVME_POST: return posted(ncmds, word);
    case FAL_NVME_CQE: return completed(ncmds, word);
    case FAL_NVME_DEV_CMD: return given(ncmds, word);
    case FAL_NVME_DEV_COMPLETE: return of_device(ncmds, word->dcmd);
    case FAL_NVME_LBA:
    case FAL_NVME_DEV_FORMAT:
    case FAL_NVME_DEV_FILL:
    case FAL_NVME_DEV_HASH:
    case FAL_NVME_DEV_POLICY:
    case FAL_NVME_DEV_IDENTIFY:
    case FAL_NVME_KINDS: break;
    }
    return (struct tl_ncmds_place){.command = 0};
}

/* ---- the text ---- */

int tl_ncmds_text(const struct tl_ncmds_place *place, char *out, size_t cap)
{
    char part[20] = "", ncmd[40] = "";

    if (place->part > 0)
        (void)snprintf(part, sizeof part, ", part %u", place->part);
    if (place->ncmd > 0)
        (void)snprintf(ncmd, sizeof ncmd, ", nCMD %u of %u", place->ncmd, place->ncmds);
    return snprintf(out, cap, "command %" PRIu64 "%s%s", place->command, part, ncmd);
}
