/* SPDX-License-Identifier: BSD-3-Clause */
/* What an import knows of a channel: see import_lane.h. */
#include "exchange/import/import_lane.h"

#include <errno.h>
#include <math.h>

#include "model/bound.h"

void wtl_import_lane_miss(struct wtl_import_lane *lane,
                          const struct wtl_import_cell *cell,
                          uint64_t time_ns)
{
    if (lane->is_gap)
        return;
    lane->is_gap = true;
    lane->error = cell->form == WTL_CELL_EMPTY ? 0 : ENODATA;
    lane->reason = cell->form == WTL_CELL_EMPTY ? WTL_GAP_NOT_SAMPLED : WTL_GAP_READ_FAILED;
    if (!lane->any && lane->last_ns == 0)
        lane->last_ns = time_ns;
}

/* Can a counter have gone from one value to the other in this time? */
static bool follows(const struct wtl_import_column *column,
                    int64_t from,
                    int64_t to,
                    uint64_t dt_ns)
{
    const struct wattle_channel channel = {.domain = column->meaning.domain};
    if (to < from)
        return false;
    if (column->meaning.quantity != WATTLE_ENERGY)
        return true;
    double joules = ((double)to - (double)from) * column->unit_scale * pow(10, -column->places);
    return joules <= 2 * wtl_greatest_power_w(&channel) * ((double)dt_ns * 1e-9 + 1);
}

/* A fall that a known range of counters explains. */
static bool wraps(const struct wtl_import_lane *lane,
                  const struct wtl_import_column *column,
                  int64_t raw,
                  uint64_t time_ns)
{
    double unit = pow(10, -column->places);
    struct wtl_import_fall fall = {.from = (double)lane->last_raw * unit,
                                   .to = (double)raw * unit,
                                   .dt_s = (double)(time_ns - lane->last_ns) * 1e-9};
    return raw < lane->last_raw && column->modulus &&
           wtl_import_explains((double)column->modulus * unit, &fall, lane->rate);
}

/* From one value to another, whose rate is in the file's unit. */
static struct wtl_course_way way_of(const struct wtl_import_column *column,
                                    int64_t from,
                                    int64_t to,
                                    uint64_t dt_ns)
{
    double unit = pow(10, -column->places);
    return (struct wtl_course_way){
        .is_possible = follows(column, from, to, dt_ns),
        .rate = dt_ns > 0 ? ((double)to - (double)from) * unit * 1e9 / (double)dt_ns : 0};
}

/* A counter that began at 0 since the row before counts at most so many times as fast as usual. */
static const double BEGUN = 4;

/* A value that counting does not explain waits. */
static void leave(struct wtl_import_lane *lane, int64_t raw, uint64_t time_ns)
{
    const struct wtl_course_seen at = {.ticks = raw, .time_ns = time_ns},
                                 last = {.ticks = lane->last_raw, .time_ns = lane->last_ns};
    struct wtl_course_back back = {0};
    if (raw < lane->last_raw)
        back =
            wtl_course_fall(&lane->trail, (int64_t)lane->ticks - (lane->last_raw - raw), time_ns);
    wtl_course_leave(&lane->course, &at, &last, &back);
}

void wtl_import_lane_take_back(struct wtl_import_lane *lane)
{
    const struct wtl_course_seen *last = &lane->course.back.last;
    if (last->time_ns == 0)
        return;
    lane->left_out += lane->ticks - (uint64_t)last->ticks;
    lane->wrong_ns = last->time_ns > lane->lost_until_ns ? last->time_ns : lane->lost_until_ns;
    if (lane->last_ns > lane->wrong_ns)
        lane->covered_s -= (double)(lane->last_ns - lane->wrong_ns) * 1e-9;
}

/* What a value is on the course of its counter. What files have between two rows bounds little: that a counter may have begun at 0 says
 * nothing here. */
static enum wtl_course_turn turn_of(struct wtl_import_lane *lane,
                                    const struct wtl_import_column *column,
                                    int64_t raw,
                                    uint64_t time_ns)
{
    struct wtl_course *course = &lane->course;
    double begun =
        course->waits
            ? way_of(column, 0, (int64_t)course->raw, course->begin_ns - lane->last_ns).rate
            : 0;
    bool falls = course->waits && (int64_t)course->raw < lane->last_raw;
    bool is_restart = !(begun > BEGUN * lane->rate);
    bool fell_back = course->waits && course->back.rate > 0;
    const struct wtl_course_reading reading = {
        .raw = (uint64_t)raw,
        .time_ns = time_ns,
        .from_old = way_of(column, lane->last_raw, raw, time_ns - lane->last_ns),
        .from_new = way_of(column, (int64_t)course->raw, raw, time_ns - course->begin_ns),
        .usual_rate = lane->rate,
        .least_ns = falls && !is_restart && !fell_back ? WTL_COURSE_LASTS_NS : 0,
    };
    if (course->waits)
        return wtl_course_judge(course, &reading);
    if (reading.from_old.is_possible)
        return WTL_COURSE_KEPT;
    leave(lane, raw, time_ns);
    return WTL_COURSE_OPEN;
}

/* Back on the course that was given up: what the jump is of is not known. */
static bool is_back(struct wtl_import_lane *lane,
                    const struct wtl_import_column *column,
                    int64_t raw,
                    uint64_t time_ns)
{
    struct wtl_course *course = &lane->course;
    uint64_t since_ns = time_ns - course->left_ns;
    double rate = way_of(column, (int64_t)course->left_raw, raw, since_ns).rate;
    return wtl_course_returns(course, rate, time_ns);
}

bool wtl_import_lane_count(struct wtl_import_lane *lane,
                           const struct wtl_import_column *column,
                           int64_t raw,
                           uint64_t time_ns)
{
    if (!lane->any)
        return true;
    if (wraps(lane, column, raw, time_ns)) {
        lane->ticks += (uint64_t)(raw - lane->last_raw) + column->modulus;
        lane->course.waits = false;
        return true;
    }
    int64_t began_raw = (int64_t)lane->course.raw;
    const struct wtl_import_cell off = {.form = WTL_CELL_NAN};
    if (is_back(lane, column, raw, time_ns)) {
        wtl_import_lane_miss(lane, &off, time_ns);
        lane->reason = WTL_GAP_RESET;
        lane->error = 0;
        lane->trail.count = 0;
        return true;
    }
    switch (turn_of(lane, column, raw, time_ns)) {
    case WTL_COURSE_KEPT:
        lane->ticks += (uint64_t)(raw - lane->last_raw);
        return true;
    case WTL_COURSE_NEW:
        lane->reason = WTL_GAP_RESET;
        lane->error = 0;
        wtl_import_lane_take_back(lane);
        lane->trail.count = 0;
        lane->ticks += raw > began_raw ? (uint64_t)(raw - began_raw) : 0;
        return true;
    case WTL_COURSE_OPEN:
        break;
    }
    wtl_import_lane_miss(lane, &off, time_ns);
    return false;
}
