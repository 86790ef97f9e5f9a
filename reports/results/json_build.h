/* SPDX-License-Identifier: Apache-2.0
 * json_build.h - JSON values member by member; one that could not be made shows at the end. */
#ifndef TL_REPORTS_RESULTS_JSON_BUILD_H
#define TL_REPORTS_RESULTS_JSON_BUILD_H

#include "reports/results/results.h"

#include <jansson.h>

/* Members are set only when the value could be made; a missing one shows in `ok`. */
struct tl_object {
    json_t *json;
    bool ok;
};

struct tl_object tl_object(void);
/* Each takes the reference; a NULL text is no member, bytes that are no UTF-8 become U+FFFD. */
void tl_set(struct tl_object *o, const char *key, json_t *value);
void tl_set_text(struct tl_object *o, const char *key, const char *text);
void tl_set_number(struct tl_object *o, const char *key, uint64_t number);
/* The object, or NULL when something was missing. */
json_t *tl_object_end(struct tl_object *o);

/* The same of a list: `ok` is the caller's. */
void tl_list_add(json_t *list, bool *ok, json_t *value);
json_t *tl_list_end(json_t *list, bool ok);

/* A case of talon/results/1; NULL when out of memory. */
json_t *tl_json_case(const struct tl_case *c);

#endif
