/* SPDX-License-Identifier: Apache-2.0
 * filter.c - libpcap's link types, and filters in libpcap's language. */
#include "harness/capture/capture_impl.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

/* libpcap's numbers (DLT) and the file's (LINKTYPE) differ for raw IP. */
static const struct {
    unsigned linktype;
    int dlt;
    const char *name;
} linktypes[] = {
    {FAL_LINKTYPE_ETHERNET, DLT_EN10MB, "Ethernet"},
    {FAL_LINKTYPE_RAW, DLT_RAW, "raw IP"},
    {FAL_LINKTYPE_SLL, DLT_LINUX_SLL, "Linux cooked"},
    {FAL_LINKTYPE_SLL2, DLT_LINUX_SLL2, "Linux cooked v2"},
    {FAL_LINKTYPE_USER0, DLT_USER0, "bare Falcon"},
};

enum { LINKTYPES = sizeof linktypes / sizeof *linktypes };

static int index_of(unsigned linktype)
{
    for (int i = 0; i < LINKTYPES; i++)
        if (linktypes[i].linktype == linktype)
            return i;
    return -1;
}

const char *tl_linktype_name(unsigned linktype)
{
    int i = index_of(linktype);

    return i >= 0 ? linktypes[i].name : NULL;
}

int tl_linktype_dlt(unsigned linktype)
{
    int i = index_of(linktype);

    return i >= 0 ? linktypes[i].dlt : -1;
}

unsigned tl_linktype_from_dlt(int dlt)
{
    for (int i = 0; i < LINKTYPES; i++)
        if (linktypes[i].dlt == dlt)
            return linktypes[i].linktype;
    return 0;
}

const char *tl_linktypes_text(void)
{
    return "1 (Ethernet), 101 (raw IP), 113 and 276 (Linux cooked) and 147 (bare Falcon)";
}

/* One compiled program for each link type, made when its first frame comes. */
struct tl_filter {
    const char *expression;
    bool compiled[LINKTYPES];
    struct bpf_program programs[LINKTYPES];
};

struct tl_filter *tl_filter_new(const char *expression)
{
    struct tl_filter *filter = calloc(1, sizeof *filter);

    if (filter != NULL)
        filter->expression = expression;
    return filter;
}

void tl_filter_free(struct tl_filter *filter)
{
    if (filter == NULL)
        return;
    for (int i = 0; i < LINKTYPES; i++)
        if (filter->compiled[i])
            pcap_freecode(&filter->programs[i]);
    free(filter);
}

/* Tells the user how to mend the filter that libpcap refused. The sandbox of `talon decode`
 * lets nobody ask a name server. */
static const char *advice(const char *message)
{
    return strstr(message, "unknown host") != NULL || strstr(message, "unknown network") != NULL
               ? "; names of hosts are not looked up: write the address, as in 'host 10.0.0.2'"
               : "";
}

static int compile(struct tl_filter *filter, int i, struct fal_error *err)
{
    pcap_t *dead = pcap_open_dead(linktypes[i].dlt, TL_FRAME_MAX);
    int status;

    if (dead == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    status =
        pcap_compile(dead, &filter->programs[i], filter->expression, 1, PCAP_NETMASK_UNKNOWN);
    if (status == 0)
        filter->compiled[i] = true;
    else
        (void)fal_fail(err, FAL_ERR_FORM, "--filter: '%.100s' (link type %u): %.150s%s",
                       filter->expression, linktypes[i].linktype, pcap_geterr(dead),
                       advice(pcap_geterr(dead)));
    pcap_close(dead);
    return status == 0 ? 0 : FAL_ERR_FORM;
}

int tl_filter_match(struct tl_filter *filter, unsigned linktype,
                    const struct tl_captured *frame, struct fal_error *err)
{
    int i = index_of(linktype);
    struct pcap_pkthdr header = {.caplen = 0};

    if (i < 0)
        return fal_fail(err, FAL_ERR_FORM, "--filter: unknown link type %u", linktype);
    if (!filter->compiled[i] && compile(filter, i, err) != 0)
        return FAL_ERR_FORM;
    if (frame == NULL)
        return 0;
    header.caplen = frame->caplen;
    header.len = frame->len;
    return pcap_offline_filter(&filter->programs[i], &header, frame->bytes) != 0 ? 1 : 0;
}
