/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a perf event cannot be counted here, and what would help: one sentence for each reason. */
#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "counters/columns/perf_unit.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* The highest setting at which it may be counted (Documentation/admin-guide/perf-security.rst). */
static int allowed_at(const struct wtl_perf_events *events, const struct wtl_perf_event *event)
{
    if (!wtl_perf_is_of_threads(events->scope))
        return 0;
    return wtl_perf_code_needs_kernel(&event->code) ? 1 : 2;
}

static void explain_denied(struct wtl_perf_events *events, struct wtl_perf_event *event, int error)
{
    char text[16] = "";
    bool known = wtl_world_text(events->world, PARANOID, text, sizeof text) > 0;
    int most = allowed_at(events, event);
    if (!known || error == -EPERM) {
        (void)wtl_fail(&event->why, error,
                       "perf_event_open is not permitted; in a container add the capability "
                       "CAP_PERFMON and a seccomp profile that allows it");
        return;
    }
    if (wtl_perf_is_of_threads(events->scope) && (text[0] == '-' || text[0] - '0' <= most)) {
        (void)wtl_fail(&event->why, error, "process %d may be counted only by its user and by root",
                       (int)events->target->pid);
        return;
    }
    (void)wtl_fail(&event->why, error,
                   "kernel.perf_event_paranoid is %s; as root run: sysctl "
                   "kernel.perf_event_paranoid=%d, or give wattle CAP_PERFMON",
                   text, most);
    (void)snprintf(event->remedy.now, sizeof event->remedy.now,
                   "sysctl kernel.perf_event_paranoid=%d", most);
    (void)snprintf(event->remedy.lasting, sizeof event->remedy.lasting,
                   "echo kernel.perf_event_paranoid=%d > /etc/sysctl.d/90-perf.conf", most);
}

/* Of an event that there is not. */
static const char *absent(const struct wtl_perf_events *events, bool software)
{
    if (!software && !events->pmus.present)
        return "this machine shows no hardware counters; a virtual machine has them only if its "
               "host passes them on";
    if (events->scope != WTL_COUNTED_CGROUP)
        return "the processor has no such event";
    return software ? "the kernel does not count it for this cgroup; that needs the controller "
                      "perf_event"
                    : "the processor has no such event, or the kernel does not count it for this "
                      "cgroup; that needs the controller perf_event";
}

void wtl_perf_explain(struct wtl_perf_events *events, struct wtl_perf_event *event, int error)
{
    const char *why = NULL;
    event->remedy = (struct wtl_remedy){.now = ""};
    switch (error) {
    case -EACCES:
    case -EPERM:
        explain_denied(events, event, error);
        return;
    case -ENOENT:
    case -EOPNOTSUPP:
    case -ENODEV:
    case -EINVAL:
        why = absent(events, wtl_perf_code_is_software(&event->code));
        break;
    case -ENOSYS:
        why = "perf_event_open is missing: the kernel was built without it, or a container blocks "
              "it (add CAP_PERFMON and allow it in the seccomp profile)";
        break;
    case -EMFILE:
        why = "too many open files; raise the limit with \"ulimit -n\", or count fewer events";
        break;
    case -EBUSY:
        why = "another program uses the counters exclusively";
        break;
    case -ESRCH:
        why = "the process has ended";
        break;
    default:
        break;
    }
    (void)wtl_fail(&event->why, error, "%s", why ? why : wtl_strerror(error));
}
