/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle run --tasks" can record here: the tool for OpenMP, a runtime that reports tasks, names of places. */
#include "cli/doctor/doctor.h"

#include "base/code/debug_lines.h"
#include "cli/run/task_tools.h"
#include "cli/run/tools.h"

static const char group[] = "tasks";

static void check_runtime(struct wtl_doctor *doctor)
{
    char path[512];
    if (wtl_task_runtime_find(doctor->world, path, sizeof path)) {
        wtl_doctor_say(
            doctor, group, "openmp", WTL_HEALTH_OK,
            "OpenMP tasks are recorded of programs for a runtime with OMPT (clang, Intel), "
            "and of those for GCC's under %s, which do not report worksharing of static loops",
            path);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "openmp", WTL_HEALTH_NONE,
        "OpenMP tasks are recorded of programs for a runtime with OMPT (clang, Intel), "
        "but not of those for GCC's, which does not report them: libomp is not installed");
    wtl_doctor_cure(f, "for good", "apt install libomp5 || dnf install libomp");
    wtl_doctor_gain(f, "tasks of programs that GCC compiled");
}

static void check_lines(struct wtl_doctor *doctor)
{
    if (wtl_debug_lines_available()) {
        wtl_doctor_say(
            doctor, group, "lines", WTL_HEALTH_OK,
            "tasks are named by function, file and line if the program has debug information");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "lines", WTL_HEALTH_NONE,
                       "tasks are named by function only: libdw is not installed");
    wtl_doctor_cure(f, "for good", "apt install libdw1 || dnf install elfutils-libs");
    wtl_doctor_gain(f, "file and line of each task");
}

static void check_threads(struct wtl_doctor *doctor)
{
    char path[4096];
    if (wtl_tools_library(doctor->world, "libwattle-pthread.so", path, sizeof path)) {
        wtl_doctor_say(doctor, group, "threads", WTL_HEALTH_OK,
                       "what POSIX and C11 threads wait for is recorded, of programs that are not "
                       "linked statically");
        return;
    }
    wtl_doctor_say(doctor, group, "threads", WTL_HEALTH_NONE,
                   "what POSIX and C11 threads wait for is not recorded: libwattle-pthread.so is "
                   "not installed with this wattle");
}

void wtl_doctor_tasks(struct wtl_doctor *doctor)
{
    char path[4096];
    if (doctor->world->virtual_time)
        return; /* the libraries of a recorded host are not recorded */
    check_threads(doctor);
    if (!wtl_tools_library(doctor->world, "libwattle-ompt.so", path, sizeof path)) {
        wtl_doctor_say(
            doctor, group, "openmp", WTL_HEALTH_NONE,
            "OpenMP tasks are not recorded: libwattle-ompt.so is not installed with this wattle");
        return;
    }
    check_runtime(doctor);
    check_lines(doctor);
}
