/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/sut_process.h"

int tl_sut_process_start(struct tl_sut_process *process, struct tl_target *target,
                         struct fal_error *err)
{
    int rc;

    *process = (struct tl_sut_process){.host = NULL};
    if (target->kind != TL_TARGET_EXEC && target->kind != TL_TARGET_LIB)
        return 0;
    rc = tl_warden_start(&process->warden, err);
    if (rc == 0 && target->kind == TL_TARGET_LIB)
        rc = tl_lib_host_start(&process->host, "/proc/self/exe", err);
    if (rc != 0) {
        tl_sut_process_end(process);
        return rc;
    }
    target->warden = process->warden.fd;
    target->host = process->host;
    return 0;
}

void tl_sut_process_end(struct tl_sut_process *process)
{
    tl_lib_host_end(process->host);
    tl_warden_end(&process->warden);
    *process = (struct tl_sut_process){.host = NULL};
}
