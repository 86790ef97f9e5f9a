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

int tl_sut_secure(struct tl_sut *sut, const struct tl_protocol_command *command,
                  struct fal_endpoint_security *security, json_t *reply, struct fal_error *err)
{
    const struct tl_protocol_security *given = &command->security;
    json_t *sa;

    if (sut->sealer == NULL)
        return 0;
    if (!command->has_security)
        return fal_fail(err, FAL_ERR_FORM, "security: missing; expected an object, with an sa");
    security->on = true;
    if (tl_sealer_learn(sut->sealer, given->sa, &security->peer_spi, err) != 0)
        return FAL_ERR_FORM;
    security->remote_time = given->remote_time;
    security->pcid = given->pcid;
    security->peer_pcid = given->peer_pcid;
    security->has_vc = given->has_peer_pcid;
    if (tl_sealer_issue(sut->sealer, &security->spi, &sa) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (reply == NULL) {
        json_decref(sut->told_sa);
        sut->told_sa = sut->reply.sa = sa;
        return 0;
    }
    if (json_object_set_new(reply, "security", json_pack("{s:o}", "sa", sa)) != 0)
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
static int generation(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
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
static int spi(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
               struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    struct fal_seal seal = {.present = true, .iv = command->remote_time};
    json_t *sa;
    int rc;

    (void)err;
    rc = tl_sealer_issue(sut->sealer, &seal.spi, &sa);
    if (rc != 0)
        return rc;
    (void)json_object_set_new(reply, "sa", sa);
    return order(sut, conn->number, FAL_CM_NEW_SPI, &seal, now_ns);
}

/* The connection is not configured any longer: its SPI becomes 0, besides its previous one. */
static int zero(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    const struct fal_seal seal = {.present = true, .iv = command->remote_time};

    (void)reply;
    (void)err;
    return order(sut, conn->number, FAL_CM_NEW_SPI, &seal, now_ns);
}

/* Step 3: the peer has a new SPI; packets to it use that one. */
static int peer(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    struct fal_seal seal = {.present = true};
    int rc = tl_sealer_learn(sut->sealer, command->sa, &seal.spi, err);

    (void)reply;
    return rc != 0 ? rc : order(sut, conn->number, FAL_CM_PEER_SPI, &seal, now_ns);
}

/* Step 4: the previous SPI of the connection becomes invalid. */
static int drop(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    (void)command;
    (void)reply;
    (void)err;
    return order(sut, conn->number, FAL_CM_DROP_PREVIOUS, NULL, now_ns);
}

/* Step 5: the previous generation of keys becomes invalid. */
static int end(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
               struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    (void)command;
    (void)reply;
    (void)conn;
    (void)err;
    return order(sut, 0, FAL_CM_END_GENERATION, NULL, now_ns);
}

static int both(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    int rc = generation(sut, command, reply, conn, now_ns, err);

    return rc != 0 ? rc : spi(sut, command, reply, conn, now_ns, err);
}

/* Sets whether the tunnel's PCID is checked (9.2.2.3). */
static int match(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                 struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err)
{
    (void)reply;
    (void)conn;
    if (!command->has_on)
        return fal_fail(err, FAL_ERR_FORM, "on: missing; expected true or false");
    return order(sut, 0, command->on ? FAL_CM_MATCH_PCID : FAL_CM_IGNORE_PCID, NULL, now_ns);
}

enum tl_sut_done tl_sut_rotate(struct tl_sut *sut, struct tl_protocol_command *command,
                               json_t *reply, uint64_t now_ns, struct fal_error *err)
{
    static const struct {
        bool of_conn;
        int (*run)(struct tl_sut *sut, struct tl_protocol_command *command, json_t *reply,
                   struct tl_sut_conn *conn, uint64_t now_ns, struct fal_error *err);
    } steps[] = {
        [TL_ROTATE_ALL] = {true, both},          [TL_ROTATE_GENERATION] = {false, generation},
        [TL_ROTATE_SPI] = {true, spi},           [TL_ROTATE_PEER] = {true, peer},
        [TL_ROTATE_DROP] = {true, drop},         [TL_ROTATE_END] = {false, end},
        [TL_ROTATE_MATCH_PCID] = {false, match}, [TL_ROTATE_ZERO] = {true, zero},
    };
    struct tl_sut_conn *conn = NULL;
    int rc;

    if (sut->sealer == NULL) {
        (void)fal_fail(err, FAL_ERR_TYPE, "rotate_keys: no connection is sealed");
        return TL_SUT_FAILED;
    }
    if (steps[command->step].of_conn) {
        conn = tl_sut_conn_of(sut, command, err);
        if (conn == NULL)
            return TL_SUT_FAILED;
    }
    err->text[0] = 0;
    rc = steps[command->step].run(sut, command, reply, conn, now_ns, err);
    for (size_t k = 0; rc == 0 && k < sut->num_conns; k++)
        sut->conns[k]->turned |= conn == NULL || conn == sut->conns[k];
    if (rc == 0)
        return TL_SUT_DONE;
    return err->text[0] != 0 && rc != FAL_ERR_MEM ? TL_SUT_FAILED
                                                  : tl_sut_refused(rc, "rotate_keys", err);
}
