/* SPDX-License-Identifier: Apache-2.0
 * session_seal.c - the security associations of a case (6.5, 9.2.2.3): the keys that both ends
 * exchange when the connection opens and when keys rotate, and the packets that are sealed and
 * opened with them. */
#include "harness/session/session_impl.h"

#include "codecs/base/error.h"
#include "harness/session/offer.h"
#include "harness/wire/protocol.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PS_PER_NS = 1000 };

/* As much time as a packet under the old key may still be under way. */
#define ROTATION_SLACK_NS FAL_MS

static void no_memory(struct tl_session *session)
{
    tl_session_break(session, TL_REASON_MEMORY, "out of memory");
}

static bool is_esp(enum fal_encap encap)
{
    return encap == FAL_ENCAP_ESP_TRANSPORT || encap == FAL_ENCAP_ESP_TUNNEL;
}

/* The keys of a test are not secret, and a capture cannot be opened without them, so they are
 * noted on the timeline. Keys from a file are not. */
static void note_sa(struct tl_session *session, const char *to, const json_t *sa)
{
    json_t *note;
    char *text;

    if (session->config.timeline == NULL) { /* nobody reads the text */
        tl_session_text(session, FAL_EV_NOTE, -1, "");
        return;
    }
    note = json_pack("{s:s, s:O}", "packets_to", to, "sa", sa);
    text = note == NULL ? NULL : json_dumps(note, JSON_COMPACT);
    if (text != NULL)
        tl_session_text(session, FAL_EV_NOTE, -1, text);
    free(text);
    json_decref(note);
}

/* Makes the tester's keys: *sa receives a new reference to what the SUT is told of them. */
static int issue(struct tl_session *session, json_t **sa)
{
    const struct tl_pcids *pcids = &session->config.pcids;
    struct fal_endpoint_security *security = &session->security;
    enum fal_encap encap = session->config.encap;

    session->sealer = tl_sealer_new(encap, session->config.seed);
    session->sealed = malloc(TL_SEALED_MAX);
    if (session->sealer != NULL && session->bench->life.spi != 0)
        tl_sealer_issue_after(session->sealer, session->bench->life.spi);
    if (session->sealer != NULL)
        tl_sealer_file(session->sealer,
                       is_esp(encap) ? session->config.esp_keys : session->config.psp_keys,
                       false);
    if (session->sealer == NULL || session->sealed == NULL ||
        tl_sealer_issue(session->sealer, &security->spi, sa) != 0) {
        no_memory(session);
        return FAL_ERR_MEM;
    }
    if (session->bench->life.on)
        session->bench->life.spi = security->spi;
    note_sa(session, "tester", *sa);
    *security = (struct fal_endpoint_security){.on = true,
                                               .spi = security->spi,
                                               .has_vc = pcids->on,
                                               .pcid = pcids->tester,
                                               .peer_pcid = pcids->sut};
    return 0;
}

int tl_session_seal_open(struct tl_session *session, json_t *command)
{
    const struct tl_pcids *pcids = &session->config.pcids;
    const struct tl_link *link = session->bench->link;
    json_t *told, *sa;

    if (link->ops->esp != NULL)
        link->ops->esp(session->bench->link, is_esp(session->config.encap));
    (void)json_object_set_new(command, "encap",
                              json_string(fal_encap_name(session->config.encap)));
    if (!tl_encap_seals(session->config.encap))
        return 0;
    if (issue(session, &sa) != 0)
        return FAL_ERR_MEM;
    told = json_pack("{s:o, s:o}", "sa", sa, "remote_time",
                     tl_protocol_wide(session->clock_ps - 1));
    if (pcids->on) {
        (void)json_object_set_new(told, "pcid", tl_protocol_wide(pcids->sut));
        (void)json_object_set_new(told, "peer_pcid", tl_protocol_wide(pcids->tester));
    }
    if (told == NULL || json_object_set_new(command, "security", told) != 0) {
        no_memory(session);
        return FAL_ERR_MEM;
    }
    return 0;
}

int tl_session_seal_order(struct tl_session *session, struct tl_protocol_command *command,
                          json_t **sa)
{
    const struct tl_pcids *pcids = &session->config.pcids;

    *sa = NULL;
    if (!tl_encap_seals(session->config.encap))
        return 0;
    if (issue(session, sa) != 0)
        return FAL_ERR_MEM;
    command->has_security = true;
    command->security = (struct tl_protocol_security){
        .sa = *sa, .remote_time = session->clock_ps - 1, .has_peer_pcid = pcids->on};
    if (pcids->on) {
        command->security.pcid = pcids->sut;
        command->security.peer_pcid = pcids->tester;
    }
    return 0;
}

/* PCID Match Enable is the SUT's as a whole, and may be as another case left it. */
static int match_pcids(struct tl_session *session, struct fal_error *err)
{
    struct tl_upper_line reply;

    return tl_bench_call(session->bench,
                         json_pack("{s:s, s:s, s:b}", "do", "rotate_keys", "step", "match_pcid",
                                   "on", session->config.pcids.match),
                         &reply, err);
}

int tl_session_seal_opened(struct tl_session *session, const struct tl_upper_line *reply,
                           struct fal_error *err)
{
    const json_t *sa = reply->said != NULL
                           ? reply->said->sa
                           : json_object_get(json_object_get(reply->object, "security"), "sa");
    struct fal_error why;

    if (session->sealer == NULL)
        return 0;
    if (tl_sealer_learn(session->sealer, sa, &session->security.peer_spi, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "the adapter's answer to `open`: security: %s",
                        why.text);
    note_sa(session, "sut", sa);
    session->new_spi = session->security.peer_spi;
    tl_spis_open(&session->sut_spis, session->new_spi);
    return session->config.pcids.on ? match_pcids(session, err) : 0;
}

void tl_session_seal_free(struct tl_session *session)
{
    tl_sealer_free(session->sealer);
    json_decref(session->new_sa);
    free(session->sealed);
}

struct tl_sealing tl_session_sealing(struct tl_session *session)
{
    struct tl_sealing how = {.spoil = TL_SPOIL_NOTHING};

    if (session->sealer != NULL)
        /* The connection is open; without a seal nothing is sealed. */
        FAL_IGNORE(fal_endpoint_seal(session->endpoint, session->conn, tl_session_now(session),
                                     &how.seal));
    return how;
}

/* A packet under an SPI that no end gave has no key: it is sealed with the right one and then
 * carries the other SPI. */
static int seal_under_no_key(struct tl_session *session, const struct tl_sealing *how,
                             const uint8_t *bytes, size_t len)
{
    struct tl_sealing right = *how;
    uint8_t from[4], to[4];
    uint8_t *at;
    int n;

    right.seal.spi = tl_session_sealing(session).seal.spi;
    n = tl_sealer_seal(session->sealer, &right.seal, how->spoil, (struct fal_span){bytes, len},
                       session->sealed, TL_SEALED_MAX);
    if (n < 0)
        return n;
    for (int i = 0; i < 4; i++) {
        from[i] = (uint8_t)(right.seal.spi >> (24 - 8 * i));
        to[i] = (uint8_t)(how->seal.spi >> (24 - 8 * i));
    }
    at = memmem(session->sealed, (size_t)n, from, sizeof from);
    if (at == NULL)
        return FAL_ERR_KEY;
    memcpy(at, to, sizeof to);
    return n;
}

/* Longer packets may leave no room for the headers and the seal around them. */
enum { SEALS_SURELY = TL_PAYLOAD_MAX - TL_SEAL_ROOM - FAL_HEADER_MAX };

int tl_session_seal(struct tl_session *session, const struct tl_sealing *how,
                    const uint8_t **bytes, size_t *len)
{
    int n;

    if (session->sealer == NULL)
        return 0;
    n = tl_sealer_seal(session->sealer, &how->seal, how->spoil, (struct fal_span){*bytes, *len},
                       session->sealed, TL_SEALED_MAX);
    if (n == FAL_ERR_KEY && (how->bad == FAL_BAD_SPI || how->bad == FAL_BAD_SEAL))
        n = seal_under_no_key(session, how, *bytes, *len);
    if (n < 0 && n != FAL_ERR_KEY && n != FAL_ERR_MEM && *len > SEALS_SURELY) {
        tl_session_break(session, TL_REASON_SEND,
                         "a packet of %zu bytes is too long for a sealed frame", *len);
        return n;
    }
    if (n < 0) {
        tl_session_break(session, TL_REASON_SEAL,
                         n == FAL_ERR_KEY ? "no key is known for SPI 0x%08" PRIx32
                                          : "a packet under SPI 0x%08" PRIx32
                                            " cannot be sealed",
                         how->seal.spi);
        return n;
    }
    if (how->bad == FAL_BAD_NOT && how->seal.present &&
        (int64_t)(how->seal.iv - session->newest_iv) > 0)
        session->newest_iv = how->seal.iv;
    *bytes = session->sealed;
    *len = (size_t)n;
    return 0;
}

/* A packet in the clear, where the connection is sealed, counts as one when it is addressed to
 * the tester. */
static bool believable(const struct tl_session *session, const struct tl_packet *packet)
{
    return packet->seal.present || packet->falcon.dest_cid == session->connection.tester.cid;
}

bool tl_session_unseal(struct tl_session *session, const struct tl_link_got *got,
                       struct tl_packet *out)
{
    struct tl_opened opened = {.bytes = got->bytes, .len = got->len};
    bool opens = session->sealer == NULL ||
                 (tl_sealer_open(session->sealer, got->bytes, got->len, &opened) == 0 &&
                  opened.integrity == FAL_INTACT);
    char text[160];

    *out = (struct tl_packet){.step = -1, .conn = 1};
    if (opens) {
        tl_packet_set_bytes(out, opened.bytes, opened.len);
        out->seal = opened.seal;
        out->carrier = opened.carrier;
    }
    if (session->sealer == NULL)
        return true;
    if (opens && believable(session, out)) {
        if (out->seal.iv > session->sut_iv)
            session->sut_iv = out->seal.iv;
        return true;
    }
    session->unopened++;
    (void)snprintf(text, sizeof text,
                   "a frame of %zu bytes from the SUT, SPI 0x%08" PRIx32 ", does not open",
                   got->len, opened.seal.spi);
    tl_session_text(session, FAL_EV_NOTE, -1, text);
    tl_session_mark(session, FAL_MARK_GAP_OUT, 1);
    return false;
}

/* ---- rotation ---- */

static uint64_t past(uint64_t iv, const struct tl_session *session)
{
    uint64_t slack = (session->bench->path_ns + ROTATION_SLACK_NS) * PS_PER_NS;

    return iv > slack ? iv - slack : 0;
}

static int order(struct tl_session *session, enum fal_cm_order what, uint32_t spi, uint64_t iv)
{
    const struct fal_endpoint_in in = {.kind = FAL_IN_CM,
                                       .conn = session->conn,
                                       .order = what,
                                       .seal = {.present = true, .spi = spi, .iv = iv}};

    return tl_session_input(session, &in, NULL);
}

/* The adapter does not carry out the step. */
static int refused(struct tl_session *session, const char *step)
{
    const struct tl_need need = tl_need_of_rotation(step);
    bool unsupported = strcmp(session->answer_error, "unsupported") == 0;
    char text[TL_LACK_MAX];

    tl_offer_print(&need, session->answer_error, session->answer_why, text, sizeof text);
    tl_session_break(session, TL_REASON_ROTATE, "%s", text);
    session->broken.unsupported = unsupported;
    if (unsupported)
        tl_session_unsupported(session, &need, session->answer_why);
    return FAL_ERR_FORM;
}

/* One step at the SUT: its answer is waited for. */
static int at_sut(struct tl_session *session, const char *step)
{
    json_t *command = json_pack("{s:s, s:s, s:s}", "do", "rotate_keys", "conn",
                                session->connection.name, "step", step);
    bool spi = strcmp(step, "spi") == 0 || strcmp(step, "all") == 0;
    struct fal_error err = {{0}};

    if (spi || strcmp(step, "zero") == 0)
        (void)json_object_set_new(
            command, "remote_time",
            tl_protocol_wide(past(tl_session_sealing(session).seal.iv, session)));
    if (strcmp(step, "peer") == 0)
        (void)json_object_set(command, "sa", session->new_sa);
    tl_session_command(session, command);
    if (!tl_session_await_answer(session))
        return FAL_ERR_IO;
    if (!session->answer_ok)
        return refused(session, step);
    if (spi &&
        tl_sealer_learn(session->sealer, session->answer_sa, &session->new_spi, &err) != 0) {
        tl_session_break(session, TL_REASON_ROTATE, "%s", err.text);
        return FAL_ERR_FORM;
    }
    if (spi)
        note_sa(session, "sut", session->answer_sa);
    tl_spis_turn(&session->sut_spis, step, session->new_spi);
    return 0;
}

static int at_tester(struct tl_session *session, const char *step)
{
    uint32_t spi;
    int rc = 0;

    if (strcmp(step, "generation") == 0) {
        rc = tl_sealer_turn(session->sealer);
        return rc != 0 ? rc : order(session, FAL_CM_NEW_GENERATION, 0, 0);
    }
    if (strcmp(step, "spi") == 0) {
        json_decref(session->new_sa);
        session->new_sa = NULL;
        rc = tl_sealer_issue(session->sealer, &spi, &session->new_sa);
        if (rc != 0)
            return rc;
        if (session->bench->life.on)
            session->bench->life.spi = spi;
        note_sa(session, "tester", session->new_sa);
        /* Packets of the SUT that are still under way are younger, or late by the margin. */
        return order(session, FAL_CM_NEW_SPI, spi, session->sut_iv);
    }
    if (strcmp(step, "zero") == 0)
        return order(session, FAL_CM_NEW_SPI, 0, session->sut_iv);
    if (strcmp(step, "peer") == 0)
        return order(session, FAL_CM_PEER_SPI, session->new_spi, 0);
    if (strcmp(step, "drop") == 0)
        return order(session, FAL_CM_DROP_PREVIOUS, 0, 0);
    return order(session, FAL_CM_END_GENERATION, 0, 0);
}

int tl_session_rotate(struct tl_session *session, enum tl_side side, const char *step)
{
    static const char *const whole[] = {"generation", "spi"};
    int rc = 0;

    if (session->sealer == NULL) {
        tl_session_break(session, TL_REASON_ROTATE,
                         "the connection is not sealed: it has no keys");
        return FAL_ERR_TYPE;
    }
    if (strcmp(step, "all") != 0) {
        rc = side == TL_SIDE_SUT ? at_sut(session, step) : at_tester(session, step);
    } else {
        for (size_t i = 0; i < 2 && rc == 0; i++)
            rc = tl_session_rotate(session, side, whole[i]);
        if (rc == 0)
            rc = tl_session_rotate(session, side == TL_SIDE_SUT ? TL_SIDE_TESTER : TL_SIDE_SUT,
                                   "peer");
    }
    if (rc != 0)
        tl_session_break(session, TL_REASON_ROTATE, "%s: the tester's endpoint rejects it",
                         step);
    return rc;
}
