/* SPDX-License-Identifier: BSD-3-Clause */
/* What the second pass of an import knows of a channel up to now, and what the next value of a counter is on its course. */
#ifndef WTL_EXCHANGE_IMPORT_IMPORT_LANE_H
#define WTL_EXCHANGE_IMPORT_IMPORT_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/import/import.h"
#include "model/course/course.h"
#include "model/gap.h"
#include "model/gauge/pause.h"

/* State of a channel. */
struct wtl_import_lane {
    uint64_t ticks;    /* counters: since the first reading */
    int64_t last_raw;  /* the file's value, as an integer */
    uint64_t last_ns;  /* time of the last good value; the first row if there was none */
    uint64_t begin_ns; /* since when it has values */
    bool any, origin, is_gap;
    struct wtl_course course;      /* of a counter, of which a value may be off it */
    struct wtl_course_trail trail; /* those that were on it */
    uint64_t wrong_ns; /* since when they were too high, if they were: the open gap begins there */
    uint64_t left_out; /* ticks of such values */
    uint64_t lost_until_ns; /* end of the last gap */
    struct wtl_pause pause; /* of a gauge */
    int64_t gauge_raw;      /* the last value, to integrate */
    double amount, covered_s;
    enum wtl_gap_reason reason; /* reason of the open gap */
    int error;
    size_t gap_at; /* the next of its table's gaps */
    double rate;   /* increase of a counter per second, in the file's unit */
};

/* No value in this row: a gap begins. */
void wtl_import_lane_miss(struct wtl_import_lane *lane,
                          const struct wtl_import_cell *cell,
                          uint64_t time_ns);

/*
 * Convert a counter's reading to ticks. One that is off the course waits for the next ones: if these are on it, it was a glitch, which
 * stays a gap; else counting goes on from it after a gap, as after a reset, which may be of values before it. Returns false if it waits.
 */
bool wtl_import_lane_count(struct wtl_import_lane *lane,
                           const struct wtl_import_column *column,
                           int64_t raw,
                           uint64_t time_ns);

/* The last values were too high, if the one that waits shows it: what they counted is no energy. */
void wtl_import_lane_take_back(struct wtl_import_lane *lane);

#endif
