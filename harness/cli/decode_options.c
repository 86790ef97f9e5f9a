/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/decode_options.h"

#include "codecs/base/issue.h"

#include <stddef.h>

#define AT(member) offsetof(struct tl_decode_options, member)

static const struct tl_option option_list[] = {
    {.name = "FILE", .kind = TL_OPTION_TEXTS, .at = AT(files)},
    {.name = "--format",
     .kind = TL_OPTION_CHOICE,
     .at = AT(format),
     .value = "text|full|json",
     .words = "text full json",
     .help = "the one-line notation (default); the same with every field of every layer below "
             "it; or one JSON object for each packet"},
    {.name = "--psp-keys",
     .kind = TL_OPTION_TEXT,
     .at = AT(psp_keys_path),
     .value = "FILE",
     .help = "keys to open PSP packets"},
    {.name = "--esp-keys",
     .kind = TL_OPTION_TEXT,
     .at = AT(esp_keys_path),
     .value = "FILE",
     .help = "keys to open ESP packets"},
    {.name = "--falcon-port",
     .kind = TL_OPTION_COUNT,
     .at = AT(falcon_port),
     .value = "N",
     .least = 1,
     .most = UINT16_MAX,
     .help = "UDP port of plain Falcon (default 7777)"},
    {.name = "--filter",
     .kind = TL_OPTION_TEXT,
     .at = AT(filter),
     .value = "EXPRESSION",
     .may_be_empty = true,
     .help = "only frames that match, in libpcap's language (man pcap-filter)"},
    {.name = "--issues-only",
     .kind = TL_OPTION_FLAG,
     .at = AT(issues_only),
     .help = "only frames with an issue"},
    {.name = "--stats",
     .kind = TL_OPTION_FLAG,
     .at = AT(stats),
     .help = "no packets; the number of packets of each type, and of each issue"},
    {.name = "--fail-on",
     .kind = TL_OPTION_CHOICE,
     .at = AT(fail_on),
     .given_at = AT(has_fail_on),
     .value = "error|warning|note",
     .words = FAL_SEVERITIES,
     .help = "exit status 1 if there is an issue at least that severe"},
    {.name = "--out",
     .kind = TL_OPTION_TEXT,
     .at = AT(out_path),
     .value = "FILE",
     .help = "write to FILE instead of standard output"},
};

const struct tl_options tl_decode_options = {"decode", option_list,
                                             sizeof option_list / sizeof *option_list};
