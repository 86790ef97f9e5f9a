/* SPDX-License-Identifier: Apache-2.0
 * devices_testing.h - for tests only: lines of a target whose devices hold commands. */
#ifndef FAL_ORACLES_RULES_NVME_DEVICES_TESTING_H
#define FAL_ORACLES_RULES_NVME_DEVICES_TESTING_H

#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define HOLD "nvme dev_policy {\"hold\":true} -> {}"
#define FREE "nvme dev_policy {} -> {}"

/* nCMD n of a command of the tester, to block 100 of namespace 9. */
#define READ(n, more)                                                                   \
    "> push_data psn=" #n "r rsn=" #n "r / nvme read_request ifn=5 itag=" #n " icmd=3 " \
    "tnsid=9 slba=100 " more
#define WRITE(n, more)                                                                   \
    "> push_data psn=" #n "r rsn=" #n "r / nvme write_request ifn=5 itag=" #n " icmd=3 " \
    "tnsid=9 slba=100 " more
/* The same of another command, with identifier 4. */
#define OTHER_WRITE(n, more)                                                             \
    "> push_data psn=" #n "r rsn=" #n "r / nvme write_request ifn=5 itag=" #n " icmd=4 " \
    "tnsid=9 slba=100 " more
/* The target asks for its data, with RSN r, and gets them with PSN p. */
#define PULL(r, n)                                                                     \
    "< pull_request psn=" #r "r rsn=" #r "r len=4132 / nvme write_data_request ifn=5 " \
    "itag=" #n " icmd=3"
#define DATA(p, r, n)                                                               \
    "> pull_data psn=" #p "r rsn=" #r "r / nvme write_data_response ifn=5 itag=" #n \
    " icmd=3 data=4096"
#define DONE(p, r, n, more) \
    "< push_data psn=" #p "r rsn=" #r "r / nvme write_completion ifn=5 itag=" #n " icmd=3 " more
#define ANSWER(p, r, n, more) \
    "< push_data psn=" #p "r rsn=" #r "r / nvme read_response ifn=5 itag=" #n " icmd=3 " more
#define DEVICE(dcmd, op, slba, nlb0)                                                 \
    "tells dev_cmd {\"dcmd\":" #dcmd ",\"op\":\"" op "\",\"nsid\":9,\"slba\":" #slba \
    ",\"nlb0\":" #nlb0 ",\"sqid\":0}"
#define COMPLETE(dcmd) "nvme dev_complete {\"dcmd\":" #dcmd "} -> {}"

#endif
