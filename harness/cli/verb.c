/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verb.h"

#include "harness/cli/shell/complete.h"
#include "harness/cli/shell/man.h"
#include "harness/cli/shell/pages.h"
#include "reports/base/status.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int tl_verb_wrong(const char *verb, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "talon %s: ", verb);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; see talon %s --help\n", verb);
    return TL_STATUS_USAGE;
}

int tl_verb_failed(const char *verb, int code, const struct fal_error *err)
{
    fprintf(stderr, "talon %s: %s\n", verb, err->text);
    return code == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
}

void tl_verb_help(const struct tl_options *options, const char *usage)
{
    static const char marker[] = "@options\n";
    const char *at = strstr(usage, marker);

    printf("%.*s", (int)(at != NULL ? (size_t)(at - usage) : strlen(usage)), usage);
    if (at == NULL)
        return;
    tl_options_print_help(options, stdout);
    fputs(at + strlen(marker), stdout);
}

int tl_verb_read(const struct tl_options *options, const char *usage, int argc,
                 char *const *argv, void *into)
{
    struct fal_error err = {{0}};
    int rc;

    if (argc > 1 && strcmp(argv[1], TL_HELP_COMPLETE) == 0) {
        tl_complete(stdout, options, usage, argc - 2, argv + 2);
        return TL_STATUS_PASS;
    }
    if (argc > 1 && strncmp(argv[argc - 1], TL_HELP_MAN, strlen(TL_HELP_MAN)) == 0) {
        tl_man_verb(stdout, argv[argc - 1] + strlen(TL_HELP_MAN), options, usage);
        return TL_STATUS_PASS;
    }
    rc = tl_options_read(options, argc, argv, into, &err);
    if (rc == TL_OPTIONS_HELP) {
        tl_verb_help(options, usage);
        return TL_STATUS_PASS;
    }
    if (rc == FAL_ERR_MEM)
        return tl_verb_failed(options->verb, rc, &err);
    return rc != 0 ? tl_verb_wrong(options->verb, "%s", err.text) : TL_VERB_GO;
}

void tl_verb_keep_heap(void)
{
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
    (void)mallopt(M_TOP_PAD, 1 << 21);
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 24);
}
