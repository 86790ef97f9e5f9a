/* SPDX-License-Identifier: Apache-2.0
 * seeds_dictionary.c - tokens for havoc: code points and ports of the headers' tables, block
 * types and magic numbers of capture files, words of JSON inputs as the suite writes them. */
#include "codecs/frame/frame.h"
#include "fuzz/seeds/seeds.h"
#include "harness/scenario/scenario.h"
#include "oracles/params.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1200, WORD_MAX = 40, PATH_ROOM = 4096, CASES_STEP = 17 };

static void token(const char *name, const uint8_t *bytes, size_t len)
{
    printf("%s=\"", name);
    for (size_t i = 0; i < len; i++)
        if (bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\')
            printf("%c", bytes[i]);
        else
            printf("\\x%02x", bytes[i]);
    printf("\"\n");
}

/* ---- headers ---- */

/* The code points of a field that fills whole bytes. */
static void field_tokens(const struct fal_layout *layout, const struct fal_field *field)
{
    if (field->names == NULL || field->offset_bits % 8 != 0 || field->width_bits % 8 != 0 ||
        field->width_bits < 16 || field->width_bits > 64)
        return;
    for (size_t i = 0; i < field->names->count; i++) {
        uint8_t bytes[8] = {0};
        char name[64];
        size_t n = 0;

        fal_bits_set(bytes, 0, field->width_bits, field->names->entries[i].value);
        for (const char *c = layout->name; *c != '\0'; c++)
            name[n++] = *c;
        (void)snprintf(name + n, sizeof name - n, "_%s_%zu", field->name, i);
        token(name, bytes, field->width_bits / 8u);
    }
}

/* The first bytes of a Falcon packet of every type, and of each header with initial values. */
static void header_tokens(void)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    static const uint16_t ports[] = {FAL_UDP_PORT_FALCON, FAL_UDP_PORT_PSP, FAL_UDP_PORT_ESP,
                                     FAL_UDP_PORT_ROCE};

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < layouts[i]->num_fields; k++)
            field_tokens(layouts[i], &layouts[i]->fields[k]);
    }
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        uint8_t bytes[2] = {(uint8_t)(ports[i] >> 8), (uint8_t)ports[i]};
        char name[32];

        (void)snprintf(name, sizeof name, "port_%u", ports[i]);
        token(name, bytes, sizeof bytes);
    }
    for (unsigned type = 0; type < 16; type++)
        if (fal_falcon_layout(type) != NULL) {
            struct fal_falcon packet;
            uint8_t bytes[FAL_HEADER_MAX];

            fal_falcon_init(&packet, (enum fal_packet_type)type);
            if (fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, NULL) > 8)
                token(fal_falcon_type_name(type), bytes, 8);
        }
}

static void capture_tokens(void)
{
    static const struct {
        const char *name;
        uint8_t bytes[4];
    } tokens[] = {
        {"section", {0x0a, 0x0d, 0x0d, 0x0a}},
        {"order", {0x4d, 0x3c, 0x2b, 0x1a}},
        {"order_big", {0x1a, 0x2b, 0x3c, 0x4d}},
        {"interface", {1, 0, 0, 0}},
        {"packet", {6, 0, 0, 0}},
        {"simple", {3, 0, 0, 0}},
        {"statistics", {5, 0, 0, 0}},
        {"old_packet", {2, 0, 0, 0}},
        {"secrets", {0x0a, 0, 0, 0}},
        {"pcap_us", {0xd4, 0xc3, 0xb2, 0xa1}},
        {"pcap_ns", {0x4d, 0x3c, 0xb2, 0xa1}},
        {"pcap_us_big", {0xa1, 0xb2, 0xc3, 0xd4}},
        {"pcap_ns_big", {0xa1, 0xb2, 0x3c, 0x4d}},
    };

    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        token(tokens[i].name, tokens[i].bytes, sizeof tokens[i].bytes);
}

/* ---- words of JSON ---- */

struct words {
    size_t count;
    char list[WORDS_MAX][WORD_MAX];
};

static void add_word(struct words *words, const char *word)
{
    if (strlen(word) >= WORD_MAX || word[0] == '\0' || words->count == WORDS_MAX)
        return;
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], word) == 0)
            return;
    (void)strcpy(words->list[words->count++], word);
}

static void add_words(struct words *words, json_t *json)
{
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_string(json) && strchr(json_string_value(json), ' ') == NULL)
        add_word(words, json_string_value(json));
    json_array_foreach(json, i, value) add_words(words, value);
    json_object_foreach(json, key, value)
    {
        add_word(words, key);
        add_words(words, value);
    }
}

static void read_words(struct words *words, const char *evidence)
{
    struct dirent **names = NULL;
    int n = evidence != NULL ? scandir(evidence, &names, NULL, alphasort) : 0;

    for (int i = 0; i < n; i++) {
        if (i % CASES_STEP == 0 && names[i]->d_name[0] != '.') {
            char path[PATH_ROOM];
            json_t *json;

            (void)snprintf(path, sizeof path, "%s/%s/scenario.json", evidence,
                           names[i]->d_name);
            json = json_load_file(path, 0, NULL);
            add_words(words, json);
            json_decref(json);
        }
        free(names[i]);
    }
    free(names);
}

static void word_tokens(const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "fixed_%zu", i);
        token(name, (const uint8_t *)list[i], strlen(list[i]));
    }
}

/* What the lines of the control channel are made of. */
static const char *const protocol[] = {"\"id\":",
                                       "\"epoch\":",
                                       "\"do\":",
                                       "\"ok\":true",
                                       "\"error\":",
                                       "\"event\":",
                                       "\"seq\":",
                                       "\"conn\":",
                                       "\"rsn\":",
                                       "\"op\":",
                                       "\"push\"",
                                       "\"pull\"",
                                       "\"hello\"",
                                       "\"reset\"",
                                       "\"open\"",
                                       "\"post\"",
                                       "\"respond\"",
                                       "\"policy\"",
                                       "\"set\"",
                                       "\"barrier\"",
                                       "\"counters\"",
                                       "\"state\"",
                                       "\"clock\"",
                                       "\"close\"",
                                       "\"rotate_keys\"",
                                       "\"cc_config\"",
                                       "\"cc_feed\"",
                                       "\"cc_trace\"",
                                       "\"cc_engine\"",
                                       "\"cc_result\"",
                                       "\"rx_levels\"",
                                       "\"pd_create\"",
                                       "\"cq_create\"",
                                       "\"srq_create\"",
                                       "\"mr_reg\"",
                                       "\"mr_dereg\"",
                                       "\"mr_fill\"",
                                       "\"mr_hash\"",
                                       "\"mr_word\"",
                                       "\"qp_create\"",
                                       "\"qp_connect\"",
                                       "\"ah_create\"",
                                       "\"qp_query\"",
                                       "\"post_send\"",
                                       "\"post_recv\"",
                                       "\"cq_arm\"",
                                       "\"upper\":\"verbs\"",
                                       "\"qp\":\"qp1\"",
                                       "\"mr\":\"mr1\"",
                                       "\"sgl\":[",
                                       "\"remote\":{",
                                       "\"wr_id\":",
                                       "\"randomize_path\":true",
                                       "\"now_ticks\":",
                                       "\"state\":\"keep\"",
                                       "\"entry\":\"",
                                       "\"rules\":[",
                                       "\"answer\":",
                                       "\"rnr_ns\":",
                                       "\"code\":",
                                       "\"length\":",
                                       "\"tag\":",
                                       "\"seed\":",
                                       "\"params\":{",
                                       "\"local\":{",
                                       "\"peer\":{",
                                       "\"scope\":",
                                       "\"new_epoch\":",
                                       "18446744073709551615",
                                       "9007199254740993",
                                       "-1",
                                       "1e400",
                                       "\\u0000",
                                       "null"};

static void json_tokens(const char *target, const char *evidence)
{
    static const char *const json[] = {"{}", "[]", "null", "true", "-0", "1e99", "\\ud800"};
    struct words *words = calloc(1, sizeof *words);

    if (words == NULL)
        return;
    if (strcmp(target, "control") == 0) {
        size_t n;
        const struct fal_param *params = fal_param_table(&n);

        word_tokens(protocol, sizeof protocol / sizeof *protocol);
        for (size_t i = 0; i < n; i++)
            add_word(words, params[i].key);
    } else {
        word_tokens(json, sizeof json / sizeof *json);
        read_words(words, evidence);
    }
    for (size_t i = 0; i < words->count; i++) {
        char name[32], quoted[WORD_MAX + 3];

        (void)snprintf(name, sizeof name, "word_%zu", i);
        (void)snprintf(quoted, sizeof quoted, "\"%s\"", words->list[i]);
        token(name, (const uint8_t *)quoted, strlen(quoted));
    }
    free(words);
}

void seeds_dictionary(const char *target, const char *evidence)
{
    printf("# Written by make_corpus --dictionary %s.\n", target);
    if (strcmp(target, "scenario") == 0 || strcmp(target, "control") == 0)
        json_tokens(target, evidence);
    else if (strcmp(target, "capture") == 0)
        capture_tokens();
    else if (strcmp(target, "frame") == 0 || strcmp(target, "endpoint") == 0 ||
             strcmp(target, "rules") == 0 || strcmp(target, "headers") == 0)
        header_tokens();
}
