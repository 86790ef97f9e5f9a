/* SPDX-License-Identifier: Apache-2.0
 * read_send.c - reads the members beside the packet of a send: damage, seal, payload. */
#include "harness/scenario/reader.h"

#include <string.h>

static void read_one_number(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            struct tl_value *out, bool *given)
{
    *given = tl_read_value(r, at, value, NULL, out);
    if (*given &&
        (out->negated || (out->kind != TL_VALUE_NUMBER && out->kind != TL_VALUE_EXPR)))
        tl_reader_error(r, at, "expected one value");
}

void tl_read_malform(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const char *const damages[] = {"", "icv", "sealed", "iv", "cut", "header", "clear"};
    struct tl_step_draft *d = ctx;
    struct tl_malform *m = fal_arena_alloc(&r->scenario->arena, 1, sizeof *m);
    const char *key, *word;
    json_t *item;

    if (m == NULL) {
        r->no_memory = true;
        return;
    }
    d->malform = m;
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};

        if (strcmp(key, "truncate") == 0)
            read_one_number(r, &here, item, &m->truncate, &m->has_truncate);
        else if (strcmp(key, "pad") == 0)
            read_one_number(r, &here, item, &m->pad, &m->has_pad);
        else if (strcmp(key, "flip") == 0)
            read_one_number(r, &here, item, &m->flip, &m->has_flip);
    }
    word = json_string_value(json_object_get(value, "damage"));
    for (int i = TL_DAMAGE_ICV; word != NULL && i <= TL_DAMAGE_CLEAR; i++)
        if (strcmp(damages[i], word) == 0)
            m->damage = (enum tl_damage)i;
    word = json_string_value(json_object_get(value, "carrier"));
    for (int i = TL_FLAW_NONE + 1; word != NULL && i < TL_FLAW_COUNT; i++)
        if (strcmp(tl_flaw_names[i], word) == 0)
            m->carrier = (enum tl_flaw)i;
}

static void read_seal_time(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           const char *key, struct fal_duration *out, bool *has)
{
    struct tl_path here = {.up = at, .key = key};

    if (json_object_get(value, key) != NULL)
        *has = tl_read_duration(r, &here, json_object_get(value, key), out);
}

void tl_read_sent_payload(struct tl_reader *r, const struct tl_path *at, json_t *value,
                          void *ctx)
{
    struct tl_step_draft *d = ctx;

    tl_read_payload(r, at, value, &d->payload, &d->payload_len);
}

void tl_read_seal(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const char *const words[] = {"seal", "spi", "pcid", "replay"};
    static const enum fal_bad bads[] = {FAL_BAD_SEAL, FAL_BAD_SPI, FAL_BAD_PCID,
                                        FAL_BAD_REPLAY};
    struct tl_step_draft *d = ctx;
    struct tl_seal_setup *seal = fal_arena_alloc(&r->scenario->arena, 1, sizeof *seal);
    struct tl_path spi = {.up = at, .key = "spi"}, vc = {.up = at, .key = "vc"};
    const char *bad = json_string_value(json_object_get(value, "bad"));

    if (seal == NULL) {
        r->no_memory = true;
        return;
    }
    d->seal = seal;
    if (json_object_get(value, "spi") != NULL)
        read_one_number(r, &spi, json_object_get(value, "spi"), &seal->spi, &seal->has_spi);
    if (json_object_get(value, "vc") != NULL)
        read_one_number(r, &vc, json_object_get(value, "vc"), &seal->vc, &seal->has_vc);
    read_seal_time(r, at, value, "older", &seal->older, &seal->has_older);
    read_seal_time(r, at, value, "behind", &seal->behind, &seal->has_behind);
    read_seal_time(r, at, value, "ahead", &seal->ahead, &seal->has_ahead);
    seal->clear = json_is_true(json_object_get(value, "clear"));
    for (size_t i = 0; bad != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], bad) == 0)
            seal->bad = bads[i];
}

void tl_read_send(struct tl_reader *r, const struct tl_path *at, json_t *value,
                  struct tl_step_draft *d)
{
    struct tl_step *step = &d->step;

    step->verb = TL_SEND;
    step->u.send.adopt = d->adopt;
    step->u.send.malform = d->malform;
    step->u.send.seal = d->seal;
    step->u.send.ip = d->ip;
    step->u.send.payload = d->payload;
    step->u.send.payload_len = d->payload_len;
    step->u.send.pattern = tl_read_packet(r, at, value, '>', d);
    if (step->u.send.pattern == NULL)
        return;
    if (d->payload != NULL && step->u.send.pattern->ulp.protocol != 0)
        tl_reader_error(
            r, at, "gives the payload twice: in \"payload\" and after the \"/\" of the line");
    if (d->malform != NULL)
        tl_step_say_words(d, " (malformed)", " (malformed)");
    if (d->seal != NULL)
        tl_step_say_words(d, " (sealed otherwise)", " (sealed otherwise)");
    if (step->time == FAL_TIME_WITHIN || step->time == FAL_TIME_RANGE)
        tl_reader_error(r, at, "a packet is sent at one time: +duration or @duration");
    if (step->u.send.pattern->any_type)
        tl_reader_error(r, at, "'packet' is any type; what is sent has one");
    else if (d->payload != NULL && step->u.send.pattern->hex_len > 0)
        tl_reader_error(r, at, "hex: says all bytes of the packet, its payload too");
}
