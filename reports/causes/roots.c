/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/causes/roots.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *root, *consequence;
} rows[] = {
    /* A time that is not taken where it is due differs from the time that is. */
    {"FTP-10.1-02", "FTP-7.7.1-11"},
    {"FTP-10.1-10", "FTP-7.7.1-10"},
    /* A coalescing timer that does not run, or runs anew, sends no ACK in time. */
    {"FTP-9.1.1-19", "FTP-9.1.6-07"},
    {"FTP-9.1.6-01", "FTP-9.1.6-07"},
    {"FTP-9.1.6-06", "FTP-9.1.6-07"},
    /* A packet that is not dropped by a check has effects. */
    {"FTP-9.2.2.2-02", "FTP-9.2.2.2-03"},
    {"FTP-9.2.1-16", "FTP-9.2.2.2-02"},
    {"FTP-9.2.1-16", "FTP-9.2.2.2-03"},
    {"FTP-9.2.1-16", "FTP-9.2.1-18"},
    /* The conditions of the SPI check are parts of it; it compares this state. */
    {"FTP-9.2.2.3-09", "FTP-9.2.2.3-01"},
    {"FTP-9.2.2.3-11", "FTP-9.2.2.3-01"},
    {"FTP-9.2.2.3-12", "FTP-9.2.2.3-01"},
    {"FTP-9.2.1-13", "FTP-9.2.2.3-14"},
    /* Resources that are not given back are missing everywhere. */
    {"FTP-8.2.1.2-05", "FTP-10.2-06"},
    {"FTP-8.2.3-15", "FTP-10.2-06"},
    {"FTP-8.2.3-15", "FTP-8.2.3-01"},
    {"FTP-8.2.2-12", "FTP-7.8-17"},
    {"FTP-11-32", "FTP-8.2.3-01"},
    /* A window that keeps its size gates as if nobody had changed it. */
    {"FTP-10.6.2.2-18", "FTP-9.1.5-03"},
    {"FTP-8.2.1.2-02", "FTP-8.2.1.2-03"},
    /* A request that waits for its turn gets no NACK before. */
    {"FTP-8.5.2-03", "FTP-8.5.3.4-10"},
    /* A request that is delivered for the RNR of another one looks like a duplicate. */
    {"FTP-8.5.3.4-05", "FTP-9.2.2.4-04"},
    /* A Resync that inherits the attempts of its packet ends too early. */
    {"FTP-11-10", "FTP-9.1.8-02"},
    /* Write data of another length than that of their blocks are not what the target pulled. */
    {"NVME-8.7-02", "FTP-8.1-03"},
    {"NVME-8.7-03", "FTP-8.1-03"},
    {"NVME-8.7-04", "FTP-8.1-03"},
    {"NVME-8.7-02", "NVME-8.7-04"},
    {"NVME-8.7-03", "NVME-8.7-04"},
};

bool tl_roots_explain(const struct fal_requirement *root,
                      const struct fal_requirement *consequence)
{
    if (root == NULL || consequence == NULL)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].root, root->id) == 0 &&
            strcmp(rows[i].consequence, consequence->id) == 0)
            return true;
    return false;
}
