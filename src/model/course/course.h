/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The course of a counter. A reading that it cannot have reached by counting is a glitch, or the first of a counter that was started
 * again: only the readings that follow tell. Until then it waits, and nothing is counted. If they are on the old course, it was a
 * glitch, and what the counter grew by is energy as ever. If they are on the course that it began, counting continues from there, and
 * nothing is known of the time between. A counter that falls to where it would be without its last readings shows that these were too
 * high: nothing is known since the one before them. The one rule for counters that are read now and for those of files.
 */
#ifndef WTL_MODEL_COURSE_H
#define WTL_MODEL_COURSE_H

#include <stdbool.h>
#include <stdint.h>

/* What a driver flips in the raw values of a counter to say that it was started again (a page, a recording, a Cray node): there is
 * nothing to wait for. Ticks always stay far below. */
#define WTL_ANOTHER_RUN (UINT64_C(1) << 63)

/* A new course below the old one that the counter cannot have begun at 0 must last this long: wrong values of a bus or a firmware do, for tenths of a second. */
#define WTL_COURSE_LASTS_NS UINT64_C(500000000)

/* Readings that are kept, of which the oldest two tell the usual rate: a tally takes back what the others counted. */
#define WTL_COURSE_SEEN 8

/* A reading that was on the course. */
struct wtl_course_seen {
    int64_t ticks; /* counted up to it */
    uint64_t time_ns;
};

/* The latest of them, oldest first. */
struct wtl_course_trail {
    struct wtl_course_seen seen[WTL_COURSE_SEEN];
    unsigned count;
};

/* Where a counter has fallen back to the course that it had before some readings: these were too high, though each of them could have
 * been reached by counting. */
struct wtl_course_back {
    struct wtl_course_seen last; /* the last reading before them; time 0 = it has not */
    double
        rate; /* ticks per ns from there to where it has fallen; 0 = whether this is usual is not known */
};

struct wtl_course {
    bool waits; /* a reading was off the course */
    struct wtl_course_back back;
    unsigned strays;            /* others that were on neither */
    uint64_t raw;               /* what may have begun another course ... */
    uint64_t begin_ns;          /* ... and when it was read */
    uint64_t newest_ns;         /* the latest reading on it; 0 = it has only the first */
    double grown;               /* from the first to that one: rate times ns */
    uint64_t left_raw, left_ns; /* the last reading of the course before; 0 = forgotten */
    double left_rate;           /* its usual rate */
    double lacks;               /* by how much the new one is behind it: rate times ns */
};

/* Whether a reading can have been reached by counting, and at which rate, in any unit. */
struct wtl_course_way {
    bool is_possible;
    double rate;
};

/* A reading after one that waits. */
struct wtl_course_reading {
    uint64_t raw, time_ns;
    struct wtl_course_way from_old,
        from_new;      /* since the last good reading; since course->begin_ns */
    double usual_rate; /* of the old course; 0 = not known */
    bool is_restart;   /* the new course can have begun at 0 since the last good reading */
    uint64_t least_ns; /* that a new course must last: a glitch may be seen by several readings */
};

enum wtl_course_turn {
    WTL_COURSE_KEPT, /* the old one */
    WTL_COURSE_OPEN, /* not known yet */
    WTL_COURSE_NEW   /* the new one, from this reading on */
};

/* A reading that is on the course. */
void wtl_course_note(struct wtl_course_trail *trail, int64_t ticks, uint64_t time_ns);

/* Whether a counter that has fallen, to what would be so many ticks, is back on the course before its last readings. */
struct wtl_course_back wtl_course_fall(const struct wtl_course_trail *trail,
                                       int64_t ticks,
                                       uint64_t time_ns);

/* A reading that the course does not explain, after the last one on it; none waits. back: of one that has fallen. If it becomes the new
 * course, nothing is known of the time since back->last, and what was counted in it is no energy. */
void wtl_course_leave(struct wtl_course *course,
                      const struct wtl_course_seen *at,
                      const struct wtl_course_seen *last,
                      const struct wtl_course_back *back);

/* One after it. KEPT and NEW end the waiting. */
enum wtl_course_turn wtl_course_judge(struct wtl_course *course,
                                      const struct wtl_course_reading *reading);

/*
 * A reading on a new course that was taken for one. Whether the counter is back at once where the old one continues: then the new one was
 * wrong values that lasted, and the jump is no energy of the time since the reading before. rate: from left_raw to this reading.
 */
bool wtl_course_returns(struct wtl_course *course, double rate, uint64_t time_ns);

#endif
