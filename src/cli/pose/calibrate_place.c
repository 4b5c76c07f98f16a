/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a calibration is stored: see calibrate.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "cli/pose/calibrate.h"
#include "model/calibration/calibration.h"

/* The nearest existing folder of a path. */
static void existing_folder(const char *path, char *buf, size_t n)
{
    (void)snprintf(buf, n, "%s", path);
    for (;;) {
        char *slash = strrchr(buf, '/');
        if (!slash) {
            (void)snprintf(buf, n, ".");
            return;
        }
        slash[slash == buf] = '\0';
        if (access(buf, F_OK) == 0 || strcmp(buf, "/") == 0)
            return;
    }
}

int wtl_calibration_place(const char *given, char *path, size_t n, struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    const char *other = world->ops->getenv(world, "WATTLE_CALIBRATION");
    if (given)
        (void)snprintf(path, n, "%s", given);
    else if (other && *other)
        (void)snprintf(path, n, "%s", other);
    else if (geteuid() == 0)
        (void)snprintf(path, n, "%s",
                       wtl_calibration_system_path());
    else
        wtl_calibration_user_path(world, path, n);
    return path[0] ? 0
                   : wtl_fail(err, -ENOENT,
                              "HOME is not set, so there is no default place to store a "
                              "calibration; use --output FILE");
}

int wtl_calibrate_place(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    char target[PATH_MAX], folder[PATH_MAX], *text = NULL;
    struct stat about;
    size_t size = 0;
    int rc = wtl_calibration_place(calibrate->options.output, calibrate->path,
                                   sizeof calibrate->path, err);
    rc = rc < 0 ? rc : wtl_calibration_target(calibrate->path, target, sizeof target, err);
    if (rc < 0)
        return rc;
    existing_folder(target, folder, sizeof folder);
    bool here = access(target, F_OK) == 0;
    bool is_folder = stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
    if (!is_folder)
        rc = -ENOTDIR;
    else if (access(folder, W_OK | X_OK) < 0 || (here && access(target, W_OK) < 0))
        rc = -errno;
    if (rc < 0)
        return wtl_fail(err, rc,
                        "cannot write %s: %s; nothing was run; choose another file with --output",
                        calibrate->path, wtl_strerror(rc));
    rc = here ? wtl_ini_load(wtl_world_real(), calibrate->path, &text, &size, err) : 0;
    if (rc == 0 && here)
        rc = wtl_calibration_text(calibrate->path, text, size, &calibrate->old, err);
    free(text);
    return rc;
}
