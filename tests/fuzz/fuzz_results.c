/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a JSON document: refused with a message that names the file, or runs of a base with terminated texts and
 * correct counts; and the noise floor of an earlier comparison. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/compare/check.h"
#include "analysis/traces/results.h"
#include "report/compare/noise_floor.h"
#include "report/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void read_runs(const char *path)
{
    struct wtl_result *runs = NULL;
    struct wattle_error err = {""};
    size_t count = 0;
    int rc = wtl_json_results_read(path, &runs, &count, &err);
    demand(rc == 0 || (!runs && count == 0 && (rc == -ENOMEM || strstr(err.text, path))));
    if (rc < 0)
        return;
    demand(count >= 1);
    for (size_t i = 0; i < count; i++) {
        demand(runs[i].energy_count <= runs[i].channel_count);
        for (size_t c = 0; c < runs[i].channel_count; c++)
            demand(strlen(runs[i].channels[c].channel.name) < WATTLE_NAME_MAX);
    }
    struct wtl_check check = {
        .limit = 0.02, .base = runs, .base_count = count, .runs = runs, .run_count = count};
    demand(wtl_check_judge(&check) == 0 && check.text[0]);
    wtl_run_results_free(runs, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_noise_floor floor;
    struct wattle_error err = {""};
    char path[32];
    int fd = memfd_create("document", MFD_CLOEXEC);
    demand(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_runs(path);
    int rc = wtl_noise_floor_read(path, "a", &floor, &err);
    demand(rc == 0 ? floor.pairs > 0 : err.text[0] != '\0');
    struct wtl_noise noise[4];
    char *host = NULL;
    err.text[0] = '\0';
    rc = wtl_noise_read(path, noise, &host, &err);
    demand(rc == 0 || (!host && err.text[0] != '\0'));
    for (int i = 0; rc == 0 && i < 4; i++)
        demand(!(noise[i].log_sd < 0) && !(noise[i].df < WTL_COMPARISON_RUNS - 1));
    free(host);
    (void)close(fd);
    return 0;
}
