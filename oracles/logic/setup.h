/* SPDX-License-Identifier: Apache-2.0
 * setup.h - the built-in logics with their receivers and usual values, the conforming variants
 * of them, and what is declared of each to the rules (struct fal_tp_row). */
#ifndef FAL_ORACLES_LOGIC_SETUP_H
#define FAL_ORACLES_LOGIC_SETUP_H

#include "oracles/beyond/transport.h"
#include "oracles/logic/logic.h"
#include "oracles/logic/receiver.h"

struct fal_logic_setup {
    const struct fal_logic *logic;
    struct fal_logic_config flow;
    struct fal_logic_receiver_config receiver;
    bool trims; /* its network cuts payloads off instead of dropping segments */
};

/* One built-in logic. */
struct fal_logic_type {
    const struct fal_logic *logic;
    const char *text;   /* acknowledgements, loss detection, credit */
    const char *source; /* where it is defined */
};

struct fal_logic_variant {
    const char *id;     /* "delayed-acks" */
    const char *logics; /* names with spaces between them; NULL: all */
    const char *text;   /* what the conforming ends do otherwise */
    void (*apply)(struct fal_logic_setup *setup);
};

const struct fal_logic_type *fal_logic_types(size_t *n);
const struct fal_logic_variant *fal_logic_variants(size_t *n);
/* NULL: there is none of that name. */
const struct fal_logic *fal_logic_of(const char *name);
const struct fal_logic_variant *fal_logic_variant_of(const char *id);
bool fal_logic_variant_fits(const struct fal_logic_variant *variant, const char *logic);

/* The usual values of a built-in logic; of another logic those of the built-in one that its
 * credit suggests: tcp-newreno or tcp-sack, irn, ndp. */
void fal_logic_setup_init(struct fal_logic_setup *setup, const struct fal_logic *logic);
/* Writes the declared properties of the setup to `row`. The name belongs to the logic. */
void fal_logic_setup_row(const struct fal_logic_setup *setup, struct fal_tp_row *row);

#endif
