/* SPDX-License-Identifier: BSD-3-Clause */
/* A complete measurement in virtual time, with a trace, without memory and in a world of which any call may fail:
 * everything opened is closed, and no trace is left if nothing was measured. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/world/world_recorded.h"
#include "measure/measurement.h"
#include "tap.h"
#include "torture.h"

#define SECOND UINT64_C(1000000000)

static char path[64];

static int finish(struct wtl_measurement *m)
{
    static const struct wtl_measurement_used used = {
        .cpu_s = NAN, .max_rss_bytes = NAN, .exit_code = -1};
    struct wtl_result result;
    wtl_measurement_end(m, m->start_ns + SECOND);
    wtl_measurement_result(m, &used, &result);
    int rc = wtl_measurement_fill_trace(m, &result, NULL);
    int finished = wtl_run_trace_finish(&m->trace, &result, NULL);
    wtl_result_fini(&result);
    wtl_measurement_close(m);
    (void)unlink(path);
    return rc < 0 ? rc : finished;
}

static int run_measurement(const struct torture_case *self)
{
    const struct wtl_measurement_options options = {.world = self->context,
                                                    .sensors = "powercap",
                                                    .sensors_required = true,
                                                    .trace_path = path,
                                                    .trace = {.need = WTL_TRACE_MUST},
                                                    .interval_ns = SECOND / 10,
                                                    .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                                    .edges = WTL_MEASUREMENT_EDGES,
                                                    .own_page = true,
                                                    .work = NAN};
    struct wtl_measurement m;
    int rc = wtl_measurement_init(&m, &options, NULL);
    rc = rc < 0 ? rc : wtl_measurement_open(&m, NULL);
    if (rc < 0) {
        wtl_measurement_discard(&m);
        ok(access(path, F_OK) < 0, "no trace is left");
        return rc;
    }
    (void)wtl_measurement_prepare(&m);
    wtl_measurement_start(&m);
    wtl_measurement_begin(&m);
    wtl_run_trace_begun(&m.trace);
    wtl_session_advance(m.session, m.start_ns + SECOND);
    return finish(&m);
}

int main(void)
{
    char folder[] = "/tmp/wattle-torture-XXXXXX";
    struct wattle_error err;
    struct wtl_world *recorded, world;
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    (void)snprintf(path, sizeof path, "%s/t.wtl", folder);
    if (ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/skx-2s", &recorded, &err) == 0,
           "a host opens")) {
        torture_world(&world, recorded);
        wtl_world_recorded_step(recorded, 100000); /* time passes while a counter is polled */
        const struct torture_case measurement = {
            .name = "measurement", .run = run_measurement, .context = &world, .optional = true};
        ok(torture_allocations(&measurement), "a measurement without memory");
        ok(torture_world_calls(&measurement, EIO), "a measurement in a failing world");
        wtl_world_close(recorded);
    }
    (void)rmdir(folder);
    return done_testing();
}
