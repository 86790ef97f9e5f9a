/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

struct hunt_map {
    int number;
    bool own;
    uint8_t *bytes;
    size_t len;
};

int hunt_map_open(struct hunt_map **out, int number, size_t len, struct fal_error *err)
{
    bool own = number < 0;
    struct hunt_map *map = calloc(1, sizeof *map);
    struct shmid_ds about;
    void *at;

    *out = NULL;
    if (map == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    map->own = own;
    map->number = own ? shmget(IPC_PRIVATE, len, IPC_CREAT | IPC_EXCL | 0600) : number;
    at = map->number >= 0 ? shmat(map->number, NULL, 0) : NULL;
    if (at == NULL || (intptr_t)at == -1 || shmctl(map->number, IPC_STAT, &about) != 0) {
        int rc = fal_fail(err, FAL_ERR_IO, "no shared memory of number %d: %s", map->number,
                          strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */

        free(map);
        return rc;
    }
    map->bytes = at;
    map->len = about.shm_segsz & ~(size_t)7;
    *out = map;
    return 0;
}

void hunt_map_close(struct hunt_map *map)
{
    if (map == NULL)
        return;
    (void)shmdt(map->bytes);
    if (map->own)
        (void)shmctl(map->number, IPC_RMID, NULL);
    free(map);
}

int hunt_map_number(const struct hunt_map *map)
{
    return map->number;
}

void hunt_map_clear(struct hunt_map *map)
{
    if (map != NULL)
        memset(map->bytes, 0, map->len);
}

const uint8_t *hunt_map_bytes(const struct hunt_map *map, size_t *len)
{
    *len = map != NULL ? map->len : 0;
    return map != NULL ? map->bytes : NULL;
}
