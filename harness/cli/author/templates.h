/* SPDX-License-Identifier: Apache-2.0
 * templates.h - the files that `talon new` writes, embedded by the Makefile: templates/, the
 * examples of docs/examples/l1, and the client library of adapters. */
#ifndef TL_HARNESS_CLI_AUTHOR_TEMPLATES_H
#define TL_HARNESS_CLI_AUTHOR_TEMPLATES_H

extern const char tl_new_adapter_c[];
extern const char tl_new_adapter_mk[];
extern const char tl_new_adapter_py[];
extern const char tl_new_profile[];
extern const char tl_new_scenario[];
extern const char tl_new_sut_client_c[];
extern const char tl_new_sut_client_h[];

#endif
