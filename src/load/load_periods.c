/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/load_periods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

enum { MOST = 1000000 };

static int read_lines(FILE *in,
                      const char *path,
                      struct wtl_load_period **periods,
                      struct wattle_error *err)
{
    char *line = NULL;
    size_t room = 0, n = 0;
    int rc = 0;
    while (rc == 0 && getline(&line, &room, in) > 0) {
        double from_s, load;
        if (wtl_parse_pair(line, " \t", &from_s, &load) < 0 || from_s < 0 || n == MOST ||
            (n > 0 && from_s <= (*periods)[n - 1].from_s))
            rc = wtl_fail(err, -EBADMSG,
                          "%s:%zu: expected \"SECONDS LOAD\", with seconds that ascend", path,
                          n + 1);
        else if (wtl_grow(periods, n, sizeof **periods) < 0)
            rc = wtl_no_memory(err);
        else
            (*periods)[n++] = (struct wtl_load_period){.from_s = from_s, .on = load > 0};
    }
    free(line);
    if (rc == 0 && n < 2)
        rc = wtl_fail(err, -EBADMSG, "%s: a load has at least two lines, its start and its end",
                      path);
    return rc < 0 ? rc : (int)n;
}

int wtl_load_periods_read(const char *path, struct wtl_load_period **ret, struct wattle_error *err)
{
    FILE *in = fopen(path, "re");
    *ret = NULL;
    if (!in)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    int rc = read_lines(in, path, ret, err);
    (void)fclose(in);
    if (rc < 0) {
        free(*ret);
        *ret = NULL;
    }
    return rc;
}
