/* SPDX-License-Identifier: BSD-3-Clause */
/* A session in virtual time, with a trace, without memory and in a world of which any call may fail: what was opened
 * may lack values, but never a reason, and nothing is left. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/world/world_recorded.h"
#include "record/session.h"
#include "source/registry.h"
#include "tap.h"
#include "torture.h"

#define SECOND UINT64_C(1000000000)

static char path[64];

/* One second at 10 Hz. What the writer lacks is in the stats. */
static int measure(const struct wtl_session_options *options, const struct torture_case *self)
{
    struct wtl_session *session;
    struct wtl_session_stats stats;
    torture_mark(&session, sizeof session);
    int rc = wtl_session_create(options, &session, NULL);
    if (rc < 0) {
        torture_untouched(&session, sizeof session, self->name);
        return rc;
    }
    wtl_session_prepare(session);
    uint64_t start_ns = wtl_world_monotonic(options->world);
    wtl_session_begin(session, start_ns);
    wtl_session_advance(session, start_ns + SECOND);
    wtl_session_end(session, start_ns + SECOND);
    wtl_session_stats(session, &stats);
    for (size_t i = 0; i < options->selection->recorded_count; i++) {
        struct wtl_summary summary;
        wtl_session_summary(session, i, &summary);
        if (isnan(summary.amount) && stats.writer_error == 0)
            rc = -ENODATA;
    }
    wtl_session_destroy(session);
    return rc < 0 ? rc : stats.writer_error;
}

static int run_session(const struct torture_case *self)
{
    static const struct wtl_trace_options force = {.force = true};
    const struct wtl_request request = {.drivers = wtl_drivers, .which = "powercap"};
    struct wtl_selection *selection = NULL;
    struct wtl_trace_writer *writer = NULL;
    const struct wtl_world *world = self->context;
    torture_pause();
    int rc = wtl_selection_open(&request, world, &selection, NULL);
    torture_resume();
    rc = rc < 0 ? rc : wtl_trace_writer_create(path, &force, &writer, NULL);
    if (rc == 0) {
        struct wtl_session_options options = {.world = world,
                                              .selection = selection,
                                              .writer = writer,
                                              .interval_ns = SECOND / 10,
                                              .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                              .edges_before = 3,
                                              .edges_after = 3};
        rc = measure(&options, self);
        int finished = wtl_trace_writer_finish(writer, NULL);
        rc = rc < 0 ? rc : finished;
    }
    torture_pause();
    wtl_selection_close(selection);
    torture_resume();
    (void)unlink(path);
    return rc;
}

int main(void)
{
    char folder[] = "/tmp/wattle-torture-XXXXXX";
    struct wattle_error err;
    struct wtl_world *recorded, world;
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    (void)snprintf(path, sizeof path, "%s/t.wattle", folder);
    if (ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/skx-2s", &recorded, &err) == 0,
           "a host opens")) {
        torture_world(&world, recorded);
        wtl_world_recorded_step(recorded, 100000); /* time passes while a counter is polled */
        const struct torture_case session = {
            .name = "session", .run = run_session, .context = &world, .optional = true};
        ok(torture_allocations(&session), "a session without memory");
        ok(torture_world_calls(&session, EIO), "a session in a failing world");
        wtl_world_close(recorded);
    }
    (void)rmdir(folder);
    return done_testing();
}
