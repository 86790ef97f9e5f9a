/* SPDX-License-Identifier: Apache-2.0
 * table_ulp.h - the rules of upper layer events, completions and security drops, a row each
 * (see table_nack.h). */
