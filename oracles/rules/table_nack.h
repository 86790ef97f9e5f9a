/* SPDX-License-Identifier: Apache-2.0
 * table_nack.h - the rules of NACK, RNR and Resync, a row each: what it is for people, under
 * the name of what it does (fal_rule_NAME). No include guard: rule.h and table.c read it with a
 * ROW of their own. */
