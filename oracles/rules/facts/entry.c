/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/entry.h"

#include "oracles/rules/facts/track.h"

#include <string.h>

bool fal_entry_read(const struct fal_rue_facts *rue, const struct fal_event *event,
                    struct fal_entry *out)
{
    const uint8_t *bytes;
    enum fal_cc_entry kind = FAL_CC_ENTRY_RESULT;

    *out = (struct fal_entry){.is_result = true, .at = fal_at_event(event)};
    if (event->kind == FAL_EV_CC) {
        bytes = event->u.cc.entry;
        out->has_ticks = true;
        out->now_ticks = event->u.cc.now_ticks;
        out->is_result = event->u.cc.queue == FAL_CC_QUEUE_RESULT;
        kind = out->is_result ? FAL_CC_ENTRY_RESULT : FAL_CC_ENTRY_EVENT;
    } else {
        bytes = event->u.command.entry;
        out->ours = true;
    }
    return rue->known &&
           fal_cc_decode(rue->format, kind, bytes, FAL_CC_ENTRY_LEN,
                         out->is_result ? (void *)&out->result : (void *)&out->event) >= 0;
}

static bool take_command(struct fal_engine *engine, const struct fal_ev_command *command)
{
    bool trace = strcmp(command->verb, "cc_trace") == 0;
    bool who = strcmp(command->verb, "cc_engine") == 0;
    bool params = strcmp(command->verb, "cc_config") == 0;

    if (!trace && !who && !params)
        return false;
    engine->moved |= params;
    if (trace && !command->on)
        engine->traced = false;
    if (who && !command->on) {
        engine->moved |= engine->tester; /* What then holds, nobody sees. */
        engine->tester = false;
    }
    engine->unsure = true;
    engine->asked_trace = trace && command->on;
    engine->asked_tester = who && command->on;
    engine->id = command->id;
    return true;
}

static bool take_reply(struct fal_engine *engine, const struct fal_event *event)
{
    const struct fal_ev_reply *reply = &event->u.reply;

    if (!engine->unsure || reply->id != engine->id)
        return false;
    engine->unsure = false;
    engine->refused |= !reply->ok;
    if (reply->ok && engine->asked_trace && !engine->traced) {
        engine->traced = true;
        engine->traced_index = event->index;
    }
    if (reply->ok && engine->asked_tester && !engine->tester) {
        engine->tester = true;
        engine->tester_index = event->index;
    }
    return true;
}

bool fal_engine_event(struct fal_engine *engine, const struct fal_event *event)
{
    if (event->kind == FAL_EV_COMMAND)
        return take_command(engine, &event->u.command);
    return event->kind == FAL_EV_REPLY && take_reply(engine, event);
}

bool fal_engine_moves(const struct fal_engine *engine, const struct fal_rue_facts *rue)
{
    return (rue->known && rue->moves_limits) || engine->moved || engine->tester;
}

bool fal_engine_hidden(const struct fal_engine *engine, const struct fal_rue_facts *rue)
{
    return fal_engine_moves(engine, rue) && !engine->tester && !engine->traced;
}
