/* SPDX-License-Identifier: Apache-2.0
 * sut_keys.c - the built-in SUT's security associations: its keys, and their rotation (6.5,
 * 9.2.2.3). */
#include "harness/sut/sut_state.h"

#include "harness/doc/json_member.h"

#include <string.h>

int tl_sut_encap(struct tl_sut *sut, enum fal_encap encap, struct fal_error *err)
{
    static const enum fal_fault_id blind[] = {FAL_FAULT_INTEGRITY_UNCHECKED,
                                              FAL_FAULT_DAMAGED_PIGGYBACK_TAKEN,
                                              FAL_FAULT_REMOTE_TIME_UNPROVEN};

    const json_t *keys;

    if (encap == sut->encap)
        return 0;
    if (sut->num_conns > 0)
        return fal_fail(err, FAL_ERR_FORM, "encap: there are connections over %s already",
                        fal_encap_name(sut->encap));
    tl_sealer_free(sut->sealer);
    sut->sealer = NULL;
    if (tl_encap_seals(encap)) {
        sut->sealer = tl_sealer_new(encap, fal_rng_next(&sut->rng));
        if (sut->sealer == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        keys = encap == FAL_ENCAP_ESP_TRANSPORT || encap == FAL_ENCAP_ESP_TUNNEL
                   ? sut->config.esp_keys
                   : sut->config.psp_keys;
        if (keys != NULL)
            tl_sealer_file(sut->sealer, keys, true);
        for (size_t i = 0; i < sizeof blind / sizeof *blind; i++)
            if (fal_fault_in(&sut->config.faults, blind[i]))
                tl_sealer_unproven(sut->sealer);
    }
    sut->encap = encap;
    return 0;
}

int tl_sut_secure(struct tl_sut *sut, const json_t *command,
                  struct fal_endpoint_security *security, json_t *reply, struct fal_error *err)
{
    const json_t *given = json_object_get(command, "security");
    json_t *sa;
    int pcid;

    if (sut->sealer == NULL)
        return 0;
    if (!json_is_object(given))
        return fal_fail(err, FAL_ERR_FORM, "security: expected an object, with an sa");
    security->on = true;
    if (tl_sealer_learn(sut->sealer, json_object_get(given, "sa"), &security->peer_spi, err) !=
            0 ||
        tl_json_wide(given, "remote_time", TL_MAY_HAVE, &security->remote_time, err) < 0 ||
        tl_json_wide(given, "pcid", TL_MAY_HAVE, &security->pcid, err) < 0)
        return FAL_ERR_FORM;
    pcid = tl_json_wide(given, "peer_pcid", TL_MAY_HAVE, &security->peer_pcid, err);
    if (pcid < 0)
        return FAL_ERR_FORM;
    security->has_vc = pcid == 1;
    if (tl_sealer_issue(sut->sealer, &security->spi, &sa) != 0 ||
        json_object_set_new(reply, "security", json_pack("{s:o}", "sa", sa)) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return 0;
}

/* An order of the connection manager to the endpoint. */
static int order(struct tl_sut *sut, uint32_t conn, enum fal_cm_order what,
                 const struct fal_seal *seal, uint64_t now_ns)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_CM, .conn = conn, .order = what};

    if (seal != NULL)
        in.seal = *seal;
    return fal_endpoint_input(sut->endpoint, &in, now_ns, NULL);
}

/* Step 1: a new generation of keys, for all later connections. */
static int generation(struct tl_sut *sut, const json_t *command, json_t *reply,
                      struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    int rc = tl_sealer_turn(sut->sealer);

    (void)command;
    (void)reply;
    (void)conn;
    (void)err;
    return rc != 0 ? rc : order(sut, 0, FAL_CM_NEW_GENERATION, NULL, now_ns);
}

/* Step 2: the connection gets a new SPI besides its previous one. */
static int spi(struct tl_sut *sut, const json_t *command, json_t *reply,
               struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    struct fal_seal seal = {.present = true};
    json_t *sa;
    int rc;

    if (tl_json_wide(command, "remote_time", TL_MAY_HAVE, &seal.iv, err) < 0)
        return FAL_ERR_FORM;
    rc = tl_sealer_issue(sut->sealer, &seal.spi, &sa);
    if (rc != 0)
        return rc;
    (void)json_object_set_new(reply, "sa", sa);
    return order(sut, conn->number, FAL_CM_NEW_SPI, &seal, now_ns);
}

/* Step 3: the peer has a new SPI; packets to it use that one. */
static int peer(struct tl_sut *sut, const json_t *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    struct fal_seal seal = {.present = true};
    int rc = tl_sealer_learn(sut->sealer, json_object_get(command, "sa"), &seal.spi, err);

    (void)reply;
    return rc != 0 ? rc : order(sut, conn->number, FAL_CM_PEER_SPI, &seal, now_ns);
}

/* Step 4: the previous SPI of the connection becomes invalid. */
static int drop(struct tl_sut *sut, const json_t *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    (void)command;
    (void)reply;
    (void)err;
    return order(sut, conn->number, FAL_CM_DROP_PREVIOUS, NULL, now_ns);
}

/* Step 5: the previous generation of keys becomes invalid. */
static int end(struct tl_sut *sut, const json_t *command, json_t *reply,
               struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    (void)command;
    (void)reply;
    (void)conn;
    (void)err;
    return order(sut, 0, FAL_CM_END_GENERATION, NULL, now_ns);
}

static int both(struct tl_sut *sut, const json_t *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    int rc = generation(sut, command, reply, conn, now_ns, err);

    return rc != 0 ? rc : spi(sut, command, reply, conn, now_ns, err);
}

/* Sets whether the tunnel's PCID is checked (9.2.2.3). */
static int match(struct tl_sut *sut, const json_t *command, json_t *reply,
                 struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    bool on;

    (void)reply;
    (void)conn;
    if (tl_json_bool(command, "on", TL_MUST_HAVE, &on, err) < 0)
        return FAL_ERR_FORM;
    return order(sut, 0, on ? FAL_CM_MATCH_PCID : FAL_CM_IGNORE_PCID, NULL, now_ns);
}

enum tl_sut_done tl_sut_rotate(struct tl_sut *sut, const json_t *command, json_t *reply,
                               uint64_t now_ns, struct fal_error *err)
{
    static const struct {
        const char *name;
        bool of_conn;
        int (*run)(struct tl_sut *sut, const json_t *command, json_t *reply,
                   struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err);
    } steps[] = {
        {"all", true, both},          {"generation", false, generation},
        {"spi", true, spi},           {"peer", true, peer},
        {"drop", true, drop},         {"end", false, end},
        {"match_pcid", false, match},
    };
    struct tl_sut_conn *conn = NULL;
    const char *step = "all";

    if (tl_json_string(command, "step", TL_MAY_HAVE, &step, err) < 0)
        return TL_SUT_FAILED;
    if (sut->sealer == NULL) {
        (void)fal_fail(err, FAL_ERR_TYPE, "rotate_keys: no connection is sealed");
        return TL_SUT_FAILED;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int rc;

        if (strcmp(steps[i].name, step) != 0)
            continue;
        if (steps[i].of_conn) {
            conn = tl_sut_conn_of(sut, command, err);
            if (conn == NULL)
                return TL_SUT_FAILED;
        }
        err->text[0] = 0;
        rc = steps[i].run(sut, command, reply, conn, now_ns, err);
        for (size_t k = 0; rc == 0 && k < sut->num_conns; k++)
            sut->conns[k]->turned |= conn == NULL || conn == sut->conns[k];
        if (rc == 0)
            return TL_SUT_DONE;
        return err->text[0] != 0 && rc != FAL_ERR_MEM ? TL_SUT_FAILED
                                                      : tl_sut_refused(rc, "rotate_keys", err);
    }
    (void)fal_fail(err, FAL_ERR_FORM, "step: unknown step '%.40s'", step);
    return TL_SUT_FAILED;
}
