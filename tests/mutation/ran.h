/* SPDX-License-Identifier: Apache-2.0
 * ran.h - which functions of the endpoint a SUT has run. */
#ifndef TL_TESTS_MUTATION_RAN_H
#define TL_TESTS_MUTATION_RAN_H

/* Appends the functions that ran since the last call to a line, as distances from
 * __cyg_profile_func_enter. Defined in ran.c; NULL in a library without it. */
__attribute__((weak)) void mutation_write_ran(int fd);

#endif
