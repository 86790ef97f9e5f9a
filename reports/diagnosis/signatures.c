/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/signatures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = UINT16_MAX };

/* The array with room for another element than its `count`: its size is a power of two. NULL:
 * out of memory, and the array is as it was. */
static void *roomy(void *array, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    return realloc(array, (count == 0 ? 1 : 2 * count) * size);
}

/* Whether there is room; `grown` is a variable of the caller. */
#define ROOM(array, count) \
    ((grown = roomy((array), (count), sizeof *(array))) != NULL && ((array) = grown, true))

/* The next word of a line, cut off; NULL at its end. */
static char *word(char **at)
{
    char *begin = *at + strspn(*at, " "), *end;

    if (*begin == 0)
        return NULL;
    end = begin + strcspn(begin, " ");
    *at = *end == 0 ? end : end + 1;
    *end = 0;
    return begin;
}

static int malformed(const char *line, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "signatures: the line that begins with '%.40s' is wrong",
                    line);
}

static int no_memory(struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* A number below `end`. */
static bool number(const char **at, size_t end, size_t *out)
{
    char *after;
    unsigned long n;

    if (**at < '0' || **at > '9')
        return false;
    n = strtoul(*at, &after, 10);
    *at = after;
    *out = n;
    return n < end && n < NUMBERS_MAX;
}

static int read_case(struct tl_signatures *s, char *rest, struct fal_error *err)
{
    void *grown;
    const char *id = word(&rest);

    if (id == NULL || s->num_cases == NUMBERS_MAX ||
        (s->num_cases > 0 && strcmp(s->cases[s->num_cases - 1], id) >= 0))
        return malformed("c", err);
    if (!ROOM(s->cases, s->num_cases))
        return no_memory(err);
    s->cases[s->num_cases++] = id;
    return 0;
}

static int read_sign(struct tl_signatures *s, char *rest, struct fal_error *err)
{
    void *grown;
    struct tl_sign sign;

    sign.rule = word(&rest);
    sign.requirement = word(&rest);
    sign.symptom = word(&rest);
    sign.field = word(&rest);
    if (sign.field == NULL || s->num_signs == NUMBERS_MAX)
        return malformed("t", err);
    if (!ROOM(s->signs, s->num_signs))
        return no_memory(err);
    s->signs[s->num_signs++] = sign;
    return 0;
}

static int read_set(struct tl_signatures *s, char *rest, struct fal_error *err)
{
    void *grown;
    const char *text;

    if (s->num_sets == NUMBERS_MAX)
        return malformed("s", err);
    while ((text = word(&rest)) != NULL) {
        size_t n;

        if (!number(&text, s->num_signs, &n) || *text != 0)
            return malformed("s", err);
        if (!ROOM(s->members, s->num_members))
            return no_memory(err);
        s->members[s->num_members++] = (uint16_t)n;
    }
    /* One element more, for the end of the last set. */
    if (!ROOM(s->sets, s->num_sets + 1))
        return no_memory(err);
    s->sets[++s->num_sets] = (uint32_t)s->num_members;
    return 0;
}

static int read_fault(struct tl_signatures *s, char *rest, struct fal_error *err)
{
    void *grown;
    struct tl_signature fault = {.first = s->num_failing};
    const char *name;

    while ((name = word(&rest)) != NULL) {
        if (fault.num_names == TL_CLASS_MAX)
            return malformed("f", err);
        fault.names[fault.num_names++] = name;
    }
    if (fault.num_names == 0)
        return malformed("f", err);
    if (!ROOM(s->faults, s->num_faults))
        return no_memory(err);
    s->faults[s->num_faults++] = fault;
    return 0;
}

static int read_failing(struct tl_signatures *s, char *rest, struct fal_error *err)
{
    void *grown;
    const char *text = word(&rest);
    size_t set, from, to;

    if (s->num_faults == 0 || text == NULL || !number(&text, s->num_sets, &set) || *text != 0)
        return malformed("SET CASE...", err);
    while ((text = word(&rest)) != NULL) {
        if (!number(&text, s->num_cases, &from))
            return malformed("SET CASE...", err);
        to = from;
        if (*text == '-' && (text++, !number(&text, s->num_cases, &to)))
            return malformed("SET CASE...", err);
        if (*text != 0)
            return malformed("SET CASE...", err);
        for (size_t n = from; n <= to; n++) {
            if (!ROOM(s->failing, s->num_failing))
                return no_memory(err);
            s->failing[s->num_failing++] =
                (struct tl_failing){.number = (uint16_t)n, .set = (uint16_t)set};
            s->faults[s->num_faults - 1].count++;
        }
    }
    return 0;
}

static int read_line(struct tl_signatures *s, char *line, struct fal_error *err)
{
    switch (line[0]) {
    case 0:
    case '#': return 0;
    case 'c': return read_case(s, line + 1, err);
    case 't': return read_sign(s, line + 1, err);
    case 's': return read_set(s, line + 1, err);
    case 'f': return read_fault(s, line + 1, err);
    default: return read_failing(s, line, err);
    }
}

static int by_number(const void *a, const void *b)
{
    return (int)((const struct tl_failing *)a)->number -
           (int)((const struct tl_failing *)b)->number;
}

int tl_signatures_read(const char *text, struct tl_signatures *out, struct fal_error *err)
{
    void *grown;
    int rc = 0;

    *out = (struct tl_signatures){.text = strdup(text)};
    if (out->text == NULL || !ROOM(out->sets, 0))
        return no_memory(err);
    out->sets[0] = 0;
    for (char *line = out->text, *next; rc == 0 && line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = 0;
        rc = read_line(out, line, err);
    }
    for (size_t i = 0; rc == 0 && i < out->num_faults; i++)
        if (out->faults[i].count > 0)
            qsort(out->failing + out->faults[i].first, out->faults[i].count,
                  sizeof *out->failing, by_number);
    return rc;
}

void tl_signatures_free(struct tl_signatures *signatures)
{
    free(signatures->text);
    free(signatures->cases);
    free(signatures->signs);
    free(signatures->members);
    free(signatures->sets);
    free(signatures->failing);
    free(signatures->faults);
    *signatures = (struct tl_signatures){.text = NULL};
}

int tl_signatures_case(const struct tl_signatures *signatures, const char *id)
{
    size_t from = 0, to = signatures->num_cases;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(signatures->cases[middle], id);

        if (order == 0)
            return (int)middle;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return -1;
}

int tl_signatures_sign(const struct tl_signatures *signatures, const struct tl_sign *sign)
{
    for (size_t i = 0; i < signatures->num_signs; i++) {
        const struct tl_sign *s = &signatures->signs[i];

        if (strcmp(s->requirement, sign->requirement) == 0 &&
            strcmp(s->rule, sign->rule) == 0 && strcmp(s->symptom, sign->symptom) == 0 &&
            strcmp(s->field, sign->field) == 0)
            return (int)i;
    }
    return -1;
}
