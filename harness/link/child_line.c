/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/child_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    struct tl_child *child;
    json_t **answer;
};

static bool take_line(void *ctx)
{
    const struct asking *a = ctx;
    struct tl_child *child = a->child;
    char *line = child->in + child->in_start, *end, what[80];
    size_t len = child->in_end - child->in_start;

    end = memchr(line, '\n', len);
    if (end == NULL) {
        (void)snprintf(what, sizeof what, "sent a line that is longer than %zu bytes",
                       child->in_cap);
        if (len >= child->in_cap)
            tl_child_fail(child, what);
        return false;
    }
    child->in_start += (size_t)(end - line) + 1;
    *a->answer = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(*a->answer))
        tl_child_fail(child, "answered with a line that is no JSON object");
    return true;
}

int tl_child_ask_line(struct tl_child *child, json_t *message, json_t **answer)
{
    struct asking asking = {child, answer};
    char *text = message != NULL ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t len;

    json_decref(message);
    json_decref(*answer);
    *answer = NULL;
    if (text == NULL)
        return FAL_ERR_MEM;
    len = strlen(text);
    text[len] = '\n'; /* in the place of its end: exchange takes a length */
    tl_child_exchange(child, text, len + 1, take_line, &asking);
    free(text);
    return tl_child_stopped(child) ? FAL_ERR_IO : 0;
}
