/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/accept.h"

#include "oracles/endpoint/ackgen.h"
#include "oracles/endpoint/acks.h"
#include "oracles/endpoint/connection.h"

#include <inttypes.h>

/* Told of packets that nobody can vouch for, the connection manager could be flooded. */
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

/* Its name for a variable, where ours differs: prevSpiGen is `older`. */
static bool spi_matches(const struct fal_security *security,
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

static bool pcid_matches(const struct fal_security *security,
                         const struct fal_security_global *global, const struct fal_seal *seal)
{
    return !global->pcid_match || (seal->has_vc && seal->vc == security->pcid);
}

bool fal_spi_passes(const struct fal_security *security,
                    const struct fal_security_global *global, const struct fal_seal *seal)
{
    return security->spi != 0 && pcid_matches(security, global, seal) &&
           spi_matches(security, global, seal);
}

/* ---- the checks ---- */

/* 11, AMB-64: whether the connection manager hears of an integrity failure is free. */
static void tell_integrity(struct fal_ep_conn *conn, enum fal_integrity integrity)
{
    struct fal_endpoint *ep = conn->ep;

    fal_ep_conn_note(conn, "dropped: %s",
                     integrity == FAL_NOT_OPENED ? "not authentic" : "damaged");
    if (fal_twin(conn, FAL_TWIN_INTEGRITY_SILENT) ||
        (integrity != FAL_NOT_OPENED && !fal_twin(conn, FAL_TWIN_EVERY_DROP_TOLD)))
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
    if (conn->security.on && !in->seal.present &&
        !fal_fault(conn, FAL_FAULT_PLAINTEXT_ACCEPTED))
        return FAL_NOT_OPENED;
    return FAL_INTACT;
}

static void update_remote_time(struct fal_ep_conn *conn, uint64_t iv)
{
    uint64_t *remote_time = &conn->security.remote_time;
    bool newer = (int64_t)(iv - *remote_time) > 0;

    if (newer ? !fal_fault(conn, FAL_FAULT_REMOTE_TIME_FROZEN)
              : iv != *remote_time && fal_fault(conn, FAL_FAULT_REMOTE_TIME_GOES_BACK))
        *remote_time = iv;
}

static bool intact(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                   const struct fal_falcon *falcon, bool formed)
{
    enum fal_integrity integrity = integrity_of(conn, in, formed);

    if (integrity == FAL_INTACT)
        return true;
    if (in->seal.present && fal_fault(conn, FAL_FAULT_REMOTE_TIME_UNPROVEN))
        update_remote_time(conn, in->seal.iv);
    if (formed && fal_fault(conn, FAL_FAULT_INTEGRITY_UNCHECKED))
        return true;
    if (formed && fal_fault(conn, FAL_FAULT_DAMAGED_PIGGYBACK_TAKEN))
        fal_acks_piggyback(conn, falcon);
    tell_integrity(conn, integrity);
    return false;
}

/* `right`, unless a fault acts that would have `wrong`. */
static bool otherwise(const struct fal_ep_conn *conn, enum fal_fault_id id, bool right,
                      bool wrong)
{
    return right != wrong && fal_fault(conn, id) ? wrong : right;
}

static bool spi_fits(const struct fal_ep_conn *conn, const struct fal_seal *seal, bool ack)
{
    const struct fal_security *now = &conn->security;
    const struct fal_security_global *global = &conn->ep->security;
    struct fal_security one_key = *now;
    struct fal_security_global no_pcid = *global, old_too = *global, leap = *global;
    struct fal_security_global new_only = *global, with_pcid = *global;
    bool fits = fal_spi_passes(now, global, seal);

    if (!fal_faulty(conn))
        return fits;
    one_key.prev_spi = 0;
    no_pcid.pcid_match = false;
    with_pcid.pcid_match = seal->has_vc;
    old_too.allow_previous = true;
    new_only.allow_previous = false;
    leap.generation += global->generation - now->generation; /* each turn counts twice */
    fits = otherwise(conn, FAL_FAULT_PCID_OF_PEER, fits,
                     !global->pcid_match ? fits : seal->has_vc && seal->vc == now->peer_pcid);
    fits = otherwise(conn, FAL_FAULT_PCID_ALWAYS_MATCHED, fits,
                     fal_spi_passes(now, &with_pcid, seal));
    fits = otherwise(conn, FAL_FAULT_GENERATION_BY_TWO, fits, fal_spi_passes(now, &leap, seal));
    fits = otherwise(conn, FAL_FAULT_GENERATION_BEFORE_UNKNOWN, fits,
                     fal_spi_passes(now, &new_only, seal));
    fits = otherwise(conn, FAL_FAULT_PCID_UNCHECKED, fits, fal_spi_passes(now, &no_pcid, seal));
    fits = otherwise(conn, FAL_FAULT_OLD_GENERATION_ACCEPTED, fits,
                     fal_spi_passes(now, &old_too, seal));
    fits = otherwise(conn, FAL_FAULT_PREVIOUS_SPI_REFUSED, fits,
                     fits && fal_spi_passes(&one_key, global, seal));
    fits = otherwise(conn, FAL_FAULT_SPI_ZERO_ACCEPTED, fits,
                     fits || (now->spi == 0 && pcid_matches(now, global, seal) &&
                              spi_matches(now, global, seal)));
    fits = otherwise(conn, FAL_FAULT_SPI_UNCHECKED_ON_ACKS, fits, fits || ack);
    return otherwise(conn, FAL_FAULT_SPI_UNCHECKED, fits, true);
}

static bool of_the_tunnel(struct fal_ep_conn *conn, const struct fal_seal *seal, bool ack)
{
    if (spi_fits(conn, seal, ack))
        return true;
    fal_ep_conn_note(conn, "dropped: spi 0x%08" PRIx32, seal->spi);
    if (!fal_fault(conn, FAL_FAULT_SPI_FAILURE_SILENT))
        fal_ep_conn_tell(conn, "spi");
    if (fal_fault(conn, FAL_FAULT_SPI_FAILURE_ACKNOWLEDGED))
        fal_ackgen_news(conn, true);
    return false;
}

static bool is_fresh(const struct fal_ep_conn *conn, uint64_t iv)
{
    uint64_t margin = fal_clock_span(&conn->ep->clock, conn->params.replay_margin_ns);
    uint64_t remote_time = conn->security.remote_time, edge = remote_time - margin;
    bool fresh = fal_replay_passes(remote_time, margin, iv);

    fresh = otherwise(conn, FAL_FAULT_REPLAY_COMPARE_UNSIGNED, fresh, edge < iv);
    fresh = otherwise(
        conn, FAL_FAULT_REPLAY_MARGIN_FIXED, fresh,
        fal_replay_passes(remote_time, fal_clock_span(&conn->ep->clock, 100 * FAL_US), iv));
    fresh = otherwise(conn, FAL_FAULT_REPLAY_AT_EQUALITY, fresh, fresh || iv == edge);
    fresh = otherwise(conn, FAL_FAULT_REPLAY_WITHOUT_MARGIN, fresh,
                      fal_replay_passes(remote_time, 0, iv));
    fresh = otherwise(conn, FAL_FAULT_REPLAY_MARGIN_INVERTED, fresh,
                      fal_replay_passes(remote_time, 0 - margin, iv));
    return otherwise(conn, FAL_FAULT_REPLAY_UNCHECKED, fresh, true);
}

static bool no_replay(struct fal_ep_conn *conn, uint64_t iv)
{
    if (is_fresh(conn, iv))
        return true;
    fal_ep_conn_note(conn, "dropped: replay");
    if (fal_twin(conn, FAL_TWIN_EVERY_DROP_TOLD))
        fal_ep_conn_tell(conn, "replay");
    if (fal_fault(conn, FAL_FAULT_REPLAY_ACKNOWLEDGED))
        fal_ackgen_news(conn, true);
    return false;
}

/* SPI and replay of a packet that was sealed (9.2.2.2, 9.2.2.3). */
static bool unsealed(struct fal_ep_conn *conn, const struct fal_seal *seal, bool ack)
{
    if (fal_twin(conn, FAL_TWIN_REPLAY_BEFORE_SPI)) {
        if (!no_replay(conn, seal->iv) || !of_the_tunnel(conn, seal, ack))
            return false;
    } else if (!of_the_tunnel(conn, seal, ack) || !no_replay(conn, seal->iv)) {
        return false;
    }
    if (!ack || !fal_twin(conn, FAL_TWIN_REMOTE_TIME_NOT_OF_ACKS))
        update_remote_time(conn, seal->iv);
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
    struct fal_security *security = &conn->security;

    if (fal_fault(conn, FAL_FAULT_NEW_SPI_UNKNOWN))
        return;
    if (!fal_fault(conn, FAL_FAULT_PREVIOUS_SPI_FORGOTTEN))
        security->prev_spi = security->spi;
    else
        security->prev_spi = seal->spi;
    security->spi = seal->spi;
    if (security->generation != conn->ep->security.generation &&
        !fal_fault(conn, FAL_FAULT_GENERATION_OF_SPI_KEPT))
        security->generation = conn->ep->security.generation;
    security->remote_time = seal->iv;
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
    else if (!fal_fault(conn, FAL_FAULT_OLD_SPI_SENT))
        conn->security.peer_spi = in->seal.spi;
    fal_ep_conn_note(conn, "spi 0x%08" PRIx32 ", previous 0x%08" PRIx32 ", sends 0x%08" PRIx32,
                     conn->security.spi, conn->security.prev_spi, conn->security.peer_spi);
    return 0;
}
