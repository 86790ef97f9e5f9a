/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/firmware.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_MAX = 64 };

static const char between[] = ".-_+";

/* The next part: at *text, its length; *text moves behind it. */
static size_t part(const char **text, const char **begin)
{
    size_t len;

    *text += strspn(*text, between);
    *begin = *text;
    len = strcspn(*text, between);
    *text += len;
    return len;
}

static bool is_number(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return true;
}

/* Numbers of any length, leading zeros aside. */
static int compare_numbers(const char *a, size_t m, const char *b, size_t n)
{
    int order;

    for (; m > 0 && *a == '0'; m--)
        a++;
    for (; n > 0 && *b == '0'; n--)
        b++;
    if (m != n)
        return m < n ? -1 : 1;
    order = strncmp(a, b, m);
    return order;
}

static int compare_words(const char *a, size_t m, const char *b, size_t n)
{
    int order = strncmp(a, b, m < n ? m : n);

    return order != 0 || m == n ? order : (m < n ? -1 : 1);
}

int tl_firmware_compare(const char *a, const char *b)
{
    while (*a != 0 || *b != 0) {
        const char *x, *y;
        size_t m = part(&a, &x), n = part(&b, &y);
        bool p = is_number(x, m), q = is_number(y, n);
        int order;

        if (p != q)
            return p ? 1 : -1;
        order = p ? compare_numbers(x, m, y, n) : compare_words(x, m, y, n);
        if (order != 0)
            return order;
    }
    return 0;
}

struct comparison {
    char op[3];
    char version[VERSION_MAX];
};

/* The next comparison of a range; false at its end, or with `err` when it is malformed. */
static bool next(const char **range, struct comparison *out, struct fal_error *err)
{
    size_t n = 0, len;

    *range += strspn(*range, " ,");
    if (**range == 0)
        return false;
    while (n < 2 && **range != 0 && strchr("<>=", **range) != NULL)
        out->op[n++] = *(*range)++;
    out->op[n] = 0;
    *range += strspn(*range, " ");
    len = strcspn(*range, " ,");
    if (len == 0 || len >= VERSION_MAX || !isalnum((unsigned char)**range)) {
        (void)fal_fail(err, FAL_ERR_FORM, "'%.40s': expected a version", *range);
        return false;
    }
    (void)snprintf(out->version, sizeof out->version, "%.*s", (int)len, *range);
    *range += len;
    return true;
}

static bool known(const char *op)
{
    static const char *const ops[] = {"", "=", "==", "<", "<=", ">", ">="};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i], op) == 0)
            return true;
    return false;
}

int tl_firmware_range_check(const char *range, struct fal_error *err)
{
    struct fal_error why = {{0}};
    struct comparison c;
    size_t n = 0;

    for (; next(&range, &c, &why); n++)
        if (!known(c.op))
            return fal_fail(err, FAL_ERR_FORM, "'%s': expected =, <, <=, > or >=", c.op);
    if (why.text[0] != 0)
        return fal_fail(err, FAL_ERR_FORM, "%s", why.text);
    return n > 0 ? 0 : fal_fail(err, FAL_ERR_FORM, "expected a range such as \">=1.2 <2.0\"");
}

bool tl_firmware_in(const char *range, const char *version)
{
    struct comparison c;

    if (*version == 0)
        return false;
    while (next(&range, &c, NULL)) {
        int order = tl_firmware_compare(version, c.version);
        bool holds = c.op[0] == '<'   ? order < 0 || (c.op[1] == '=' && order == 0)
                     : c.op[0] == '>' ? order > 0 || (c.op[1] == '=' && order == 0)
                                      : order == 0;

        if (!holds)
            return false;
    }
    return true;
}
