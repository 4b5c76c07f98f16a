/* SPDX-License-Identifier: BSD-3-Clause */
/* An OTF2 archive in FOLDER: three metrics of one name on one node, of 10, 20 and 40 W for 2 s. */
#include <stdio.h>

#include "exchange/otf2/otf2_write.h"
#include "exchange/tracks/track_sort.h"
#include "exchange/tracks/tracks.h"

enum { METERS = 3, VALUES = 3 };

int main(int argc, char **argv)
{
    const uint64_t second = 1000000000;
    struct wtl_track_node node = {.name = "n1", .cpus = 1};
    struct wtl_track_meter meters[METERS];
    struct wtl_tracks tracks = {.nodes = &node,
                                .meters = meters,
                                .node_count = 1,
                                .meter_count = METERS,
                                .length_ns = 2 * second,
                                .begin_realtime_ns = 1700000000 * second,
                                .command = "x",
                                .creator = "wattle",
                                .alignment = ""};
    struct wtl_track_sort *records = NULL;
    struct wattle_error err = {""};
    int rc = argc == 2 ? wtl_track_sort_create(".", 1000, &records, &err) : -1;
    for (uint32_t i = 0; i < METERS; i++)
        meters[i] = (struct wtl_track_meter){
            .number = i, .name = "power", .unit = "W", .about = "measured", .traits = ""};
    for (uint64_t k = 0; k < VALUES && rc == 0; k++) {
        for (uint32_t i = 0; i < METERS && rc == 0; i++) {
            const struct wtl_track_record record = {.time_ns = k * second / 2,
                                                    .value = wtl_track_pack(10 << i),
                                                    .track = i,
                                                    .kind = WTL_TRACK_POWER};
            rc = wtl_track_sort_add(records, &record, &err);
        }
    }
    if (rc == 0)
        rc = wtl_otf2_write(&tracks, records, argv[1], argv[1], &err);
    wtl_track_sort_destroy(records);
    if (rc < 0)
        (void)fprintf(stderr, "make_otf2: %s\n", err.text);
    return rc < 0;
}
