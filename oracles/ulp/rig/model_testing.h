/* SPDX-License-Identifier: Apache-2.0
 * model_testing.h - what RDMA does to memory, told without packets: each request is carried out
 * at once and in order. It knows nothing of the engine. */
#ifndef FAL_ORACLES_ULP_RIG_MODEL_TESTING_H
#define FAL_ORACLES_ULP_RIG_MODEL_TESTING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MODEL_MEMORY = 1 << 18, MODEL_PIECES = 4, MODEL_QUEUE = 256 };

/* A list of pieces of an end's memory. */
struct model_list {
    uint32_t num;
    struct {
        uint32_t offset, length;
    } pieces[MODEL_PIECES];
};

enum model_op { MODEL_SEND, MODEL_WRITE, MODEL_WRITE_IMM, MODEL_READ, MODEL_CAS, MODEL_FAA };

struct model_request {
    enum model_op op;
    struct model_list list; /* own memory */
    uint32_t remote;        /* offset in the peer's memory */
    uint64_t compare, operand;
};

struct model_end {
    uint8_t memory[MODEL_MEMORY];
    /* Receive requests, oldest first, and messages that wait for one. */
    struct model_list posted[MODEL_QUEUE];
    uint32_t num_posted, num_taken;
    uint32_t taken_bytes[MODEL_QUEUE]; /* of the message that took each */
};

struct model {
    struct model_end ends[2];
};

static inline uint32_t model_length(const struct model_list *list)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < list->num; i++)
        sum += list->pieces[i].length;
    return sum;
}

/* The place of a byte of a list in memory. */
static inline uint8_t *model_byte(struct model_end *end, const struct model_list *list,
                                  uint32_t at)
{
    uint32_t i = 0;

    while (at >= list->pieces[i].length)
        at -= list->pieces[i++].length;
    return &end->memory[list->pieces[i].offset + at];
}

static inline uint64_t model_word(const struct model_end *end, uint32_t offset)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)end->memory[offset + i] << (8 * i);
    return value;
}

static inline void model_set(uint8_t *to, uint64_t value, unsigned i)
{
    *to = (uint8_t)(value >> (8 * i));
}

static inline void model_recv(struct model *m, unsigned side, const struct model_list *list)
{
    struct model_end *end = &m->ends[side];

    end->posted[end->num_posted++ % MODEL_QUEUE] = *list;
}

/* The bytes of a Send go to a receive request of the peer, by its number. */
static inline void model_place(struct model *m, unsigned side, const struct model_list *list,
                               uint32_t number)
{
    struct model_end *own = &m->ends[side], *peer = &m->ends[1 - side];

    for (uint32_t at = 0; at < model_length(list); at++)
        *model_byte(peer, &peer->posted[number % MODEL_QUEUE], at) = *model_byte(own, list, at);
    peer->taken_bytes[number % MODEL_QUEUE] = model_length(list);
}

static inline void model_atomic(struct model *m, unsigned side,
                                const struct model_request *request)
{
    struct model_end *own = &m->ends[side], *peer = &m->ends[1 - side];
    uint64_t old = model_word(peer, request->remote);
    uint64_t new = request->op == MODEL_FAA  ? old + request->operand
                   : old == request->compare ? request->operand
                                             : old;

    for (unsigned i = 0; i < 8; i++) {
        model_set(&peer->memory[request->remote + i], new, i);
        model_set(model_byte(own, &request->list, i), old, i);
    }
}

/* Carries out a request. A Send and a Write with immediate data take the next receive request
 * of the peer, which will have been posted; `deliver` false: somebody else says which
 * (model_place). */
static inline void model_request(struct model *m, unsigned side,
                                 const struct model_request *request, bool deliver)
{
    struct model_end *own = &m->ends[side], *peer = &m->ends[1 - side];
    uint32_t length = model_length(&request->list);

    if (request->op == MODEL_CAS || request->op == MODEL_FAA)
        model_atomic(m, side, request);
    if (request->op == MODEL_WRITE || request->op == MODEL_WRITE_IMM)
        for (uint32_t at = 0; at < length; at++)
            peer->memory[request->remote + at] = *model_byte(own, &request->list, at);
    if (request->op == MODEL_READ)
        for (uint32_t at = 0; at < length; at++)
            *model_byte(own, &request->list, at) = peer->memory[request->remote + at];
    if (!deliver || (request->op != MODEL_SEND && request->op != MODEL_WRITE_IMM))
        return;
    if (request->op == MODEL_SEND)
        model_place(m, side, &request->list, peer->num_taken);
    peer->num_taken++;
}

#endif
