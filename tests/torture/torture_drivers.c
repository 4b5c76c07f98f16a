/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All drivers, opened together on recorded hosts and read once, without memory and with a world of which any call may
 * fail; also the machine facts that they use.
 */
#include <errno.h>

#include "base/world/world_recorded.h"
#include "counters/governor.h"
#include "counters/machine.h"
#include "sensors/msr.h"
#include "source/registry.h"
#include "source/select.h"
#include "tap.h"
#include "torture.h"

static int run_selection(const struct torture_case *self)
{
    const struct wtl_target target = {.pid = 4711, .cgroup = "/sys/fs/cgroup/job"};
    const struct wtl_request request = {
        .drivers = wtl_drivers, .which = "all", .target = &target, .activity = true};
    struct wtl_selection *selection;
    struct wattle_error err = {{0}};
    torture_mark(&selection, sizeof selection);
    int rc = wtl_selection_open(&request, self->context, &selection, &err);
    if (rc < 0) {
        torture_untouched(&selection, sizeof selection, self->name);
        return err.text[0] ? rc : -EINVAL; /* a failure gives a reason */
    }
    for (size_t i = 0; i < selection->count; i++) {
        struct wattle_reading reading;
        const struct wtl_pick *pick = &selection->picks[i];
        pick->source->driver->read(pick->source, pick->at, 1, &reading);
        if (reading.status > 0)
            rc = -EINVAL;
    }
    for (size_t i = 0; i < selection->offer_count; i++) {
        if (selection->offers[i].status < 0 && !selection->offers[i].why.text[0])
            rc = -EINVAL; /* absent without a reason */
    }
    wtl_selection_close(selection);
    return rc;
}

static void swallow(void *context, const char *key, const char *value)
{
    (void)context, (void)key, (void)value;
}

static int run_machine(const struct torture_case *self)
{
    struct wtl_governor governor;
    wtl_governor_read(self->context, &governor);
    wtl_machine_describe(self->context, swallow, NULL);
    (void)wtl_msr_filtering(self->context);
    return 0;
}

int main(void)
{
    static const struct {
        const char *name;
        int left_out; /* of hosts whose drivers others have, too: the error that they are not tried with */
    } hosts[] = {{"skx-2s", EACCES},         {"spr-2s", 0},          {"zen5-core-pmu", EIO},
                 {"container", 0},           {"jetson-orin", 0},     {"laptop-tgl", EACCES},
                 {"kvm-guest", 0},           {"workstation-gpu", 0}, {"topology-offline", EIO},
                 {"laptop-two-batteries", 0}};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char path[512];
        struct wattle_error err;
        struct wtl_world *recorded, world;
        (void)snprintf(path, sizeof path, WATTLE_SOURCE_DIR "/tests/hosts/%s", hosts[i].name);
        if (!ok(wtl_world_recorded(path, &recorded, &err) == 0, "%s opens", hosts[i].name))
            continue;
        torture_world(&world, recorded);
        const struct torture_case selection = {
            .name = hosts[i].name, .run = run_selection, .context = &world};
        ok(torture_allocations(&selection), "%s: drivers without memory", hosts[i].name);
        if (hosts[i].left_out != EIO)
            ok(torture_world_calls(&selection, EIO), "%s: drivers in a failing world",
               hosts[i].name);
        if (hosts[i].left_out != EACCES)
            ok(torture_world_calls(&selection, EACCES), "%s: in a forbidding one", hosts[i].name);
        const struct torture_case machine = {
            .name = hosts[i].name, .run = run_machine, .context = &world, .optional = true};
        ok(torture_allocations(&machine), "%s: provenance without memory", hosts[i].name);
        is_int(wtl_world_recorded_open_fds(recorded), 0, "%s: nothing stays open", hosts[i].name);
        wtl_world_close(recorded);
    }
    return done_testing();
}
