/* SPDX-License-Identifier: Apache-2.0
 * k_rules.c - see k_rules.h. [S1] is "Enabling Programmable Transport Protocols in High-Speed
 * NICs" (Tonic). */
#include "oracles/rules/transport/k_rules.h"

static const struct fal_tally_rule rules[FAL_K_RULES] = {
    [FAL_K1] =
        {"K1", "sender",
         "when a flow is reported as acknowledged, every segment has arrived and has been "
         "delivered",
         "RFC 9293 3.8"},
    [FAL_K2] = {"K2", "receiver",
                "a segment is delivered at most once, after it arrived, and in order where the "
                "transport promises it",
                "RFC 9293 1"},
    [FAL_K3] =
        {"K3", "receiver",
         "feedback is true: what it acknowledges has arrived, what it reports as missing "
         "has not, and a cumulative acknowledgement never goes back",
         "RFC 9293 3.10.7.4, RFC 2018 4"},
    [FAL_K4] = {"K4", "sender",
                "the window, the rate with its burst, and the tokens are not exceeded",
                "RFC 5681 3.1, RFC 9293 3.8.6, [S1] 3.3.1"},
    [FAL_K5] = {"K5", "sender",
                "a retransmission has a cause that the transport knows: a timeout, or feedback "
                "that shows a loss",
                "RFC 5681 3.2, RFC 6582 3.2, RFC 6675 4, RFC 8985 6"},
    [FAL_K6] = {"K6", "sender",
                "a segment that is known to be lost is sent again before any new segment",
                "RFC 6675 4, [S1] 3.2.2"},
    [FAL_K7] = {"K7", "sender", "all copies of a segment have the same length and payload",
                "RFC 9293 3.8"},
    [FAL_K8] = {"K8", "sender",
                "a sender with unacknowledged segments sends within its longest timeout, one "
                "with work and credit within the declared time, and a receiver answers in time",
                "RFC 6298 5, RFC 9293 3.8.6.3"},
    [FAL_K9] = {"K9", "sender",
                "a retransmission goes back exactly to the segment that the feedback names "
                "(go-back-N), or sends exactly the segments that are missing (selective)",
                "RFC 6675 4, [S1] 6.1"},
    [FAL_K10] = {"K10", "sender",
                 "no retransmission timer expires earlier than the shortest declared timeout, "
                 "which each timeout without progress doubles where the transport backs off",
                 "RFC 6298 2, 5.5"},
    [FAL_K11] =
        {"K11", "engine",
         "at most N addresses of a flow are in its ring, a flow is in a set at most once, "
         "and a flow with work and credit is in a set",
         "[S1] 3.1, 3.2"},
    [FAL_K12] = {"K12", "engine",
                 "when several blocks update a flow in one cycle, the result is that of some "
                 "order one after the other",
                 "[S1] 3.4"},
    [FAL_K13] = {"K13", "engine",
                 "a backlogged engine transmits one address in each cycle, within the declared "
                 "latency, for the declared number of flows",
                 "[S1] 3, 6.1"},
    [FAL_K14] = {"K14", "engine",
                 "the rate of a flow is the rate that was set, within the declared error",
                 "[S1] 4, appendix B"},
};

const struct fal_tally_rule *fal_k_rules(size_t *n)
{
    *n = FAL_K_RULES;
    return rules;
}
