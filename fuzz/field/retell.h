/* SPDX-License-Identifier: Apache-2.0
 * retell.h - what happened on a connection, as a scenario in which the tester plays the peer.
 */
#ifndef FAL_FUZZ_FIELD_RETELL_H
#define FAL_FUZZ_FIELD_RETELL_H

#include "fuzz/field/story.h"

/* How it is told. */
enum fld_style {
    FLD_EXACT, /* each packet of the peer, with every field, and no other packets */
    FLD_LOOSE, /* new requests of the peer; the tester's endpoint does the rest */
    FLD_STYLES,
};

/* The scenario without expectations: the rules judge it. It ends where the violation was found;
 * `whole`: with the capture. New reference; NULL when out of memory. */
json_t *fld_retell(const struct fld_story *story, enum fld_style style, bool whole);

/* The members of a scenario that shows the violation, in `doc`: its name, title, purpose, and
 * what it covers. False when out of memory. */
bool fld_entitle(json_t *doc, const struct fld_finding *finding);

#endif
