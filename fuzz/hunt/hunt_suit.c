/* SPDX-License-Identifier: Apache-2.0
 * hunt_suit.c - which set-ups of a connection a SUT can be asked for. A feature that its ICS
 * denies and a value with which no connection can exist are never opened: what the SUT makes of
 * them says nothing about it. */
#include "fuzz/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

/* A parameter that asks for a feature, and the value that does; NULL: any but 0. */
static const struct {
    const char *param, *value;
    enum tl_ics_item item;
} features[] = {
    {"ordered", "true", TL_ICS_ORDERED},
    {"ordered", "false", TL_ICS_UNORDERED},
    {"rack_tlp", NULL, TL_ICS_RACK_TLP},
    {"xlr_initiator", NULL, TL_ICS_XLR},
    {"xlr_target", NULL, TL_ICS_XLR},
    {"credit_req_pkt_tx", NULL, TL_ICS_CONSTRAINED},
    {"credit_req_buf_tx", NULL, TL_ICS_CONSTRAINED},
    {"credit_req_pkt_rx", NULL, TL_ICS_CONSTRAINED},
    {"credit_req_buf_rx", NULL, TL_ICS_CONSTRAINED},
    {"credit_data_pkt_tx", NULL, TL_ICS_CONSTRAINED},
    {"credit_data_buf_tx", NULL, TL_ICS_CONSTRAINED},
    {"net_pkt_rx", NULL, TL_ICS_CONSTRAINED},
    {"net_buf_rx", NULL, TL_ICS_CONSTRAINED},
};

/* Parts of the name of an encapsulation. */
static const struct {
    const char *word;
    enum tl_ics_item item;
} seals[] = {
    {"psp", TL_ICS_PSP},
    {"esp", TL_ICS_ESP},
    {"tunnel", TL_ICS_TUNNEL_MODE},
    {"transport", TL_ICS_TRANSPORT_MODE},
};

static bool denied(const struct tl_ics *ics, enum tl_ics_item item)
{
    return ics->items[item] == TL_ICS_NO;
}

/* A number, a switch, or "0"; false: a text whose value is not known here. */
static bool number_of(const json_t *value, uint64_t *number)
{
    if (json_is_boolean(value))
        *number = json_is_true(value);
    else if (json_is_integer(value))
        *number = (uint64_t)json_integer_value(value);
    else if (json_is_string(value) && strcmp(json_string_value(value), "0") == 0)
        *number = 0;
    else
        return false;
    return true;
}

static bool possible(const char *name, const json_t *value)
{
    const struct fal_param *param = fal_param_find(name);
    uint64_t number, least, most;

    if (param == NULL || !number_of(value, &number))
        return true;
    fal_param_range(param, &least, &most);
    return number >= least && number <= most;
}

static bool asks_for(size_t feature, const char *name, const json_t *value)
{
    uint64_t number;
    bool known = number_of(value, &number);

    if (strcmp(name, features[feature].param) != 0)
        return false;
    if (features[feature].value == NULL)
        return !known || number != 0;
    return known && number == (features[feature].value[0] == 't');
}

static bool param_suits(const struct tl_ics *ics, const char *name, const json_t *value)
{
    if (!possible(name, value))
        return false;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (denied(ics, features[i].item) && asks_for(i, name, value))
            return false;
    return true;
}

static bool encap_suits(const struct tl_ics *ics, const char *encap)
{
    for (size_t i = 0; i < sizeof seals / sizeof *seals; i++)
        if (denied(ics, seals[i].item) && strstr(encap, seals[i].word) != NULL)
            return false;
    return true;
}

/* Removes the parameters that do not suit, or, with `look`, only says whether there are any. */
static bool suit_params(json_t *params, const struct tl_ics *ics, bool look)
{
    const char *name;
    json_t *value;
    void *next;
    bool all = true;

    json_object_foreach_safe(params, next, name, value)
    {
        if (param_suits(ics, name, value))
            continue;
        all = false;
        if (!look)
            (void)json_object_del(params, name);
    }
    return all;
}

static bool suit_steps(json_t *steps, const struct tl_ics *ics, bool look)
{
    size_t i;
    json_t *step;
    bool all = true;

    json_array_foreach(steps, i, step)
    {
        json_t *act = NULL, *inner = NULL, *value;
        const char *key;

        json_object_foreach(step, key, value) /* a step has one verb */
        {
            if (strcmp(key, "cm") == 0 || (strcmp(key, "ulp") == 0 && act == NULL))
                act = value;
            else if (strcmp(key, "steps") == 0)
                inner = value;
        }
        if (act != NULL)
            all &= suit_params(json_object_get(act, "params"), ics, look);
        if (inner != NULL)
            all &= suit_steps(inner, ics, look);
    }
    return all;
}

static bool suit(json_t *doc, const struct tl_ics *ics, bool look)
{
    json_t *connection = json_object_get(doc, "connection");
    bool sealed = encap_suits(ics, hunt_word(connection, "encap"));
    bool params = suit_params(json_object_get(connection, "params"), ics, look);

    if (!sealed && !look) {
        (void)json_object_del(connection, "encap");
        (void)json_object_del(connection, "pcid");
    }
    return suit_steps(json_object_get(doc, "steps"), ics, look) && params && sealed;
}

void hunt_suit(json_t *doc, const struct tl_ics *ics)
{
    (void)suit(doc, ics, false);
    hunt_prune(doc);
}

bool hunt_suits(const json_t *doc, const struct tl_ics *ics)
{
    return suit((json_t *)doc, ics, true); /* which only looks at it */
}
