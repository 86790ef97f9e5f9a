/* SPDX-License-Identifier: Apache-2.0
 * cmd_run_sut.h - options of `talon run` that are about the SUT. Part of cmd_run_options.c;
 * each returns 0, or TL_STATUS_USAGE after one line on standard error. */
#ifndef TL_HARNESS_RUN_RUN_SUT_H
#define TL_HARNESS_RUN_RUN_SUT_H

#include "harness/run/run_options.h"

int tl_run_read_sut(const char *text, struct tl_run_options *o);
int tl_run_read_psp_keys(const char *text, struct tl_run_options *o);
int tl_run_read_esp_keys(const char *text, struct tl_run_options *o);
int tl_run_read_control(const char *text, struct tl_run_options *o);
int tl_run_read_capture_connections(const char *text, struct tl_run_options *o);
int tl_run_read_capture_sut(const char *text, struct tl_run_options *o);
int tl_run_read_capture_psp_keys(const char *text, struct tl_run_options *o);
int tl_run_read_capture_esp_keys(const char *text, struct tl_run_options *o);
int tl_run_read_capture_speed(const char *text, struct tl_run_options *o);

/* Whether what is said of a capture goes with the rest. */
int tl_run_check_recording(const struct tl_run_options *o);

/* The name of a file, for an option of that name (cmd_run_options.c). */
int tl_run_file_name(const char *option, const char *text, const char **out);

#endif
