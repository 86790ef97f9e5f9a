/* SPDX-License-Identifier: Apache-2.0
 * hunt_promises.c - what any SUT owes a connection that is quiet and has been treated lawfully,
 * and what no rule can tell without knowing that: it comes last, since some of it ends the
 * connection. Which of them a case asks for, its name decides. */
#include "fuzz/hunt.h"

#include <stdio.h>
#include <string.h>

/* The tester's own endpoint is not heard from here on; what steps send is. */
#define MUTE "{\"on\": \"> packet\", \"do\": \"drop\", \"times\": 0}, "
/* The SUT's upper layer takes everything again. */
#define ANSWERS "{\"ulp\": {\"do\": \"policy\", \"rules\": []}}, "
#define POST(op, length, tag)                                                                \
    "{\"ulp\": {\"do\": \"post\", \"op\": \"" op "\", \"length\": " length ", \"tag\": " tag \
    "}}, "
#define SET(what) "{\"cm\": {\"do\": \"set\", \"params\": {" what "}}}, "

/* clang-format off: one step a line */
static const struct {
    const char *name, *steps;
} promises[] = {
    /* after a fatal error posts complete at once, in error (chapter 11) */
    {"dead",
     MUTE POST("push", "64",
               "2000001") "{\"expect_cm\": {\"what\": \"fatal\"}, \"within\": \"$rto * "
                          "40\"}, " POST("push", "64",
                                         "2000002") "{\"expect_ulp\": {\"event\": "
                                                    "\"completion\", \"tag\": 2000002}, "
                                                    "\"within\": \"$rto * 2\"}"},
    /* a pull that ends in an error is answered all the same (8.5.3.5) */
    {"error", "{\"ulp\": {\"do\": \"policy\", \"rules\": [{\"op\": \"pull\", \"answer\": "
              "\"cie\", \"code\": 9}]}}, "
              "{\"ulp\": {\"do\": \"post\", \"op\": \"pull\", \"length\": 64, \"tag\": "
              "2000003}, \"side\": \"tester\"}, "
              "{\"expect_ulp\": {\"event\": \"completion\", \"tag\": 2000003}, \"side\": "
              "\"tester\", \"within\": \"$rto * 4\"}"},
    /* marks of congestion are counted, and nothing else is (7.7.1) */
    {"marks", "{\"send\": \"> push_data len=64 ar\"}, "
              "{\"expect\": \"< packet packet_type={back,eack} ecn_rx_count=@marks\", "
              "\"within\": \"$coalescing * 2\"}, "
              "{\"send\": \"> push_data len=64 ar\"}, "
              "{\"expect\": \"< packet packet_type={back,eack} ecn_rx_count=$marks\", "
              "\"within\": \"$coalescing * 2\"}, "
              "{\"let\": {\"more\": \"$marks + 1\"}}, {\"send\": \"> push_data len=64 ar\", "
              "\"ip\": {\"ecn\": 3}}, "
              "{\"expect\": \"< packet packet_type={back,eack} ecn_rx_count=$more\", "
              "\"within\": \"$coalescing * 2\"}"},
    /* and hops (7.7.1) */
    {"hops", "{\"send\": \"> push_data len=64 ar\", \"ip\": {\"ttl\": 60}}, "
             "{\"expect\": \"< packet packet_type={back,eack} hop_count=4\", \"within\": "
             "\"$coalescing * 2\"}"},
    /* what a congestion engine decides holds (10.6.2.2) */
    {"fcwnd",
     SET("\"fcwnd\": 1") MUTE POST("push", "71", "2000004")
         POST("push", "72",
              "2000005") "{\"expect\": \"< push_data len=71 psn=@first\"}, {\"let\": "
                         "{\"second\": \"$first + 1\"}}, "
                         "{\"expect_none\": \"push_data psn=$second\", \"for\": \"$rto * 3\"}"},
    {"ncwnd",
     SET("\"ncwnd\": 1") MUTE POST("push", "71", "2000006")
         POST("push", "72",
              "2000007") "{\"expect\": \"< push_data len=71 psn=@first\"}, {\"let\": "
                         "{\"second\": \"$first + 1\"}}, "
                         "{\"expect_none\": \"push_data psn=$second\", \"for\": \"$rto * 3\"}"},
    /* what is not acknowledged is repeated after the RTO (9.1.5); a base that was never sent
     * acknowledges nothing (9.2.3) */
    {"repeat",
     MUTE POST("push", "74",
               "2000009") "{\"expect\": \"< push_data len=74 psn=@sent\"}, "
                          "{\"expect\": \"< push_data psn=$sent\", \"within\": \"$rto\"}"},
    {"unsent",
     MUTE POST("push", "75",
               "2000010") "{\"expect\": \"< push_data len=75 psn=@sent\"}, {\"let\": "
                          "{\"never\": \"$sent + 9\"}}, "
                          "{\"send\": \"> back dbase=$never\", \"adopt\": false}, "
                          "{\"expect\": \"< push_data psn=$sent\", \"within\": \"$rto\"}"},
    /* data of another length than was asked for (AMB-25) */
    {"long",
     MUTE POST(
         "pull", "76",
         "2000011") "{\"expect\": \"< pull_request len=76 rsn=@asked\"}, "
                    "{\"send\": \"> pull_data rsn=$asked payload_len=128\", \"adopt\": false}, "
                    "{\"expect_ulp\": {\"event\": \"completion\", \"tag\": 2000011, \"code\": "
                    "\"!0\"}, \"within\": \"1500ms\"}"},
    {"short",
     SET("\"rto\": \"400ms\"") MUTE POST(
         "pull", "77",
         "2000012") "{\"expect\": \"< pull_request len=77 rsn=@asked\"}, "
                    "{\"send\": \"> pull_data rsn=$asked payload_len=32\", \"adopt\": false}, "
                    "{\"expect_ulp\": {\"event\": \"completion\", \"tag\": 2000012, \"code\": "
                    "\"{0,8}\"}, \"within\": \"1500ms\"}"},
    /* pull data wait for no window of requests (9.1.2) */
    {"answer", SET("\"ncwnd\": 1") MUTE POST(
                   "pull", "78", "2000013") "{\"expect\": \"< pull_request len=78\"}, "
                                            "{\"send\": \"> pull_request len=79\"}, "
                                            "{\"expect\": \"< pull_data payload_len=79\", "
                                            "\"within\": \"$coalescing\"}"},
    /* a transaction that nobody answers times out (chapter 11) */
    {"timeout",
     SET("\"rto\": \"400ms\"") MUTE POST(
         "pull", "64", "2000014") "{\"expect_ulp\": {\"event\": \"completion\", \"tag\": "
                                  "2000014, \"code\": 8}, \"within\": \"1100ms\"}"},
};
/* clang-format on */
enum { PROMISES = sizeof promises / sizeof *promises };

/* Whether the network does as it is told, for what is asked for is exact; and nothing before
 * was of the lengths by which its packets are known. */
static bool is_plain(const json_t *doc)
{
    const json_t *steps = json_object_get(doc, "steps");

    const json_t *workload = json_object_get(doc, "workload");

    for (size_t i = 0; i < json_array_size(steps); i++)
        if (json_object_get(json_array_get(steps, i), "on") != NULL)
            return false;
    for (size_t i = 0; i < json_array_size(workload); i++)
        if (json_object_get(json_array_get(workload, i), "length") != NULL)
            return false;
    return json_object_get(doc, "impair") == NULL &&
           json_object_get(json_object_get(doc, "connection"), "params") == NULL;
}

json_t *hunt_promise(const json_t *doc)
{
    const char *id = hunt_word(doc, "id");
    unsigned hash = 0;
    char text[2048];
    json_t *steps, *step;
    size_t i;

    if (!is_plain(doc))
        return json_array();
    for (; *id != 0; id++)
        hash = hash * 33 + (unsigned char)*id;
    i = (hash >> 3) % PROMISES;
    (void)snprintf(text, sizeof text, "[" ANSWERS "%s]", promises[i].steps);
    steps = json_loads(text, 0, NULL);
    hash = (unsigned)i;
    json_array_foreach(steps, i, step)
    {
        if (json_object_get(step, "on") == NULL)
            (void)json_object_set_new(step, "name",
                                      json_sprintf("%s-%zu", promises[hash].name, i));
    }
    return steps;
}
