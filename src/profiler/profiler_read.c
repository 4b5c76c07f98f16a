/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle_mark_now() and wattle_read(): differences between two points of the energy page.
 *
 * An instant is between two samples, a and b. A mark holds a as of its time; b comes from the
 * page's rings. The energy used up to the instant is on the line between them. As in the tally
 * (model/tally/tally.c), the error of the line is the power there times the time to the nearer
 * sample and the possible age of a counter's value, its refresh, both taken as uniformly
 * distributed, and a value is known to one tick.
 */
#define _GNU_SOURCE
#include "profiler/profiler_read.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <time.h>

#include <wattle/profiler.h>

#include "model/bound.h"
#include "record/regions/region_open.h"
#include "record/regions/region_place.h"

/* Half width of a 95 % interval in standard deviations. */
static const double Z95 = 1.96;

/* "Now" covers this many updates of the hardware: fewer would reflect its ticks more than its
 * power. */
enum { TICKS_OF_NOW = 20 };

/* For counters whose refresh is unknown. */
static const uint64_t NOW_NS = 1000000000;

/* A newest sample older than this many intervals, and than this time, is not current. */
enum { AGE_INTERVALS = 10 };
static const uint64_t AGE_NS = 2000000000;

/* If there is no page, look again after this time. */
static const uint64_t LOOK_EVERY_NS = 100000000;

static struct wtl_energy_reader *reader_now; /* atomic */
static uint64_t look_next_ns;                /* atomic */

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void wtl_profiler_read_from(struct wtl_energy_reader *reader)
{
    struct wtl_energy_reader *none = NULL;
    if (!__atomic_compare_exchange_n(&reader_now, &none, reader, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        wtl_energy_page_close(reader);
    wtl_region_open_want();
}

static __attribute__((noinline, cold)) const struct wtl_energy_reader *find_reader(void)
{
    char folder[PATH_MAX];
    struct wtl_energy_reader *reader;
    uint64_t now = now_ns(), next = __atomic_load_n(&look_next_ns, __ATOMIC_RELAXED);
    if (now < next || !__atomic_compare_exchange_n(&look_next_ns, &next, now + LOOK_EVERY_NS, false,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return NULL;
    if (wtl_region_folder(folder, sizeof folder) == 0 && wtl_energy_page_open(folder, &reader) == 0)
        wtl_profiler_read_from(reader);
    return __atomic_load_n(&reader_now, __ATOMIC_ACQUIRE);
}

const struct wtl_energy_reader *wtl_profiler_reader(void)
{
    const struct wtl_energy_reader *reader = __atomic_load_n(&reader_now, __ATOMIC_ACQUIRE);
    return reader ? reader : find_reader();
}

/* Content of a mark: its time, the key of the page, and the preceding sample of the first
 * channels. */
struct mark {
    uint64_t time_ns, key, count, zero;
    struct wattle_page_point points[31];
};
static_assert(sizeof(struct mark) == sizeof(struct wattle_mark), "a mark fits into the public one");

enum { MARKED_MAX = 31 };

int wattle_mark_now(struct wattle_mark *ret_mark)
{
    struct mark *mark = (struct mark *)ret_mark;
    struct wtl_energy_view view;
    if (!ret_mark)
        return -EINVAL;
    const struct wtl_energy_reader *reader = wtl_profiler_reader();
    if (!reader)
        return -ENODATA;
    size_t count = wtl_energy_page_count(reader);
    mark->count = count < MARKED_MAX ? count : MARKED_MAX;
    mark->key = wtl_energy_page_key(reader);
    mark->zero = 0;
    for (size_t i = 0; i < mark->count; i++)
        mark->points[i] = wtl_energy_page_look(reader, i, &view) == 0
                              ? view.newest
                              : (struct wattle_page_point){0};
    mark->time_ns = now_ns(); /* after the samples */
    return 0;
}

int wattle_mark_region(struct wattle_mark *ret_mark)
{
    struct mark *mark = (struct mark *)ret_mark;
    uint64_t begin_ns;
    uint32_t id;
    if (!ret_mark)
        return -EINVAL;
    const struct wtl_energy_reader *reader = wtl_profiler_reader();
    if (!reader)
        return -ENODATA;
    int rc = wtl_region_innermost(&begin_ns, &id);
    if (rc < 0)
        return rc;
    mark->time_ns = begin_ns;
    mark->key = wtl_energy_page_key(reader);
    mark->count = mark->zero = 0; /* the rings have it */
    return 0;
}

/* An instant on a channel: the energy used by then, and its variance in J^2. */
struct moment {
    struct wattle_page_point at;
    double variance_j2;
    bool known;
};

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Variance of the value of counter i, or of a gauge's integral, `near_ns` away from a sample, at this
 * power. */
static double border_variance(const struct wtl_energy_reader *reader,
                              size_t i,
                              double power_w,
                              double near_ns)
{
    const struct wattle_page_channel *channel = wtl_energy_page_channel(reader, i);
    uint64_t refresh_ns = wtl_energy_page_refresh_ns(reader, i);
    double age_s = (double)(refresh_ns + channel->window_ns) * 1e-9, near_s = near_ns * 1e-9;
    double tick_j = channel->kind == WATTLE_COUNTER ? channel->scale : 0;
    return power_w * power_w * (age_s * age_s + near_s * near_s) / 3 + tick_j * tick_j / 12;
}

/* Does its domain always draw power, so that no tick does not mean 0 J? */
static bool counts_always(const struct wattle_page_channel *channel)
{
    struct wattle_channel same = {.domain = (enum wattle_domain)channel->domain,
                                  .quantity = (enum wattle_quantity)channel->quantity,
                                  .kind = (enum wattle_kind)channel->kind,
                                  .quality = (enum wattle_quality)channel->quality,
                                  .flags = channel->flags};
    return wtl_counts_always(&same);
}

static double power_between(const struct wattle_page_point *a, const struct wattle_page_point *b)
{
    double seconds = (double)(b->time_ns - a->time_ns) * 1e-9;
    return b->time_ns > a->time_ns ? (b->energy_j - a->energy_j) / seconds : 0;
}

/* The part before an instant of the unknown time between two samples. */
static uint64_t unknown_before(const struct wattle_page_point *a,
                               const struct wattle_page_point *b,
                               uint64_t time_ns)
{
    double unknown_ns = (double)(b->unknown_ns - a->unknown_ns);
    double passed_ns = (double)(time_ns - a->time_ns);
    if (b->time_ns <= a->time_ns || unknown_ns <= 0)
        return 0;
    return (uint64_t)fmin(passed_ns, unknown_ns * (passed_ns / (double)(b->time_ns - a->time_ns)));
}

/* other_w: the power around, which decides if the samples next to the instant are within one tick, or show less because
 * the counter ticks rarely. */
static struct moment moment_between(const struct wtl_energy_reader *reader,
                                    size_t i,
                                    const struct wattle_page_point *a,
                                    const struct wattle_page_point *b,
                                    uint64_t time_ns,
                                    double other_w)
{
    struct moment m = {.at = *a, .known = true};
    double power_w = power_between(a, b);
    double near_ns = (double)(time_ns - a->time_ns);
    near_ns = fmin(near_ns, (double)apart(b->time_ns, time_ns));
    m.at.time_ns = time_ns;
    m.at.energy_j += power_w * (double)(time_ns - a->time_ns) * 1e-9;
    m.at.unknown_ns += unknown_before(a, b, time_ns);
    bool counts = wtl_energy_page_channel(reader, i)->kind == WATTLE_COUNTER;
    double most_w = counts || power_w <= 0 ? fmax(power_w, other_w) : power_w;
    m.variance_j2 = border_variance(reader, i, most_w, near_ns);
    return m;
}

/* The instant of a mark on channel i; unknown if there is no sample after it. so_far_w: the power
 * before it. */
static struct moment moment_of(const struct wtl_energy_reader *reader,
                               size_t i,
                               const struct mark *mark,
                               const struct wattle_page_point *newest,
                               double so_far_w)
{
    struct wattle_page_point a, b;
    if (newest->time_ns <= mark->time_ns ||
        wtl_energy_page_around(reader, i, mark->time_ns, &a, &b) < 0)
        return (struct moment){.known = false};
    if (i < mark->count && mark->points[i].time_ns > a.time_ns &&
        mark->points[i].time_ns <= mark->time_ns)
        a = mark->points[i];
    if (b.time_ns == 0)
        b = *newest;
    if (a.time_ns == 0) { /* the instant is before the first sample */
        struct moment m = {.at = b, .known = true};
        m.at.time_ns = mark->time_ns;
        m.at.unknown_ns -= b.time_ns - mark->time_ns; /* so that the difference includes it */
        return m;
    }
    double power_w = power_between(&a, newest);
    return moment_between(reader, i, &a, &b, mark->time_ns, power_w > 0 ? power_w : so_far_w);
}

/* Power over the last ticks, up to the newest sample; NaN across a gap, or if there were too few so
 * far. */
static double power_of_now(const struct wtl_energy_reader *reader,
                           size_t i,
                           const struct wattle_page_point *newest)
{
    const struct wattle_page_channel *channel = wtl_energy_page_channel(reader, i);
    uint64_t interval_ns = wtl_energy_page_interval_ns(reader);
    uint64_t refresh_ns = wtl_energy_page_refresh_ns(reader, i);
    uint64_t span_ns = refresh_ns                        ? TICKS_OF_NOW * refresh_ns
                       : channel->kind == WATTLE_COUNTER ? NOW_NS
                                                         : interval_ns;
    struct wattle_page_point a, b;
    span_ns = span_ns < interval_ns ? interval_ns : span_ns;
    uint64_t from_ns = newest->time_ns > span_ns ? newest->time_ns - span_ns : 0;
    if (wtl_energy_page_around(reader, i, from_ns, &a, &b) < 0)
        return NAN;
    if (a.time_ns == 0 || a.time_ns >= newest->time_ns || a.unknown_ns != newest->unknown_ns)
        return NAN;
    return power_between(&a, newest);
}

/* Power of a counter from its first sample to its last tick; 0 = no tick yet. The first tick counts
 * as a whole update, however early it comes. */
static double power_so_far(const struct wtl_energy_reader *reader,
                           size_t i,
                           const struct wtl_energy_view *view)
{
    const struct wattle_page_channel *channel = wtl_energy_page_channel(reader, i);
    struct wattle_page_point none = {0}, first = {0};
    if (channel->kind != WATTLE_COUNTER || view->newest.energy_j <= 0 ||
        wtl_energy_page_around(reader, i, 0, &none, &first) < 0)
        return 0;
    double known_ns =
        (double)view->changed_ns - (double)first.time_ns - (double)view->newest.unknown_ns;
    known_ns = fmax(known_ns, (double)wtl_energy_page_refresh_ns(reader, i));
    return known_ns > 0 ? view->newest.energy_j / known_ns * 1e9 : 0;
}

static bool is_of_now(const struct wtl_energy_reader *reader, size_t i, uint64_t age_ns)
{
    uint64_t patience_ns = AGE_INTERVALS * wtl_energy_page_interval_ns(reader);
    uint64_t refresh_ns = AGE_INTERVALS * wtl_energy_page_refresh_ns(reader, i);
    patience_ns = patience_ns > refresh_ns ? patience_ns : refresh_ns;
    return age_ns <= (patience_ns > AGE_NS ? patience_ns : AGE_NS) &&
           !wtl_energy_page_ended(reader);
}

static double half_width(const struct wattle_page_channel *channel,
                         const struct moment *from,
                         const struct moment *to)
{
    double variance =
        from->variance_j2 + to->variance_j2 + fmax(to->at.variance_j2 - from->at.variance_j2, 0);
    double quantum = channel->kind == WATTLE_COUNTER
                         ? 0
                         : channel->scale / 2 * (double)(to->at.time_ns - from->at.time_ns) * 1e-9;
    return sqrt(Z95 * Z95 * variance +
                quantum * quantum); /* not hypot(): nothing here can overflow */
}

/* What is known of a channel at the time of reading. */
struct latest {
    struct moment from; /* the mark, or the start of the window */
    struct wattle_page_point newest;
    double power_w;
    double stands_ns; /* how much longer than an update it has shown no tick */
    bool counts;      /* it is still being read, and counting */
};

static void read_latest(const struct wtl_energy_reader *reader,
                        size_t i,
                        const struct mark *since,
                        uint64_t now,
                        struct latest *ret,
                        struct wattle_domain_energy *ret_energy)
{
    const struct wattle_page_channel *channel = wtl_energy_page_channel(reader, i);
    struct wtl_energy_view view;
    *ret = (struct latest){.power_w = NAN};
    *ret_energy = (struct wattle_domain_energy){.name = channel->name,
                                                .domain = (enum wattle_domain)channel->domain,
                                                .index = channel->index,
                                                .quality = (enum wattle_quality)channel->quality,
                                                .flags = channel->flags,
                                                .energy_j = NAN,
                                                .resolution_interval_j = NAN,
                                                .power_w = NAN,
                                                .age_ns = UINT64_MAX};
    if (wtl_energy_page_look(reader, i, &view) < 0 || view.newest.time_ns == 0)
        return;
    ret->newest = view.newest;
    ret_energy->age_ns = now > view.newest.time_ns ? now - view.newest.time_ns : 0;
    ret->counts = !view.unknown && is_of_now(reader, i, ret_energy->age_ns);
    if (ret->counts)
        ret_energy->power_w = power_of_now(reader, i, &view.newest);
    double stood_ns = (double)view.newest.time_ns - (double)view.changed_ns;
    double so_far_w = power_so_far(reader, i, &view);
    double refresh_ns = (double)wtl_energy_page_refresh_ns(reader, i);
    ret->stands_ns = channel->kind == WATTLE_COUNTER ? fmax(stood_ns - refresh_ns, 0) : 0;
    ret->from = since ? moment_of(reader, i, since, &view.newest, so_far_w)
                      : (struct moment){.at = view.start, .known = view.start.time_ns != 0};
    if (!ret->from.known || view.newest.time_ns <= ret->from.at.time_ns) {
        ret->from.known = false;
        return;
    }
    double mean_w = power_between(&ret->from.at, &view.newest);
    mean_w = mean_w > 0 ? mean_w : so_far_w;
    if (!since)
        ret->from.variance_j2 = border_variance(reader, i, mean_w, 0);
    ret->power_w = isnan(ret_energy->power_w) ? mean_w : ret_energy->power_w;
}

/* Has a counter shown no tick since its first sample, though its domain draws power, or for less
 * than an update? */
static bool is_unseen(const struct wattle_page_channel *channel, const struct latest *latest)
{
    return channel->kind == WATTLE_COUNTER && latest->newest.energy_j <= 0 &&
           (counts_always(channel) || latest->stands_ns <= 0);
}

/* The energy of a channel in a window that may extend beyond the known time: what is outside is
 * unknown. */
static void read_window(const struct wtl_energy_reader *reader,
                        size_t i,
                        const struct latest *latest,
                        uint64_t begin_ns,
                        uint64_t end_ns,
                        struct wattle_domain_energy *ret)
{
    const struct wattle_page_channel *channel = wtl_energy_page_channel(reader, i);
    const struct wattle_page_point *from = &latest->from.at, *newest = &latest->newest;
    struct moment to = {.at = *newest,
                        .variance_j2 =
                            border_variance(reader, i, latest->power_w, latest->stands_ns)};
    struct wattle_page_point a, b;
    if (!latest->from.known || end_ns <= from->time_ns)
        return;
    if (end_ns < newest->time_ns && wtl_energy_page_around(reader, i, end_ns, &a, &b) == 0) {
        a = a.time_ns < from->time_ns ? *from : a;
        b = b.time_ns == 0 ? *newest : b;
        to = moment_between(reader, i, &a, &b, end_ns, latest->power_w);
    }
    end_ns = end_ns > to.at.time_ns ? end_ns : to.at.time_ns;
    begin_ns = begin_ns < from->time_ns ? begin_ns : from->time_ns;
    ret->window_ns = end_ns - begin_ns;
    ret->energy_j = fmax(to.at.energy_j - from->energy_j, 0);
    ret->unknown_ns = (from->time_ns - begin_ns) + (to.at.unknown_ns - from->unknown_ns) +
                      (end_ns - to.at.time_ns);
    if (is_unseen(channel, latest) || ret->unknown_ns >= ret->window_ns) {
        ret->unknown_ns = ret->window_ns;
        ret->energy_j = ret->resolution_interval_j = NAN;
        return;
    }
    ret->resolution_interval_j = half_width(channel, &latest->from, &to);
}

/* NULL is fine; -EINVAL for a mark that was never set, or is from another page. */
static int check_mark(const struct wtl_energy_reader *reader, const struct mark *mark)
{
    if (!mark)
        return 0;
    return mark->key == wtl_energy_page_key(reader) && mark->count <= MARKED_MAX &&
                   mark->zero == 0 && mark->time_ns != 0
               ? 0
               : -EINVAL;
}

int wattle_read(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy, size_t n)
{
    const struct mark *mark = (const struct mark *)since;
    if (!ret_energy && n > 0)
        return -EINVAL;
    const struct wtl_energy_reader *reader = wtl_profiler_reader();
    int rc = reader ? check_mark(reader, mark) : -ENODATA;
    if (rc < 0)
        return rc;
    size_t count = wtl_energy_page_count(reader);
    uint64_t now = n > 0 ? now_ns() : 0;
    for (size_t i = 0; i < count && i < n; i++) {
        struct latest latest;
        read_latest(reader, i, mark, now, &latest, &ret_energy[i]);
        read_window(reader, i, &latest, latest.from.at.time_ns, latest.newest.time_ns,
                    &ret_energy[i]);
    }
    return (int)count;
}

/* The window of a sum: from the requested start to the newest sample of the slowest channel that
 * counts. A channel that does not (reads fail, it stalled) does not delay the others: it is unknown
 * from then on. */
struct window {
    uint64_t begin_ns, end_ns, last_ns;
};

static void widen(struct window *window, const struct latest *latest)
{
    uint64_t newest_ns = latest->newest.time_ns;
    if (latest->from.known && latest->from.at.time_ns < window->begin_ns)
        window->begin_ns = latest->from.at.time_ns;
    if (latest->counts && newest_ns < window->end_ns)
        window->end_ns = newest_ns;
    if (newest_ns > window->last_ns)
        window->last_ns = newest_ns;
}

static struct window window_of_sum(const struct wtl_energy_reader *reader,
                                   const struct mark *since,
                                   uint64_t now)
{
    struct window window = {.begin_ns = UINT64_MAX, .end_ns = UINT64_MAX};
    struct wattle_domain_energy energy;
    struct latest latest;
    for (size_t i = 0; i < wtl_energy_page_count(reader); i++) {
        if (!(wtl_energy_page_channel(reader, i)->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        read_latest(reader, i, since, now, &latest, &energy);
        widen(&window, &latest);
    }
    if (window.end_ns == UINT64_MAX) /* none counts any more */
        window.end_ns = window.last_ns;
    return window;
}

/* Errors of ticks are independent, so their squares add up. The age is the maximum. */
static void add(struct wattle_domain_energy *total,
                const struct wattle_domain_energy *one,
                bool first)
{
    if (first) {
        *total = *one;
        total->name = "total";
        total->domain = WATTLE_DOMAIN_OTHER;
        total->index = 0;
        return;
    }
    total->quality = total->quality > one->quality ? total->quality : one->quality;
    total->flags &= one->flags | WATTLE_CHANNEL_SIMULATED;
    total->flags |= one->flags & WATTLE_CHANNEL_SIMULATED;
    total->energy_j += one->energy_j;
    total->resolution_interval_j = hypot(total->resolution_interval_j, one->resolution_interval_j);
    total->power_w += one->power_w;
    total->window_ns = total->window_ns < one->window_ns ? total->window_ns : one->window_ns;
    total->age_ns = total->age_ns > one->age_ns ? total->age_ns : one->age_ns;
    total->unknown_ns = total->unknown_ns > one->unknown_ns ? total->unknown_ns : one->unknown_ns;
}

int wattle_read_total(const struct wattle_mark *since, struct wattle_domain_energy *ret_energy)
{
    const struct mark *mark = (const struct mark *)since;
    struct wattle_domain_energy total = {0}, one;
    int added = 0;
    if (!ret_energy)
        return -EINVAL;
    const struct wtl_energy_reader *reader = wtl_profiler_reader();
    int rc = reader ? check_mark(reader, mark) : -ENODATA;
    if (rc < 0)
        return rc;
    uint64_t now = now_ns();
    struct window window = window_of_sum(reader, mark, now);
    for (size_t i = 0; i < wtl_energy_page_count(reader); i++) {
        struct latest latest;
        if (!(wtl_energy_page_channel(reader, i)->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        read_latest(reader, i, mark, now, &latest, &one);
        read_window(reader, i, &latest, window.begin_ns, window.end_ns, &one);
        add(&total, &one, added++ == 0);
    }
    if (added == 0)
        return -ENODATA;
    *ret_energy = total;
    return added;
}

int wattle_read_region(struct wattle_domain_energy *ret_energy, size_t n)
{
    struct wattle_mark mark;
    int rc = wattle_mark_region(&mark);
    return rc < 0 ? rc : wattle_read(&mark, ret_energy, n);
}
