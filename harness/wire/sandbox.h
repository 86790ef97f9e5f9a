/* SPDX-License-Identifier: Apache-2.0
 * sandbox.h - a filter of system calls (seccomp) for verbs that read captures of strangers.
 * After it a bug in a decoder can read files and write to files that are open; it cannot start
 * a program, use the network, or change, create or remove a file. */
#ifndef TL_HARNESS_WIRE_SANDBOX_H
#define TL_HARNESS_WIRE_SANDBOX_H

#include <stdbool.h>

/* Forbids this process, for good, all system calls that reading and judging do not need. Files
 * can be opened to be read; with `writes` also to be written, for a report that is written at
 * the end. A forbidden call fails with EPERM; one that would start a program, or look into
 * another process, ends the process with SIGSYS. Call it before the first thread is started.
 * Returns whether the filter works: not under a sanitizer or Valgrind, whose own calls it would
 * forbid, nor on a kernel or processor without it. */
bool tl_sandbox_enter(bool writes);

#endif
