/* SPDX-License-Identifier: BSD-3-Clause */
/* A glitch, or another course: see course.h. */
#include "model/course/course.h"

#include <math.h>

/* So many readings that are on neither course: the old one is given up. */
enum { STRAYS = 2 };

/* After a value from which a restarted counter can have counted on, the old course is only believed at about its usual rate, while the
 * new one would be far from it. */
static const double SAME_RATE = 1.25, OTHER_RATE = 2;

/* The old course is forgotten once what the new one lacks is a smaller part than this of what it counted. So much of it at once is a
 * return. */
static const double TOLD = 0.04, BACK = 0.75;

/* How far a rate is from the usual one, as a factor of at least 1. */
static double factor_from(double usual, double rate)
{
    return rate > 0 ? fmax(rate / usual, usual / rate) : INFINITY;
}

/* Both explain the reading. */
static bool is_nearer_old(const struct wtl_course_reading *reading)
{
    if (!(reading->usual_rate > 0))
        return !reading->is_restart;
    double from_old = factor_from(reading->usual_rate, reading->from_old.rate);
    double from_new = factor_from(reading->usual_rate, reading->from_new.rate);
    if (reading->is_restart)
        return from_old < SAME_RATE && from_new > OTHER_RATE;
    return from_old <= from_new;
}

void wtl_course_leave(struct wtl_course *course,
                      uint64_t raw,
                      uint64_t time_ns,
                      uint64_t last_raw,
                      uint64_t last_ns)
{
    *course = (struct wtl_course){
        .waits = true, .raw = raw, .begin_ns = time_ns, .left_raw = last_raw, .left_ns = last_ns};
}

enum wtl_course_turn wtl_course_judge(struct wtl_course *course,
                                      const struct wtl_course_reading *reading)
{
    bool is_new = reading->from_new.is_possible;
    bool is_old = reading->from_old.is_possible && (!is_new || is_nearer_old(reading));
    bool given_up = !is_old && !is_new && ++course->strays >= STRAYS;
    if (is_old || given_up ||
        (is_new && reading->time_ns - course->begin_ns >= reading->least_ns)) {
        course->waits = false;
        course->left_rate = reading->usual_rate;
        course->lacks = 0;
        if (is_old)
            course->left_ns = 0;
        else
            (void)wtl_course_returns(course, reading->from_old.rate, reading->time_ns);
        return is_old ? WTL_COURSE_KEPT : WTL_COURSE_NEW;
    }
    if (!is_new) {
        course->raw = reading->raw;
        course->begin_ns = reading->time_ns;
    }
    return WTL_COURSE_OPEN;
}

bool wtl_course_returns(struct wtl_course *course, double rate, uint64_t time_ns)
{
    if (course->waits || course->left_ns == 0 || time_ns <= course->left_ns)
        return false;
    double ns = (double)(time_ns - course->left_ns), lacked = course->lacks;
    course->lacks = (course->left_rate - rate) * ns;
    if (lacked > 0 && fabs(course->lacks) <= (1 - BACK) * lacked) {
        course->left_ns = 0;
        return true;
    }
    if (!(course->lacks > TOLD * course->left_rate * ns))
        course->left_ns = 0;
    return false;
}
