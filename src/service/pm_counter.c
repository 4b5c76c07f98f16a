/* SPDX-License-Identifier: BSD-3-Clause */
/* A counter of a pmlib server: see pm_counter.h. */
#include "service/pm_counter.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t SETTLE_NS = 2000000000; /* for a value that is late at the end of a set */
enum { FIRST_ROOM = 4096 };

int wtl_pm_period(const struct wtl_pm_meter *meter, int32_t frequency, uint64_t *ret_ns)
{
    if (frequency < 0)
        return -EINVAL;
    if (frequency > meter->max_frequency)
        return -ERANGE;
    uint64_t max = (uint64_t)meter->max_frequency, wanted = frequency ? (uint64_t)frequency : max;
    *ret_ns = SECOND_NS / max * ((2 * max + wanted) / (2 * wanted)); /* rounded, half up */
    return 0;
}

int wtl_pm_counter_init(struct wtl_pm_counter *counter,
                        const struct wtl_pm_meters *meters,
                        const struct wtl_pm_meter *meter,
                        struct wtl_pm_memory *memory,
                        const uint8_t mask[WTL_PM_MASK],
                        bool empty_is_all,
                        bool aggregate,
                        int32_t frequency)
{
    static const uint8_t none[WTL_PM_MASK];
    bool all = empty_is_all && memcmp(mask, none, sizeof none) == 0;
    *counter = (struct wtl_pm_counter){.meters = meters, .meter = meter, .memory = memory};
    for (int i = 0; i < (int)meter->line_count && i < WTL_PM_LINES; i++) {
        if (all || wtl_pm_mask_has(mask, i))
            counter->lines[counter->line_count++] = i;
    }
    counter->aggregate = aggregate;
    if (wtl_pm_period(meter, frequency, &counter->period_ns) < 0)
        return -EINVAL;
    counter->bound_count = 1;
    counter->bounds =
        wtl_pm_memory_resize(memory, NULL, &counter->bounds_room, 16 * sizeof *counter->bounds);
    if (!counter->bounds)
        return -ENOMEM;
    counter->bounds[0] = 0;
    return 0;
}

void wtl_pm_counter_fini(struct wtl_pm_counter *counter)
{
    if (!counter->memory)
        return;
    counter->samples =
        wtl_pm_memory_resize(counter->memory, counter->samples, &counter->samples_room, 0);
    counter->bounds =
        wtl_pm_memory_resize(counter->memory, counter->bounds, &counter->bounds_room, 0);
}

static struct wtl_pm_value value_of(const struct wtl_pm_counter *counter, int line)
{
    struct wtl_pm_value value = {.status = -ENODATA};
    counter->meters->read(counter->meters->context, counter->meter->lines[line].channel, &value);
    return value;
}

int wtl_pm_counter_start(struct wtl_pm_counter *counter, bool go_on, uint64_t now_ns)
{
    if (counter->active)
        return -EBUSY;
    if (!go_on) {
        counter->rows = 0;
        counter->bound_count = 1;
        counter->overflowed = false;
    }
    if (counter->bound_count >= WTL_PM_SETS_MAX)
        return -ENOMEM;
    (void)wtl_pm_counter_settle(counter, now_ns);
    counter->settle_ns = 0;
    for (int i = 0; i < counter->line_count; i++) {
        struct wtl_pm_value now = value_of(counter, counter->lines[i]);
        wtl_pm_trail_begin(&counter->trails[i], &now);
        counter->pending[i] = 0;
    }
    counter->active = true;
    counter->next_ns = now_ns + counter->period_ns;
    return 0;
}

static int reserve(struct wtl_pm_counter *counter)
{
    size_t need = (counter->rows + 1) * (size_t)counter->line_count * sizeof(double);
    size_t room = counter->samples_room ? counter->samples_room : FIRST_ROOM;
    if (counter->rows >= INT32_MAX / WTL_PM_LINES)
        return -ENOMEM;
    if (need <= counter->samples_room)
        return 0;
    while (room < need)
        room *= 2;
    counter->samples =
        wtl_pm_memory_resize(counter->memory, counter->samples, &counter->samples_room, room);
    return counter->samples_room >= need ? 0 : -ENOMEM;
}

/* A line has a value again: the mean of the rows since the one before, or NaN if it does not tell that. */
static void fill_pending(struct wtl_pm_counter *counter, int line, double power_w)
{
    size_t n = (size_t)counter->line_count;
    for (size_t i = counter->rows - counter->pending[line]; i < counter->rows; i++)
        counter->samples[i * n + (size_t)line] = power_w;
    counter->pending[line] = 0;
}

/* A line turns out to have no value: what was shown since its last one is not known either, until there is a next one. */
static void forget_pending(struct wtl_pm_counter *counter, int line)
{
    size_t n = (size_t)counter->line_count;
    for (size_t i = counter->rows; i > counter->rows - counter->pending[line]; i--) {
        double *sample = &counter->samples[(i - 1) * n + (size_t)line];
        if (isnan(*sample))
            return;
        *sample = (double)NAN;
    }
}

/* One row of samples. if_fresh: only if some line has a newer value. */
static void take_row(struct wtl_pm_counter *counter, uint64_t now_ns, bool if_fresh)
{
    double row[WTL_PM_LINES] = {0};
    bool fresh[WTL_PM_LINES] = {false}, some = false;
    for (int i = 0; i < counter->line_count; i++) {
        struct wtl_pm_value now = value_of(counter, counter->lines[i]);
        row[i] = wtl_pm_trail_next(&counter->trails[i], &now, now_ns, counter->meter->patience_ns,
                                   &fresh[i]);
        some = some || fresh[i];
    }
    if ((if_fresh && !some) || counter->line_count == 0 || counter->overflowed)
        return;
    if (reserve(counter) < 0) {
        counter->overflowed = true;
        return;
    }
    for (int i = 0; i < counter->line_count; i++) {
        if (!fresh[i] && isnan(row[i]))
            forget_pending(counter, i);
        if (!fresh[i])
            counter->pending[i]++;
        else if (counter->trails[i].last.instant)
            counter->pending[i] = 0;
        else
            fill_pending(counter, i, row[i]);
    }
    memcpy(counter->samples + counter->rows * (size_t)counter->line_count, row,
           (size_t)counter->line_count * sizeof *row);
    counter->rows++;
}

/* The newest row again, for a period that ended with it: the mean of a line with energy is over all of the time since the
 * row before. Of other lines nothing is known. */
static void repeat_row(struct wtl_pm_counter *counter)
{
    size_t n = (size_t)counter->line_count, at = counter->rows * n;
    if (counter->overflowed || counter->rows == 0 || reserve(counter) < 0) {
        counter->overflowed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bool instant = counter->trails[i].last.instant;
        counter->samples[at + i] = instant ? (double)NAN : counter->samples[at + i - n];
        counter->pending[i] += counter->pending[i] > 0;
    }
    counter->rows++;
}

void wtl_pm_counter_tick(struct wtl_pm_counter *counter, uint64_t now_ns)
{
    if (!counter->active || now_ns < counter->next_ns)
        return;
    take_row(counter, now_ns, false);
    counter->next_ns += counter->period_ns;
    for (; counter->next_ns <= now_ns; counter->next_ns += counter->period_ns) {
        if (counter->line_count > 0)
            repeat_row(counter);
    }
}

bool wtl_pm_counter_settle(struct wtl_pm_counter *counter, uint64_t now_ns)
{
    bool open = false;
    if (counter->settle_ns == 0)
        return true;
    for (int i = 0; i < counter->line_count; i++) {
        bool fresh = false;
        if (counter->pending[i] == 0 || counter->trails[i].last.instant)
            continue;
        struct wtl_pm_value now = value_of(counter, counter->lines[i]);
        double power_w = wtl_pm_trail_next(&counter->trails[i], &now, now_ns,
                                           counter->meter->patience_ns, &fresh);
        if (fresh)
            fill_pending(counter, i, power_w);
        open |= !fresh;
    }
    if (!open || now_ns >= counter->settle_ns)
        counter->settle_ns = 0;
    return counter->settle_ns == 0;
}

int wtl_pm_counter_stop(struct wtl_pm_counter *counter, uint64_t now_ns)
{
    if (!counter->active)
        return -EBUSY;
    size_t size = ((size_t)counter->bound_count + 1) * sizeof *counter->bounds;
    wtl_pm_counter_tick(counter, now_ns);
    if (counter->rows == (size_t)counter->bounds[counter->bound_count - 1])
        take_row(counter, now_ns, true);
    counter->active = false;
    if (size > counter->bounds_room)
        counter->bounds =
            wtl_pm_memory_resize(counter->memory, counter->bounds, &counter->bounds_room, 2 * size);
    if (size > counter->bounds_room) {
        counter->overflowed = true;
        return -ENOMEM;
    }
    counter->bounds[counter->bound_count++] = (int32_t)counter->rows;
    counter->settle_ns = now_ns + SETTLE_NS;
    (void)wtl_pm_counter_settle(counter, now_ns);
    return 0;
}
