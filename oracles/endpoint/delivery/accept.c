/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/accept.h"

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/acks.h"

#include <inttypes.h>

/* The connection manager is notified of packets that are not authentic at most once in this
 * time, because any host can send such packets. */
#define INTEGRITY_GAP_NS FAL_MS

void fal_security_init(struct fal_security *security,
                       const struct fal_endpoint_security *config,
                       const struct fal_security_global *global)
{
    *security = (struct fal_security){
        .on = config->on,
        .spi = config->spi,
        .prev_spi = config->spi,
        .generation = global->generation,
        .peer_spi = config->peer_spi,
        .has_vc = config->has_vc,
        .pcid = config->pcid,
        .peer_pcid = config->peer_pcid,
        .remote_time = config->remote_time,
    };
}

/* ---- the pseudo-code ---- */

bool fal_replay_passes(uint64_t remote_time, uint64_t margin, uint64_t iv)
{
    return (int64_t)(iv - (remote_time - margin)) > 0;
}

static bool msb(uint32_t spi)
{
    return spi >> 31 != 0;
}

/* The specification calls `older` prevSpiGen. */
bool fal_spi_matches(const struct fal_security *security,
                     const struct fal_security_global *global, const struct fal_seal *seal)
{
    uint32_t older = global->generation - 1;
    bool cur_gen_matches =
        global->allow_previous
            ? security->generation == global->generation || security->generation == older
            : security->generation == global->generation;
    bool prev_matches = security->prev_spi == seal->spi && security->prev_spi != 0;
    bool same_msb = msb(security->spi) == msb(security->prev_spi);
    bool cur_spi_matches = security->spi == seal->spi && cur_gen_matches;
    bool prev_spi_same_gen_matches = same_msb && prev_matches && cur_gen_matches;
    bool prev_spi_prev_gen_matches = !same_msb && global->allow_previous && prev_matches &&
                                     security->generation - 1 == older;

    return cur_spi_matches || prev_spi_same_gen_matches || prev_spi_prev_gen_matches;
}

bool fal_pcid_matches(const struct fal_security *security,
                      const struct fal_security_global *global, const struct fal_seal *seal)
{
    return !global->pcid_match || (seal->has_vc && seal->vc == security->pcid);
}

bool fal_spi_passes(const struct fal_security *security,
                    const struct fal_security_global *global, const struct fal_seal *seal)
{
    return security->spi != 0 && fal_pcid_matches(security, global, seal) &&
           fal_spi_matches(security, global, seal);
}

/* ---- the checks ---- */

/* The specification leaves open whether the connection manager is told of an integrity failure
 * (11, AMB-64). */
static void tell_integrity(struct fal_ep_conn *conn, enum fal_integrity integrity)
{
    struct fal_endpoint *ep = conn->ep;

    fal_ep_conn_note(conn, "dropped: %s",
                     integrity == FAL_NOT_OPENED ? "not authentic" : "damaged");
    if (!fal_decide(conn, integrity_told, integrity == FAL_NOT_OPENED))
        return;
    if (ep->integrity_told_ns != 0 && ep->now_ns - ep->integrity_told_ns < INTEGRITY_GAP_NS)
        return;
    ep->integrity_told_ns = ep->now_ns;
    fal_ep_conn_tell(conn, "integrity");
}

/* What is wrong with the packet itself. A plain packet on a connection with a security
 * association was never authenticated (6.5). */
static enum fal_integrity integrity_of(struct fal_ep_conn *conn,
                                       const struct fal_endpoint_in *in, bool formed)
{
    if (in->integrity != FAL_INTACT)
        return in->integrity;
    if (!formed)
        return FAL_DAMAGED;
    return conn->security.on && !in->seal.present ? FAL_NOT_OPENED : FAL_INTACT;
}

void fal_accept_remote_time(struct fal_ep_conn *conn, uint64_t iv, bool ack)
{
    bool newer = (int64_t)(iv - conn->security.remote_time) > 0;

    if (fal_decide(conn, remote_time_moves, newer, iv, ack))
        conn->security.remote_time = iv;
}

static bool intact(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                   const struct fal_falcon *falcon, bool formed)
{
    enum fal_integrity integrity = integrity_of(conn, in, formed);

    if (integrity == FAL_INTACT || !fal_proceed(conn, not_intact, in, falcon, formed))
        return true;
    tell_integrity(conn, integrity);
    return false;
}

static bool of_the_tunnel(struct fal_ep_conn *conn, const struct fal_seal *seal, bool ack)
{
    bool fits = fal_spi_passes(&conn->security, &conn->ep->security, seal);

    if (fal_decide(conn, spi_fits, fits, seal, ack))
        return true;
    fal_ep_conn_note(conn, "dropped: spi 0x%08" PRIx32, seal->spi);
    if (fal_proceed(conn, spi_failure, seal))
        fal_ep_conn_tell(conn, "spi");
    return false;
}

static bool is_fresh(const struct fal_ep_conn *conn, uint64_t iv)
{
    uint64_t margin = fal_clock_span(&conn->ep->clock, conn->params.replay_margin_ns);
    bool fresh = fal_replay_passes(conn->security.remote_time, margin, iv);

    return fal_decide(conn, fresh, fresh, margin, iv);
}

static bool no_replay(struct fal_ep_conn *conn, uint64_t iv)
{
    if (is_fresh(conn, iv))
        return true;
    fal_ep_conn_note(conn, "dropped: replay");
    fal_filter(conn, replay, iv);
    return false;
}

/* SPI and replay of a packet that was sealed (9.2.2.2, 9.2.2.3). */
static bool unsealed(struct fal_ep_conn *conn, const struct fal_seal *seal, bool ack)
{
    bool replay_first = fal_decide(conn, replay_first, false);

    if (replay_first && !no_replay(conn, seal->iv))
        return false;
    if (!of_the_tunnel(conn, seal, ack))
        return false;
    if (!replay_first && !no_replay(conn, seal->iv))
        return false;
    fal_accept_remote_time(conn, seal->iv, ack);
    return true;
}

bool fal_accept(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                const struct fal_falcon *falcon, bool formed)
{
    const struct fal_seal *seal = &in->seal;
    bool ack = fal_falcon_is_ack(falcon->packet_type);

    if (!intact(conn, in, falcon, formed))
        return false;
    if (seal->present && !unsealed(conn, seal, ack))
        return false;
    return fal_decide(conn, accepted, true, falcon);
}

/* ---- key rotation ---- */

/* Step 2. The connection takes the endpoint's generation, which is its own plus one unless it
 * missed a rotation (AMB-34). */
static void take_spi(struct fal_ep_conn *conn, const struct fal_seal *seal)
{
    struct fal_security security = conn->security;

    security.prev_spi = security.spi;
    security.spi = seal->spi;
    security.generation = conn->ep->security.generation;
    security.remote_time = seal->iv;
    fal_filter(conn, take_spi, &security);
    conn->security = security;
}

int fal_accept_order(struct fal_endpoint *ep, struct fal_ep_conn *conn,
                     const struct fal_endpoint_in *in)
{
    struct fal_security_global *global = &ep->security;

    switch (in->order) {
    case FAL_CM_MATCH_PCID: global->pcid_match = true; return 0;
    case FAL_CM_IGNORE_PCID: global->pcid_match = false; return 0;
    case FAL_CM_NEW_GENERATION:
        global->allow_previous = true;
        global->generation++;
        return 0;
    case FAL_CM_END_GENERATION: global->allow_previous = false; return 0;
    case FAL_CM_NEW_SPI:
    case FAL_CM_PEER_SPI:
    case FAL_CM_DROP_PREVIOUS: break;
    }
    if (conn == NULL || !conn->security.on)
        return FAL_ERR_RANGE;
    if (in->order == FAL_CM_NEW_SPI)
        take_spi(conn, &in->seal);
    else if (in->order == FAL_CM_DROP_PREVIOUS)
        conn->security.prev_spi = conn->security.spi;
    else if (fal_proceed(conn, new_spi_sent, in))
        conn->security.peer_spi = in->seal.spi;
    fal_ep_conn_note(conn, "spi 0x%08" PRIx32 ", previous 0x%08" PRIx32 ", sends 0x%08" PRIx32,
                     conn->security.spi, conn->security.prev_spi, conn->security.peer_spi);
    return 0;
}
