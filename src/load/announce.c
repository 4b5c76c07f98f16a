/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/announce.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

json_t *wtl_announce(const struct wtl_load *load, const char *event)
{
    return json_pack("{s:s, s:s, s:s}", "schema", "wattle.load/1", "event", event, "kernel",
                     wtl_load_kernel_name(load->kernel));
}

/* key=value for each field, starting with the bare event; values with blanks are quoted as in
 * JSON. */
static void print_text(FILE *out, json_t *line)
{
    const char *key;
    json_t *value;
    (void)fputs(json_string_value(json_object_get(line, "event")), out);
    json_object_foreach(line, key, value)
    {
        const char *word = json_string_value(value);
        if (json_is_null(value) || strcmp(key, "schema") == 0 || strcmp(key, "event") == 0)
            continue;
        (void)fprintf(out, " %s=", key);
        if (word && !strpbrk(word, " \"\\\t\n"))
            (void)fputs(word, out);
        else
            (void)json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    }
}

int wtl_announce_send(const struct wtl_load *load, json_t *line, struct wattle_error *err)
{
    char *text = NULL;
    size_t n = 0, written = 0;
    FILE *out = line ? open_memstream(&text, &n) : NULL;
    if (out && load->json)
        (void)json_dumpf(line, out, JSON_REAL_PRECISION(6));
    else if (out)
        print_text(out, line);
    if (out)
        (void)fputc('\n', out);
    json_decref(line);
    if (!out || fclose(out) != 0) {
        free(text);
        return wtl_no_memory(err);
    }
    while (written < n) {
        ssize_t some = write(load->fd, text + written, n - written);
        if (some < 0 && errno != EINTR)
            break;
        written += some > 0 ? (size_t)some : 0;
    }
    free(text);
    if (written < n)
        return wtl_fail(err, -errno, "cannot report on descriptor %d that the load is running: %s",
                        load->fd, wtl_strerror(errno));
    return 0;
}

static double seconds(clockid_t clock)
{
    struct timespec ts;
    (void)clock_gettime(clock, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

struct wtl_load_clock wtl_load_clock_start(void)
{
    return (struct wtl_load_clock){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

static double rounded(double value)
{
    return round(value * 1e6) * 1e-6;
}

/* Names of the signals that end a load (ending.c); sigabbrev_np() is newer than the C libraries of
 * many clusters. */
static const char *name_of(int number)
{
    return number == SIGTERM  ? "TERM"
           : number == SIGINT ? "INT"
           : number == SIGHUP ? "HUP"
                              : "time";
}

void wtl_announce_end(json_t *line, const struct wtl_load_clock *clock, int number)
{
    struct wtl_load_clock now = wtl_load_clock_start();
    if (!line)
        return;
    json_object_set_new(line, "seconds", json_real(rounded(now.start_s - clock->start_s)));
    json_object_set_new(line, "cpu_seconds",
                        json_real(rounded(now.start_cpu_s - clock->start_cpu_s)));
    json_object_set_new(line, "ended_by", json_string(name_of(number)));
}
