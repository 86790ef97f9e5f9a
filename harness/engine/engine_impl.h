/* SPDX-License-Identifier: Apache-2.0
 * engine_impl.h - the engines that engine.c lists. */
#ifndef TL_HARNESS_ENGINE_ENGINE_IMPL_H
#define TL_HARNESS_ENGINE_ENGINE_IMPL_H

#include "harness/engine/engine.h"

extern const struct tl_engine_ops tl_engine_verbs, tl_engine_nvme;

#endif
