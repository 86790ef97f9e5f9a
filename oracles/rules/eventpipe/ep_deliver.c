/* SPDX-License-Identifier: Apache-2.0
 * ep_deliver.c - a processor gets a merged event: EP1 (it has a cause), EP2 (it is the sum of
 * the events that wait) and EP8 (in its class) [0049-0050, 0154-0156].
 *
 * The events of a flow and class are delivered in the order in which they left their queue, so
 * a merged event of count n must be the next n of them. Where the trace does not have that
 * order (no `fifo` lines, and two queues feed the class), or does not have the class (the table
 * was rewritten), each possible choice is tried. If several fit, which events are left is not
 * known, and sums of the flow are excused until nothing of it waits. */
#include "oracles/rules/eventpipe/ep_state.h"

enum { CHOICES = 10, SPLIT = 64 }; /* events of unknown class; merged events of two queues */

/* The events that wait and may have the class, in the order of each list. */
struct choice {
    struct fal_ep_judge *j;
    struct fal_ep_flow *flow;
    const struct fal_ep_event *event;
    uint32_t count; /* of the merged event */
    struct fal_ep_item **items;
    uint32_t num, start[FAL_EP_LISTS + 1]; /* of each list in items */
    unsigned lists, unclear;               /* that have such events; events of unknown class */
};

/* What the events of a choice sum up to. */
struct sum {
    const struct fal_ep_item *first, *last;
    uint64_t bytes, bytes_tx, bytes_sent; /* of all; of TX; of TX and RTT_SENT */
};

static void add(struct sum *sum, const struct fal_ep_item *item)
{
    if (sum->first == NULL)
        sum->first = item;
    sum->last = item;
    sum->bytes += item->bytes;
    sum->bytes_tx += item->kind == FAL_EP_TX ? item->bytes : 0;
    sum->bytes_sent +=
        item->kind == FAL_EP_TX || item->kind == FAL_EP_RTT_SENT ? item->bytes : 0;
}

/* Events without a number, as RTT and FW may be, say nothing of numbers. */
static bool same_seq(uint64_t of_event, uint64_t told)
{
    return of_event == 0 || of_event == told;
}

static bool same_bytes(const struct sum *sum, const struct fal_ep_event *event)
{
    return event->bytes == sum->bytes || event->bytes == sum->bytes_tx ||
           event->bytes == sum->bytes_sent;
}

static bool same_last(const struct sum *sum, const struct fal_ep_event *event, uint32_t count)
{
    return same_seq(sum->last->seq, event->last_seq) || (count == 1 && event->last_seq == 0);
}

static bool fits(const struct sum *sum, const struct fal_ep_event *event, uint32_t count)
{
    return sum->first != NULL && same_bytes(sum, event) &&
           same_seq(sum->first->seq, event->seq) && same_last(sum, event, count);
}

static void gather(struct choice *c, uint32_t klass)
{
    c->items = c->j->picked;
    c->num = 0;
    c->lists = 0;
    c->unclear = 0;
    for (unsigned list = 0; list < FAL_EP_LISTS; list++) {
        uint32_t before = c->num;

        c->start[list] = before;
        if (list != FAL_EP_READY && (c->j->seen & FAL_EP_SAW_OUT) != 0)
            continue;
        for (struct fal_ep_item *i = c->flow->lists[list].first; i != NULL; i = i->next) {
            unsigned set = fal_ep_class_set(c->j, i);

            if (!fal_ep_has_class(set, klass))
                continue;
            c->unclear += (set & (set - 1)) != 0;
            c->items[c->num++] = i;
        }
        c->lists += c->num > before;
    }
    c->start[FAL_EP_LISTS] = c->num;
}

/* ---- one list ---- */

static bool window_fits(const struct choice *c, uint32_t from)
{
    struct sum sum = {0};

    for (uint32_t i = 0; i < c->count; i++)
        add(&sum, c->items[from + i]);
    return fits(&sum, c->event, c->count);
}

static void remove_items(const struct choice *c, uint32_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (c->items[from + i]->kind == FAL_EP_RTT)
            fal_ep_rtt_delivered(c->flow);
        fal_ep_item_remove(c->j, c->items[from + i]);
    }
}

static void held(const struct choice *c)
{
    fal_ep_held(c->j, EP1);
    fal_ep_held(c->j, EP2);
    if (c->j->classes[c->items[0]->kind].writes > 0)
        fal_ep_held(c->j, EP8);
    if (c->items[0]->overridden)
        fal_ep_held(c->j, EP13);
}

/* Takes the events of the first `count` that `without` does not leave out; bit i of `without`
 * stands for the i-th event of unknown class. False: it leaves out one that is not before the
 * last one taken, so it is no choice of its own. */
static bool take(const struct choice *c, unsigned without, struct sum *sum, uint32_t *len)
{
    uint32_t taken = 0, i = 0;
    unsigned bit = 1;

    for (; i < c->num && taken < c->count; i++) {
        unsigned set = fal_ep_class_set(c->j, c->items[i]);
        bool unclear = (set & (set - 1)) != 0, left_out = unclear && (without & bit) != 0;

        if (left_out)
            without &= ~bit;
        bit <<= unclear;
        if (left_out)
            continue;
        taken++;
        add(sum, c->items[i]);
    }
    *len = i;
    return taken == c->count && without == 0;
}

/* Removes the events of a choice. */
static void take_away(const struct choice *c, unsigned without, uint32_t len)
{
    unsigned bit = 1;
    struct choice kept = *c;
    uint32_t n = 0;

    for (uint32_t i = 0; i < len; i++) {
        unsigned set = fal_ep_class_set(c->j, c->items[i]);
        bool unclear = (set & (set - 1)) != 0, left_out = unclear && (without & bit) != 0;

        bit <<= unclear;
        if (!left_out)
            kept.items[n++] = c->items[i];
    }
    remove_items(&kept, 0, n);
}

/* Tries every choice of events of unknown class. Returns how many fit, at most 2. */
static unsigned try_classes(const struct choice *c)
{
    unsigned found = 0, best = 0;
    uint32_t len, best_len = 0;

    for (unsigned without = 0; without < 1U << c->unclear && found < 2; without++) {
        struct sum sum = {0};

        if (!take(c, without, &sum, &len) || !fits(&sum, c->event, c->count))
            continue;
        if (found++ == 0) {
            best = without;
            best_len = len;
        }
    }
    if (found > 0) {
        held(c);
        take_away(c, best, best_len);
    }
    return found;
}

/* ---- several lists ---- */

/* Whether so many from the beginning of each list make the merged event. */
static bool split_fits(const struct choice *c, const uint32_t take_of[FAL_EP_LISTS])
{
    struct sum sum = {0};
    bool first = false, last = false;

    for (unsigned list = 0; list < FAL_EP_LISTS; list++) {
        for (uint32_t i = 0; i < take_of[list]; i++)
            add(&sum, c->items[c->start[list] + i]);
        if (take_of[list] == 0)
            continue;
        first = first || same_seq(c->items[c->start[list]]->seq, c->event->seq);
        last = last ||
               same_seq(c->items[c->start[list] + take_of[list] - 1]->seq, c->event->last_seq);
    }
    return first && (last || (c->count == 1 && c->event->last_seq == 0)) &&
           same_bytes(&sum, c->event);
}

static void take_split(const struct choice *c, const uint32_t take_of[FAL_EP_LISTS])
{
    held(c);
    for (unsigned list = 0; list < FAL_EP_LISTS; list++)
        remove_items(c, c->start[list], take_of[list]);
}

/* Of the TX FIFO, the RX FIFO and the register. Returns how many splits fit, at most 2. */
static unsigned try_splits(const struct choice *c)
{
    uint32_t best[FAL_EP_LISTS] = {0};
    unsigned found = 0;

    for (uint32_t a = 0; a <= c->count && a <= c->start[1] && found < 2; a++) {
        for (uint32_t b = 0; a + b <= c->count && b <= c->start[2] - c->start[1] && found < 2;
             b++) {
            uint32_t of[FAL_EP_LISTS] = {a, b, c->count - a - b, 0};

            if (of[2] > c->start[3] - c->start[2] || !split_fits(c, of))
                continue;
            if (found++ == 0)
                for (unsigned list = 0; list < FAL_EP_LISTS; list++)
                    best[list] = of[list];
        }
    }
    if (found > 0)
        take_split(c, best);
    return found;
}

/* ---- what is wrong ---- */

/* The next events are lost, and those after them fit. */
static bool was_lost(const struct choice *c)
{
    for (uint32_t from = 1; from + c->count <= c->num; from++) {
        if (!window_fits(c, from))
            continue;
        fal_ep_lost(c->j, c->items[0], from, c->event);
        for (uint32_t i = 0; i < from; i++)
            fal_ep_item_remove(c->j, c->items[i]);
        remove_items(c, from, c->count);
        return true;
    }
    return false;
}

/* The events are there, in another class. */
static bool other_class(struct choice *c)
{
    for (uint32_t klass = 0; klass < 1U << FAL_EP_CLASS_BITS; klass++) {
        if (klass == c->event->klass)
            continue;
        gather(c, klass);
        if (c->num < c->count || c->lists != 1 || !window_fits(c, 0))
            continue;
        fal_ep_broken(c->j, EP8, c->event,
                      "class event of class %u, count %u: expected class %u, which the "
                      "table gives %s with sequence number %llu",
                      (unsigned)c->event->klass, (unsigned)c->count, (unsigned)klass,
                      fal_ep_kind_name(c->items[0]->kind),
                      (unsigned long long)c->items[0]->seq);
        remove_items(c, 0, c->count);
        return true;
    }
    gather(c, c->event->klass);
    return false;
}

static void say_difference(const struct choice *c)
{
    const struct fal_ep_event *e = c->event;
    struct sum sum = {0};
    const char *member = "first sequence number";
    uint64_t expected, found = e->seq;

    for (uint32_t i = 0; i < c->count; i++)
        add(&sum, c->items[i]);
    if (sum.first == NULL) /* a merged event has one event at least */
        return;
    expected = sum.first->seq;
    if (!same_bytes(&sum, e)) {
        member = "bytes";
        expected = sum.bytes;
        found = e->bytes;
    } else if (same_seq(sum.first->seq, e->seq)) {
        member = "last sequence number";
        expected = sum.last->seq;
        found = e->last_seq;
    }
    fal_ep_broken(c->j, EP2, e,
                  "class event of class %u, count %u: %s: expected %llu, found %llu",
                  (unsigned)e->klass, (unsigned)c->count, member, (unsigned long long)expected,
                  (unsigned long long)found);
}

static void explain(struct choice *c)
{
    const struct fal_ep_event *e = c->event;

    if (c->flow->pending == 0) {
        fal_ep_broken(c->j, EP1, e, "class event without a cause: %s",
                      c->flow->had_input ? "all events of the flow were delivered before"
                                         : "no event of the flow came in before");
        return;
    }
    if ((c->unclear == 0 && c->lists == 1 && was_lost(c)) || other_class(c))
        return;
    if (c->num < c->count) {
        fal_ep_broken(c->j, EP2, e,
                      "class event of class %u: count %u, but only %u such events of "
                      "the flow wait",
                      (unsigned)e->klass, (unsigned)c->count, (unsigned)c->num);
        remove_items(c, 0, c->num);
        return;
    }
    say_difference(c);
    remove_items(c, 0, c->count);
    if (c->unclear > 0 || c->lists > 1)
        c->flow->unsure = c->flow->pending > 0;
}

/* ---- */

/* Which events are left is not known: only their number is. */
static void count_only(struct choice *c, const char *reason)
{
    uint32_t n = c->count < c->num ? c->count : c->num;

    fal_ep_excused(c->j, EP2, reason);
    c->flow->unsure = true;
    remove_items(c, 0, n);
}

void fal_ep_deliver(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                    const struct fal_ep_event *event)
{
    struct choice c = {
        .j = j, .flow = flow, .event = event, .count = event->count > 0 ? event->count : 1};
    unsigned found = 0;

    if (flow->lost_track || (j->seen & FAL_EP_SAW_SOURCE) == 0)
        return;
    gather(&c, event->klass);
    if (flow->unsure && flow->pending > 0) {
        count_only(&c, "order-not-known");
        return;
    }
    if (c.num >= c.count && c.lists == 1 && c.unclear <= CHOICES) {
        found = try_classes(&c);
    } else if (c.num >= c.count && c.lists > 1 && c.unclear == 0 && c.count <= SPLIT) {
        found = try_splits(&c);
    } else if (c.num >= c.count) {
        count_only(&c, c.unclear > 0 ? "class-not-known" : "order-not-known");
        return;
    }
    if (found == 0)
        explain(&c);
    if (found > 1 && flow->pending > 0)
        flow->unsure = true;
}

void fal_ep_lost(struct fal_ep_judge *j, const struct fal_ep_item *item, uint32_t count,
                 const struct fal_ep_event *event)
{
    const struct fal_ep_event end = {
        .at_ns = j->now_ns, .number = j->number, .flow = item->flow->id};

    fal_ep_broken(j, item->overridden ? EP13 : EP2, event != NULL ? event : &end,
                  "lost %u event%s from %s with sequence number %llu on (%llu ns)%s",
                  (unsigned)count, count == 1 ? "" : "s", fal_ep_kind_name(item->kind),
                  (unsigned long long)item->seq, (unsigned long long)item->at_ns,
                  item->overridden ? ": firmware had the slice while it waited" : "");
}

void fal_ep_rest(struct fal_ep_judge *j)
{
    for (uint32_t i = 0; i < j->num_flows; i++) {
        struct fal_ep_flow *flow = fal_ep_flow_at(j, i);

        for (unsigned list = 0; list < FAL_EP_LISTS; list++)
            if (flow->lists[list].first != NULL && !flow->unsure)
                fal_ep_lost(j, flow->lists[list].first, flow->pending, NULL);
    }
}
