/* SPDX-License-Identifier: BSD-3-Clause */
/* The doctor on recorded hosts: states, remedies and the process's permissions; the texts are in
 * tests/hosts. */
#include "cli/doctor/doctor.h"

#include <string.h>

#include "base/world/world_recorded.h"
#include "source/registry.h"
#include "tap.h"

#define HOSTS WATTLE_SOURCE_DIR "/tests/hosts/"

struct visit {
    struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_doctor doctor;
};

static struct visit visit(const char *host)
{
    struct visit v = {0};
    char path[512];
    struct wtl_request request = {.drivers = wtl_drivers, .activity = true};
    (void)snprintf(path, sizeof path, HOSTS "%s", host);
    if (!ok(wtl_world_recorded(path, &v.world, NULL) == 0 &&
                wtl_selection_open(&request, v.world, &v.selection, NULL) == 0 &&
                wtl_doctor_examine(&v.doctor, v.world, v.selection) == 0,
            "%s is examined", host))
        exit(done_testing());
    return v;
}

static void leave(struct visit *v)
{
    wtl_doctor_fini(&v->doctor);
    wtl_selection_close(v->selection);
    is_int(wtl_world_recorded_open_fds(v->world), 0, "nothing stays open");
    wtl_world_close(v->world);
}

static const struct wtl_finding *find(const struct visit *v, const char *check)
{
    for (size_t i = 0; i < v->doctor.count; i++) {
        if (strcmp(v->doctor.findings[i].check, check) == 0)
            return &v->doctor.findings[i];
    }
    return NULL;
}

static void test_states(void)
{
    static const struct {
        int line;
        const char *host, *check;
        enum wtl_health health;
        const char *cure; /* part of one of its remedies; NULL = none */
    } rows[] = {
        {__LINE__, "denied", "perf", WTL_HEALTH_BLOCKED, "sysctl kernel.perf_event_paranoid=0"},
        {__LINE__, "denied", "powercap", WTL_HEALTH_BLOCKED, "90-powercap.rules"},
        {__LINE__, "denied", "msr", WTL_HEALTH_BLOCKED, "chgrp GROUP"},
        {__LINE__, "denied-partly", "powercap", WTL_HEALTH_BETTER, "chmod a+r"},
        {__LINE__, "skx-2s", "perf", WTL_HEALTH_OK, NULL},
        {__LINE__, "skx-2s", "cray", WTL_HEALTH_NONE, NULL},
        {__LINE__, "skx-2s", "estimate", WTL_HEALTH_NONE, NULL},
        {__LINE__, "kvm-guest", "guest", WTL_HEALTH_BLOCKED, "wattle run"},
        {__LINE__, "kvm-guest", "powercap", WTL_HEALTH_NONE, NULL},
        {__LINE__, "docker-masked", "masked-powercap", WTL_HEALTH_BLOCKED,
         "--security-opt systempaths=unconfined"},
        {__LINE__, "docker-masked", "seccomp", WTL_HEALTH_BETTER, "add: [PERFMON]"},
        {__LINE__, "docker-masked", "user-namespace", WTL_HEALTH_OK, NULL},
        {__LINE__, "docker-masked", "config", WTL_HEALTH_OK, NULL}, /* from /proc/config.gz */
        {__LINE__, "podman-rootless", "config", WTL_HEALTH_NONE, NULL},
        {__LINE__, "docker-masked", "cpu-limit", WTL_HEALTH_BETTER, NULL},
        {__LINE__, "podman-rootless", "user-namespace", WTL_HEALTH_BETTER, "--userns=host"},
        {__LINE__, "podman-rootless", "mounts", WTL_HEALTH_OK, NULL},
        {__LINE__, "server-untuned", "clock", WTL_HEALTH_BETTER, "echo tsc"},
        {__LINE__, "server-untuned", "config", WTL_HEALTH_BETTER, "CONFIG_INTEL_RAPL"},
        {__LINE__, "server-untuned", "files", WTL_HEALTH_BLOCKED, "ulimit -n"},
        {__LINE__, "server-untuned", "lockdown", WTL_HEALTH_BETTER, NULL},
        {__LINE__, "server-untuned", "turbo", WTL_HEALTH_BETTER, "no_turbo"},
        {__LINE__, "server-untuned", "gpu", WTL_HEALTH_BETTER, "nvidia-smi"},
        {__LINE__, "server-untuned", "bmc", WTL_HEALTH_BETTER, "ipmitool"},
        {__LINE__, "server-untuned", "folder", WTL_HEALTH_NONE, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit v = visit(rows[i].host);
        const struct wtl_finding *finding = find(&v, rows[i].check);
        bool cures = false;
        tap_line = rows[i].line;
        if (ok(finding != NULL, "%s: %s is looked at", rows[i].host, rows[i].check) && finding) {
            is_str(wtl_health_name(finding->health), wtl_health_name(rows[i].health), "its state");
            for (size_t k = 0; k < finding->cure_count && rows[i].cure; k++)
                cures = cures || strstr(finding->cures[k].command, rows[i].cure) != NULL;
            ok(rows[i].cure ? cures : finding->cure_count == 0, "its remedy");
            ok(finding->what[0] != '\0', "and its sentence: %s", finding->what);
        }
        tap_line = 0;
        leave(&v);
    }
}

static void test_process(void)
{
    struct visit v = visit("docker-masked");
    char value[64] = "";
    ok(wtl_doctor_status(v.world, "Seccomp:", value, sizeof value), "a row of the status");
    is_str(value, "2", "its value");
    ok(!wtl_doctor_status(v.world, "None:", value, sizeof value), "no such row");
    ok(wtl_doctor_can(v.world, 0), "CAP_CHOWN is in the mask");
    ok(!wtl_doctor_can(v.world, 38), "CAP_PERFMON is not, although the user is 0");
    leave(&v);
    v = visit("kvm-guest");
    ok(wtl_doctor_can(v.world, 38) == (v.world->ops->geteuid(v.world) == 0),
       "without a status the user decides");
    is_int(wtl_doctor_severity(&v.doctor), WTL_HEALTH_BLOCKED, "nothing is measured: it matters");
    leave(&v);
    v = visit("skx-2s");
    is_int(wtl_doctor_severity(&v.doctor), WTL_HEALTH_BETTER, "else it matters less");
    leave(&v);
}

static void test_cures(void)
{
    struct wtl_doctor doctor = {0};
    struct wtl_finding *finding = wtl_doctor_say(&doctor, "g", "c", WTL_HEALTH_OK, "%d", 7);
    is_str(finding->what, "7", "what is said");
    for (int i = 0; i < WTL_CURES + 2; i++)
        wtl_doctor_cure(finding, "now", "%d", i);
    is_int((int)finding->cure_count, WTL_CURES, "no more remedies than there is room for");
    is_str(finding->cures[WTL_CURES - 1].command, "4", "the first are kept");
    is_str(wtl_health_name((enum wtl_health)77), "?", "no such state");
    wtl_doctor_fini(&doctor);
}

int main(void)
{
    test_states();
    test_process();
    test_cures();
    return done_testing();
}
