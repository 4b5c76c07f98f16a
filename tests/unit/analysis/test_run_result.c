/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of 50 W for 10 s gives 500 J, whether complete, cut off or without an end of its
 * window. */
#include "analysis/cluster/run_result.h"

#include <errno.h>
#include <math.h>

#include "sample_trace.h"
#include "tap.h"

static const char path[] = "run_result.wtl";

static int load(int how, struct wtl_result *ret_result)
{
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    int rc = sample_trace(path, how);
    rc = rc < 0 ? rc : wtl_trace_reader_open(path, &reader, &err);
    if (rc < 0)
        return rc;
    rc = wtl_run_result_read(reader, path, ret_result, &err);
    wtl_trace_reader_close(reader);
    return rc;
}

static const char *flag_text(const struct wtl_result *result, const char *name)
{
    for (size_t i = 0; i < result->flag_count; i++) {
        if (strcmp(result->flags[i].name, name) == 0)
            return result->flags[i].text;
    }
    return NULL;
}

static void check_energy(const struct wtl_result *r, double wall_s)
{
    is_double(r->wall_time_s, wall_s, 1e-9, "time of the window");
    is_double(r->energy.j, 50 * wall_s, 0.1, "energy of the window");
    ok(r->energy.half_j > 0 && r->energy.half_j < 1, "its interval: %g", r->energy.half_j);
    is_double(r->total_w, 50, 0.01, "mean power");
    is_int(r->energy_count, 1, "one channel of energy");
    is_int(r->channel_count, 2, "and one of activity");
    is_int(r->channels[0].summary.gaps, 1, "its gap");
}

static void test_whole(void)
{
    struct wtl_result r;
    if (!is_int(load(SAMPLE_WHOLE, &r), 0, "a whole trace"))
        return;
    check_energy(&r, 10);
    is_str(r.command, "./app --size 1", "command");
    is_str(r.target, "command", "target");
    is_str(r.host, "n1", "host");
    is_str(r.trace, path, "path");
    is_int(r.exit_code, 3, "exit code");
    is_double(r.cpu_s, 19.5, 0, "CPU time");
    ok(isnan(r.max_rss_bytes), "what is no number is unknown");
    ok(isnan(r.energy_share_j) && isnan(r.idle_before_w), "what is absent is unknown");
    is_int(r.interval_ns, 10000000, "interval");
    is_int(r.late_p99_ns, 60000, "lateness");
    is_int(r.sampler_cpu, -1, "not pinned");
    is_double(r.work, 1e9, 0, "work");
    is_str(r.work_unit, "flop", "its unit");
    is_int(r.start_monotonic_ns, 101 * SAMPLE_SECOND, "start");
    is_int(r.start_realtime_ns, 1700000001 * SAMPLE_SECOND, "on the wall clock");
    is_str(flag_text(&r, "THROTTLED"), "it was hot", "flags");
    ok(!flag_text(&r, "UNFINISHED"), "it is complete");
    wtl_result_fini(&r);
}

static void test_cut(void)
{
    struct wtl_result r;
    if (is_int(load(SAMPLE_CUT, &r), 0, "a trace without its footer")) {
        check_energy(&r, 10);
        const char *text = flag_text(&r, "UNFINISHED");
        ok(text && strstr(text, "its window is complete"), "says so: %s", text ? text : "");
        wtl_result_fini(&r);
    }
    if (is_int(load(SAMPLE_NO_END, &r), 0, "one that ended before its measurement")) {
        check_energy(&r, 11);
        const char *text = flag_text(&r, "UNFINISHED");
        ok(text && strstr(text, "up to the last sample"), "says so: %s", text ? text : "");
        wtl_result_fini(&r);
    }
}

/* However it is cut, reading fails with a message or returns no more than was written. */
static void test_truncated(void)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    size_t size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    unsigned read = 0, refused = 0, wrong = 0;
    if (file)
        (void)fclose(file);
    for (size_t n = 0; n <= size; n += 1 + size / 200) {
        struct wtl_trace_reader *reader;
        struct wattle_error err = {""};
        struct wtl_result r;
        file = fopen("cut.wtl", "wb");
        if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
            break;
        if (wtl_trace_reader_open("cut.wtl", &reader, &err) < 0) {
            refused++;
            wrong += !err.text[0];
            continue;
        }
        if (wtl_run_result_read(reader, "cut.wtl", &r, &err) == 0) {
            read++;
            wrong += r.energy.j > 550.2 || !flag_text(&r, "UNFINISHED");
            wtl_result_fini(&r);
        } else {
            wrong += !err.text[0];
        }
        wtl_trace_reader_close(reader);
    }
    ok(read > 100 && refused > 0, "cut at 200 places: %u read, %u refused", read, refused);
    is_int(wrong, 0, "none with too much energy, none without a word");
    free(bytes);
}

int main(void)
{
    test_whole();
    test_cut();
    test_truncated();
    return done_testing();
}
