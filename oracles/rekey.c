/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rekey.h"

enum { TOP_BIT = 31 };

void fal_rekey_init(struct fal_rekey *rekey, struct fal_endpoint *ep, struct fal_endpoint *peer,
                    uint32_t first_spi)
{
    *rekey = (struct fal_rekey){
        .ep = ep,
        .peer = peer,
        .announce_ns = 50 * FAL_US,
        .linger_ns = 100 * FAL_US,
        .next_spi = first_spi,
        .deadline_ns = FAL_NEVER,
    };
}

static int order(struct fal_endpoint *ep, uint32_t conn, enum fal_cm_order what, uint32_t spi,
                 uint64_t iv, uint64_t now_ns)
{
    const struct fal_endpoint_in in = {
        .kind = FAL_IN_CM, .conn = conn, .order = what, .seal = {.spi = spi, .iv = iv}};

    return fal_endpoint_input(ep, &in, now_ns, NULL);
}

static uint32_t new_spi(struct fal_rekey *rekey)
{
    uint32_t spi = rekey->next_spi++ & ~(1u << TOP_BIT);

    return spi | (uint32_t)rekey->top_bit << TOP_BIT;
}

int fal_rekey_prepare(struct fal_rekey *rekey, uint64_t now_ns)
{
    if (!rekey->open)
        return 0;
    rekey->open = false;
    return order(rekey->ep, 0, FAL_CM_END_GENERATION, 0, 0, now_ns);
}

int fal_rekey_start(struct fal_rekey *rekey, uint64_t now_ns, uint64_t remote_time)
{
    int rc;

    if (rekey->step != FAL_REKEY_IDLE)
        return FAL_ERR_RANGE;
    rc = fal_rekey_prepare(rekey, now_ns);
    if (rc == 0)
        rc = order(rekey->ep, 0, FAL_CM_NEW_GENERATION, 0, 0, now_ns);
    rekey->open = true;
    rekey->top_bit = !rekey->top_bit;
    for (size_t i = 0; i < rekey->num_conns && rc == 0; i++) {
        struct fal_rekey_conn *c = &rekey->conns[i];

        c->spi = new_spi(rekey);
        rc = order(rekey->ep, c->conn, FAL_CM_NEW_SPI, c->spi, remote_time, now_ns);
    }
    rekey->step = FAL_REKEY_ANNOUNCE;
    rekey->deadline_ns = now_ns + rekey->announce_ns;
    return rc;
}

static int announce(struct fal_rekey *rekey, uint64_t now_ns)
{
    int rc = 0;

    for (size_t i = 0; i < rekey->num_conns && rc == 0; i++)
        rc = order(rekey->peer, rekey->conns[i].peer_conn, FAL_CM_PEER_SPI, rekey->conns[i].spi,
                   0, now_ns);
    if (rekey->linger_ns == FAL_NEVER) {
        rekey->step = FAL_REKEY_IDLE;
        rekey->deadline_ns = FAL_NEVER;
    } else {
        rekey->step = FAL_REKEY_LINGER;
        rekey->deadline_ns = now_ns + rekey->linger_ns;
    }
    return rc;
}

static int drop_previous(struct fal_rekey *rekey, uint64_t now_ns)
{
    int rc = 0;

    for (size_t i = 0; i < rekey->num_conns && rc == 0; i++)
        rc = order(rekey->ep, rekey->conns[i].conn, FAL_CM_DROP_PREVIOUS, 0, 0, now_ns);
    rekey->step = FAL_REKEY_IDLE;
    rekey->deadline_ns = FAL_NEVER;
    return rc;
}

int fal_rekey_tick(struct fal_rekey *rekey, uint64_t now_ns)
{
    int rc = 0;

    while (rekey->deadline_ns <= now_ns && rekey->deadline_ns != FAL_NEVER && rc == 0)
        switch (rekey->step) {
        case FAL_REKEY_IDLE: return 0;
        case FAL_REKEY_ANNOUNCE: rc = announce(rekey, now_ns); break;
        case FAL_REKEY_LINGER: rc = drop_previous(rekey, now_ns); break;
        }
    return rc;
}
