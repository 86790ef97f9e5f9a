/* SPDX-License-Identifier: Apache-2.0
 * unexercised_testing.h - for tests only: the rules that random traffic does not decide, and
 * why. What is not named here must be decided at least once. */
#ifndef FAL_ORACLES_RULES_JUDGE_UNEXERCISED_TESTING_H
#define FAL_ORACLES_RULES_JUDGE_UNEXERCISED_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { IN_MODEL = 1, IN_SOAK = 2, IN_NVME = 4 /* worlds whose upper layers are NVMe */ };

static inline bool unexercised(const char *rule, unsigned where)
{
    static const struct {
        const char *rule;
        unsigned where;
        const char *why;
    } list[] = {
        {"RN3", IN_MODEL | IN_SOAK, "nothing is RNRed more often than it may be retransmitted"},
        {"N5", IN_MODEL, "nobody says that the SUT has no other connection"},
        {"N6", IN_MODEL | IN_SOAK, "their upper layers answer by themselves"},
        {"RN5", IN_MODEL, "its connections are unordered"},
        {"U7", IN_MODEL, "nobody says what its upper layers gave"},
        {"X7", IN_MODEL, "nobody says what its upper layers gave"},
        {"U3", IN_MODEL, "its connections are unordered"},
        {"C2", IN_MODEL, "its connections are unordered"},
        {"D1", IN_MODEL | IN_SOAK, "no packet must be dropped"},
        {"D3", IN_MODEL | IN_SOAK, "nothing is sealed"},
        {"T5", IN_MODEL | IN_SOAK, "nothing is sealed"},
        {"T6", IN_MODEL | IN_SOAK, "nothing is sealed"},
        {"T8", IN_MODEL | IN_SOAK, "nothing is sealed"},
        {"L2", IN_MODEL | IN_SOAK, "its packets lie in no frame, which asks nothing"},
        {"D4", IN_MODEL | IN_SOAK, "no packet must be dropped"},
        {"U4", IN_SOAK, "the built-in upper layer has no stamps"},
        {"E3", IN_MODEL | IN_SOAK, "ACKs do not wait for two round trips"},
        {"E6", IN_MODEL | IN_SOAK, "no connection may run out of attempts"},
        {"Q1", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q2", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q3", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q4", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q5", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q6", IN_MODEL | IN_SOAK, "no window is below one packet"},
        {"Q7", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q8", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q9", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"Q10", IN_MODEL | IN_SOAK, "nobody asks for queue entries"},
        {"E5", IN_SOAK, "no connection there may run out of attempts"},
    };

    /* Worlds of NVMe are played for the rules about it, and decide all of them. */
    if (where == IN_NVME)
        return strncmp(rule, "NV", 2) != 0;
    if (rule[0] == 'V') /* Payload is not of RDMA there, and nobody posts verbs. */
        return true;
    if (strncmp(rule, "NV", 2) == 0) /* nor of NVMe, and no host submits commands */
        return true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].rule, rule) == 0 && (list[i].where & where) != 0)
            return true;
    return false;
}

#endif
