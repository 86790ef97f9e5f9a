/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/story.h"

#include "codecs/text/text.h"
#include "oracles/rules/facts/rdma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALK_MAX = 2048, /* so far back causes are looked for */
    BEFORE = 3,      /* packets before the effect */
    AFTER = 2,       /* and after it */
    BESIDE = 1,      /* before and after each cause */
};

int tl_story_start(struct tl_story *story)
{
    *story = (struct tl_story){0};
    story->ring = calloc(TL_STORY_EVENTS, sizeof *story->ring);
    story->heads = calloc(TL_STORY_HEADS, sizeof *story->heads);
    return story->ring == NULL || story->heads == NULL ? FAL_ERR_MEM : 0;
}

void tl_story_free(struct tl_story *story)
{
    free(story->ring);
    free(story->heads);
    *story = (struct tl_story){0};
}

/* ---- keeping ---- */

/* Whether the headers of RDMA or NVMe may follow that of Falcon. */
static bool has_headers(const struct fal_ev_packet *packet)
{
    return packet->falcon.protocol_type == FAL_PROTOCOL_NVME || fal_rdma_likely(packet);
}

static void keep_packet(struct tl_scene *scene, const struct fal_ev_packet *packet)
{
    uint32_t header = packet->header_len > 0 ? (uint32_t)packet->header_len : 0,
             len = packet->len;

    if (header == 0 || !has_headers(packet))
        len = header > 0 ? header : len < FAL_HEADER_MAX ? len : FAL_HEADER_MAX;
    scene->packet = true;
    scene->frame = packet->frame;
    scene->payload_len = packet->header_len > 0 ? packet->payload_len : 0;
    scene->len = (uint8_t)(len < TL_STORY_BYTES ? len : TL_STORY_BYTES);
    if (scene->len > 0)
        memcpy(scene->bytes, packet->bytes, scene->len);
}

static void keep_ulp(struct tl_scene *scene, const struct fal_ev_ulp *ulp)
{
    char text[TL_STORY_BYTES];
    int n = 0;

    switch (ulp->kind) {
    case FAL_ULP_REQUEST:
        n = snprintf(text, sizeof text, "request %s rsn=%" PRIu32 " length=%" PRIu32 "%s",
                     ulp->op == FAL_OP_PUSH ? "push" : "pull", ulp->rsn, ulp->length,
                     ulp->redelivery ? ", again" : "");
        break;
    case FAL_ULP_ACK:
        n = snprintf(text, sizeof text, "ulp_ack rsn=%" PRIu32 " %s", ulp->rsn,
                     fal_answer_name(ulp->answer));
        break;
    case FAL_ULP_COMPLETION:
        n = snprintf(text, sizeof text, "completion rsn=%" PRIu32 " code=%" PRIu32, ulp->rsn,
                     ulp->code);
        break;
    }
    scene->len = (uint8_t)(n > 0 && n < TL_STORY_BYTES ? n : 0);
    memcpy(scene->bytes, text, scene->len);
}

static void keep_command(struct tl_scene *scene, const struct fal_ev_command *command)
{
    char text[TL_STORY_BYTES];
    bool answer = strcmp(command->verb, "respond") == 0;
    int n = snprintf(text, sizeof text, "command %s", command->verb);

    if (answer)
        n = snprintf(text, sizeof text, "command respond rsn=%" PRIu32 " %s", command->rsn,
                     fal_answer_name(command->answer));
    scene->len = (uint8_t)(n > 0 && n < TL_STORY_BYTES ? n : 0);
    memcpy(scene->bytes, text, scene->len);
}

static void keep_cm(struct tl_scene *scene, const struct fal_ev_cm *cm)
{
    char text[TL_STORY_BYTES];
    int n = snprintf(text, sizeof text, "cm %s", cm->what);

    scene->len = (uint8_t)(n > 0 && n < TL_STORY_BYTES ? n : 0);
    memcpy(scene->bytes, text, scene->len);
}

void tl_story_now(struct tl_story *story, uint64_t index)
{
    if (index > story->now)
        story->now = index;
}

const struct tl_scene *tl_story_add(struct tl_story *story, const struct fal_event *event,
                                    bool to_first)
{
    uint64_t *head = &story->heads[event->conn % TL_STORY_HEADS];
    struct tl_scene *scene = &story->ring[story->next % TL_STORY_EVENTS];

    if (event->kind != FAL_EV_PACKET && event->kind != FAL_EV_ULP &&
        event->kind != FAL_EV_COMMAND && event->kind != FAL_EV_CM)
        return NULL;
    tl_story_now(story, event->index);
    scene->index = event->index;
    scene->t_ns = event->t_ns;
    scene->before = *head;
    scene->conn = event->conn;
    scene->frame = 0;
    scene->payload_len = 0;
    scene->packet = false;
    scene->to_first = to_first;
    if (event->kind == FAL_EV_PACKET)
        keep_packet(scene, &event->u.packet);
    else if (event->kind == FAL_EV_ULP)
        keep_ulp(scene, &event->u.ulp);
    else if (event->kind == FAL_EV_COMMAND)
        keep_command(scene, &event->u.command);
    else
        keep_cm(scene, &event->u.cm);
    *head = ++story->next;
    return scene;
}

/* ---- telling ---- */

/* The kept one of that number + 1, or NULL. What is older than a whole ring of events is
 * forgotten even if the ring still has it: then it does not matter which other connections
 * share the ring. */
static const struct tl_scene *kept(const struct tl_story *story, uint64_t number)
{
    const struct tl_scene *scene;

    if (number == 0 || number + TL_STORY_EVENTS <= story->next)
        return NULL;
    scene = &story->ring[(number - 1) % TL_STORY_EVENTS];
    return scene->index + TL_STORY_EVENTS > story->now ? scene : NULL;
}

static bool shows(const struct fal_finding *finding, const struct tl_scene *scene)
{
    for (size_t i = 0; i < finding->num_evidence; i++)
        if (finding->evidence[i] == scene->index)
            return true;
    return false;
}

/* The connection's events from the newest back to the oldest evidence and what stands before
 * it. */
static size_t walk(const struct tl_story *story, const struct fal_finding *finding,
                   const struct tl_scene **list)
{
    const struct tl_scene *scene = kept(story, story->heads[finding->conn % TL_STORY_HEADS]);
    uint64_t oldest = UINT64_MAX;
    size_t n = 0, more = 0;

    for (size_t i = 0; i < finding->num_evidence; i++)
        if (finding->evidence[i] < oldest)
            oldest = finding->evidence[i];
    for (; scene != NULL && n < WALK_MAX && more <= BEFORE;
         scene = kept(story, scene->before)) {
        if (scene->conn != finding->conn)
            continue;
        more += scene->index <= oldest;
        list[n++] = scene;
    }
    return n;
}

/* The headers of a kept packet; `front`: what is kept of its payload. False: they are not
 * whole. */
static bool read_scene(const struct tl_scene *scene, struct fal_falcon *falcon,
                       struct fal_ulp *ulp, struct fal_ulp_bytes *front)
{
    int header = fal_falcon_decode(scene->bytes, scene->len, falcon);

    if (header <= 0)
        return false;
    *front = (struct fal_ulp_bytes){.payload = scene->bytes + header,
                                    .len = (size_t)(scene->len - header)};
    ulp->state = FAL_ULP_NONE;
    if (front->len > 0)
        fal_ulp_decode(falcon, front->payload, front->len, ulp);
    return true;
}

/* Which part of a message the packet is, after those that the messages took before. */
static void find_part(struct tl_messages *messages, struct tl_scene *scene)
{
    struct fal_falcon falcon;
    struct fal_ulp ulp;
    struct fal_ulp_bytes front;

    scene->in_message = false;
    if (messages == NULL || !scene->packet || !read_scene(scene, &falcon, &ulp, &front))
        return;
    scene->in_message =
        tl_messages_take(messages,
                         &(struct tl_message_packet){.flow = scene->to_first,
                                                     .to = scene->to_first,
                                                     .back = !scene->to_first,
                                                     .falcon = &falcon,
                                                     .ulp = &ulp,
                                                     .payload_len = scene->payload_len,
                                                     .at = scene->frame},
                         &scene->part);
    scene->part.message = 0; /* named by its first packet */
}

void tl_snippet_free(struct tl_snippet *snippet)
{
    free(snippet->scenes);
    tl_messages_free(snippet->messages);
    *snippet = (struct tl_snippet){0};
}

void tl_snippet_add(struct tl_snippet *snippet, const struct tl_scene *scene)
{
    struct tl_scene *copy;

    if (snippet->wanted == 0 || snippet->num == TL_SCENES_MAX)
        return;
    copy = &snippet->scenes[snippet->num++];
    *copy = *scene;
    copy->evidence = false;
    copy->continues = true;
    find_part(snippet->messages, copy);
    if (--snippet->wanted == 0) {
        tl_messages_free(snippet->messages);
        snippet->messages = NULL;
    }
}

/* Whether the i-th of the list, newest first, is to be shown. The last of the evidence is the
 * effect. */
static bool wanted(const struct fal_finding *finding, const struct tl_scene *const *list,
                   size_t num, size_t effect, size_t i)
{
    if (effect < num && i + AFTER >= effect && i <= effect + BEFORE)
        return true;
    for (size_t k = i > BESIDE ? i - BESIDE : 0; k <= i + BESIDE && k < num; k++)
        if (shows(finding, list[k]))
            return true;
    return false;
}

/* Plays the packets of a connection that are kept, from the oldest on, up to that scene. */
static struct tl_messages *messages_before(const struct tl_story *story, uint32_t conn,
                                           const struct tl_scene *until)
{
    const struct tl_scene *list[WALK_MAX];
    const struct tl_scene *scene = kept(story, story->heads[conn % TL_STORY_HEADS]);
    struct tl_messages *messages = tl_messages_new(TL_STORY_MESSAGES);
    size_t n = 0;

    for (; scene != NULL && n < WALK_MAX; scene = kept(story, scene->before))
        if (scene->conn == conn && scene->packet && scene->index < until->index)
            list[n++] = scene;
    while (messages != NULL && n > 0) {
        struct tl_scene copy = *list[--n];

        find_part(messages, &copy);
    }
    return messages;
}

struct tl_snippet tl_story_around(const struct tl_story *story,
                                  const struct fal_finding *finding)
{
    const struct tl_scene *list[WALK_MAX];
    struct tl_snippet out = {0};
    size_t num = walk(story, finding, list), effect = 0, last = num;

    while (effect < num &&
           (finding->num_evidence == 0 ||
            list[effect]->index != finding->evidence[finding->num_evidence - 1]))
        effect++;
    if (finding->num_evidence == 0 && num > 0)
        effect = 0; /* what did not come: where it was given up */
    out.scenes = num > 0 ? malloc(TL_SCENES_MAX * sizeof *out.scenes) : NULL;
    if (out.scenes == NULL)
        return (struct tl_snippet){0};
    out.messages = messages_before(story, finding->conn, list[num - 1]);
    for (size_t i = num; i-- > 0;) {
        struct tl_scene *scene = &out.scenes[out.num], now = *list[i];

        find_part(out.messages, &now);
        if (out.num == TL_SCENES_MAX || !wanted(finding, list, num, effect, i))
            continue;
        *scene = now;
        scene->evidence = shows(finding, list[i]);
        scene->continues = out.num > 0 && last == i + 1;
        last = i;
        out.num++;
    }
    out.wanted = effect < AFTER ? (unsigned)(AFTER - effect) : 0;
    if (out.wanted == 0) {
        tl_messages_free(out.messages);
        out.messages = NULL;
    }
    return out;
}

/* What follows the packet in its line: the frame, and the message that it belongs to. */
static void print_comment(const struct tl_scene *scene, char *out, size_t cap)
{
    char number[40] = "", message[TL_MESSAGE_TEXT] = "";

    if (scene->frame > 0)
        (void)snprintf(number, sizeof number, "frame %" PRIu32, scene->frame);
    if (scene->in_message)
        (void)tl_message_text(&scene->part, "frame", message, sizeof message);
    if (number[0] != 0 || message[0] != 0)
        (void)snprintf(out, cap, "  # %s%s%s", number,
                       number[0] != 0 && message[0] != 0 ? ", " : "", message);
}

void tl_scene_print(const struct tl_scene *scene, bool first, char out[TL_SCENE_LINE])
{
    struct fal_falcon falcon = {0};
    struct fal_ulp_bytes front;
    struct fal_ulp ulp;
    char time[40], line[FAL_TEXT_MAX], comment[240] = "", payload[32] = "";
    char part[FAL_ULP_TEXT_MAX + 32] = "";

    (void)fal_text_duration(scene->t_ns, time, sizeof time);
    if (!scene->packet) {
        (void)snprintf(out, TL_SCENE_LINE, "# @%s %.*s", time, (int)scene->len,
                       (const char *)scene->bytes);
        return;
    }
    if (read_scene(scene, &falcon, &ulp, &front)) {
        (void)fal_text_packet(&falcon, NULL, line, sizeof line);
        (void)fal_ulp_line(&ulp, &front, scene->payload_len, part, sizeof part);
    } else {
        (void)fal_text_hex(scene->bytes, scene->len, line, sizeof line);
    }
    if (scene->payload_len !=
        (falcon.packet_type == FAL_PUSH_DATA ? falcon.request_length : 0u))
        (void)snprintf(payload, sizeof payload, " payload_len=%" PRIu32, scene->payload_len);
    print_comment(scene, comment, sizeof comment);
    (void)snprintf(out, TL_SCENE_LINE, "@%s %c %s%s%s%s", time,
                   scene->to_first == first ? '>' : '<', line, payload, part, comment);
}
