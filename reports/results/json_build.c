/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/json_build.h"

#include "reports/base/utf8.h"

#include <stdlib.h>

struct tl_object tl_object(void)
{
    struct tl_object o = {.json = json_object()};

    o.ok = o.json != NULL;
    return o;
}

void tl_set(struct tl_object *o, const char *key, json_t *value)
{
    o->ok &= json_object_set_new(o->json, key, value) == 0;
}

void tl_set_text(struct tl_object *o, const char *key, const char *text)
{
    json_t *value = text != NULL ? json_string(text) : NULL;
    char *clean;

    if (text == NULL)
        return;
    if (value == NULL) { /* the SUT's description of itself may be invalid UTF-8 */
        clean = tl_utf8_clean(text);
        value = clean != NULL ? json_string(clean) : NULL;
        free(clean);
    }
    tl_set(o, key, value);
}

void tl_set_number(struct tl_object *o, const char *key, uint64_t number)
{
    tl_set(o, key, json_integer((json_int_t)number));
}

json_t *tl_object_end(struct tl_object *o)
{
    if (o->ok)
        return o->json;
    json_decref(o->json);
    return NULL;
}

void tl_list_add(json_t *list, bool *ok, json_t *value)
{
    *ok &= json_array_append_new(list, value) == 0;
}

json_t *tl_list_end(json_t *list, bool ok)
{
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}
