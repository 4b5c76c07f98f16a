/* SPDX-License-Identifier: BSD-3-Clause */
/* A glitch, or another course: see course.h. */
#include "model/course/course.h"

#include <math.h>
#include <string.h>

/* So many readings that are on neither course: the old one is given up. */
enum { STRAYS = 2 };

/* After a value from which a restarted counter can have counted on, the old course is only believed at about its usual rate, while the
 * new one would be far from it. */
static const double SAME_RATE = 1.25, OTHER_RATE = 2;

/* The old course is forgotten once what the new one lacks is a smaller part than this of what it counted. So much of it at once is a
 * return. */
static const double TOLD = 0.04, BACK = 0.75;

/* After readings that were too high a counter is where it would be without them: since the newest reading that is not above it, it has
 * counted at more than this part of its usual rate, or since an older one at just this rate. At a steady power no low reading looks like
 * that. */
static const double STILL_ON = 0.5, SAME_COURSE = 1.1;

/* A return to the old course is a jump by what the new one lacks, which is seen if that is so many times what is counted from reading to
 * reading. */
static const double CLEAR_JUMP = 2;

/* How far a rate is from the usual one, as a factor of at least 1. */
static double factor_from(double usual, double rate)
{
    return rate > 0 ? fmax(rate / usual, usual / rate) : INFINITY;
}

/* What a reading that both courses explain was reached by. */
struct jump {
    bool is_clear; /* it can be told from what is counted between two readings */
    bool is_there;
};

static struct jump jump_to(const struct wtl_course *course,
                           const struct wtl_course_reading *reading)
{
    if (course->newest_ns <= course->begin_ns || !(reading->usual_rate > 0) || reading->is_restart)
        return (struct jump){0};
    double ahead_ns = (double)(course->begin_ns - course->left_ns);
    double since_begin = reading->from_new.rate * (double)(reading->time_ns - course->begin_ns);
    double since_left = reading->from_old.rate * (double)(reading->time_ns - course->left_ns);
    double lacks = since_begin - since_left + reading->usual_rate * ahead_ns;
    double rate = course->grown / (double)(course->newest_ns - course->begin_ns);
    double step_ns = (double)(reading->time_ns - course->newest_ns);
    return (struct jump){
        .is_clear = lacks > CLEAR_JUMP * fmax(rate, reading->usual_rate) * step_ns,
        .is_there = since_begin - course->grown - rate * step_ns > lacks / 2,
    };
}

/* Both explain the reading. */
static bool is_nearer_old(const struct wtl_course *course, const struct wtl_course_reading *reading)
{
    struct jump jump = jump_to(course, reading);
    if (jump.is_clear)
        return jump.is_there;
    if (!(reading->usual_rate > 0))
        return !reading->is_restart;
    double from_old = factor_from(reading->usual_rate, reading->from_old.rate);
    double from_new = factor_from(reading->usual_rate, reading->from_new.rate);
    if (reading->is_restart)
        return from_old < SAME_RATE && from_new > OTHER_RATE;
    return from_old <= from_new;
}

void wtl_course_note(struct wtl_course_trail *trail, int64_t ticks, uint64_t time_ns)
{
    if (trail->count == WTL_COURSE_SEEN) {
        memmove(trail->seen, trail->seen + 1, sizeof *trail->seen * (WTL_COURSE_SEEN - 1));
        trail->count--;
    }
    trail->seen[trail->count++] = (struct wtl_course_seen){.ticks = ticks, .time_ns = time_ns};
}

/* In ticks per ns. */
static double rate_between(const struct wtl_course_seen *from, const struct wtl_course_seen *to)
{
    return to->time_ns > from->time_ns
               ? (double)(to->ticks - from->ticks) / (double)(to->time_ns - from->time_ns)
               : 0;
}

/* The usual rate up to a reading, of two the lower one; 0 = not known. */
static double usual_rate(const struct wtl_course_trail *trail, unsigned i)
{
    if (i == 0)
        return 0;
    double latest = rate_between(&trail->seen[i - 1], &trail->seen[i]),
           mean = rate_between(&trail->seen[0], &trail->seen[i]);
    return latest > 0 ? fmin(latest, mean) : mean;
}

/* Whether a reading was reached by a step as high as the fall from the newest one, and the next one was not: it is a high one, too. */
static bool is_high(const struct wtl_course_trail *trail, unsigned i, int64_t ticks)
{
    if (i == 0 || i + 1 >= trail->count)
        return false;
    int64_t into = trail->seen[i].ticks - trail->seen[i - 1].ticks;
    int64_t out = trail->seen[i + 1].ticks - trail->seen[i].ticks;
    return into >= trail->seen[trail->count - 1].ticks - ticks && into > out;
}

struct wtl_course_back wtl_course_fall(const struct wtl_course_trail *trail,
                                       int64_t ticks,
                                       uint64_t time_ns)
{
    const struct wtl_course_seen now = {.ticks = ticks, .time_ns = time_ns};
    unsigned n = trail->count;
    while (n > 0 && trail->seen[n - 1].ticks > ticks)
        n--;
    bool fell = n < trail->count, is_newest = true;
    struct wtl_course_back newest = {0};
    for (unsigned i = n; fell && i-- > 0;) {
        double usual = usual_rate(trail, i), rate = rate_between(&trail->seen[i], &now);
        bool is_wrong = is_high(trail, i, ticks);
        /* The newest one that is not above it may be one of the high ones, if these lasted. */
        bool is_on = is_newest ? rate > STILL_ON * usual
                               : factor_from(usual, rate) < SAME_COURSE && usual > 0;
        is_newest = is_newest && is_wrong;
        if (!(rate > 0 && is_on))
            continue;
        const struct wtl_course_back back = {.last = trail->seen[i], .rate = usual > 0 ? rate : 0};
        if (!is_wrong)
            return back;
        if (newest.last.time_ns == 0)
            newest = back;
    }
    return newest;
}

void wtl_course_leave(struct wtl_course *course,
                      const struct wtl_course_seen *at,
                      const struct wtl_course_seen *last,
                      const struct wtl_course_back *back)
{
    *course = (struct wtl_course){.waits = true,
                                  .raw = (uint64_t)at->ticks,
                                  .begin_ns = at->time_ns,
                                  .left_raw = (uint64_t)last->ticks,
                                  .left_ns = last->time_ns,
                                  .back = *back};
}

enum wtl_course_turn wtl_course_judge(struct wtl_course *course,
                                      const struct wtl_course_reading *reading)
{
    bool is_new = reading->from_new.is_possible;
    bool is_old = reading->from_old.is_possible && (!is_new || is_nearer_old(course, reading));
    bool given_up = !is_old && !is_new && ++course->strays >= STRAYS;
    if (is_old || given_up ||
        (is_new && reading->time_ns - course->begin_ns >= reading->least_ns)) {
        course->waits = false;
        course->left_rate = reading->usual_rate;
        course->lacks = 0;
        if (is_old || course->back.last.time_ns)
            course->left_ns = 0; /* a course of wrong values is not returned to */
        else
            (void)wtl_course_returns(course, reading->from_old.rate, reading->time_ns);
        return is_old ? WTL_COURSE_KEPT : WTL_COURSE_NEW;
    }
    if (is_new) {
        course->newest_ns = reading->time_ns;
        course->grown = reading->from_new.rate * (double)(reading->time_ns - course->begin_ns);
    } else {
        course->back = (struct wtl_course_back){0};
        course->raw = reading->raw;
        course->begin_ns = reading->time_ns;
        course->newest_ns = 0;
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
