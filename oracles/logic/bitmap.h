/* SPDX-License-Identifier: Apache-2.0
 * bitmap.h - ring bitmaps of a window of 256 segments [S1 C]: the bit of segment `id` is
 * id % 256. Ranges are [first, first + n), n at most 256; results are counted from `first`. */
#ifndef FAL_ORACLES_LOGIC_BITMAP_H
#define FAL_ORACLES_LOGIC_BITMAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAL_LOGIC_WINDOW = 256, FAL_LOGIC_WORDS = 4, FAL_RING_WORD = 64 };

static inline bool fal_ring_get(const uint64_t map[FAL_LOGIC_WORDS], uint32_t id)
{
    return (map[id / FAL_RING_WORD % FAL_LOGIC_WORDS] >> (id % FAL_RING_WORD) & 1) != 0;
}

static inline void fal_ring_put(uint64_t map[FAL_LOGIC_WORDS], uint32_t id, bool bit)
{
    uint64_t mask = UINT64_C(1) << (id % FAL_RING_WORD);
    uint64_t *word = &map[id / FAL_RING_WORD % FAL_LOGIC_WORDS];

    *word = bit ? *word | mask : *word & ~mask;
}

/* The part of a range that lies in the word of its first bit: its mask; *used: its length. */
static inline uint64_t fal_ring_part(uint32_t first, uint32_t n, uint32_t *used)
{
    uint32_t at = first % FAL_RING_WORD, room = FAL_RING_WORD - at;
    uint64_t mask;

    *used = n < room ? n : room;
    assert(*used <= FAL_RING_WORD);
    mask = *used == FAL_RING_WORD ? UINT64_MAX : (UINT64_C(1) << *used) - 1;
    return mask << at;
}

/* Clears the range. */
static inline void fal_ring_clear(uint64_t map[FAL_LOGIC_WORDS], uint32_t first, uint32_t n)
{
    for (uint32_t used; n > 0; first += used, n -= used)
        map[first / FAL_RING_WORD % FAL_LOGIC_WORDS] &= ~fal_ring_part(first, n, &used);
}

/* Sets the range; returns how many bits were clear before. */
static inline uint32_t fal_ring_set(uint64_t map[FAL_LOGIC_WORDS], uint32_t first, uint32_t n)
{
    uint32_t fresh = 0;

    for (uint32_t used; n > 0; first += used, n -= used) {
        uint64_t mask = fal_ring_part(first, n, &used);
        uint64_t *word = &map[first / FAL_RING_WORD % FAL_LOGIC_WORDS];

        fresh += (uint32_t)__builtin_popcountll(mask & ~*word);
        *word |= mask;
    }
    return fresh;
}

/* Sets those bits of the range that are clear in `except`. */
static inline void fal_ring_mark(uint64_t map[FAL_LOGIC_WORDS],
                                 const uint64_t except[FAL_LOGIC_WORDS], uint32_t first,
                                 uint32_t n)
{
    for (uint32_t used; n > 0; first += used, n -= used) {
        uint32_t w = first / FAL_RING_WORD % FAL_LOGIC_WORDS;

        map[w] |= fal_ring_part(first, n, &used) & ~except[w];
    }
}

static inline uint32_t fal_ring_count(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                      uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t used; n > 0; first += used, n -= used)
        count += (uint32_t)__builtin_popcountll(map[first / FAL_RING_WORD % FAL_LOGIC_WORDS] &
                                                fal_ring_part(first, n, &used));
    return count;
}

/* Returns the place of the first bit with that value in the range; n: there is none. */
static inline uint32_t fal_ring_find(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                     uint32_t n, bool value)
{
    for (uint32_t done = 0, used; done < n; done += used) {
        uint32_t at = first + done;
        uint64_t word = map[at / FAL_RING_WORD % FAL_LOGIC_WORDS];
        uint64_t mask = fal_ring_part(at, n - done, &used);
        uint64_t hits = (value ? word : ~word) & mask;

        if (hits != 0)
            return done + (uint32_t)__builtin_ctzll(hits) - at % FAL_RING_WORD;
    }
    return n;
}

static inline uint32_t fal_ring_first_set(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                          uint32_t n)
{
    return fal_ring_find(map, first, n, true);
}

static inline uint32_t fal_ring_first_clear(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                            uint32_t n)
{
    return fal_ring_find(map, first, n, false);
}

/* One above the last set bit of the range; 0: none is set. */
static inline uint32_t fal_ring_end(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                    uint32_t n)
{
    uint32_t end = 0;

    for (uint32_t done = 0, used; done < n; done += used) {
        uint32_t at = first + done;
        uint64_t mask = fal_ring_part(at, n - done, &used);
        uint64_t hits = map[at / FAL_RING_WORD % FAL_LOGIC_WORDS] & mask;

        if (hits != 0)
            end = done + FAL_RING_WORD - (uint32_t)__builtin_clzll(hits) - at % FAL_RING_WORD;
    }
    return end;
}

/* Returns the place of the k-th set bit from the end of the range (k = 1: the last); n: there
 * are fewer. */
static inline uint32_t fal_ring_from_end(const uint64_t map[FAL_LOGIC_WORDS], uint32_t first,
                                         uint32_t n, uint32_t k)
{
    uint32_t end = n;

    for (; k > 0; k--) {
        end = fal_ring_end(map, first, end);
        if (end == 0)
            return n;
        end--;
    }
    return end;
}

#endif
