/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_looks.h"

#include <stddef.h>
#include <string.h>

/* experiment NULL: of all others. Special rows come first. */
static const struct {
    const char *experiment, *plot, *text;
} looks[] = {
    {"incast", "fcwnd",
     "All windows must come from their start (32 packets) to one level and stay there; a "
     "wide area around the median means unequal flows."},
    {"incast", "delay",
     "The delay must come to the target and stay close to it. The target rises while the windows "
     "fall (flow scaling)."},
    {"incast-loss", "loss",
     "Drops must end within 10 ms; retransmissions end soon after. Later ticks mean that the "
     "windows grow beyond the queue again."},
    {"incast-loss", "queue",
     "The first windows fill the queue to its limit. After the losses it must stay well below "
     "the limit."},
    {"join-leave", "fcwnd",
     "When the second flow joins, the first window must fall and both must meet; when it leaves, "
     "the first window must rise again."},
    {"join-leave", "share",
     "After the join both flows must have about 50 % within 2 ms; after the leave the first one "
     "must have 90 % within 1 ms."},
    {"join-leave", "queue",
     "The first window of the second flow is a short peak. The queue must not run empty for "
     "longer than a round trip when the flow leaves."},
    {"plb", "path",
     "Path 1 has the load. The flow must leave it after 5 congested rounds, possibly by several "
     "draws, and stay on the path where its delay is below the target."},
    {"plb", "fcwnd",
     "The window falls on the loaded path, because the delay never reaches the target there, and "
     "rises on a good one."},
    {"plb", "delay",
     "On the loaded path the delay is far above the target whatever the window is. After the "
     "change of the path it must be at the target."},
    {"plb", "queue",
     "The load keeps the queue of path 1 at a constant height. Only the flow changes the queue "
     "of another path."},
    {"plb", "share",
     "The load takes the whole rate of path 1. The flow has a rate worth speaking of only after "
     "it has left this path."},
    {"staircase", "fcwnd",
     "Each step halves the windows, then doubles them. The windows of a step must meet before the "
     "step ends."},
    {"staircase", "queue",
     "Each joining flow adds a short peak. Between the peaks the queue must be flat, and higher "
     "the more flows there are."},
    {"slow-receiver", "ncwnd",
     "The NIC window must fall until the buffer is half full, and then stay where it is."},
    {"slow-receiver", "level",
     "The level must settle within 4 of the target. A level at 31 means a full buffer: the "
     "receiver then refuses packets by resource NACKs."},
    {"slow-receiver", "loss",
     "Retransmissions answer resource NACKs. They must end after 10 round trips."},
    {"slow-receiver", "fcwnd",
     "The fabric is not congested, so this window grows to its maximum; the NIC window is the one "
     "that limits the flow."},
    {"slow-receiver", "delay",
     "The delay of the fabric stays below the target: the time in the receiver's buffer does not "
     "belong to it."},
    {"slow-receiver", "queue",
     "The queue of the fabric is almost empty, as the receiver is the bottleneck."},
    {"slow-receiver", "share",
     "The throughput must be what the receiver takes (drain_percent), without gaps."},
    {"mixed-rtt", "share",
     "The ratio of the shares is a property of Swift; it has no band. In each half of the flows "
     "the shares must be equal."},
    {"mixed-rtt", "fcwnd",
     "The windows of each half must meet. A far flow has less than one packet: each ACK at the "
     "target adds a packet, and the next ones take it away."},
    {"mixed-rtt", "delay",
     "The delays of far and near flows differ by the difference of their round trips at all "
     "times; only flow scaling makes their targets differ."},
    {NULL, "fcwnd", "The windows must settle and not swing; equal flows have equal windows."},
    {NULL, "ncwnd", "The NIC window follows the level of the receiver's buffer."},
    {NULL, "level", "The level must settle near its target."},
    {NULL, "delay",
     "The delay must settle at the target. Above it windows fall, below it they "
     "rise."},
    {NULL, "queue",
     "The queue must be short and never empty while flows send: an empty queue is "
     "lost throughput, a long one is lost time. From the ECN line on packets are marked; Swift "
     "does not read marks."},
    {NULL, "share", "Equal flows must have equal throughput, and their sum must be the rate."},
    {NULL, "path", "A step is a new path that PLB has drawn."},
    {NULL, "loss",
     "The timeout changes with a retransmission only (10.3.2), and without one it is that of the "
     "start. Timeouts are worse than other retransmissions: the flow was silent before."},
};

const char *tl_lab_look(const char *experiment, const char *plot)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (strcmp(looks[i].plot, plot) == 0 &&
            (looks[i].experiment == NULL || strcmp(looks[i].experiment, experiment) == 0))
            return looks[i].text;
    return "";
}
