/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines as text and JSON, through a pipe. */
#define _GNU_SOURCE
#include "load/announce.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "tap.h"

static struct wtl_load load = {.kernel = WTL_LOAD_MPI_SERIAL};

static json_t *line(void)
{
    json_t *made = wtl_announce(&load, "ready");
    json_object_set_new(made, "ranks", json_integer(4));
    json_object_set_new(made, "runtime", json_string("Open \"MPI\" v4"));
    json_object_set_new(made, "nothing", json_null());
    json_object_set_new(made, "rate", json_real(0.5));
    return made;
}

static void sends(bool json, const char *want)
{
    char got[300] = "";
    int ends[2];
    struct wattle_error err = {""};
    if (pipe(ends) < 0)
        return;
    load.fd = ends[1];
    load.json = json;
    is_int(wtl_announce_send(&load, line(), &err), 0, "sent");
    close(ends[1]);
    ssize_t n = read(ends[0], got, sizeof got - 1);
    close(ends[0]);
    ok(n > 0, "something came");
    is_str(got, want, "%s", json ? "as JSON" : "as text");
}

int main(void)
{
    struct wattle_error err = {""};
    int ends[2];
    (void)signal(SIGPIPE, SIG_IGN);
    sends(false, "ready kernel=mpi_serial ranks=4 runtime=\"Open \\\"MPI\\\" v4\" rate=0.5\n");
    sends(true, "{\"schema\": \"wattle.load/1\", \"event\": \"ready\", \"kernel\": \"mpi_serial\", "
                "\"ranks\": 4, \"runtime\": \"Open \\\"MPI\\\" v4\", \"nothing\": null, \"rate\": "
                "0.5}\n");
    is_int(wtl_announce_send(&load, NULL, &err), -ENOMEM, "no memory");
    if (pipe(ends) == 0) {
        close(ends[0]);
        load.fd = ends[1];
        is_int(wtl_announce_send(&load, line(), &err), -EPIPE, "nobody reads");
        ok(strstr(err.text, "cannot report"), "%s", err.text);
        close(ends[1]);
    }
    json_t *end = wtl_announce(&load, "done");
    struct wtl_load_clock clock = wtl_load_clock_start();
    clock.start_s -= 2;
    wtl_announce_end(end, &clock, SIGTERM);
    is_str(json_string_value(json_object_get(end, "ended_by")), "TERM", "the signal");
    double seconds = json_real_value(json_object_get(end, "seconds"));
    ok(seconds >= 2 && seconds < 60, "%g seconds", seconds);
    wtl_announce_end(end, &clock, 0);
    is_str(json_string_value(json_object_get(end, "ended_by")), "time", "or time");
    json_decref(end);
    return done_testing();
}
