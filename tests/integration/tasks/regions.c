/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions with tasks in them: "outer" of 40 ms, five times, with an "inner" of 20 ms and 1000 tasks. */
#include <time.h>
#include <wattle/region.h>
#include <wattle/task.h>

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&pause, NULL);
}

int main(void)
{
    uint32_t outer = wattle_region_id("outer"), inner = wattle_region_id("inner"),
             type = wattle_region_id("task");

    for (unsigned i = 0; i < 5; i++) {
        wattle_region_begin(outer);
        pause_ms(20);
        wattle_region_begin(inner);
        for (unsigned task = 1; task <= 1000; task++) {
            const struct wattle_task_detail detail = {WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_CORE, 1};

            wattle_task_mark_with(WATTLE_TASK_RUN, type, 1000 * i + task, &detail, 1);
            wattle_task_mark(WATTLE_TASK_DONE, type, 1000 * i + task);
        }
        pause_ms(20);
        wattle_region_end(inner);
        wattle_region_end(outer);
    }
    return 0;
}
