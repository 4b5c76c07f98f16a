/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: a connection each, from pm_create_counter() to pm_finalize_counter(). */
#define _GNU_SOURCE
#include "pmclient/client_counter.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "pmclient/connection.h"

enum { SAMPLES_MAX = 1 << 27, PIECE = 1 << 16 };

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct wtl_pm_own *wtl_pm_own_of(const counter_t *counter)
{
    return (struct wtl_pm_own *)(void *)counter->measures;
}

static int is_open(const counter_t *counter)
{
    return counter->measures && counter->sock >= 0
               ? 0
               : wtl_pm_complain("the counter was not created, or is finalized");
}

/* A request that is answered by a status. */
static int command(const counter_t *counter, enum wtl_pm_mark mark, const char *what)
{
    const struct wtl_pm_request request = {.mark = (int32_t)mark};
    int32_t status;
    if (wtl_pm_send(counter->sock, &request) < 0 ||
        wtl_pm_receive(counter->sock, &status, sizeof status, NULL) < 0)
        return -1;
    return status == 0 ? 0 : wtl_pm_complain("the server refuses to %s the counter", what);
}

static void discard(counter_t *counter)
{
    if (counter->sock >= 0)
        (void)close(counter->sock); /* the server frees the counter */
    counter->sock = -1;
    if (counter->measures) {
        free(counter->measures->timing);
        free(counter->measures->energy.watts_sets);
        free(counter->measures->energy.watts);
    }
    free(counter->measures);
    counter->measures = NULL;
}

static int ask_for_counter(counter_t *counter, const char *device)
{
    struct wtl_pm_request request = {
        .mark = WTL_PM_CREATE, .frequency = counter->interval, .aggregate = counter->aggregate};
    int32_t status;
    (void)snprintf(request.name, sizeof request.name, "%s", device);
    memcpy(request.mask, counter->lines.bits, sizeof request.mask);
    if (wtl_pm_send(counter->sock, &request) < 0 ||
        wtl_pm_receive(counter->sock, &status, sizeof status, NULL) < 0)
        return -1;
    return status == 0 ? 0
                       : wtl_pm_complain("the server has no device \"%s\" that measures %d times "
                                         "a second; see pm_get_devices(), pm_get_device_info()",
                                         device, counter->interval);
}

int pm_create_counter(const char *device,
                      line_t lines,
                      int aggregate,
                      int frequency,
                      server_t server,
                      counter_t *counter)
{
    device_t info = {.name = NULL};
    struct wtl_pm_own *own = calloc(1, sizeof *own);
    *counter = (counter_t){.sock = -1,
                           .aggregate = aggregate,
                           .lines = lines,
                           .interval = frequency,
                           .measures = own ? &own->shown : NULL};
    int rc = own ? 0 : wtl_pm_complain("out of memory");
    if (rc == 0 && strlen(device) >= WTL_PM_TEXT)
        rc = wtl_pm_complain("the name of the device is longer than %d bytes", WTL_PM_TEXT - 1);
    if (rc == 0)
        rc = wtl_pm_dialect_of(&server, device, &own->dialect);
    if (rc == 0)
        rc = counter->sock = wtl_pm_connect(&server);
    if (rc >= 0)
        rc = ask_for_counter(counter, device);
    if (rc == 0)
        rc = pm_get_device_info(server, device, &info);
    counter->num_lines = info.n_lines;
    free(info.name);
    if (rc < 0)
        discard(counter);
    return rc < 0 ? -1 : 0;
}

/* Room for the times of one more set. */
static int reserve_timing(counter_t *counter)
{
    struct wtl_pm_own *own = wtl_pm_own_of(counter);
    int rc = wtl_reserve(&own->shown.timing, &own->timing_room, (size_t)own->shown.next_timing + 1,
                         2 * sizeof *own->shown.timing);
    return rc < 0 ? wtl_pm_complain("out of memory") : 0;
}

static int begin_set(counter_t *counter, enum wtl_pm_mark mark, const char *what)
{
    if (is_open(counter) < 0)
        return -1;
    struct wtl_pm_own *own = wtl_pm_own_of(counter);
    int set = mark == WTL_PM_START ? 0 : own->shown.next_timing;
    if (reserve_timing(counter) < 0 || command(counter, mark, what) < 0)
        return -1;
    own->shown.next_timing = set;
    own->shown.timing[(size_t)2 * (size_t)set] = now_s();
    own->active = true;
    return 0;
}

int pm_start_counter(counter_t *counter)
{
    return begin_set(counter, WTL_PM_START, "start");
}

int pm_continue_counter(counter_t *counter)
{
    return begin_set(counter, WTL_PM_CONTINUE, "continue");
}

int pm_stop_counter(counter_t *counter)
{
    if (is_open(counter) < 0)
        return -1;
    struct wtl_pm_own *own = wtl_pm_own_of(counter);
    double stop_s = now_s();
    if (command(counter, WTL_PM_STOP, "stop") < 0)
        return -1;
    if (own->active)
        own->shown.timing[2 * (size_t)own->shown.next_timing++ + 1] = stop_s;
    own->active = false;
    return 0;
}

/* Receive n bytes; memory grows with what has come, not with what was announced. */
static int receive_all(const counter_t *counter, uint8_t **ret_bytes, size_t n, size_t *ret_got)
{
    uint8_t *bytes = NULL;
    size_t got = 0, room = 0, now = 0;
    int rc = 0;
    while (rc == 0 && got < n) {
        if (got == room && wtl_reserve(&bytes, &room, got + PIECE, 1) < 0)
            rc = wtl_pm_complain("out of memory");
        size_t most = room < n ? room : n;
        if (rc == 0)
            rc = wtl_pm_receive(counter->sock, bytes + got, most - got, &now);
        got += now;
        if (rc == 0 && now == 0)
            rc = wtl_pm_complain("the server has closed the connection");
        now = 0;
    }
    *ret_bytes = bytes;
    *ret_got = got;
    return rc;
}

/* As in the server's reply: 0, or -1. */
static int check_bounds(const int *bounds, int count)
{
    assert(count == 0 || bounds);
    for (int i = 0; i < count; i++) {
        if (bounds[i] < (i ? bounds[i - 1] : 0) || (i == 0 && bounds[0] != 0))
            return wtl_pm_complain("the server's sets cannot be understood");
    }
    return 0;
}

/* Samples in the order line, set; NaN where the server has sent none. */
static int arrange(const counter_t *counter, const uint8_t *bytes, pm_measures *energy, int lines)
{
    struct wtl_pm_own *own = wtl_pm_own_of(counter);
    assert(energy->watts_sets && energy->watts_sets_size > 0);
    int sets = energy->watts_sets_size - 1, per_line = energy->watts_sets[sets];
    size_t width = wtl_pm_sample_size(own->dialect), total = (size_t)per_line * (size_t)lines;
    double *watts = total > SAMPLES_MAX ? NULL : calloc(total + 1, sizeof *watts);
    if (!watts)
        return wtl_pm_complain("out of memory");
    for (int line = 0; line < lines; line++) {
        for (int set = 0; set < sets; set++) {
            for (int i = 0; i < energy->watts_sets[set + 1] - energy->watts_sets[set]; i++) {
                double *to = &watts[(size_t)line * (size_t)per_line +
                                    (size_t)energy->watts_sets[set] + (size_t)i];
                int64_t at = wtl_pm_sample_at(own->dialect, energy->watts_size, lines,
                                              energy->watts_sets, sets, line, set, i);
                struct wtl_pm_reader one = {.at = bytes + (at < 0 ? 0 : (size_t)at * width),
                                            .size = at < 0 ? 0 : width};
                *to = __builtin_nan("");
                (void)wtl_pm_take_sample(&one, own->dialect, to); /* stays NaN */
            }
        }
    }
    energy->watts_size = (int)total;
    energy->watts = watts;
    return 0;
}

static int receive_header(const counter_t *counter, struct wtl_pm_data *ret)
{
    uint8_t bytes[12];
    struct wtl_pm_reader from = {.at = bytes, .size = 4};
    if (wtl_pm_receive(counter->sock, bytes, 4, NULL) < 0)
        return -1;
    int rc = wtl_pm_data_read(&from, SAMPLES_MAX, ret);
    if (rc == -ENODATA)
        return wtl_pm_complain(
            "the server refuses the data: the counter is active, or has measured "
            "longer than the server keeps samples");
    if (wtl_pm_receive(counter->sock, bytes + 4, 8, NULL) < 0)
        return -1;
    from.size = sizeof bytes;
    return wtl_pm_data_read(&from, SAMPLES_MAX, ret) == 0
               ? 0
               : wtl_pm_complain("the server's data cannot be understood");
}

static int receive_samples(const counter_t *counter, const struct wtl_pm_data *data, uint8_t **ret)
{
    enum wtl_pm_dialect dialect = wtl_pm_own_of(counter)->dialect;
    size_t n = (size_t)data->sample_count * wtl_pm_sample_size(dialect), got;
    int rc = receive_all(counter, ret, n, &got);
    if (rc < 0 && dialect != WTL_PM_G1 && got == n / 2)
        (void)wtl_pm_complain("exactly half of the bytes came: the server is of generation 1; set "
                              "PMLIB_DIALECT=g1");
    return rc;
}

int pm_get_counter_data(counter_t *counter)
{
    const struct wtl_pm_request request = {.mark = WTL_PM_GET};
    struct wtl_pm_data data;
    uint8_t *bounds = NULL, *samples = NULL;
    size_t got;
    if (is_open(counter) < 0 || wtl_pm_send(counter->sock, &request) < 0 ||
        receive_header(counter, &data) < 0)
        return -1;
    pm_measures fresh = {.watts_size = data.sample_count,
                         .watts_sets_size = data.bound_count,
                         .lines_len = data.line_count};
    int rc = receive_all(counter, &bounds, (size_t)data.bound_count * sizeof(int), &got);
    fresh.watts_sets = (int *)(void *)bounds;
    rc = rc < 0 ? rc : check_bounds(fresh.watts_sets, data.bound_count);
    rc = rc < 0 ? rc : receive_samples(counter, &data, &samples);
    rc = rc < 0 ? rc : arrange(counter, samples, &fresh, counter->aggregate ? 1 : data.line_count);
    free(samples);
    if (rc < 0) {
        free(bounds);
        return -1;
    }
    free(counter->measures->energy.watts_sets);
    free(counter->measures->energy.watts);
    counter->measures->energy = fresh;
    return 1;
}

int pm_get_counter_num_sets(counter_t counter, int *count)
{
    if (!counter.measures || !counter.measures->energy.watts_sets)
        return wtl_pm_complain("no data was fetched; call pm_get_counter_data() first");
    *count = counter.measures->energy.watts_sets_size - 1;
    return 0;
}

int pm_finalize_counter(counter_t *counter)
{
    if (is_open(counter) < 0)
        return -1;
    int rc = command(counter, WTL_PM_FINALIZE, "finalize");
    discard(counter);
    return rc;
}
