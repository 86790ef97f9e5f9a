/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/serial.h"

#include "oracles/payload.h"

#include <stdbool.h>
#include <string.h>

enum { WORK_MAX = 1 << 26 }; /* bytes that are hashed in one search */

struct search {
    const struct fal_serial_piece *pieces;
    size_t n;
    uint64_t hash, work;
};

/* Whether an earlier choice of the piece has the same bytes. */
static bool tried(const struct fal_serial_piece *piece, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (memcmp(piece->choice[k], piece->choice[i], (size_t)piece->length) == 0)
            return true;
    return false;
}

/* The pieces from `at` on, behind those whose hash is `before`. */
static enum fal_serial from(struct search *s, size_t at, uint64_t before)
{
    const struct fal_serial_piece *piece;
    enum fal_serial result = FAL_SERIAL_NONE;

    for (; at < s->n && s->pieces[at].num == 1; at++) { /* no choice */
        before =
            fal_payload_hash_on(before, s->pieces[at].choice[0], (size_t)s->pieces[at].length);
        s->work += s->pieces[at].length;
    }
    if (s->work > WORK_MAX)
        return FAL_SERIAL_MANY;
    if (at == s->n)
        return before == s->hash ? FAL_SERIAL_FOUND : FAL_SERIAL_NONE;
    piece = &s->pieces[at];
    for (unsigned i = 0; i < piece->num && result == FAL_SERIAL_NONE; i++) {
        if (tried(piece, i))
            continue;
        s->work += piece->length;
        result = from(s, at + 1,
                      fal_payload_hash_on(before, piece->choice[i], (size_t)piece->length));
    }
    return result;
}

enum fal_serial fal_serial_find(const struct fal_serial_piece *pieces, size_t n, uint64_t hash)
{
    struct search search = {pieces, n, hash, 0};

    return from(&search, 0, fal_payload_hash(NULL, 0));
}
