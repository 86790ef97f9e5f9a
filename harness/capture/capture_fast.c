/* SPDX-License-Identifier: Apache-2.0
 * capture_fast.c - reads the records of a regular pcap file from a large buffer. It returns
 * only records that are complete and ordinary. At any other record it gives up, and libpcap
 * reads on from there, so libpcap alone reports damage. The file is read, not mapped: a file
 * that shrinks meanwhile would end a process that has mapped it. */
#include "harness/capture/capture_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_HEAD = 24,
    RECORD_HEAD = 16,
    WINDOW = 1 << 19, /* more than the longest record */
    NS_PER_S = 1000000000,
};

#define MAGIC_US UINT32_C(0xa1b2c3d4)
#define MAGIC_NS UINT32_C(0xa1b23c4d)

struct tl_fast_pcap {
    int fd;
    bool swapped;
    uint32_t unit_ns;   /* what the second word of a time counts: 1 or 1000 */
    uint32_t snaplen;   /* libpcap shortens longer frames */
    uint64_t offset;    /* of window[0] in the file */
    size_t used, taken; /* bytes in the window, bytes of it that were returned */
    uint8_t window[WINDOW];
};

static uint32_t word(const struct tl_fast_pcap *fast, const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return fast->swapped ? __builtin_bswap32(value) : value;
}

/* Reads more of the file behind what was not yet taken. Returns whether `need` bytes are there.
 */
static bool refill(struct tl_fast_pcap *fast, size_t need)
{
    size_t left = fast->used - fast->taken;

    if (need > sizeof fast->window)
        return false;
    memmove(fast->window, fast->window + fast->taken, left);
    fast->offset += fast->taken;
    fast->taken = 0;
    fast->used = left;
    while (fast->used < need) {
        ssize_t got =
            pread(fast->fd, fast->window + fast->used, sizeof fast->window - fast->used,
                  (off_t)(fast->offset + fast->used));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        fast->used += (size_t)got;
    }
    return true;
}

static inline bool at_hand(struct tl_fast_pcap *fast, size_t need)
{
    return fast->used - fast->taken >= need || refill(fast, need);
}

/* Versions before 2.4 may have the two lengths in the other order. */
static bool read_head(struct tl_fast_pcap *fast)
{
    uint16_t version[2];
    uint32_t magic;

    if (!at_hand(fast, FILE_HEAD))
        return false;
    magic = word(fast, fast->window);
    fast->swapped =
        magic == __builtin_bswap32(MAGIC_US) || magic == __builtin_bswap32(MAGIC_NS);
    magic = word(fast, fast->window);
    fast->unit_ns = magic == MAGIC_NS ? 1 : 1000;
    memcpy(version, fast->window + 4, sizeof version);
    if (fast->swapped) {
        version[0] = __builtin_bswap16(version[0]);
        version[1] = __builtin_bswap16(version[1]);
    }
    fast->taken = FILE_HEAD;
    return (magic == MAGIC_US || magic == MAGIC_NS) && version[0] == 2 && version[1] == 4;
}

struct tl_fast_pcap *tl_fast_pcap_new(int fd, uint32_t snaplen)
{
    struct tl_fast_pcap *fast;
    struct stat about;

    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
        (fast = malloc(sizeof *fast)) == NULL)
        return NULL;
    fast->fd = fd;
    fast->swapped = false;
    fast->snaplen = snaplen < TL_FRAME_MAX ? snaplen : TL_FRAME_MAX;
    fast->offset = fast->used = fast->taken = 0;
    if (read_head(fast))
        return fast;
    free(fast);
    return NULL;
}

void tl_fast_pcap_free(struct tl_fast_pcap *fast)
{
    free(fast);
}

uint64_t tl_fast_pcap_offset(const struct tl_fast_pcap *fast)
{
    return fast->offset + fast->taken;
}

bool tl_fast_pcap_next(struct tl_fast_pcap *fast, struct tl_captured *out)
{
    const uint8_t *head;
    uint32_t fraction, caplen, len;

    if (!at_hand(fast, RECORD_HEAD))
        return false;
    caplen = word(fast, fast->window + fast->taken + 8);
    if (caplen > fast->snaplen || !at_hand(fast, RECORD_HEAD + (size_t)caplen))
        return false;
    head = fast->window + fast->taken;
    fraction = word(fast, head + 4);
    len = word(fast, head + 12);
    if (fraction >= NS_PER_S / fast->unit_ns)
        return false;
    out->ts_ns = (uint64_t)word(fast, head) * NS_PER_S + (uint64_t)fraction * fast->unit_ns;
    out->caplen = caplen;
    out->len = len > caplen ? len : caplen;
    out->bytes = head + RECORD_HEAD;
    out->marks = NULL;
    fast->taken += RECORD_HEAD + caplen;
    return true;
}
