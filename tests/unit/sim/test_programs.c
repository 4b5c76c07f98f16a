/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of known power: their events, CPU time and joules from looks, and as perf events. */
#include "sim/programs/programs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "sim/phases/pmu.h"
#include "tap.h"

#define S UINT64_C(1000000000)

static struct wtl_sim_programs *make(void)
{
    struct wtl_sim_programs *programs = NULL;
    struct wattle_error err;
    is_int(wtl_sim_programs_create("spin=30:2:0.5,*=10:1", 2, &programs, &err), 0, "two programs");
    return programs;
}

static void check_refusals(void)
{
    static const char *const texts[] = {
        "", "spin", "=3", "spin=x", "spin=-1", "spin=1:2:3:4", "a_name_that_is_too_long=3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wtl_sim_programs *programs;
        struct wattle_error err = {""};
        is_int(wtl_sim_programs_create(texts[i], 2, &programs, &err), -EINVAL, "'%s': %s", texts[i],
               err.text);
    }
}

static double count(const struct wtl_sim_programs *programs,
                    size_t event,
                    struct wtl_sim_scope scope)
{
    return wtl_sim_programs_count(programs, event, &scope);
}

/* Two looks a second apart: spin runs on CPU 1 in a group, its child and a stranger on CPU 0. */
static void check_looks(void)
{
    struct wtl_sim_programs *programs = make();
    struct wtl_sim_seen list[] = {{.pid = 10, .parent = 1, .cpu = 1, .name = "spin"},
                                  {.pid = 11, .parent = 10, .cpu = 0, .name = "spin"},
                                  {.pid = 12, .parent = 1, .cpu = 0, .name = "sh"}};
    double w;
    size_t n;
    is_int(wtl_sim_programs_group(programs, "a/b"), 0, "a group");
    is_int(wtl_sim_programs_group(programs, "a/b"), 0, "is the same");
    is_int(wtl_sim_programs_look(programs, 5 * S, list, 2, &w), 0, "a look");
    is_double(w, 0, 0, "nothing has run");
    size_t born = wtl_sim_programs_born(programs);
    list[0].groups = 1;
    list[0].used_ns = S;
    list[1].used_ns = S / 4;
    list[2].used_ns = S / 2;
    (void)wtl_sim_programs_look(programs, 6 * S, list, 3, &w);
    is_double(w, 30 + 7.5 + 5, 1e-9, "their power");
    is_double(count(programs, 0, (struct wtl_sim_scope){.pid = 10, .cpu = -1, .group = -1}), 3e9, 1,
              "cycles of a process");
    is_double(count(programs, 1,
                    (struct wtl_sim_scope){.pid = 10, .inherit = true, .cpu = -1, .group = -1}),
              7.5e9, 1, "instructions, with its child");
    is_double(count(programs, 1,
                    (struct wtl_sim_scope){
                        .pid = 10, .inherit = true, .born = born, .cpu = -1, .group = -1}),
              6e9, 1, "not with one that was there before");
    is_double(count(programs, 2, (struct wtl_sim_scope){.pid = -1, .cpu = 0, .group = -1}),
              0.25 * 1.5e6 + 0.5 * 3e6, 1, "misses of a CPU");
    is_double(count(programs, 0, (struct wtl_sim_scope){.pid = -1, .cpu = 1, .group = 0}), 3e9, 1,
              "cycles of a group");
    is_double(count(programs, 0, (struct wtl_sim_scope){.pid = -1, .cpu = 0, .group = 0}), 0, 0,
              "none of it on the other CPU");
    (void)wtl_sim_programs_look(programs, 8 * S, list + 2, 1, &w);
    is_double(w, 0, 0, "two have ended, one waits");
    const struct wtl_sim_program *truth = wtl_sim_programs_truth(programs, &n);
    ok(n == 2 && fabs(truth[0].cpu_s - 1.25) < 1e-9 && fabs(truth[0].energy_j - 75) < 1e-9,
       "the truth of spin: %g s, %g J", truth[0].cpu_s, truth[0].energy_j);
    ok(fabs(truth[1].cpu_s - 0.5) < 1e-9 && fabs(truth[1].energy_j - 10) < 1e-9,
       "the truth of others: %g s, %g J", truth[1].cpu_s, truth[1].energy_j);
    char text[512];
    (void)wtl_sim_programs_stat(programs, 8 * S, text, sizeof text);
    is_str(text,
           "cpu  175 0 0 425 0 0 0 0 0 0\ncpu0 75 0 0 225 0 0 0 0 0 0\ncpu1 100 0 0 200 0 0 0 0 0 "
           "0\n",
           "/proc/stat");
    is_int(wtl_sim_programs_stat(programs, 8 * S, text, 40), -EOVERFLOW, "no room for it");
    wtl_sim_programs_destroy(programs);
}

static void check_events(void)
{
    struct wtl_sim_programs *programs = make();
    const struct wtl_sim_pmu_config config = {.programs = programs, .t0_ns = S, .cpus = 2};
    struct wtl_sim_pmu *pmu = NULL;
    struct wtl_sim_event *event = NULL;
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS};
    struct wtl_sim_seen list[] = {{.pid = 10, .parent = 1, .name = "spin", .used_ns = S}};
    uint64_t value = 0;
    double w;
    (void)wtl_sim_pmu_create(&config, &pmu);
    (void)wtl_sim_programs_look(programs, 2 * S, list, 1, &w);
    is_int(wtl_sim_pmu_open(pmu, &attr, 10, -1, -1, NULL, 2 * S, &event), 0, "an event");
    list[0].used_ns = 3 * S / 2;
    (void)wtl_sim_programs_look(programs, 3 * S, list, 1, &w);
    is_int(wtl_sim_event_read(event, 3 * S, &value, sizeof value), 8, "is read");
    is_int((int64_t)value, 3000000000, "what the process did since it was opened");
    attr.config = PERF_COUNT_HW_BRANCH_MISSES;
    is_int(wtl_sim_pmu_open(pmu, &attr, 10, -1, -1, NULL, 2 * S, &event), -ENOENT,
           "what programs do not have");
    wtl_sim_pmu_destroy(pmu);
    wtl_sim_programs_destroy(programs);
}

int main(void)
{
    check_refusals();
    check_looks();
    check_events();
    return done_testing();
}
