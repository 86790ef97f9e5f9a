/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/quote.h"

#include <stdlib.h>
#include <string.h>

char *tl_quote(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    char *out = malloc(strlen(text) * 4 + 3), *at = out;

    if (out == NULL || (text[0] != 0 && text[strspn(text, plain)] == 0))
        return out != NULL ? strcpy(out, text) : NULL;
    *at++ = '\'';
    for (; *text != 0; text++) {
        if (*text == '\'')
            at = stpcpy(at, "'\\''");
        else
            *at++ = *text;
    }
    *at++ = '\'';
    *at = 0;
    return out;
}
