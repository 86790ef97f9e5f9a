/* SPDX-License-Identifier: Apache-2.0
 * source.c - see source.h. */
#include "oracles/logic/source.h"

#include <assert.h>

void fal_logic_source_write(struct fal_logic_source *src, uint64_t bytes, uint64_t now_ns)
{
    assert(src->num == 0);
    src->stream += bytes;
    src->since_ns = now_ns;
}

bool fal_logic_source_message(struct fal_logic_source *src, uint64_t bytes)
{
    assert(src->stream == 0 && bytes > 0);
    if (src->num == FAL_LOGIC_MESSAGES)
        return false;
    src->messages[(src->head + src->num++) % FAL_LOGIC_MESSAGES] = bytes;
    return true;
}

bool fal_logic_source_empty(const struct fal_logic_source *src)
{
    return src->stream == 0 && src->num == 0;
}

static bool blocked(const struct fal_logic_source *src, const struct fal_logic_sender *s)
{
    return src->short_out && !fal_logic_before(src->short_id, s->flow.wnd_start);
}

static uint32_t fill_stream(struct fal_logic_source *src, struct fal_logic_sender *s,
                            uint64_t now_ns)
{
    uint32_t whole = s->config.segment_bytes, n = 0;

    if (blocked(src, s))
        return 0;
    src->short_out = false;
    for (; src->stream >= whole && fal_logic_sender_post(s, whole); n++)
        src->stream -= whole;
    if (src->stream == 0 || src->stream >= whole || now_ns < src->since_ns + src->wait_ns)
        return n;
    src->short_id = s->posted;
    if (!fal_logic_sender_post(s, (uint32_t)src->stream))
        return n;
    src->short_out = true;
    src->stream = 0;
    return n + 1;
}

uint32_t fal_logic_source_fill(struct fal_logic_source *src, struct fal_logic_sender *s,
                               uint64_t now_ns)
{
    uint32_t n = 0;

    while (src->num > 0) {
        uint64_t *left = &src->messages[src->head % FAL_LOGIC_MESSAGES];
        uint32_t bytes =
            *left < s->config.segment_bytes ? (uint32_t)*left : s->config.segment_bytes;

        if (!fal_logic_sender_post(s, bytes))
            return n;
        n++;
        *left -= bytes;
        if (*left == 0) {
            src->head++;
            src->num--;
        }
    }
    return n + fill_stream(src, s, now_ns);
}

uint64_t fal_logic_source_deadline(const struct fal_logic_source *src,
                                   const struct fal_logic_sender *s)
{
    bool rest = src->stream > 0 && src->stream < s->config.segment_bytes &&
                s->posted - s->flow.wnd_start < FAL_LOGIC_WINDOW;

    return rest && !blocked(src, s) ? src->since_ns + src->wait_ns : UINT64_MAX;
}
