/* SPDX-License-Identifier: Apache-2.0
 * setup.c - libtalon: settings, errors, streams and frames of the caller. */
#include "harness/lib/setup.h"

#include "harness/capture/capture.h"
#include "harness/doc/version.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(
    (int)TALON_ERR_SHORT == (int)FAL_ERR_SHORT && (int)TALON_ERR_RANGE == (int)FAL_ERR_RANGE &&
        (int)TALON_ERR_TYPE == (int)FAL_ERR_TYPE && (int)TALON_ERR_FORM == (int)FAL_ERR_FORM &&
        (int)TALON_ERR_AUTH == (int)FAL_ERR_AUTH && (int)TALON_ERR_KEY == (int)FAL_ERR_KEY &&
        (int)TALON_ERR_MEM == (int)FAL_ERR_MEM && (int)TALON_ERR_IO == (int)FAL_ERR_IO,
    "codes of the library are those of codecs/base/error.h");

const char *talon_version(void)
{
    return TL_VERSION;
}

/* ---- errors ---- */

int tl_lib_fail_text(struct talon_error *err, int code, const char *text)
{
    if (err == NULL)
        return code;
    err->code = code;
    (void)snprintf(err->text, sizeof err->text, "%s", text);
    return code;
}

int tl_lib_fail(struct talon_error *err, int code, const struct fal_error *why)
{
    return tl_lib_fail_text(err, code, why->text);
}

/* ---- words ---- */

void tl_lib_words_free(char **words, size_t count)
{
    for (size_t i = 0; words != NULL && i <= count; i++)
        free(words[i]);
    free(words);
}

char **tl_lib_words(const char *verb, const char *const *words, size_t count)
{
    char **copy = calloc(count + 2, sizeof *copy);
    bool ok = copy != NULL && (copy[0] = strdup(verb)) != NULL;

    for (size_t i = 0; ok && i < count; i++)
        ok = words[i] != NULL && (copy[i + 1] = strdup(words[i])) != NULL;
    if (ok)
        return copy;
    tl_lib_words_free(copy, count);
    return NULL;
}

struct talon_setup *tl_setup_new(void)
{
    struct talon_setup *setup = calloc(1, sizeof *setup);

    if (setup != NULL)
        tl_check_command_init(&setup->command);
    return setup;
}

/* Options of the command that a judge does not have. */
static int for_judging(const struct tl_check_command *c, struct fal_error *err)
{
    if (c->files.count > 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "'%.100s' is no option; a file is given to talon_judge_file",
                        c->files.list[0]);
    if (c->num_reports > 0 || c->junit != TL_JUNIT_JENKINS || c->format != TL_CHECK_TEXT)
        return fal_fail(err, FAL_ERR_FORM,
                        "--report, --junit-flavor and --format are for the command; use "
                        "talon_judge_report or talon_results_write");
    if (c->options.shard.total > 0 || c->part != NULL || c->merge || c->readings != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--shard, --part, --merge and --readings are for the command");
    if (c->join)
        return fal_fail(err, FAL_ERR_FORM,
                        "--join is for the command; call talon_judge_file for each part");
    if (c->event_trace != NULL || c->event_setup != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--event-trace and --setup are for the command; use talon_trace_new");
    return 0;
}

static int read_words(struct talon_setup *setup, struct fal_error *err)
{
    struct tl_check_command *c = &setup->command;
    int rc = tl_options_read(&tl_check_options_table, (int)setup->num_words + 1, setup->words,
                             c, err);

    if (rc == TL_OPTIONS_HELP)
        return fal_fail(err, FAL_ERR_FORM, "--help is for the command");
    if (rc == 0)
        rc = for_judging(c, err);
    return rc == 0 ? tl_check_judging_ready(c, err) : rc;
}

struct talon_setup *talon_setup_new(const char *const *words, size_t count,
                                    struct talon_error *err)
{
    struct talon_setup *setup = count <= 10000 ? tl_setup_new() : NULL;
    struct fal_error why = {{0}};

    if (setup == NULL) {
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
        return NULL;
    }
    setup->command.options.jobs = 1;
    setup->num_words = count;
    setup->words = tl_lib_words("check", words, count);
    if (setup->words == NULL)
        (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory, or a word is NULL");
    else if (read_words(setup, &why) == 0)
        return setup;
    else
        (void)tl_lib_fail(err, TALON_ERR_FORM, &why);
    talon_setup_free(setup);
    return NULL;
}

void talon_setup_free(struct talon_setup *setup)
{
    if (setup == NULL)
        return;
    tl_check_command_free(&setup->command);
    tl_lib_words_free(setup->words, setup->num_words);
    free(setup);
}

/* ---- streams ---- */

static ssize_t hand_on(void *cookie, const char *bytes, size_t length)
{
    const struct tl_lib_writer *writer = cookie;

    return writer->write(writer->ctx, bytes, length) == 0 ? (ssize_t)length : 0;
}

FILE *tl_lib_stream(struct tl_lib_writer *writer)
{
    return fopencookie(writer, "w", (cookie_io_functions_t){.write = hand_on});
}

int tl_lib_close(FILE *out, int rc)
{
    bool failed = fflush(out) != 0 || ferror(out) != 0;

    failed = fclose(out) != 0 || failed;
    return rc != 0 ? rc : failed ? TALON_ERR_IO : 0;
}

/* ---- frames ---- */

int tl_lib_frame(const struct talon_frame *frame, struct tl_captured *out,
                 struct talon_error *err)
{
    const unsigned linktype = frame->linktype != 0 ? frame->linktype : FAL_LINKTYPE_ETHERNET;
    struct fal_error why;

    if (frame->captured > TL_FRAME_MAX)
        return tl_lib_fail(err,
                           fal_fail(&why, FAL_ERR_RANGE,
                                    "captured: %u bytes; expected at most %d",
                                    (unsigned)frame->captured, (int)TL_FRAME_MAX),
                           &why);
    if (tl_linktype_name(linktype) == NULL)
        return tl_lib_fail(err,
                           fal_fail(&why, FAL_ERR_TYPE,
                                    "linktype: %u; expected 1, 101, 113, 147 or 276", linktype),
                           &why);
    out->ts_ns = frame->time_ns;
    out->bytes = frame->bytes;
    out->caplen = frame->captured;
    out->len = frame->length > frame->captured ? frame->length : frame->captured;
    out->linktype = linktype;
    out->marks = NULL;
    return 0;
}
