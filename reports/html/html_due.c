/* SPDX-License-Identifier: Apache-2.0
 * html_due.c - what a diagram stresses: the fields of a packet that a problem is about, and
 * whether a packet was due. */
#include "reports/html/html_impl.h"

#include "codecs/header/falcon.h"

#include <ctype.h>
#include <string.h>

/* about_list.h explains both. */
enum due { NOTHING, PACKET };

static const struct about {
    const char *rule, *requirement;
    enum due due;
    const char *fields;
} abouts[] = {
#define ABOUT(rule, requirement, due, fields) {rule, requirement, due, fields},
#include "reports/html/about_list.h"
#undef ABOUT
};

/* The row of a rule's problem, or NULL. */
static const struct about *about_of(const struct tl_problem *p)
{
    const char *requirement = p->requirement != NULL ? p->requirement->id : "";

    for (size_t i = 0; i < sizeof abouts / sizeof *abouts; i++)
        if (strcmp(abouts[i].rule, p->rule->id) == 0 &&
            (abouts[i].requirement[0] == 0 || strcmp(abouts[i].requirement, requirement) == 0))
            return &abouts[i];
    return NULL;
}

/* Whether a list of names has that one. */
static bool lists(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = names; at != NULL && *at != 0; at += *at == ' ') {
        size_t n = strcspn(at, " ");

        if (n == len && memcmp(at, name, len) == 0)
            return true;
        at += n;
    }
    return false;
}

/* Whether the problem is about the field of that name; f: the field, or NULL for the type. */
static bool is_about(const struct tl_problem *p, const char *name, const struct fal_field *f)
{
    const struct about *about;

    if (p->rule == NULL)
        return p->field != NULL && strcmp(p->field, name) == 0;
    about = about_of(p);
    if (about != NULL && lists(about->fields, name))
        return true;
    if (p->num_symptoms > 0 && lists(tl_symptom_about(p->symptoms[0])->fields, name))
        return true;
    return f != NULL && f->requirement != NULL && p->requirement != NULL &&
           strcmp(f->requirement, p->requirement->id) == 0;
}

/* The packet of the SUT that a step expects, in the notation: what follows its "<", or NULL.
 * The step may be another than that of a packet, and "<=" is a time. */
static const char *packet_due(const char *step)
{
    for (const char *at = step; at != NULL && (at = strstr(at, "< ")) != NULL; at++)
        if (islower((unsigned char)at[2]))
            return at + 2;
    return NULL;
}

/* Whether the type of the packet is not the one that was due: `type` begins its text. */
static bool other_type(const struct tl_problem *p, const char *type)
{
    const char *due = p->rule == NULL ? packet_due(p->expected) : NULL;
    size_t len;

    if (is_about(p, "packet_type", NULL))
        return p->rule == NULL || strncmp(type, "eack ", 5) != 0;
    if (due == NULL)
        return false;
    len = strcspn(due, " ,|}");
    return !(len == 6 && memcmp(due, "packet", 6) == 0) &&
           (strncmp(due, type, len) != 0 || (type[len] != ' ' && type[len] != 0));
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

    stress->count = 0;
    if (fal_falcon_decode(packet->head, packet->head_len, &head) <= 0)
        return;
    layout = fal_falcon_layout(head.packet_type);
    if (layout == NULL)
        return;
    if (other_type(p, text)) {
        stress->words[stress->count++].at = 0;
        return;
    }
    for (at += len; *at == ' ' && stress->count < TL_HTML_STRESSED; at += len) {
        const struct fal_field *f;

        at++;
        len = strcspn(at, " ");
        f = field_of(layout, at, len);
        if (f != NULL && is_about(p, f->name, f))
            stress->words[stress->count++].at = (size_t)(at - text);
    }
}

bool tl_html_packet_due(const struct tl_problem *p)
{
    const struct about *about;

    if (p->expected == NULL)
        return false;
    if (p->rule == NULL)
        return p->kind == TL_PROBLEM_STEP && p->reason.id == TL_REASON_UNMET &&
               packet_due(p->expected) != NULL;
    about = about_of(p);
    return about != NULL && about->due == PACKET;
}
