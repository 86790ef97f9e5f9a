/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_sut.h"

#include "codecs/header/falcon.h"
#include "harness/session/upper.h"
#include "harness/sut/virtual_sut.h"
#include "harness/wire/protocol.h"
#include "harness/wire/sealer.h"
#include "oracles/cc/swift.h"
#include "oracles/simnet.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_MAX = FAL_LAB_FOREIGN_MAX + TL_SEAL_ROOM,
    TICKS_MAX = 1000, /* at one time, before the SUT counts as one that hangs */
};

/* A packet or a completion that waits to be taken. */
struct waiting {
    struct waiting *next;
    struct fal_lab_foreign_out out;
    uint8_t bytes[];
};

struct tl_lab_sut {
    struct tl_virtual_sut *virtual;
    struct fal_error *err;
    uint32_t flow;
    const char *where;
    struct tl_sealer *sealer; /* NULL: packets are in the clear */
    struct fal_connection connection;
    json_int_t id, epoch;
    json_t *reply; /* to the last command; NULL: it has not come */
    struct waiting *head, *tail, *taken;
    uint64_t tick_ns;
    unsigned ticks; /* at tick_ns */
    uint8_t sealed[FRAME_MAX];
};

__attribute__((format(printf, 2, 3))) static int fail(struct tl_lab_sut *sut,
                                                      const char *format, ...)
{
    char text[300];
    va_list args;

    if (sut->err->text[0] != 0)
        return FAL_ERR_IO; /* the first error counts */
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fal_fail(sut->err, FAL_ERR_IO, "flow %" PRIu32 " (%.80s): %s", sut->flow, sut->where,
                    text);
}

/* ---- what the SUT says ---- */

static int keep(struct tl_lab_sut *sut, const struct fal_lab_foreign_out *out)
{
    struct waiting *w = malloc(sizeof *w + out->len);

    if (w == NULL)
        return fail(sut, "out of memory");
    *w = (struct waiting){.out = *out};
    if (out->len > 0)
        memcpy(w->bytes, out->bytes, out->len);
    w->out.bytes = w->bytes;
    if (sut->tail != NULL)
        sut->tail->next = w;
    else
        sut->head = w;
    sut->tail = w;
    return 0;
}

static int take_frame(struct tl_lab_sut *sut, const uint8_t *bytes, size_t len)
{
    struct tl_opened opened = {.integrity = FAL_INTACT, .bytes = bytes, .len = len};
    struct fal_falcon packet;

    if (sut->sealer != NULL && (tl_sealer_open(sut->sealer, bytes, len, &opened) != 0 ||
                                opened.integrity != FAL_INTACT))
        return fail(sut, "it sent %zu bytes that are no PSP packet under the key of its peer",
                    len);
    if (opened.len > FAL_LAB_FOREIGN_MAX)
        return fail(sut, "it sent a packet of %zu bytes; expected at most %d", opened.len,
                    FAL_LAB_FOREIGN_MAX);
    if (fal_falcon_decode(opened.bytes, opened.len, &packet) < 0)
        return fail(sut, "it sent %zu bytes that are no Falcon packet", opened.len);
    return keep(sut, &(struct fal_lab_foreign_out){.is_packet = true,
                                                   .bytes = opened.bytes,
                                                   .len = opened.len,
                                                   .seal = opened.seal});
}

static int take_event(struct tl_lab_sut *sut, const char *event, const json_t *line)
{
    const char *what = json_string_value(json_object_get(line, "what"));

    if (strcmp(event, "completion") == 0)
        return keep(sut, &(struct fal_lab_foreign_out){
                             .failed = json_integer_value(json_object_get(line, "code")) != 0});
    if (strcmp(event, "cm_error") == 0)
        return fail(sut, "it gave its connection up: cm_error '%.40s'",
                    what != NULL ? what : "");
    return 0;
}

static int take_line(struct tl_lab_sut *sut, const char *text, size_t len)
{
    json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    const char *event = json_string_value(json_object_get(line, "event"));
    int rc = 0;

    if (!json_is_object(line))
        rc = fail(sut, "it sent a line that is not a JSON object: %.*s",
                  (int)(len < 60 ? len : 60), text);
    else if (event != NULL)
        rc = take_event(sut, event, line);
    else if (json_integer_value(json_object_get(line, "id")) == sut->id && sut->reply == NULL)
        sut->reply = json_incref(line);
    else
        rc = fail(sut, "it sent a reply to no command: %.*s", (int)(len < 60 ? len : 60), text);
    json_decref(line);
    return rc;
}

/* Takes all outputs. */
static int pump(struct tl_lab_sut *sut)
{
    struct tl_sut_out out;
    const char *why;
    int rc = 0;

    while (rc == 0 && sut->virtual->ops->next(sut->virtual, &out))
        rc = out.kind == TL_SUT_FRAME ? take_frame(sut, out.bytes, out.len)
                                      : take_line(sut, (const char *)out.bytes, out.len);
    why = sut->virtual->ops->broken(sut->virtual);
    return rc == 0 && why != NULL ? fail(sut, "%s", why) : rc;
}

/* Sends a command, whose reference it takes, and waits for the reply: sut->reply. */
static int command(struct tl_lab_sut *sut, json_t *object, uint64_t now_ns)
{
    char verb[16] = "";
    char *text = NULL;
    int rc;

    json_decref(sut->reply);
    sut->reply = NULL;
    if (object != NULL && json_object_set_new(object, "id", json_integer(++sut->id)) == 0 &&
        json_object_set_new(object, "epoch", json_integer(sut->epoch)) == 0) {
        (void)snprintf(verb, sizeof verb, "%s",
                       json_string_value(json_object_get(object, "do")));
        text = json_dumps(object, JSON_COMPACT);
    }
    json_decref(object);
    if (text == NULL)
        return fail(sut, "out of memory");
    sut->virtual->ops->line(sut->virtual, text, strlen(text), now_ns);
    free(text);
    rc = pump(sut);
    if (rc == 0 && sut->reply == NULL)
        return fail(sut, "it has not answered `%s`", verb);
    return rc;
}

/* The same of a command that must succeed. */
static int demand(struct tl_lab_sut *sut, json_t *object, uint64_t now_ns)
{
    int rc = command(sut, object, now_ns);
    const char *error = json_string_value(json_object_get(sut->reply, "error"));
    const char *why = json_string_value(json_object_get(sut->reply, "why"));

    if (rc != 0 || error == NULL)
        return rc;
    return fail(sut, "it answered a command with \"%.20s\": %.160s", error,
                why != NULL ? why : "no reason given");
}

/* ---- opening ---- */

static bool offers(const json_t *hello, const char *level)
{
    const json_t *levels = json_object_get(hello, "levels");

    for (size_t i = 0; i < json_array_size(levels); i++)
        if (json_is_string(json_array_get(levels, i)) &&
            strcmp(json_string_value(json_array_get(levels, i)), level) == 0)
            return true;
    return false;
}

/* Its engine gets the parameters of the experiment, if it lets the tester set them. */
static int configure(struct tl_lab_sut *sut, const struct fal_swift *swift)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    json_t *params = json_object();

    for (size_t i = 0; i < n && params != NULL; i++) {
        double value = fal_swift_param_get(&table[i], &swift->params);
        bool whole = value == (double)(json_int_t)value;

        (void)json_object_set_new(params, table[i].name,
                                  whole ? json_integer((json_int_t)value) : json_real(value));
    }
    return command(sut,
                   json_pack("{s:s, s:s, s:o}", "do", "cc_config", "conn", sut->connection.name,
                             "params", params),
                   0);
}

static json_t *security(struct tl_lab_sut *sut, const struct fal_lab_foreign_order *order,
                        uint32_t *spi)
{
    json_t *sa;

    sut->sealer = tl_sealer_new(FAL_ENCAP_PSP_TRANSPORT, order->seed);
    if (sut->sealer == NULL || tl_sealer_issue(sut->sealer, spi, &sa) != 0)
        return NULL;
    return json_pack("{s:o, s:o}", "sa", sa, "remote_time",
                     tl_protocol_wide(order->remote_time));
}

static int open_connection(struct tl_lab_sut *sut, const struct fal_lab_foreign_order *order,
                           struct fal_lab_foreign_opened *opened)
{
    struct fal_connection *c = &sut->connection;
    json_t *open;
    struct fal_error why = {{0}};
    int rc;

    *c = (struct fal_connection){
        .tester = order->peer, .sut = order->local, .params = tl_upper_params(&order->params)};
    open = tl_upper_open(c);
    if (opened->sealed) {
        (void)json_object_set_new(open, "encap",
                                  json_string(fal_encap_name(FAL_ENCAP_PSP_TRANSPORT)));
        (void)json_object_set_new(open, "security", security(sut, order, &opened->spi));
    }
    rc = demand(sut, open, 0);
    if (rc == 0 && tl_upper_opened(sut->reply, c, &why) != 0)
        rc = fail(sut, "its answer to `open`: %s", why.text);
    if (rc == 0 && opened->sealed &&
        tl_sealer_learn(sut->sealer,
                        json_object_get(json_object_get(sut->reply, "security"), "sa"),
                        &opened->sender_spi, &why) != 0)
        rc = fail(sut, "its answer to `open`: security: %s", why.text);
    opened->local = c->sut;
    opened->params = c->params;
    return rc;
}

static int begin(struct tl_lab_sut *sut, const struct fal_lab_foreign_order *order,
                 struct fal_lab_foreign_opened *opened)
{
    int rc = demand(
        sut, json_pack("{s:s, s:i, s:s}", "do", "hello", "version", 1, "tester", "talon"), 0);
    bool has_cc;

    if (rc != 0)
        return rc;
    if (!offers(sut->reply, "L2"))
        return fail(sut, "it does not offer level L2 of the control protocol: the lab needs "
                         "`post` and completions");
    has_cc = offers(sut->reply, "Lc");
    opened->sealed = json_is_true(json_object_get(json_object_get(sut->reply, "ics"), "psp"));
    rc = open_connection(sut, order, opened);
    return rc == 0 && has_cc ? configure(sut, order->swift) : rc;
}

struct tl_lab_sut *tl_lab_sut_open(const struct tl_lab_sut_config *config,
                                   struct fal_lab_foreign_opened *opened)
{
    const struct tl_lib_config lib = {.child = {.answer_s = config->answer_s},
                                      .seed = config->order->seed};
    struct tl_lab_sut *sut = calloc(1, sizeof *sut);
    struct fal_error why = {{0}};

    if (sut == NULL) {
        (void)fal_fail(config->err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    sut->err = config->err;
    sut->flow = config->flow;
    sut->where = config->where;
    sut->epoch = 1;
    sut->virtual = config->where[0] == 'l'
                       ? tl_virtual_lib(config->where + 4, &lib, &why)
                       : tl_virtual_exec(config->where + 5, lib.seed, &lib.child, &why);
    if (sut->virtual == NULL)
        (void)fail(sut, "%s", why.text);
    if (sut->virtual != NULL && begin(sut, config->order, opened) == 0)
        return sut;
    tl_lab_sut_close(sut);
    return NULL;
}

void tl_lab_sut_close(struct tl_lab_sut *sut)
{
    if (sut->virtual != NULL)
        sut->virtual->ops->free(sut->virtual);
    for (struct waiting *w = sut->head, *next; w != NULL; w = next) {
        next = w->next;
        free(w);
    }
    free(sut->taken);
    tl_sealer_free(sut->sealer);
    json_decref(sut->reply);
    free(sut);
}

/* ---- playing ---- */

int tl_lab_sut_packet(struct tl_lab_sut *sut, const uint8_t *bytes, size_t len,
                      const struct fal_seal *seal, uint64_t now_ns)
{
    const struct tl_sut_ip ip = {.ecn = FAL_ECN_ECT0, .ttl = (uint8_t)FAL_LAB_FOREIGN_TTL};
    int n;

    if (sut->sealer != NULL) {
        n = tl_sealer_seal(sut->sealer, seal, TL_SPOIL_NOTHING, (struct fal_span){bytes, len},
                           sut->sealed, sizeof sut->sealed);
        if (n < 0)
            return fail(sut, "a packet to it cannot be sealed");
        bytes = sut->sealed;
        len = (size_t)n;
    }
    sut->virtual->ops->frame(sut->virtual, bytes, len, ip, now_ns);
    return pump(sut);
}

int tl_lab_sut_post(struct tl_lab_sut *sut, uint32_t length, uint64_t now_ns)
{
    const char *error;
    int rc = command(sut,
                     json_pack("{s:s, s:s, s:s, s:I, s:I}", "do", "post", "conn",
                               sut->connection.name, "op", "push", "length", (json_int_t)length,
                               "tag", sut->id),
                     now_ns);

    error = json_string_value(json_object_get(sut->reply, "error"));
    if (rc != 0 || error == NULL)
        return rc;
    if (strcmp(error, "busy") == 0)
        return 1;
    return fail(sut, "it answered `post` of a push of %" PRIu32 " bytes with \"%.20s\"", length,
                error);
}

int tl_lab_sut_tick(struct tl_lab_sut *sut, uint64_t now_ns)
{
    sut->ticks = now_ns == sut->tick_ns ? sut->ticks + 1 : 1;
    sut->tick_ns = now_ns;
    if (sut->ticks > TICKS_MAX)
        return fail(sut, "its timer does not move: it is due at %" PRIu64 " ns again and again",
                    now_ns);
    sut->virtual->ops->tick(sut->virtual, now_ns);
    return pump(sut);
}

uint64_t tl_lab_sut_deadline(struct tl_lab_sut *sut)
{
    return sut->virtual->ops->deadline(sut->virtual);
}

int tl_lab_sut_next(struct tl_lab_sut *sut, struct fal_lab_foreign_out *out)
{
    free(sut->taken);
    sut->taken = sut->head;
    if (sut->taken == NULL)
        return 0;
    sut->head = sut->taken->next;
    if (sut->head == NULL)
        sut->tail = NULL;
    *out = sut->taken->out;
    return 1;
}
