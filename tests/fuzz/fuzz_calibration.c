/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a calibration file: refused with a message that names the file, or read, and then every section is found
 * by its name, every entry by its key, and bounds are refused or valid. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_bounds.h"
#include "model/calibration/calibration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void look(const struct wtl_calibration *calibration,
                 const struct wtl_calibration_section *section)
{
    struct wattle_error err = {""};
    struct wtl_pose_bounds bounds;
    demand(wtl_calibration_find(calibration, section->kind, section->host, section->item) ==
           section);
    for (size_t i = 0; i < section->count; i++)
        demand(wtl_calibration_get(section, section->entries[i].key) == section->entries[i].value);
    int rc = wtl_pose_bounds_of(section, NULL, &bounds, &err);
    demand(rc == 0 || err.text[0]);
    demand(rc < 0 || (bounds.pmin.power_w >= 0 && bounds.pmin.power_w < bounds.pmax.power_w));
    demand(rc < 0 || isnan(bounds.pmin.half_w) || bounds.pmin.half_w >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wattle_error err = {""};
    struct wtl_calibration *calibration = NULL;
    int rc = wtl_calibration_text("file", (const char *)data, size, &calibration, &err);
    demand(rc == 0 ? calibration != NULL : rc == -ENOMEM || strncmp(err.text, "file:", 5) == 0);
    for (size_t i = 0; rc == 0 && i < wtl_calibration_count(calibration); i++)
        look(calibration, wtl_calibration_section(calibration, i));
    wtl_calibration_destroy(calibration);
    return 0;
}
