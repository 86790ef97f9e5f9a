/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/error.h"

#include <stdarg.h>
#include <stdio.h>

int fal_fail(struct fal_error *err, int code, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return code;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}
