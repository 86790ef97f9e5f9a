/* SPDX-License-Identifier: Apache-2.0
 * html_due.c - what a diagram stresses: the fields of a packet that a problem is about, and
 * whether a packet was due. */
#include "reports/html/html_impl.h"

#include "codecs/header/falcon.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Words of rules and symptoms that stand for a field. */
static const struct {
    const char *word, *field;
} synonyms[] = {
    {"OWN", "own"},
    {"data base", "recv_data_base_psn"},
    {"request base", "recv_req_base_psn"},
    {"timestamp", "t1"},
    {"code", "nack_code"},
    {"code", "resync_code"},
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text has that word, in letters of any case. */
static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; text != NULL && *at != 0; at++)
        if (strncasecmp(at, word, len) == 0 && (at == text || !in_word(at[-1])) &&
            !in_word(at[len]))
            return true;
    return false;
}

static bool names_field(const char *text, const struct fal_field *f)
{
    if (has_word(text, f->name) || (f->alias != NULL && has_word(text, f->alias)))
        return true;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].field, f->name) == 0 && has_word(text, synonyms[i].word))
            return true;
    return (strcmp(f->name, "psn") == 0 || strcmp(f->name, "nack_psn") == 0) &&
           has_word(text, "PSN");
}

/* The bitmap, or the base, that acknowledges a packet. */
static bool acknowledges(const char *text, const struct fal_field *f)
{
    bool requests = has_word(text, "request");

    return (has_word(text, "acknowledged") || has_word(text, "covered") ||
            has_word(text, "accepted")) &&
           strcmp(f->name, requests ? "recv_req_base_psn" : "recv_data_base_psn") == 0;
}

/* Whether the problem is about that field. */
static bool is_about(const struct tl_problem *p, const struct fal_field *f, bool ack)
{
    const char *symptom =
        p->num_symptoms > 0 ? tl_symptom_about(p->symptoms[0])->sentence : NULL;
    size_t len = p->why != NULL ? strcspn(p->why, ":") : 0;

    if (p->rule == NULL)
        return (p->field != NULL && strcmp(p->field, f->name) == 0) ||
               (len > 0 && p->why[len] == ':' && strncmp(p->why, f->name, len) == 0 &&
                f->name[len] == 0);
    return names_field(p->expected, f) || names_field(symptom, f) ||
           (ack && acknowledges(p->expected, f));
}

/* Whether the type of the packet is not the one that was due. */
static bool other_type(const struct tl_problem *p, const char *type)
{
    const char *symptom =
        p->num_symptoms > 0 ? tl_symptom_about(p->symptoms[0])->sentence : NULL;

    if (p->rule == NULL)
        return (p->why != NULL && strstr(p->why, "another type") != NULL) ||
               (p->field != NULL && strcmp(p->field, "packet_type") == 0);
    return strcmp(type, "back") == 0 &&
           ((p->expected != NULL && strstr(p->expected, "an EACK") != NULL) ||
            (symptom != NULL && strstr(symptom, "EACK is due") != NULL));
}

/* The field that a word of the notation writes: "psn=0r", or a flag ("ar", "d-own"). */
static const struct fal_field *field_of(const struct fal_layout *layout, const char *word,
                                        size_t len)
{
    char name[40];
    size_t n = strcspn(word, "= ");

    if (n > len)
        n = len;
    if (n == 5 && strncmp(word + 1, "-own", 4) == 0) {
        word += 2;
        n = 3;
    }
    if (n == 0 || n >= sizeof name)
        return NULL;
    memcpy(name, word, n);
    name[n] = 0;
    return fal_layout_find(layout, name);
}

void tl_html_differs(const struct tl_problem *p, const struct tl_flow_item *packet,
                     struct tl_html_stress *stress)
{
    const char *text = packet->text != NULL ? packet->text : "", *at = text;
    struct fal_falcon head = {0};
    const struct fal_layout *layout;
    size_t len = strcspn(at, " ");
    bool ack;

    stress->count = 0;
    if (fal_falcon_decode(packet->head, packet->head_len, &head) <= 0)
        return;
    layout = fal_falcon_layout(head.packet_type);
    if (layout == NULL)
        return;
    ack = strncmp(text, "back", 4) == 0 || strncmp(text, "eack", 4) == 0;
    if (other_type(p, ack && *text == 'b' ? "back" : "")) {
        stress->words[stress->count++].at = 0;
        return;
    }
    for (at += len; *at == ' ' && stress->count < TL_HTML_STRESSED; at += len) {
        const struct fal_field *f;

        at++;
        len = strcspn(at, " ");
        f = field_of(layout, at, len);
        if (f != NULL && is_about(p, f, ack))
            stress->words[stress->count++].at = (size_t)(at - text);
    }
}

/* Whether the text, up to its first comma or colon, forbids something. */
static bool forbids(const char *due)
{
    size_t len = strcspn(due, ":,");
    const char *no = strstr(due, " not "), *sooner = strstr(due, " no sooner ");

    return strncmp(due, "no ", 3) == 0 || strncmp(due, "none ", 5) == 0 ||
           (no != NULL && no < due + len) || (sooner != NULL && sooner < due + len);
}

bool tl_html_packet_due(const struct tl_problem *p)
{
    const char *due = p->expected, *at;

    if (due == NULL || forbids(due))
        return false;
    if (p->rule != NULL) /* rules U judge the upper layer, rules C completions */
        return p->rule->id[0] != 'U' && p->rule->id[0] != 'C' &&
               strstr(due, "fatal error") == NULL;
    for (at = strstr(due, "< "); at != NULL; at = strstr(at + 1, "< "))
        if (islower((unsigned char)at[2]))
            return p->kind == TL_PROBLEM_STEP && p->reason.id == TL_REASON_UNMET;
    return false;
}
