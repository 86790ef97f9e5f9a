/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of accept.c: which packets pass the checks (9.2.2.1 to 9.2.2.3). */
#include "oracles/endpoint/delivery/accept.h"

#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/acks.h"

/* ---- integrity (9.2.2.1) ---- */

bool fal_at_integrity_told(const struct fal_ep_conn *conn, bool told)
{
    return !fal_twin(conn, FAL_TWIN_INTEGRITY_SILENT) &&
           (told || fal_twin(conn, FAL_TWIN_EVERY_DROP_TOLD));
}

bool fal_at_not_intact(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                       const struct fal_falcon *falcon, bool formed)
{
    bool plain = formed && in->integrity == FAL_INTACT;

    if (plain && fal_fault(conn, FAL_FAULT_PLAINTEXT_ACCEPTED))
        return false;
    if (in->seal.present && fal_fault(conn, FAL_FAULT_REMOTE_TIME_UNPROVEN))
        fal_accept_remote_time(conn, in->seal.iv, false);
    if (formed && fal_fault(conn, FAL_FAULT_INTEGRITY_UNCHECKED))
        return false;
    if (formed && fal_fault(conn, FAL_FAULT_DAMAGED_PIGGYBACK_TAKEN))
        fal_acks_piggyback(conn, falcon);
    return true;
}

/* ---- SPI (9.2.2.3) ---- */

/* `right`, unless a fault acts that would have `wrong`. */
static bool otherwise(const struct fal_ep_conn *conn, enum fal_fault_id id, bool right,
                      bool wrong)
{
    return right != wrong && fal_fault(conn, id) ? wrong : right;
}

bool fal_at_spi_fits(const struct fal_ep_conn *conn, bool fits, const struct fal_seal *seal,
                     bool ack)
{
    const struct fal_security *now = &conn->security;
    const struct fal_security_global *global = &conn->ep->security;
    struct fal_security one_key = *now;
    struct fal_security_global no_pcid = *global, old_too = *global, leap = *global;
    struct fal_security_global new_only = *global, with_pcid = *global;

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
                     fits || (now->spi == 0 && fal_pcid_matches(now, global, seal) &&
                              fal_spi_matches(now, global, seal)));
    fits = otherwise(conn, FAL_FAULT_SPI_UNCHECKED_ON_ACKS, fits, fits || ack);
    return otherwise(conn, FAL_FAULT_SPI_UNCHECKED, fits, true);
}

bool fal_at_spi_failure(struct fal_ep_conn *conn, const struct fal_seal *seal)
{
    bool silent = fal_fault(conn, FAL_FAULT_SPI_FAILURE_SILENT);

    (void)seal;
    if (fal_fault(conn, FAL_FAULT_SPI_FAILURE_ACKNOWLEDGED))
        fal_ackgen_news(conn, true);
    return !silent;
}

/* ---- replay (9.2.2.2) ---- */

bool fal_at_fresh(const struct fal_ep_conn *conn, bool fresh, uint64_t margin, uint64_t iv)
{
    uint64_t remote_time = conn->security.remote_time, edge = remote_time - margin;

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

void fal_at_replay(struct fal_ep_conn *conn, uint64_t iv)
{
    (void)iv;
    if (fal_twin(conn, FAL_TWIN_EVERY_DROP_TOLD))
        fal_ep_conn_tell(conn, "replay");
    if (fal_fault(conn, FAL_FAULT_REPLAY_ACKNOWLEDGED))
        fal_ackgen_news(conn, true);
}

bool fal_at_replay_first(const struct fal_ep_conn *conn, bool first)
{
    return first || fal_twin(conn, FAL_TWIN_REPLAY_BEFORE_SPI);
}

bool fal_at_remote_time_moves(const struct fal_ep_conn *conn, bool newer, uint64_t iv, bool ack)
{
    if (ack && fal_twin(conn, FAL_TWIN_REMOTE_TIME_NOT_OF_ACKS))
        return false;
    if (newer)
        return !fal_fault(conn, FAL_FAULT_REMOTE_TIME_FROZEN);
    return iv != conn->security.remote_time && fal_fault(conn, FAL_FAULT_REMOTE_TIME_GOES_BACK);
}

/* ---- key rotation ---- */

void fal_at_take_spi(const struct fal_ep_conn *conn, struct fal_security *taken)
{
    uint32_t kept = conn->security.generation;

    if (fal_fault(conn, FAL_FAULT_NEW_SPI_UNKNOWN)) {
        *taken = conn->security;
        return;
    }
    if (taken->remote_time != conn->security.remote_time &&
        fal_fault(conn, FAL_FAULT_REMOTE_TIME_KEPT))
        taken->remote_time = conn->security.remote_time;
    if (fal_fault(conn, FAL_FAULT_PREVIOUS_SPI_FORGOTTEN))
        taken->prev_spi = taken->spi;
    if (kept != taken->generation && fal_fault(conn, FAL_FAULT_GENERATION_OF_SPI_KEPT))
        taken->generation = kept;
}

bool fal_at_new_spi_sent(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in)
{
    (void)in;
    return !fal_fault(conn, FAL_FAULT_OLD_SPI_SENT);
}

/* ---- reserved bits ---- */

/* A reserved field of the header is not 0. */
static bool has_reserved_bits(const struct fal_falcon *falcon)
{
    const struct fal_layout *layout = fal_falcon_layout(falcon->packet_type);

    for (size_t i = 0; i < layout->num_fields; i++)
        if (layout->fields[i].kind == FAL_RSVD &&
            fal_field_get(&layout->fields[i], falcon) != 0)
            return true;
    return false;
}

bool fal_at_accepted(const struct fal_ep_conn *conn, bool accepted,
                     const struct fal_falcon *falcon)
{
    return accepted &&
           !(fal_twin(conn, FAL_TWIN_RESERVED_BITS_REFUSED) && has_reserved_bits(falcon));
}
