/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/decode_options.h"

#include "codecs/base/issue.h"

#include <stddef.h>

#define TL_OPTIONS_OF struct tl_decode_options

static const struct tl_option option_list[] = {
    {TL_TEXTS("FILE", files, NULL)},
    {TL_CHOICE("--format", format, "text|full|json", "text full json"),
     .help = "the one-line notation (default); the same with every field of every layer below "
             "it; or one JSON object for each packet"},
    {TL_FLAG("--exact", exact),
     .help = "all bytes of each frame below its line, in a line from which talon encode makes "
             "the same frame with the same time"},
    {TL_TEXT("--psp-keys", psp_keys_path, "FILE"), .help = "keys to open PSP packets"},
    {TL_TEXT("--esp-keys", esp_keys_path, "FILE"), .help = "keys to open ESP packets"},
    {TL_COUNT("--falcon-port", falcon_port, 1, UINT16_MAX),
     .help = "UDP port of plain Falcon (default 7777)"},
    {TL_TEXT("--filter", filter, "EXPRESSION"), .may_be_empty = true,
     .help = "only frames that match, in libpcap's language (man pcap-filter)"},
    {TL_FLAG("--issues-only", issues_only), .help = "only frames with an issue"},
    {TL_FLAG("--stats", stats),
     .help = "no packets; the number of packets of each type, and of each issue"},
    {TL_CHOICE("--fail-on", fail_on, "error|warning|note", FAL_SEVERITIES),
     .given_at = offsetof(TL_OPTIONS_OF, has_fail_on),
     .help = "exit status 1 if there is an issue at least that severe"},
    {TL_TEXT("--out", out_path, "FILE"), .help = "write to FILE instead of standard output"},
};

const struct tl_options tl_decode_options = {"decode", option_list,
                                             sizeof option_list / sizeof *option_list};
