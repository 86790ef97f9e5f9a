/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/control.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool is(const json_t *rule, const char *key, const char *word)
{
    const char *text = json_string_value(json_object_get(rule, key));

    return text != NULL && strcmp(text, word) == 0;
}

/* The least time that a rule of a policy holds the answer to a push that it decides. After
 * `times` answers the default one is given, at once. */
static uint64_t rule_holds_ns(const json_t *rule)
{
    json_int_t after = json_integer_value(json_object_get(rule, "after_ns"));

    if (json_object_get(rule, "times") != NULL)
        return 0;
    if (is(rule, "answer", "withhold"))
        return FAL_NEVER;
    return after > 0 ? (uint64_t)after : 0;
}

uint64_t fal_control_holds_ns(const char *line)
{
    json_t *root = line != NULL ? json_loads(line, 0, NULL) : NULL;
    const json_t *rules = json_object_get(root, "rules"), *rule;
    bool all = false; /* a rule decides what no other one does */
    uint64_t least_ns = FAL_NEVER;
    size_t i;

    json_array_foreach(rules, i, rule)
    {
        uint64_t ns = rule_holds_ns(rule);

        if (is(rule, "op", "pull") || is(rule, "answer", "data")) /* it decides no push */
            continue;
        all = all ||
              (json_object_get(rule, "request") == NULL &&
               json_object_get(rule, "rsn") == NULL && json_object_get(rule, "every") == NULL);
        least_ns = ns < least_ns ? ns : least_ns;
    }
    json_decref(root);
    return all ? least_ns : 0;
}

static void forget(struct fal_control *control, size_t i)
{
    memmove(&control->list[i], &control->list[i + 1],
            (control->num - i - 1) * sizeof *control->list);
    control->num--;
}

static void note_answer(struct fal_track *track, const struct fal_event *event)
{
    const struct fal_ev_command *command = &event->u.command;
    struct fal_request *request = fal_track_request_new(track, FAL_TO_SUT, command->rsn);

    fal_answers_note(&track->answers, &(struct fal_answer_given){
                                          .rsn = fal_track_rsn(track, FAL_TO_SUT, command->rsn),
                                          .answer = (uint8_t)command->answer,
                                          .held = true,
                                          .code = command->code,
                                          .rnr_ns = command->rnr_ns,
                                          .at = fal_at_event(event)});
    if (request == NULL)
        return;
    if (command->answer == FAL_ANSWER_RNR && request->rnrs < UINT16_MAX)
        request->rnrs++;
    if (command->answer == FAL_ANSWER_ACK && (request->flags & FAL_REQ_ACK_WRITTEN) == 0) {
        request->flags |= FAL_REQ_ACK_WRITTEN;
        request->acked = fal_at_event(event);
    }
}

/* The value of a parameter that changes during a run is unknown from then on: the SUT may apply
 * it late. */
static void unlearn(struct fal_track *track, const char *text)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    char quoted[64];

    for (size_t i = 0; i < n; i++) {
        (void)snprintf(quoted, sizeof quoted, "\"%s\"", table[i].key);
        if (text == NULL || strstr(text, quoted) != NULL)
            track->setup.unknown_params |= FAL_PARAM_BIT(i);
    }
}

void fal_control_command(struct fal_control *control, struct fal_track *track,
                         const struct fal_event *event)
{
    const struct fal_ev_command *command = &event->u.command;
    bool policy = strcmp(command->verb, "policy") == 0;
    bool post = strcmp(command->verb, "post") == 0;
    struct fal_pending *pending;

    if (strcmp(command->verb, "barrier") == 0) {
        track->barrier_index = event->index;
        track->barrier_ns = event->t_ns;
    }
    if (strcmp(command->verb, "set") == 0)
        unlearn(track, command->text);
    if (strcmp(command->verb, "close") == 0 || strcmp(command->verb, "reset") == 0)
        track->dead = true;
    if (!policy && !post && strcmp(command->verb, "respond") != 0)
        return;
    track->given = track->given || !policy;
    if (policy)
        track->held_ns = 0; /* until the new one is known to be in force */
    else if (!post)
        note_answer(track, event);
    if (control->num == FAL_PENDING_MAX)
        forget(control, 0);
    pending = &control->list[control->num++];
    *pending =
        (struct fal_pending){.id = command->id, .conn = event->conn, .at = fal_at_event(event)};
    pending->policy = policy;
    pending->post = post;
    if (policy)
        pending->holds_ns =
            command->text != NULL ? fal_control_holds_ns(command->text) : command->holds_ns;
    pending->asked = *command;
    pending->asked.text = NULL;
}

bool fal_control_reply(struct fal_control *control, const struct fal_event *event,
                       struct fal_pending *out)
{
    for (size_t i = 0; i < control->num; i++) {
        if (control->list[i].id != event->u.reply.id)
            continue;
        *out = control->list[i];
        forget(control, i);
        return true;
    }
    return false;
}

void fal_control_applied(struct fal_track *track, const struct fal_pending *command)
{
    struct fal_request *request = fal_track_request(track, FAL_TO_SUT, command->asked.rsn);

    if (request != NULL && request->answers < UINT16_MAX)
        request->answers++;
    fal_answers_applied(&track->answers, fal_track_rsn(track, FAL_TO_SUT, command->asked.rsn),
                        command->asked.answer);
}

/* Whether the completion belongs to a post that was refused (8.2.3; code 1: AMB-54). That post
 * used no RSN: the next accepted post gets it. */
static bool refused(struct fal_track *track, const struct fal_ev_ulp *ulp)
{
    enum { COMPLETED_IN_ERROR = 0x1, DEAD_CONNECTION = 0xa };
    const struct fal_request *request = fal_track_request(track, FAL_FROM_SUT, ulp->rsn);

    return fal_code_gives_back(ulp->code) ||
           ((ulp->code == COMPLETED_IN_ERROR || ulp->code == DEAD_CONNECTION) &&
            (request == NULL || (request->flags & FAL_REQ_PLACED) == 0));
}

void fal_control_ulp(struct fal_track *track, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_request *request;

    if (ulp->kind == FAL_ULP_COMPLETION) {
        if (refused(track, ulp))
            return;
        request = fal_track_request_new(track, FAL_FROM_SUT, ulp->rsn);
        if (request != NULL && request->deliveries < UINT16_MAX)
            request->deliveries++;
        return;
    }
    request = fal_track_request_new(track, FAL_TO_SUT, ulp->rsn);
    if (ulp->kind == FAL_ULP_REQUEST) {
        if (request != NULL && request->deliveries < UINT16_MAX)
            request->deliveries++;
        return;
    }
    /* The answer is known even when the request is so far below the newest one that it is
     * forgotten. */
    fal_answers_note(&track->answers, &(struct fal_answer_given){
                                          .rsn = fal_track_rsn(track, FAL_TO_SUT, ulp->rsn),
                                          .answer = (uint8_t)ulp->answer,
                                          .timed = ulp->has_within,
                                          .code = ulp->code,
                                          .rnr_ns = ulp->rnr_ns,
                                          .at = fal_at_event(event)});
    if (request == NULL)
        return;
    request->flags |= FAL_REQ_SELF_ANSWERED;
    if (request->answers < UINT16_MAX)
        request->answers++;
    if (ulp->answer == FAL_ANSWER_RNR && request->rnrs < UINT16_MAX)
        request->rnrs++;
}
