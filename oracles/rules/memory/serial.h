/* SPDX-License-Identifier: Apache-2.0
 * serial.h - the slow explainer of memory: whether the hash of a range is that of any order in
 * which writes that nothing orders may have been done. It tries them all. */
#ifndef FAL_ORACLES_RULES_MEMORY_SERIAL_H
#define FAL_ORACLES_RULES_MEMORY_SERIAL_H

#include <stddef.h>
#include <stdint.h>

/* So many writes may be without an order. */
enum { FAL_SERIAL_MAX = 6 };

/* A piece of the range that the same writes cover: what it holds if one of them was the last.
 */
struct fal_serial_piece {
    uint64_t length;
    const uint8_t *choice[FAL_SERIAL_MAX];
    unsigned num; /* 1 or more */
};

enum fal_serial {
    FAL_SERIAL_NONE,  /* no order gives that hash */
    FAL_SERIAL_FOUND, /* one does */
    FAL_SERIAL_MANY,  /* there are more orders than may be tried */
};

/* Whether the pieces, one after the other, can have that hash (FNV-1a, 64 bits). In each piece
 * any of its choices may stand, whatever stands in the others: a write is put into memory in
 * parts. */
enum fal_serial fal_serial_find(const struct fal_serial_piece *pieces, size_t n, uint64_t hash);

#endif
