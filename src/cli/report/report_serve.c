/* SPDX-License-Identifier: BSD-3-Clause */
/* The page and its parts on request: see report_serve.h. */
#define _GNU_SOURCE
#include "cli/report/report_serve.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "base/whole.h"
#include "cli/report/loopback.h"
#include "report/page.h"
#include "report/tasks/stretch_document.h"

struct answering {
    const struct wtl_report_serve *serve;
    char *page;
    size_t page_size;
    struct wtl_tile_bytes tile;
    char *text;
};

/* "A/B": the two parts, in the buffer. */
static bool two(char *text, const char **ret_a, const char **ret_b)
{
    char *slash = strchr(text, '/');
    if (!slash)
        return false;
    *slash = '\0';
    *ret_a = text;
    *ret_b = slash + 1;
    return true;
}

static int answer_tile(struct answering *a, char *rest, struct wtl_loopback_answer *ret)
{
    const char *level_text, *index_text;
    uint64_t level, index;
    bool leaf;
    if (!two(rest, &level_text, &index_text) || wtl_parse_u64(level_text, &level) < 0 ||
        wtl_parse_u64(index_text, &index) < 0 || level >= WTL_TILE_LEVELS)
        return 0;
    int rc = wtl_activity_tile(&a->serve->lanes->lanes.pyramid, (unsigned)level, index, &a->tile,
                               &leaf, NULL);
    if (rc == -EINVAL)
        return 0;
    *ret = (struct wtl_loopback_answer){"application/octet-stream", a->tile.data, a->tile.size};
    return rc;
}

/* Seconds since the zero of the page as a time of the trace; false: it is no such time. */
static bool time_of(const struct answering *a, const char *text, uint64_t *ret_ns)
{
    char *end;
    double seconds = strtod(text, &end);
    double ns = (double)a->serve->lanes->start_ns + seconds * 1e9;
    if (*end || end == text || !(ns >= 0 && ns < 9e18))
        return false;
    int64_t since = wtl_whole_i64(round(seconds * 1e9));
    *ret_ns = a->serve->lanes->start_ns + (uint64_t)since;
    return true;
}

static int answer_energy(struct answering *a, char *rest, struct wtl_loopback_answer *ret)
{
    const char *begin_text, *end_text;
    uint64_t begin_ns, end_ns;
    json_t *document = NULL;
    if (!two(rest, &begin_text, &end_text) || !time_of(a, begin_text, &begin_ns) ||
        !time_of(a, end_text, &end_ns) || end_ns <= begin_ns)
        return 0;
    int rc =
        wtl_stretch_document(a->serve->reader, a->serve->result, begin_ns, end_ns, &document, NULL);
    if (rc < 0)
        return rc;
    free(a->text);
    a->text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(document);
    if (!a->text)
        return -ENOMEM;
    *ret = (struct wtl_loopback_answer){"application/json", a->text, strlen(a->text)};
    return 0;
}

static int answer(void *context, const char *path, struct wtl_loopback_answer *ret)
{
    static const char tile[] = "tile/", energy[] = "energy/";
    struct answering *a = context;
    char text[1024];
    (void)snprintf(text, sizeof text, "%s", path);
    if (!path[0]) {
        *ret = (struct wtl_loopback_answer){"text/html; charset=utf-8", a->page, a->page_size};
        return 0;
    }
    if (strncmp(text, tile, sizeof tile - 1) == 0 && a->serve->lanes->lanes.lane_count > 0)
        return answer_tile(a, text + sizeof tile - 1, ret);
    if (strncmp(text, energy, sizeof energy - 1) == 0)
        return answer_energy(a, text + sizeof energy - 1, ret);
    return 0;
}

static int make_page(struct answering *a, struct wattle_error *err)
{
    FILE *out = open_memstream(&a->page, &a->page_size);
    int rc = out ? wtl_page_write(out, a->serve->document, a->serve->result, true, err)
                 : wtl_no_memory_for(err, "the page");
    if (out && fclose(out) != 0 && rc == 0)
        rc = wtl_no_memory_for(err, "the page");
    return rc;
}

int wtl_report_serve(const struct wtl_report_serve *serve, struct wattle_error *err)
{
    struct answering a = {.serve = serve};
    struct wtl_loopback loopback;
    int rc = make_page(&a, err);
    rc = rc < 0 ? rc : wtl_loopback_open(&loopback, serve->port, err);
    if (rc == 0) {
        (void)printf("%s\nOpen this address in a browser on this machine; Ctrl-C ends it.\n",
                     loopback.address);
        rc = wtl_flush(stdout, err);
        rc = rc < 0 ? rc : wtl_loopback_serve(&loopback, answer, &a, err);
        wtl_loopback_close(&loopback);
    }
    free(a.page);
    free(a.tile.data);
    free(a.text);
    return rc;
}
