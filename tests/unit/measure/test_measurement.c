/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A measurement of a recorded machine in virtual time, made as by "wattle run" and as by a program
 * itself: both traces have the same flags, and all possible metadata about the machine.
 */
#define _GNU_SOURCE
#include "measure/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/world/world_recorded.h"
#include "tap.h"
#include "trace/reader.h"

#define HOST WATTLE_SOURCE_DIR "/tests/hosts/xeon-2s-loaded"
#define PATH "t.wtl"
#define S    UINT64_C(1000000000)

static char told[1000];

static void tell(void *context, const char *sentence)
{
    (void)context;
    (void)snprintf(told, sizeof told, "%s", sentence);
}

static struct wtl_measurement_options options(const struct wtl_world *world, bool inside)
{
    return (struct wtl_measurement_options){.world = world,
                                            .inside = inside,
                                            .activity = true,
                                            .trace_path = PATH,
                                            .trace = {.force = true},
                                            .interval_ns = S / 10,
                                            .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                            .work = NAN,
                                            .teller = {.warn = tell}};
}

/* 20 s; the machine changes at 15 s. */
static int measure(const struct wtl_measurement_options *what, struct wtl_result *ret_result)
{
    static const struct wtl_measurement_used used = {
        .cpu_s = NAN, .max_rss_bytes = NAN, .exit_code = -1};
    struct wtl_measurement m;
    struct wattle_error err = {""};
    *ret_result = wtl_result_unknown();
    int rc = wtl_measurement_init(&m, what, &err);
    rc = rc < 0 ? rc : wtl_measurement_open(&m, &err);
    if (rc < 0) {
        diag("%s", err.text);
        wtl_measurement_discard(&m);
        return rc;
    }
    (void)wtl_measurement_prepare(&m);
    wtl_measurement_start(&m);
    wtl_measurement_begin(&m);
    wtl_run_trace_begun(&m.trace);
    wtl_session_advance(m.session, m.start_ns + 20 * S);
    wtl_measurement_end(&m, wtl_world_monotonic(what->world));
    wtl_measurement_result(&m, &used, ret_result);
    rc = wtl_measurement_fill_trace(&m, ret_result, &err);
    rc = rc < 0 ? rc : wtl_run_trace_finish(&m.trace, ret_result, &err);
    wtl_measurement_close(&m);
    return rc;
}

static void test_trace(bool inside)
{
    static const char *const keys[] = {"flag.THROTTLED",
                                       "flag.GOVERNOR CHANGED",
                                       "wattle.version",
                                       "sampler.interval_ns",
                                       "run.target",
                                       "run.directory",
                                       "node.name",
                                       "cpu.model",
                                       "cpu.governor",
                                       "cpu.governor.after",
                                       "process.share_quality",
                                       "sampler.missed",
                                       "own.cpu_s",
                                       "machine.cpu_s"};
    struct wtl_world *world;
    struct wtl_result result;
    struct wtl_trace_reader *reader;
    if (!ok(wtl_world_recorded(HOST, &world, NULL) == 0, "a machine"))
        return;
    const struct wtl_measurement_options what = options(world, inside);
    is_int(measure(&what, &result), 0, "measured");
    ok(fabs(result.wall_time_s - 20) < 1e-6, "for 20 s");
    ok(result.energy.j > 0, "its energy is known: %g J", result.energy.j);
    is_int((intmax_t)result.flag_count, 2, "two flags of it");
    wtl_result_fini(&result);
    if (ok(wtl_trace_reader_open(PATH, &reader, NULL) == 0, "its trace")) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            ok(wtl_trace_reader_meta(reader, keys[i]) != NULL, "has %s", keys[i]);
        wtl_trace_reader_close(reader);
    }
    wtl_world_close(world);
}

/* A trace that cannot be created: three policies. */
static void test_no_trace(void)
{
    static const struct {
        int line;
        enum wtl_trace_need need;
        bool exists, goes_on;
        const char *remedy, *told;
    } rows[] = {
        {__LINE__, WTL_TRACE_MUST, false, false, NULL, ""},
        {__LINE__, WTL_TRACE_MUST, true, false, NULL, ""},
        {__LINE__, WTL_TRACE_NEW, false, true, NULL, "measuring without a trace"},
        {__LINE__, WTL_TRACE_NEW, true, false, NULL, ""},
        {__LINE__, WTL_TRACE_TRY, true, true, "give another", "without a trace: give another"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world;
        struct wtl_result result;
        tap_line = rows[i].line;
        if (!ok(wtl_world_recorded(HOST, &world, NULL) == 0, "a machine"))
            continue;
        struct wtl_measurement_options what = options(world, true);
        what.trace = (struct wtl_run_trace_options){.need = rows[i].need, .remedy = rows[i].remedy};
        what.trace_path = rows[i].exists ? PATH : "none/t.wtl";
        told[0] = '\0';
        is_int(measure(&what, &result) == 0, rows[i].goes_on, "it goes on");
        ok(strstr(told, rows[i].told) != NULL, "told: %s", told);
        is_int((intmax_t)result.flag_count, rows[i].goes_on ? 3 : 0, "NO TRACE is a flag");
        wtl_result_fini(&result);
        wtl_world_close(world);
        is_int(access(PATH, F_OK), 0, "what was there is there");
    }
    tap_line = 0;
}

/* Nothing is measured: the file to be replaced is restored. */
static void test_given_up(void)
{
    struct wtl_world *world;
    struct wtl_measurement m;
    struct wtl_trace_reader *reader;
    if (!ok(wtl_world_recorded(HOST, &world, NULL) == 0, "a machine"))
        return;
    const struct wtl_measurement_options what = options(world, true);
    is_int(wtl_measurement_init(&m, &what, NULL), 0, "a measurement");
    is_int(wtl_measurement_open(&m, NULL), 0, "in the place of another trace");
    wtl_measurement_discard(&m);
    if (ok(wtl_trace_reader_open(PATH, &reader, NULL) == 0, "that is there again")) {
        ok(wtl_trace_reader_meta(reader, "cpu.governor.after") != NULL, "as it was");
        wtl_trace_reader_close(reader);
    }
    wtl_world_close(world);
    (void)unlink(PATH);
}

int main(void)
{
    char folder[] = "/tmp/wattle-test-measurement-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 77;
    test_trace(false);
    test_trace(true);
    test_no_trace();
    test_given_up();
    (void)rmdir(folder);
    return done_testing();
}
