/* SPDX-License-Identifier: Apache-2.0
 * ep_classes.c - the table of kinds and classes, while it is rewritten too (EP8) [0130-0132].
 * An event has the class of either side of each write that came while it was on its way. */
#include "oracles/rules/eventpipe/ep_state.h"

enum { CLASS_IDS = 1 << FAL_EP_CLASS_BITS, ALL = (1 << CLASS_IDS) - 1 };

static void write_class(struct fal_ep_judge *j, enum fal_ep_kind kind, uint32_t klass)
{
    j->classes[kind].past[j->classes[kind].writes++ % FAL_EP_HISTORY] = klass & (CLASS_IDS - 1);
}

/* A table without any class is one that was not declared. */
void fal_ep_classes_start(struct fal_ep_judge *j)
{
    bool declared = false;

    for (int kind = 0; kind < FAL_EP_KINDS; kind++)
        declared = declared || j->setup.classes[kind] != 0;
    for (int kind = 0; declared && kind < FAL_EP_KINDS; kind++)
        write_class(j, (enum fal_ep_kind)kind, j->setup.classes[kind]);
}

void fal_ep_table_write(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    write_class(j, event->kind, event->klass);
    j->classes[event->kind].at_ns = event->at_ns;
    j->classes[event->kind].rewritten = true;
}

uint64_t fal_ep_class_writes(const struct fal_ep_judge *j, enum fal_ep_kind kind)
{
    uint64_t writes = j->classes[kind].writes;
    bool is_new = j->classes[kind].rewritten &&
                  j->now_ns - j->classes[kind].at_ns <= j->setup.pipeline_ns;

    return is_new ? writes - 1 : writes;
}

unsigned fal_ep_class_set(const struct fal_ep_judge *j, const struct fal_ep_item *item)
{
    uint64_t now = j->classes[item->kind].writes, from = item->writes;
    unsigned set = 0;

    if (item->class_fixed)
        return 1U << item->klass;
    if (from == 0 || now - from >= FAL_EP_HISTORY)
        return ALL;
    for (uint64_t write = from; write <= now; write++)
        set |= 1U << j->classes[item->kind].past[(write - 1) % FAL_EP_HISTORY];
    return set;
}
