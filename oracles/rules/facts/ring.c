/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/ring.h"

#include "oracles/rules/facts/pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAP = 16,
    PAGE = FAL_RING_PAGE,
    PAGE_SHIFT = FAL_RING_SHIFT,
    ITEM_MAX = 256, /* bytes */
    SPARSE = 4, /* A table that is used for less than one item in this many becomes a list. */
};

/* The invariants of struct fal_ring. */
static bool sound(const struct fal_ring *ring)
{
    return ring->lo <= ring->hi && (uint64_t)(ring->hi - ring->lo) <= ring->cap &&
           (ring->lo == ring->hi || ring->floor <= ring->lo) &&
           (ring->cap & (ring->cap - 1)) == 0 && (ring->cap == 0) == (ring->pages == NULL);
}

void fal_ring_init(struct fal_ring *ring, size_t item, size_t max)
{
    assert(item > 0 && item % 8 == 0 && item <= ITEM_MAX && max > 0 && (max & (max - 1)) == 0);
    *ring = (struct fal_ring){.item = (uint32_t)item, .max = (uint32_t)max, .floor = INT64_MIN};
}

/* ---- pages ---- */

static size_t num_pages(uint32_t cap)
{
    return fal_ring_mask(cap) + 1;
}

static struct fal_ring_page *page_of(const struct fal_ring *ring, int64_t x)
{
    assert(ring->pages->listed == 0); /* fal_ring_unpack comes first */
    return &ring->pages->page[(uint64_t)(x >> PAGE_SHIFT) & ring->mask];
}

/* The page becomes all zeros. If its items were not packed, their memory is kept. */
static void drop(struct fal_ring *ring, struct fal_ring_page *page)
{
    if (page->packed > 0 || page->bytes == NULL) {
        free(page->bytes);
    } else {
        memcpy(page->bytes, &ring->pages->spare, sizeof ring->pages->spare);
        ring->pages->spare = page->bytes;
    }
    *page = (struct fal_ring_page){0};
}

static void *take_spare(struct fal_ring_pages *pages)
{
    void *bytes = pages->spare;

    if (bytes != NULL)
        memcpy(&pages->spare, bytes, sizeof pages->spare);
    return bytes;
}

static void free_spare(struct fal_ring_pages *pages)
{
    for (void *bytes; (bytes = take_spare(pages)) != NULL; pages->held--)
        free(bytes);
}

static void drop_all(struct fal_ring *ring)
{
    struct fal_ring_pages *pages = ring->pages;
    size_t n;

    if (pages == NULL)
        return;
    n = pages->listed > 0 ? pages->listed : num_pages(ring->cap);
    for (size_t i = 0; i < n; i++)
        drop(ring, &pages->page[i]);
    free_spare(pages);
}

/* Its items as they are; false: out of memory. */
static bool open_page(const struct fal_ring *ring, struct fal_ring_page *page)
{
    unsigned char *bytes = take_spare(ring->pages);
    size_t first;

    if (bytes != NULL) {
        memset(bytes, 0, (size_t)PAGE * ring->item);
    } else {
        bytes = calloc(PAGE, ring->item);
        if (bytes == NULL) {
            ring->pages->oom = true;
            return false;
        }
        ring->pages->held++;
    }
    if (page->bytes != NULL) {
        first = fal_unpack(page->bytes, NULL, ring->item, bytes);
        (void)fal_unpack(page->bytes + first, bytes, (PAGE - 1) * ring->item,
                         bytes + ring->item);
    }
    free(page->bytes);
    *page = (struct fal_ring_page){.bytes = bytes};
    return true;
}

/* Each item is similar to the one before it, which is its model. */
static void pack_page(const struct fal_ring *ring, struct fal_ring_page *page)
{
    uint8_t packed[FAL_PACKED_MAX(PAGE * ITEM_MAX) + 16];
    unsigned char *bytes;
    size_t n;

    n = fal_pack(page->bytes, NULL, ring->item, packed);
    n += fal_pack(page->bytes + ring->item, page->bytes, (PAGE - 1) * ring->item, packed + n);
    bytes = calloc(1, n + FAL_PACK_SLACK);
    if (bytes == NULL)
        return; /* it stays as it is */
    memcpy(bytes, packed, n);
    free(page->bytes);
    ring->pages->held--;
    *page = (struct fal_ring_page){.bytes = bytes, .packed = (uint32_t)n};
}

/* A stretch with leaps needs a long table of which little is used, so it becomes a list. */
static void make_list(struct fal_ring *ring)
{
    size_t n = num_pages(ring->cap), used = 0;
    struct fal_ring_pages *list;

    for (size_t i = 0; i < n; i++)
        used += ring->pages->page[i].bytes != NULL;
    if (used == 0 || SPARSE * used > n)
        return;
    list = malloc(sizeof *list + used * sizeof *list->page);
    if (list == NULL)
        return; /* it stays a table */
    *list = (struct fal_ring_pages){.oom = ring->pages->oom, .held = ring->pages->held};
    for (size_t i = 0; i < n; i++) {
        if (ring->pages->page[i].bytes == NULL)
            continue;
        list->page[list->listed] = ring->pages->page[i];
        list->page[list->listed++].at = (uint32_t)i;
    }
    free(ring->pages);
    ring->pages = list;
}

void fal_ring_unpack(struct fal_ring *ring)
{
    struct fal_ring_pages *list = ring->pages, *table;

    if (list == NULL || list->listed == 0)
        return;
    table = calloc(1, sizeof *table + num_pages(ring->cap) * sizeof *table->page);
    if (table == NULL) {
        drop_all(ring);
        list->oom = true;
        list->listed = 0;
        ring->floor = ring->lo = ring->hi;
        ring->cap = 0;
        return;
    }
    table->oom = list->oom;
    table->held = list->held;
    for (size_t i = 0; i < list->listed; i++) {
        table->page[list->page[i].at] = list->page[i];
        table->page[list->page[i].at].at = 0;
    }
    free(list);
    ring->pages = table;
}

void fal_ring_pack(struct fal_ring *ring)
{
    if (ring->pages == NULL || ring->pages->listed > 0)
        return;
    for (int64_t p = ring->lo >> PAGE_SHIFT;
         ring->lo < ring->hi && p <= (ring->hi - 1) >> PAGE_SHIFT; p++) {
        struct fal_ring_page *page = page_of(ring, p * PAGE);

        if (page->bytes != NULL && page->packed == 0)
            pack_page(ring, page);
    }
    assert(sound(ring));
    free_spare(ring->pages);
    make_list(ring);
}

bool fal_ring_oom(const struct fal_ring *ring)
{
    return ring->pages != NULL && ring->pages->oom;
}

/* ---- the stretch ---- */

void fal_ring_free(struct fal_ring *ring)
{
    drop_all(ring);
    free(ring->pages);
    ring->pages = NULL;
    ring->cap = 0;
    ring->lo = ring->hi = 0;
}

bool fal_ring_copy(struct fal_ring *to, const struct fal_ring *from)
{
    size_t n = from->pages != NULL ? num_pages(from->cap) : 0;

    *to = *from;
    if (n == 0)
        return true;
    to->pages = calloc(1, sizeof *to->pages + n * sizeof *to->pages->page);
    if (to->pages == NULL) {
        to->cap = 0;
        to->floor = to->lo = to->hi;
        return false;
    }
    to->pages->oom = from->pages->oom;
    for (size_t i = 0; i < n; i++) {
        struct fal_ring_page *page = &from->pages->page[i];

        if (page->bytes == NULL)
            continue;
        if ((page->packed > 0 && !open_page(from, page)) || !open_page(to, &to->pages->page[i]))
            return false;
        memcpy(to->pages->page[i].bytes, page->bytes, (size_t)PAGE * from->item);
    }
    return true;
}

void fal_ring_reset(struct fal_ring *ring)
{
    drop_all(ring);
    ring->lo = ring->hi = 0;
    ring->floor = INT64_MIN;
}

void *fal_ring_open(const struct fal_ring *ring, int64_t x)
{
    struct fal_ring_page *page = page_of(ring, x);

    if ((page->packed > 0 || page->bytes == NULL) && !open_page(ring, page))
        return NULL;
    return page->bytes + (uint64_t)(x & (PAGE - 1)) * ring->item;
}

/* Makes room for `need` items. */
static bool grow(struct fal_ring *ring, size_t need)
{
    uint32_t cap = ring->cap > 0 ? ring->cap : FIRST_CAP;
    struct fal_ring_pages *pages;
    struct fal_ring old;

    if (need <= ring->cap)
        return true;
    while (cap < need)
        cap *= 2;
    old = *ring;
    pages = calloc(1, sizeof *pages + num_pages(cap) * sizeof *pages->page);
    if (pages == NULL)
        return false;
    ring->pages = pages;
    ring->cap = cap;
    ring->mask = (uint32_t)fal_ring_mask(cap);
    if (old.pages == NULL)
        return true;
    pages->oom = old.pages->oom;
    pages->spare = old.pages->spare;
    old.pages->spare = NULL;
    for (int64_t p = old.lo >> PAGE_SHIFT; old.lo < old.hi && p <= (old.hi - 1) >> PAGE_SHIFT;
         p++) {
        *page_of(ring, p * PAGE) = *page_of(&old, p * PAGE);
        *page_of(&old, p * PAGE) = (struct fal_ring_page){0};
    }
    drop_all(&old);
    pages->held = old.pages->held;
    free(old.pages);
    return true;
}

/* Items that join the stretch. Items of a page outside the stretch were forgotten before. */
static void zero(struct fal_ring *ring, int64_t from, int64_t to)
{
    for (int64_t x = from; x < to;) {
        int64_t first = x >> PAGE_SHIFT << PAGE_SHIFT, end = first + PAGE;
        struct fal_ring_page *page = page_of(ring, x);
        bool shared = ring->lo < ring->hi && ring->lo < end && ring->hi > first;

        if (end > to)
            end = to;
        if (!shared)
            drop(ring, page);
        else if (page->bytes != NULL && (page->packed == 0 || open_page(ring, page)))
            memset(page->bytes + (uint64_t)(x - first) * ring->item, 0,
                   (size_t)(end - x) * ring->item);
        x = end;
    }
}

static void forget_below(struct fal_ring *ring, int64_t x)
{
    int64_t last = x < ring->hi ? x : ring->hi;

    if (x <= ring->lo)
        return;
    for (int64_t p = ring->lo >> PAGE_SHIFT; p < last >> PAGE_SHIFT; p++)
        drop(ring, page_of(ring, p * PAGE));
    ring->lo = x;
    if (ring->hi < x)
        ring->hi = x;
    ring->floor = x;
}

/* Downwards: only to numbers that were never forgotten. */
static void *reach_down(struct fal_ring *ring, int64_t x, bool *oom)
{
    if (x < ring->floor || (uint64_t)(ring->hi - x) > ring->max)
        return NULL;
    if (!grow(ring, (size_t)(ring->hi - x))) {
        *oom = true;
        return NULL;
    }
    zero(ring, x, ring->lo);
    ring->lo = x;
    assert(sound(ring));
    return fal_ring_at(ring, x);
}

/* The next item, in the page of the one before it. It is zeros: items that were forgotten lie
 * below it, or their page was dropped. */
static void *next_of_page(struct fal_ring *ring)
{
    const struct fal_ring_page *page = page_of(ring, ring->hi);
    int64_t x = ring->hi++;

    if (page->packed > 0 || page->bytes == NULL)
        return fal_ring_open(ring, x);
    return page->bytes + (uint64_t)(x & (PAGE - 1)) * ring->item;
}

/* An item outside the stretch that is not the next one of a page. */
__attribute__((noinline)) static void *reach_far(struct fal_ring *ring, int64_t x, int64_t keep,
                                                 bool *oom)
{
    if (ring->lo == ring->hi) {
        if (x < ring->floor)
            return NULL;
        ring->lo = ring->hi = x;
    }
    if (x < ring->lo)
        return reach_down(ring, x, oom);
    if (keep > x)
        keep = x;
    if (ring->lo < keep && (uint64_t)(x - ring->lo) >= ring->cap)
        forget_below(ring, keep);
    if ((uint64_t)(x - ring->lo) >= ring->max) {
        if ((uint64_t)(x - ring->hi) >= ring->max / 2)
            return NULL; /* a leap, not a step */
        forget_below(ring, x + 1 - (int64_t)ring->max);
    }
    if (!grow(ring, (size_t)(x + 1 - ring->lo))) {
        *oom = true;
        return NULL;
    }
    zero(ring, ring->hi, x + 1);
    ring->hi = x + 1;
    assert(sound(ring));
    return fal_ring_at(ring, x);
}

void *fal_ring_reach(struct fal_ring *ring, int64_t x, int64_t keep, bool *oom)
{
    if (x >= ring->lo && x < ring->hi)
        return fal_ring_at(ring, x);
    if (x == ring->hi && ring->lo < x && (x & (PAGE - 1)) != 0 &&
        (uint64_t)(x - ring->lo) < ring->cap)
        return next_of_page(ring);
    return reach_far(ring, x, keep, oom);
}
