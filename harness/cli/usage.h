/* SPDX-License-Identifier: Apache-2.0
 * usage.h - the help of each verb: usage/VERB.txt, embedded by the Makefile. */
#ifndef TL_HARNESS_CLI_USAGE_H
#define TL_HARNESS_CLI_USAGE_H

extern const char tl_usage_cc[];
extern const char tl_usage_certify[];
extern const char tl_usage_check[];
extern const char tl_usage_check_roce[];
extern const char tl_usage_decode[];
extern const char tl_usage_diagnose[];
extern const char tl_usage_diff[];
extern const char tl_usage_encode[];
extern const char tl_usage_eventpipe[];
extern const char tl_usage_explain[];
extern const char tl_usage_fmt[];
extern const char tl_usage_help[];
extern const char tl_usage_history[];
extern const char tl_usage_host_check[];
extern const char tl_usage_init[];
extern const char tl_usage_lab[];
extern const char tl_usage_list[];
extern const char tl_usage_logic[];
extern const char tl_usage_logic_check[];
extern const char tl_usage_logic_tap[];
extern const char tl_usage_new[];
extern const char tl_usage_path_check[];
extern const char tl_usage_report[];
extern const char tl_usage_run[];
extern const char tl_usage_sut[];
extern const char tl_usage_sut_check[];

#endif
