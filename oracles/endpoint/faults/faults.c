/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/faults.h"

#include "codecs/base/nearest.h"
#include "codecs/header/falcon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROW(id, name, section, requirements, doc) {name, section, requirements, doc},

static const struct fal_fault table[] = {FAL_FAULTS(ROW)};

enum { WORD_MAX = 64, PACKET_TYPES = 16 };

static const char *const whens[] = {
    [FAL_WHEN_ALWAYS] = "always",
    [FAL_WHEN_WRAP] = "wrap",
    [FAL_WHEN_RESYNC] = "resync",
    [FAL_WHEN_SECOND_WINDOW] = "second-window",
};

const struct fal_fault *fal_faults(size_t *n)
{
    *n = FAL_FAULT_COUNT;
    return table;
}

int fal_fault_find(const char *name)
{
    for (int i = 0; i < FAL_FAULT_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

bool fal_fault_of_field(enum fal_fault_id id)
{
    return id == FAL_FAULT_HEADER_FIELD_SHIFTED || id == FAL_FAULT_HEADER_FIELD_CORRUPTED;
}

void fal_fault_add(struct fal_fault_set *set, enum fal_fault_id id)
{
    set->bits[id / 64] |= UINT64_C(1) << (id % 64);
}

int fal_fault_add_how(struct fal_fault_set *set, const struct fal_fault_how *how)
{
    uint32_t at = 0;

    while (at < set->num_hows && set->hows[at].id != how->id)
        at++;
    if (at == FAL_FAULT_HOWS_MAX)
        return FAL_ERR_RANGE;
    if (at == set->num_hows)
        set->num_hows++;
    set->hows[at] = *how;
    fal_fault_add(set, how->id);
    return 0;
}

/* ---- reading ---- */

/* A word of the text as a string; overlong ones are cut, and then are no word that there is. */
static void word(const char *text, size_t len, char out[WORD_MAX])
{
    if (len >= WORD_MAX)
        len = WORD_MAX - 1;
    memcpy(out, text, len);
    out[len] = 0;
}

static int no_such(struct fal_error *err, const char *what, const char *given,
                   const char *const *words, size_t n, const char *where)
{
    const char *near = fal_nearest(given, words, n);

    if (near != NULL)
        return fal_fail(err, FAL_ERR_FORM, "no %s '%s'; did you mean '%s'? (%s)", what, given,
                        near, where);
    return fal_fail(err, FAL_ERR_FORM, "no %s '%s' (%s)", what, given, where);
}

static int read_name(const char *name, struct fal_fault_how *how, struct fal_error *err)
{
    const char *names[FAL_FAULT_COUNT];
    int id = fal_fault_find(name);

    if (id >= 0) {
        how->id = (enum fal_fault_id)id;
        return 0;
    }
    for (size_t i = 0; i < FAL_FAULT_COUNT; i++)
        names[i] = table[i].name;
    return no_such(err, "fault", name, names, FAL_FAULT_COUNT, "talon list faults");
}

static bool read_number(const char *value, uint64_t max, uint64_t *out)
{
    char *end;

    if (*value < '0' || *value > '9')
        return false;
    errno = 0;
    *out = strtoull(value, &end, 0);
    return errno == 0 && *end == 0 && *out <= max;
}

static int read_field(char *value, struct fal_fault_how *how, struct fal_error *err)
{
    const char *names[64] = {0};
    size_t n = 0;
    char *dot = strchr(value, '.');

    if (!fal_fault_of_field(how->id))
        return fal_fail(err, FAL_ERR_FORM, "fault %s takes no field", table[how->id].name);
    if (dot == NULL)
        return fal_fail(err, FAL_ERR_FORM, "field=%s: expected HEADER.FIELD", value);
    *dot = 0;
    how->header = fal_falcon_layout_named(value);
    if (how->header == NULL) {
        for (unsigned type = 0; type < PACKET_TYPES; type++)
            if (fal_falcon_type_name(type) != NULL)
                names[n++] = fal_falcon_type_name(type);
        return no_such(err, "Falcon header", value, names, n, "talon list fields");
    }
    how->field = fal_layout_find(how->header, dot + 1);
    if (how->field != NULL)
        return 0;
    while (n < how->header->num_fields && n < sizeof names / sizeof *names) {
        names[n] = how->header->fields[n].name;
        n++;
    }
    return no_such(err, "field", dot + 1, names, n, "talon list fields");
}

static int read_when(const char *value, struct fal_fault_how *how, struct fal_error *err)
{
    size_t n = sizeof whens / sizeof *whens;

    for (size_t i = 0; i < n; i++)
        if (strcmp(whens[i], value) == 0) {
            how->when = (enum fal_fault_when)i;
            return 0;
        }
    return no_such(err, "condition", value, whens, n,
                   "there are: always, wrap, resync, second-window");
}

static int read_count(const char *key, const char *value, uint32_t *out, struct fal_error *err)
{
    uint64_t n = 0;

    if (!read_number(value, UINT32_MAX, &n) || n == 0)
        return fal_fail(err, FAL_ERR_FORM, "%s=%s: expected a number from 1", key, value);
    *out = (uint32_t)n;
    return 0;
}

/* "KEY=VALUE"; `text` is written to. */
static int read_parameter(char *text, struct fal_fault_how *how, struct fal_error *err)
{
    static const char *const keys[] = {"one-in", "from", "when", "field", "seed"};
    char *value = strchr(text, '=');

    if (value == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "'%s': expected one-in=, from=, when=, field= or seed=", text);
    *value++ = 0;
    if (strcmp(text, "when") == 0)
        return read_when(value, how, err);
    if (strcmp(text, "field") == 0)
        return read_field(value, how, err);
    if (strcmp(text, "one-in") == 0)
        return read_count(text, value, &how->one_in, err);
    if (strcmp(text, "from") == 0)
        return read_count(text, value, &how->from, err);
    if (strcmp(text, "seed") == 0) {
        how->has_seed = read_number(value, UINT64_MAX, &how->seed);
        return how->has_seed ? 0
                             : fal_fail(err, FAL_ERR_FORM, "seed=%s: expected a number", value);
    }
    return no_such(err, "parameter", text, keys, sizeof keys / sizeof *keys,
                   "there are: one-in, from, when, field, seed");
}

/* The bytes up to `sep` or the end. */
static size_t span(const char *text, size_t len, char sep)
{
    const char *at = memchr(text, sep, len);

    return at != NULL ? (size_t)(at - text) : len;
}

int fal_fault_read(struct fal_fault_set *set, const char *text, size_t len,
                   struct fal_error *err)
{
    struct fal_fault_how how = {0};
    size_t at = span(text, len, ':');
    bool plain = at == len;
    char part[WORD_MAX];
    int rc;

    word(text, at, part);
    rc = read_name(part, &how, err);
    while (rc == 0 && at < len) {
        size_t n = span(text + at + 1, len - at - 1, ':');

        word(text + at + 1, n, part);
        rc = read_parameter(part, &how, err);
        at += 1 + n;
    }
    if (rc != 0)
        return rc;
    if (plain)
        fal_fault_add(set, how.id);
    else if (fal_fault_add_how(set, &how) != 0)
        return fal_fail(err, FAL_ERR_FORM, "more than %d faults with parameters",
                        FAL_FAULT_HOWS_MAX);
    return 0;
}

int fal_faults_read(struct fal_fault_set *set, const char *text, size_t len,
                    struct fal_error *err)
{
    for (size_t at = 0;; at++) {
        size_t n = span(text + at, len - at, ',');
        int rc = fal_fault_read(set, text + at, n, err);

        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}
