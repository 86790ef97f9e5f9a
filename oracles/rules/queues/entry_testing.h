/* SPDX-License-Identifier: Apache-2.0
 * entry_testing.h - for tests only: queue entries, and commands about the Rate Update Engine,
 * as lines of a script.
 *
 *   entry event now=99 t1=3 eack=1     fields by the names of 10.6.2.1; now: now_ticks
 *   entry result fcwnd_integer=4       those of 10.6.2.2
 *   cc_result fcwnd_integer=4 [failed] a result of the tester, and the reply
 *   cc_result> fcwnd_integer=4         the command alone
 *   cc_trace on, cc_engine tester      command and reply; also cc_trace off, cc_engine self,
 *   cc_config {...}                    and all three with "failed" at the end */
#ifndef FAL_ORACLES_RULES_QUEUES_ENTRY_TESTING_H
#define FAL_ORACLES_RULES_QUEUES_ENTRY_TESTING_H

#include "oracles/timeline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Fields that an entry has unless its line says otherwise: the SUT's CID of script_connection,
 * limits wide enough for any test. */
static inline void entry_defaults(struct fal_cc_event *event, struct fal_cc_result *result)
{
    *event = (struct fal_cc_event){.connection_id = 0x222222,
                                   .fcwnd_integer = 64,
                                   .ncwnd = 64,
                                   .retransmit_timeout = 7630,
                                   .delay_select = FAL_CC_DELAY_FABRIC,
                                   .base_delay_target = 191};
    *result = (struct fal_cc_result){.connection_id = 0x222222,
                                     .fcwnd_integer = 64,
                                     .ncwnd = 64,
                                     .retransmit_timeout = 7630,
                                     .base_delay_target = 191};
}

/* Reads "name=value ..." into an entry; `now` into *now_ticks. */
static inline void entry_encode(enum fal_cc_entry kind, const char *fields, uint32_t *now_ticks,
                                uint8_t bytes[FAL_CC_ENTRY_LEN])
{
    const struct fal_layout *layout = fal_cc_layout(FAL_CC_TABLE_MSB, kind);
    struct fal_cc_event event;
    struct fal_cc_result result;
    void *host = kind == FAL_CC_ENTRY_EVENT ? (void *)&event : (void *)&result;
    char copy[1024], *word, *rest = copy;

    entry_defaults(&event, &result);
    ck_assert_uint_lt(strlen(fields), sizeof copy);
    strcpy(copy, fields);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        char *value = strchr(word, '=');
        const struct fal_field *field;

        if (value == NULL)
            continue;
        *value++ = 0;
        if (strcmp(word, "now") == 0) {
            *now_ticks = (uint32_t)strtoul(value, NULL, 0);
            continue;
        }
        field = fal_layout_find(layout, word);
        ck_assert_msg(field != NULL, "no field %s", word);
        ck_assert_int_eq(fal_field_set(field, host, strtoul(value, NULL, 0)), 0);
    }
    ck_assert_int_ge(fal_cc_encode(FAL_CC_TABLE_MSB, kind, host, bytes, NULL), 0);
}

static inline bool entry_begins(const char *line, const char *word, const char **rest)
{
    size_t len = strlen(word);

    if (strncmp(line, word, len) != 0 || (line[len] != ' ' && line[len] != 0))
        return false;
    *rest = line + len;
    return true;
}

/* The event of a line, and whether a reply to it follows. False: the line is something else. */
static inline bool entry_line(const char *line, struct fal_event *out, bool *replied)
{
    const char *rest;
    bool event = entry_begins(line, "entry event", &rest);

    *replied = false;
    *out = (struct fal_event){.kind = FAL_EV_CC, .conn = 1};
    if (event || entry_begins(line, "entry result", &rest)) {
        out->u.cc.queue = event ? FAL_CC_QUEUE_EVENT : FAL_CC_QUEUE_RESULT;
        entry_encode(event ? FAL_CC_ENTRY_EVENT : FAL_CC_ENTRY_RESULT, rest,
                     &out->u.cc.now_ticks, out->u.cc.entry);
        return true;
    }
    out->kind = FAL_EV_COMMAND;
    *replied = true;
    if (entry_begins(line, "cc_result>", &rest) || entry_begins(line, "cc_result", &rest)) {
        uint32_t now;

        *replied = strncmp(line, "cc_result>", 10) != 0;
        memcpy(out->u.command.verb, "cc_result", sizeof "cc_result");
        out->u.command.has_entry = true;
        entry_encode(FAL_CC_ENTRY_RESULT, rest, &now, out->u.command.entry);
        return true;
    }
    if (entry_begins(line, "cc_trace", &rest))
        memcpy(out->u.command.verb, "cc_trace", sizeof "cc_trace");
    else if (entry_begins(line, "cc_engine", &rest))
        memcpy(out->u.command.verb, "cc_engine", sizeof "cc_engine");
    else if (entry_begins(line, "cc_config", &rest))
        memcpy(out->u.command.verb, "cc_config", sizeof "cc_config");
    else
        return false;
    out->u.command.on = strstr(rest, "on") != NULL || strstr(rest, "tester") != NULL;
    out->u.command.text = rest;
    return true;
}

#endif
