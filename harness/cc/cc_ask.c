/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_ask.h"

#include "harness/cc/cc_picture.h"
#include "harness/cc/cc_steer.h"
#include "harness/cc/cc_told.h"
#include "harness/claims/ixit.h"
#include "harness/run/run_setup.h"
#include "harness/session/sut_process.h"
#include "harness/wire/sealer.h"

#include <errno.h>
#include <string.h>

enum { TIMEOUT_S = 120 /* of a live measurement */ };

/* What the options name. */
struct named {
    struct tl_run_setup setup;
    struct tl_ics ics;
    struct tl_ixit ixit;
    struct tl_profile profile;
    struct tl_given_params params;
    struct tl_cc_declared declared;
    json_t *set;
    char product[160]; /* as the SUT reports it */
};

/* ---- what is declared ---- */

static void declare(struct tl_cc_declared *declared, const char *name, size_t len)
{
    for (int i = 0; i < TL_CC_MEASURED; i++) {
        const char *known = tl_cc_measured_name((enum tl_cc_measured)i);

        if (strlen(known) == len && strncmp(known, name, len) == 0)
            declared->given[i] = true;
    }
}

/* "NAME=VALUE" of --declared, or of --set, which goes to the SUT, too. */
static int add_text(struct named *n, const char *text, bool set, struct fal_error *err)
{
    struct fal_error why = {{0}};
    size_t len = strcspn(text, "=");
    char name[80];

    if (fal_swift_param_read(text, &n->declared.params, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--%s: %.300s", set ? "set" : "declared", why.text);
    declare(&n->declared, text, len);
    if (!set)
        return 0;
    (void)snprintf(name, sizeof name, "%.*s", (int)len, text);
    if (n->set == NULL)
        n->set = json_object();
    const struct fal_swift_param *param = fal_swift_param_find(name);
    double value = fal_swift_param_get(param, &n->declared.params);

    return json_object_set_new(n->set, name,
                               param->whole ? json_integer((json_int_t)value)
                                            : json_real(value)) == 0
               ? 0
               : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static int add_texts(struct named *n, const struct tl_texts *texts, bool set,
                     struct fal_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < texts->count; i++)
        rc = add_text(n, texts->list[i], set, err);
    return rc;
}

/* The built-in SUT has the defaults of the model; of another one, the IXIT states them. What is
 * set or declared on the command line counts more. */
static int read_declared(const struct tl_cc_ask *ask, struct named *n, struct fal_error *err)
{
    const char *key;
    json_t *value;
    int rc;

    fal_swift_params_default(&n->declared.params);
    for (int i = 0; i < TL_CC_MEASURED; i++)
        n->declared.given[i] = n->setup.run.target.kind == TL_TARGET_BUILTIN;
    json_object_foreach((json_t *)n->ixit.swift, key, value)
    {
        /* The shape of the IXIT has checked name and range. */
        FAL_IGNORE(fal_swift_param_set(fal_swift_param_find(key), &n->declared.params,
                                       json_number_value(value)));
        declare(&n->declared, key, strlen(key));
    }
    rc = add_texts(n, &ask->set, true, err);
    if (rc == 0)
        rc = add_texts(n, &ask->declared, false, err);
    if (rc == 0 && fal_swift_params_check(&n->declared.params, err) != 0)
        rc = FAL_ERR_FORM;
    return rc;
}

/* ---- the options that `talon run` has, too ---- */

static int load(const struct tl_cc_ask *ask, struct named *n, struct fal_error *err)
{
    char path[4096];
    int rc = 0;

    if (ask->sut.profile != NULL && !tl_suite_profile(ask->sut.profile, path, sizeof path))
        return tl_suite_no_profile(ask->sut.profile, err);
    if (ask->sut.profile != NULL)
        rc = tl_profile_load(path, &n->profile, err);
    if (rc == 0 && ask->sut.ics != NULL)
        rc = tl_ics_load(ask->sut.ics, &n->ics, err);
    if (rc == 0 && ask->sut.ixit != NULL)
        rc = tl_ixit_load(ask->sut.ixit, &n->ixit, err);
    tl_ics_complete(&n->ics, &n->profile.ics);
    tl_given_params_join(&n->params, &n->profile.params, &n->ixit.params);
    tl_given_params_join(&n->params, &n->params, &n->setup.params);
    return rc;
}

static int check_asked(const struct tl_cc_ask *ask, const struct named *n,
                       struct fal_error *err)
{
    const struct tl_target *target = &n->setup.run.target;

    if (target->kind == TL_TARGET_BRIDGE || n->setup.recording.path != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut: measure steers one SUT; expected builtin, lib:, exec:, udp: or "
                        "raw:");
    if (target->kind == TL_TARGET_BUILTIN && !target->engine.swift)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut: the SUT has no Swift; expected builtin:cc=swift");
    if (tl_target_live(target->kind) && ask->sut.control == NULL)
        return fal_fail(
            err, FAL_ERR_FORM,
            "--sut udp: and raw: need --control tcp:HOST:PORT or unix:PATH, to open "
            "a connection and to post pushes");
    if (!tl_encap_seals(ask->sut.encap))
        return fal_fail(err, FAL_ERR_FORM,
                        "--encap %s: the SUT takes T1 and T3 from seals (10.1), and there are "
                        "none; expected psp_transport (the default), psp_tunnel, esp_transport "
                        "or esp_tunnel",
                        fal_encap_name(ask->sut.encap));
    return 0;
}

static int read_asked(const struct tl_cc_ask *ask, struct named *n, struct fal_error *err)
{
    int rc = tl_run_setup(&n->setup, &ask->sut, err);

    if (rc == 0)
        rc = check_asked(ask, n, err);
    if (rc == 0)
        rc = load(ask, n, err);
    if (rc == 0)
        rc = read_declared(ask, n, err);
    return rc;
}

/* ---- measuring ---- */

static int measure_on(const struct tl_cc_ask *ask, struct named *n, struct tl_bench *bench,
                      struct tl_cc_measure *m, struct fal_error *err)
{
    bool stated = ask->sut.ics != NULL || ask->sut.profile != NULL;
    struct tl_cc_steer steer = {.bench = bench,
                                .encap = ask->sut.encap,
                                .psp_keys = n->setup.run.psp_keys,
                                .esp_keys = n->setup.run.esp_keys,
                                .given = &n->params,
                                .ics = &n->ics,
                                .set = n->set,
                                .seed = ask->sut.seed};
    int rc;

    if (!stated)
        n->ics = bench->ics;
    else
        tl_ics_complete(&n->ics, &bench->ics);
    (void)snprintf(n->product, sizeof n->product, "%s", bench->product);
    steer.timeout_ns = (ask->sut.timeout > 0 ? ask->sut.timeout : TIMEOUT_S) * FAL_S;
    rc = tl_cc_steer_check(&steer, err);
    if (rc != 0)
        return rc;
    if (ask->rounds != NULL && (steer.rounds = fopen(ask->rounds, "we")) == NULL)
        return fal_fail(err, FAL_ERR_FORM, "--out %s: %s", ask->rounds, strerror(errno));
    rc = tl_cc_steer_run(&steer, &n->declared, m, err);
    if (steer.rounds != NULL && fclose(steer.rounds) != 0 && rc == 0)
        rc = fal_fail(err, FAL_ERR_IO, "--out %s: %s", ask->rounds, strerror(errno));
    return rc;
}

static int open_and_measure(const struct tl_cc_ask *ask, struct named *n,
                            struct tl_cc_measure *m, struct fal_error *err)
{
    struct tl_target *target = &n->setup.run.target;
    struct tl_sut_process process;
    struct tl_bench bench;
    int rc = tl_sut_process_start(&process, target, err);

    if (rc != 0)
        return rc;
    rc = tl_bench_open(&bench, target, ask->sut.seed, err);
    if (rc != 0) {
        tl_bench_explain(&bench, target, err);
    } else {
        rc = measure_on(ask, n, &bench, m, err);
        tl_bench_close(&bench);
    }
    tl_sut_process_end(&process);
    return rc;
}

/* Writes the pictures that are asked for. */
static int draw(const struct tl_cc_ask *ask, const struct named *n,
                const struct tl_cc_measure *m, struct fal_error *err)
{
    const struct tl_cc_page page = {
        .sut = ask->sut.sut, .product = n->product, .seed = ask->sut.seed};
    int rc = 0;

    if (ask->page != NULL)
        rc = tl_cc_picture_page(ask->page, &page, m, err);
    if (rc == 0 && ask->plots != NULL)
        rc = tl_cc_picture_files(ask->plots, m, err);
    return rc;
}

static enum tl_cc_asked tell(const struct tl_cc_ask *ask, const struct named *n,
                             const struct tl_cc_measure *m, struct fal_error *err)
{
    unsigned outside = 0;

    if (ask->json ? tl_cc_told_json(m, stdout) != 0 : tl_cc_told_print(m, stdout) != 0) {
        (void)fal_fail(err, FAL_ERR_IO, "cannot write to standard output");
        return TL_CC_NOT_MEASURED;
    }
    if (draw(ask, n, m, err) != 0)
        return TL_CC_NOT_MEASURED;
    for (int i = 0; i < TL_CC_MEASURED; i++)
        outside += tl_cc_measured_outside(m, (enum tl_cc_measured)i);
    return outside > 0 ? TL_CC_OUTSIDE : TL_CC_INSIDE;
}

static void forget(struct named *n)
{
    json_decref(n->set);
    tl_profile_free(&n->profile);
    tl_ixit_free(&n->ixit);
    tl_run_setup_free(&n->setup);
}

enum tl_cc_asked tl_cc_ask(const struct tl_cc_ask *ask, struct fal_error *err)
{
    struct named n = {.set = NULL};
    struct tl_cc_measure m;
    enum tl_cc_asked how;
    int rc = read_asked(ask, &n, err);

    if (rc != 0) {
        forget(&n);
        return rc == FAL_ERR_MEM ? TL_CC_NOT_MEASURED : TL_CC_WRONG_ASK;
    }
    rc = open_and_measure(ask, &n, &m, err);
    how = rc == 0              ? tell(ask, &n, &m, err)
          : rc == FAL_ERR_FORM ? TL_CC_WRONG_ASK
                               : TL_CC_NOT_MEASURED;
    forget(&n);
    return how;
}
