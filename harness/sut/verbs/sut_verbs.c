/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/verbs/sut_verbs.h"

#include "oracles/ulp/engine.h"

enum { SEED_PART = 0x76657262 };

unsigned tl_sut_verbs_level(const struct tl_sut *sut)
{
    unsigned least = 4;

    for (int i = TL_DO_PD_CREATE; i <= TL_DO_CQ_ARM; i++) {
        unsigned level = tl_protocol_verbs_level((enum tl_do)i);

        if (!tl_limits_allow(&sut->config.limits, (enum tl_do)i) && level < least)
            least = level;
    }
    return least > 2 ? least - 1 : 0;
}

/* ---- the engine ---- */

static struct fal_verbs_engine *engine_of(struct tl_sut *sut)
{
    struct fal_rng rng = fal_rng_split(sut->config.seed, SEED_PART);
    const struct fal_verbs_config config = {.endpoint = sut->endpoint,
                                            .seed = fal_rng_next(&rng),
                                            .faults = sut->config.faults,
                                            .twins = sut->config.twins.set};

    if (sut->verbs == NULL)
        sut->verbs = fal_verbs_new(&config);
    return sut->verbs;
}

int tl_sut_verbs_attach(struct tl_sut *sut, struct tl_sut_conn *conn)
{
    struct fal_verbs_engine *engine = engine_of(sut);
    int rc;

    if (engine == NULL)
        return FAL_ERR_MEM;
    rc = fal_verbs_attach(engine, conn->number, &conn->config.params);
    conn->verbs = rc == 0;
    return rc;
}

void tl_sut_verbs_detach(struct tl_sut *sut, const struct tl_sut_conn *conn)
{
    if (conn->verbs)
        fal_verbs_detach(sut->verbs, conn->number);
}

void tl_sut_verbs_reset(struct tl_sut *sut)
{
    if (sut->verbs != NULL)
        fal_verbs_reset(sut->verbs);
}

void tl_sut_verbs_free(struct tl_sut *sut)
{
    if (sut->verbs != NULL)
        fal_verbs_free(sut->verbs);
}

bool tl_sut_verbs_take(struct tl_sut *sut, const struct fal_endpoint_out *out, uint64_t now_ns)
{
    return fal_verbs_take(sut->verbs, out, now_ns);
}

void tl_sut_verbs_tell(struct tl_sut *sut)
{
    struct fal_verbs verbs;

    while (fal_verbs_next(sut->verbs, &verbs)) {
        struct tl_protocol_event event = {
            .kind = FAL_EV_VERBS, .word = verbs.kind, .verbs = &verbs};

        tl_sut_tell(sut, NULL, &event);
    }
}

void tl_sut_verbs_tick(struct tl_sut *sut, uint64_t now_ns)
{
    if (sut->verbs == NULL || fal_verbs_deadline(sut->verbs) > now_ns)
        return;
    fal_verbs_tick(sut->verbs, now_ns);
    tl_sut_pump(sut, now_ns);
}

uint64_t tl_sut_verbs_deadline(const struct tl_sut *sut)
{
    return sut->verbs != NULL ? fal_verbs_deadline(sut->verbs) : FAL_NEVER;
}

/* ---- words ---- */

/* The endpoint's number of the connection that the word names; 0: none. False: it is unknown,
 * or is not for verbs. */
static bool number_of(const struct tl_sut *sut, const struct tl_protocol_command *command,
                      uint32_t *number, struct fal_error *err)
{
    const struct tl_sut_conn *conn;

    *number = 0;
    if (command->conn == NULL)
        return true;
    conn = tl_sut_conn_of(sut, command, err);
    if (conn == NULL)
        return false;
    if (!conn->verbs) {
        (void)fal_fail(err, FAL_ERR_RANGE,
                       "conn: %s is a raw connection; a queue pair needs one that was opened "
                       "with \"upper\": \"verbs\"",
                       conn->name);
        return false;
    }
    *number = conn->number;
    return true;
}

enum tl_sut_done tl_sut_word(struct tl_sut *sut, struct tl_protocol_command *command,
                             json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    struct fal_verbs_engine *engine = engine_of(sut);
    struct fal_verbs answer = {.kind = command->verbs->kind};
    json_t *members;
    uint32_t number;
    int rc;

    if (engine == NULL)
        return tl_sut_refused(FAL_ERR_MEM, tl_protocol_verb(command->verb), err);
    if (!number_of(sut, command, &number, err))
        return TL_SUT_FAILED;
    rc = fal_verbs_command(engine, number, command->verbs, &answer, now_ns, err);
    if (rc == FAL_ERR_MEM)
        return tl_sut_refused(rc, tl_protocol_verb(command->verb), err);
    if (rc != 0)
        return rc == FAL_VERBS_BUSY ? TL_SUT_BUSY : TL_SUT_FAILED;
    answer.kind = command->verbs->kind;
    members = fal_verbs_write(&answer, true);
    rc = members != NULL ? json_object_update(reply, members) : -1;
    json_decref(members);
    return rc == 0 ? TL_SUT_DONE
                   : tl_sut_refused(FAL_ERR_MEM, tl_protocol_verb(command->verb), err);
}
