/* SPDX-License-Identifier: Apache-2.0
 * scrub.c - reads the capture twice: for its addresses, and to write it without them. */
#include "harness/field/scrub.h"

#include "harness/field/part.h"
#include "harness/field/scrub_frame.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* What is done with a frame of the capture. */
typedef int scrub_step(struct tl_scrubber *scrubber, const struct tl_captured *got,
                       struct fal_error *err);

/* The capture, from its first frame. */
struct pass {
    struct tl_capture *capture;
    struct tl_part *part; /* NULL: nothing is written */
    scrub_step *step;
};

static int one_pass(struct tl_scrubber *scrubber, const struct pass *pass, const char *name,
                    struct tl_scrub_result *result, struct fal_error *err)
{
    struct tl_captured got;
    struct fal_error why = {{0}};
    int more, status = 0;

    result->frames = result->resealed = 0;
    while ((more = tl_capture_next(pass->capture, &got, err)) > 0) {
        status = pass->step(scrubber, &got, &why);
        if (status != 0)
            return fal_fail(err, status, "%s: %.300s", name, why.text);
        result->frames++;
        if (pass->part == NULL)
            continue;
        result->resealed += scrubber->resealed;
        status = tl_part_write(pass->part, &got, scrubber->out, "",
                               tl_capture_dropped(pass->capture), err);
        if (status != 0)
            return status;
    }
    return more;
}

/* ---- setting up ---- */

static int open_keys(struct tl_scrubber *s, const struct tl_scrub_options *options,
                     struct fal_error *err)
{
    fal_psp_keys_free(s->given.psp_keys);
    fal_esp_keys_free(s->given.esp_keys);
    s->given.psp_keys = NULL;
    s->given.esp_keys = NULL;
    if (options->psp_keys != NULL &&
        (s->given.psp_keys = tl_psp_keys_open(options->psp_keys, err)) == NULL)
        return FAL_ERR_FORM;
    if (options->esp_keys != NULL &&
        (s->given.esp_keys = tl_esp_keys_open(options->esp_keys, err)) == NULL)
        return FAL_ERR_FORM;
    return 0;
}

static int set_up(struct tl_scrubber *s, const struct tl_scrub_options *options,
                  struct fal_error *err)
{
    uint8_t key[TL_DISGUISE_KEY];

    *s = (struct tl_scrubber){.replace_sealed = options->replace_sealed};
    s->given.falcon_port = (uint16_t)options->falcon_port;
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        return fal_fail(err, FAL_ERR_IO, "the system gives no random bytes");
    s->disguise = tl_disguise_new(key);
    OPENSSL_cleanse(key, sizeof key);
    s->fresh = tl_fresh_keys_new();
    s->scratch = malloc(TL_FRAME_MAX);
    s->plain = malloc(TL_FRAME_MAX);
    s->out = malloc(TL_FRAME_MAX);
    if (s->disguise == NULL || s->fresh == NULL || s->scratch == NULL || s->plain == NULL ||
        s->out == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return open_keys(s, options, err);
}

static void tear_down(struct tl_scrubber *s)
{
    fal_psp_keys_free(s->given.psp_keys);
    fal_esp_keys_free(s->given.esp_keys);
    tl_disguise_free(s->disguise);
    tl_fresh_keys_free(s->fresh);
    free(s->scratch);
    free(s->plain);
    free(s->out);
}

/* ---- the passes ---- */

static int note_all(struct tl_scrubber *s, const struct tl_scrub_options *options,
                    struct tl_scrub_result *result, struct fal_error *err)
{
    struct pass pass = {.capture = tl_capture_open(options->in, err), .step = tl_scrub_note};
    int status = FAL_ERR_FORM;

    if (pass.capture != NULL)
        status = tl_part_suits(pass.capture, options->out, err);
    if (status == 0)
        status = one_pass(s, &pass, options->in, result, err);
    tl_capture_close(pass.capture);
    return status;
}

static int write_all(struct tl_scrubber *s, const struct tl_scrub_options *options,
                     struct tl_scrub_result *result, struct fal_error *err)
{
    struct pass pass = {.capture = tl_capture_open(options->in, err), .step = tl_scrub_frame};
    int status = FAL_ERR_FORM, ended;

    if (pass.capture == NULL)
        return status;
    pass.part = tl_part_create(options->out, tl_capture_linktype(pass.capture), err);
    if (pass.part != NULL)
        status = one_pass(s, &pass, options->in, result, err);
    ended = tl_part_finish(pass.part, status == 0, tl_capture_dropped(pass.capture),
                           status == 0 ? err : NULL);
    tl_capture_close(pass.capture);
    return status != 0 ? status : ended;
}

static char *beside(const char *path, const char *what)
{
    size_t size = strlen(path) + strlen(what) + 1;
    char *name = malloc(size);

    if (name != NULL)
        (void)snprintf(name, size, "%s%s", path, what);
    return name;
}

static int write_keys(const struct tl_scrubber *s, const struct tl_scrub_options *options,
                      struct tl_scrub_result *result, struct fal_error *err)
{
    bool written[2] = {false, false};
    int status;

    result->psp_keys = beside(options->out, ".psp-keys.json");
    result->esp_keys = beside(options->out, ".esp-keys.json");
    if (result->psp_keys == NULL || result->esp_keys == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    status = tl_fresh_keys_write(s->fresh, result->psp_keys, result->esp_keys, written, err);
    if (!written[0]) {
        free(result->psp_keys);
        result->psp_keys = NULL;
    }
    if (!written[1]) {
        free(result->esp_keys);
        result->esp_keys = NULL;
    }
    return status;
}

int tl_scrub_file(const struct tl_scrub_options *options, struct tl_scrub_result *result,
                  struct fal_error *err)
{
    struct tl_scrubber s;
    int status;

    *result = (struct tl_scrub_result){.frames = 0};
    status = set_up(&s, options, err);
    if (status == 0)
        status = note_all(&s, options, result, err);
    if (status == 0) /* extended sequence numbers of ESP begin anew */
        status = open_keys(&s, options, err);
    if (status == 0)
        status = write_all(&s, options, result, err);
    if (status == 0 && !options->drop_keys)
        status = write_keys(&s, options, result, err);
    tear_down(&s);
    return status;
}
