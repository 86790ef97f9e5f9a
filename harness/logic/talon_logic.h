/* SPDX-License-Identifier: Apache-2.0
 * talon_logic.h - what a library exports so that `talon logic run lib:FILE.so` can play the
 * logic of a transport in it: one constant `fal_logic`, with functions that use the state of a
 * flow. `make install` puts this header and the three that it needs below include/talon; a
 * library needs nothing else of Talon. It runs in a process of its own: it may crash or hang,
 * and is then reported. Valid C11 and C++14. */
#ifndef TALON_LOGIC_H
#define TALON_LOGIC_H

#ifdef __cplusplus
extern "C" {
#endif

#include "oracles/logic/logic.h"

extern const struct fal_logic fal_logic;

#ifdef __cplusplus
}
#endif

#endif
