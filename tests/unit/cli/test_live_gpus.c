/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GPU has gained goes to the processes that used it, to idle or to nobody, and the sum stays. */
#include "cli/top/live_gpus.h"

#include <math.h>
#include <string.h>

#include "tap.h"

static struct wtl_process items[] = {{.stat = {.pid = 100}}, {.stat = {.pid = 200}}};
static struct wtl_process_table table = {.items = items, .count = 2};

static struct wtl_live_gpus gpu_of(struct wtl_gpu_user *users, size_t count)
{
    struct wtl_live_gpus gpus = {.now_ns = 5000000000, .driver_count = 1, .count = 1};
    gpus.drivers[0].users = users;
    gpus.drivers[0].count = count;
    gpus.drivers[0].known = 1;
    gpus.drivers[0].known_ns = 4000000000;
    gpus.list[0] = (struct wtl_live_gpu){.name = "nvml:gpu-0", .now_j = 300, .settled_j = 100};
    return gpus;
}

/* 200 J in 2 s. */
static struct wtl_share_rest give(const struct wtl_live_gpus *gpus)
{
    struct wtl_share_rest rest = {.jobs_j = 5, .idle_j = 7, .unattributed_j = 200};
    for (size_t i = 0; i < table.count; i++)
        items[i].power_w = items[i].gpu_w = items[i].energy_j = 0;
    wtl_live_gpus_give(gpus, &table, 2, &rest);
    is_double(rest.jobs_j + rest.idle_j + rest.unattributed_j, 212, 1e-9, "the sum stays");
    return rest;
}

static void test_known(void)
{
    struct wtl_gpu_user users[] = {{.device = 0, .pid = 100, .used = 0.6},
                                   {.device = 0, .pid = 200, .used = 0.2},
                                   {.device = 1, .pid = 200, .used = 1},
                                   {.device = 0, .pid = 150, .used = 0}};
    struct wtl_live_gpus gpus = gpu_of(users, 4);
    struct wtl_share_rest rest = give(&gpus);
    is_double(items[0].gpu_w, 75, 1e-9, "three quarters");
    is_double(items[1].gpu_w, 25, 1e-9, "one quarter");
    is_double(items[0].energy_j, 150, 1e-9, "in joules");
    is_double(rest.unattributed_j, 0, 1e-9, "nothing is left");
    users[3].used = 0.2;
    rest = give(&gpus);
    is_double(rest.unattributed_j, 40, 1e-9, "what a process used that is not listed is nobody's");
    users[0].used = users[1].used = users[3].used = 0;
    rest = give(&gpus);
    is_double(rest.idle_j, 207, 1e-9, "unused, it is idle");
    wtl_live_gpus_settle(&gpus);
    rest = give(&gpus);
    is_double(rest.unattributed_j, 200, 0, "what is settled is not given twice");
}

static void test_unknown(void)
{
    struct wtl_gpu_user user = {.device = 0, .pid = 100, .used = 0.5};
    struct wtl_live_gpus gpus = gpu_of(&user, 1);
    gpus.now_ns = 8000000000;
    struct wtl_share_rest rest = give(&gpus);
    ok(rest.unattributed_j == 200 && items[0].gpu_w == 0, "an old answer charges nobody");
    gpus = gpu_of(&user, 1);
    gpus.drivers[0].known = 2;
    rest = give(&gpus);
    ok(rest.unattributed_j == 200, "nor does one about another GPU");
    gpus = gpu_of(NULL, 0);
    gpus.own_pids = true;
    rest = give(&gpus);
    ok(rest.unattributed_j == 200, "in a container, no process does not mean that it is idle");
}

int main(void)
{
    test_known();
    test_unknown();
    return done_testing();
}
