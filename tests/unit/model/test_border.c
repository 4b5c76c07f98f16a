/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The borders of the window with known truth: the power steps near one of them, at any instant, by
 * any ratio, with the counter's ticks at any phase. Ticks are seen as by `wattle run`: three before
 * the start, three from the end on; after the start there are two looks.
 */
#include <math.h>

#include "base/random.h"
#include "model/tally/tally.h"
#include "tap.h"

#define MS       1000000ull
#define START_NS 1000000000ull

enum { CASES = 10000 };

static const double TICK_NS = 976562.5, UNIT_J = 1.0 / 16384;

struct world {
    double from_w, to_w, step_ns; /* changes at this instant */
    double burst_w, burst_ns;     /* > 0: this much from then up to that instant */
    double phase_ns, jitter_ns;
    uint64_t stream, end_ns, every_ns;
    bool interrupted; /* the polls after the end, over the first tick */
    uint64_t early_ns,
        late_ns; /* the polls before the start end this long before it; those after the end begin
                  * this long after it */
};

static double truth_j(const struct world *w, double t_ns)
{
    double burst_ns = w->burst_w > 0 ? fmax(fmin(t_ns, w->step_ns) - w->burst_ns, 0) : 0;
    return (w->from_w * fmin(t_ns, w->step_ns) + w->to_w * fmax(t_ns - w->step_ns, 0) +
            (w->burst_w - w->from_w) * burst_ns) *
           1e-9;
}

static double tick_ns(const struct world *w, double k)
{
    return k * TICK_NS + w->phase_ns +
           w->jitter_ns * (2 * wtl_random_uniform(w->stream, (uint64_t)k) - 1);
}

/* The number of the last tick up to an instant. */
static double last_tick(const struct world *w, double t_ns)
{
    double k = floor((t_ns - w->phase_ns) / TICK_NS) + 1;
    while (tick_ns(w, k) > t_ns)
        k--;
    return k;
}

static uint64_t shown(const struct world *w, uint64_t t_ns)
{
    return (uint64_t)(truth_j(w, tick_ns(w, last_tick(w, (double)t_ns))) / UNIT_J);
}

/* Two polls with or without a tick in between. */
static void poll(struct wtl_tally *tally, const struct world *w, uint64_t a_ns, uint64_t b_ns)
{
    wtl_tally_sample(tally, a_ns, shown(w, a_ns), true);
    wtl_tally_sample(tally, b_ns, shown(w, b_ns), true);
}

static void poll_ticks(struct wtl_tally *tally, const struct world *w, double k, uint64_t since_ns)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at_ns = (uint64_t)tick_ns(w, k + i);
        if (at_ns > since_ns + 1000)
            poll(tally, w, at_ns - 1000, at_ns + 1000);
    }
}

static struct wtl_summary measure(const struct world *w)
{
    struct wattle_channel channel = {.name = "test:package-0",
                                     .quantity = WATTLE_ENERGY,
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .kind = WATTLE_COUNTER,
                                     .scale = UNIT_J,
                                     .refresh_ns = 976562};
    struct wtl_tally tally;
    struct wtl_summary summary;
    double first = last_tick(w, (double)(START_NS - 3000 - w->early_ns)) - 2;
    wtl_tally_init(&tally, &channel);
    wtl_tally_sample(&tally, START_NS - 15 * MS, shown(w, START_NS - 15 * MS), false);
    poll_ticks(&tally, w, first, 0);
    wtl_tally_begin(&tally, START_NS);
    for (unsigned i = 0; i < 2 && w->every_ns > 3 * MS; i++) {
        uint64_t t = START_NS + (uint64_t)(TICK_NS * (1.4 + 0.5 * i));
        wtl_tally_sample(&tally, t, shown(w, t), true);
    }
    for (uint64_t t = START_NS + w->every_ns; t < w->end_ns; t += w->every_ns)
        wtl_tally_sample(&tally, t, shown(w, t), false);
    wtl_tally_end(&tally, w->end_ns);
    uint64_t began_ns = w->end_ns + 3000 + w->late_ns;
    double next = last_tick(w, (double)(began_ns - 3000)) + 1;
    uint64_t seen_ns = (uint64_t)tick_ns(w, next);
    if (w->interrupted)
        poll(&tally, w, began_ns, began_ns + 2000);
    else if (seen_ns > began_ns + 2000)
        poll(&tally, w, began_ns, seen_ns - 1000);
    poll_ticks(&tally, w, next + w->interrupted, began_ns);
    uint64_t last_ns = (uint64_t)tick_ns(w, next + 2) + 5000;
    wtl_tally_sample(&tally, last_ns, shown(w, last_ns), false);
    wtl_tally_summary(&tally, &summary);
    return summary;
}

static struct world random_world(uint64_t stream, double jitter_us)
{
    static const uint64_t every_ns[] = {MS, 10 * MS, 100 * MS, 1000 * MS};
    struct world w = {.jitter_ns = 1000 * jitter_us, .stream = stream ^ 0x5555555555555555u};
    w.from_w = w.to_w = 5 * pow(40, wtl_random_uniform(stream, 0));
    w.phase_ns = TICK_NS * wtl_random_uniform(stream, 1);
    w.end_ns = START_NS + 5 * MS + (uint64_t)(200e6 * pow(wtl_random_uniform(stream, 2), 2));
    w.every_ns = every_ns[(unsigned)(4 * wtl_random_uniform(stream, 3))];
    w.step_ns = 1e12;
    return w;
}

enum step { NOWHERE, AT_THE_BORDER, NEAR_THE_BORDER };

/* Results over many windows. Joules are relative to a tick's energy at the higher power. */
struct found {
    double covered; /* the fraction whose truth is within three half widths */
    double half, rms;
};

static struct found many(bool at_end, enum step step, double jitter_us, bool interrupted)
{
    struct found found = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        uint64_t stream = wtl_random_bits(i, 77);
        struct world w = random_world(stream, jitter_us);
        w.interrupted = interrupted;
        double apart_ticks = step == NEAR_THE_BORDER ? 4 * wtl_random_uniform(stream, 5) - 2 : 0;
        if (step != NOWHERE) {
            w.step_ns = (double)(at_end ? w.end_ns : START_NS) + TICK_NS * apart_ticks;
            double exponent = (step == AT_THE_BORDER ? 1 : 2) * wtl_random_uniform(stream, 4);
            w.to_w *= 0.05 * pow(20, exponent);
        }
        struct wtl_summary s = measure(&w);
        double error_j = s.amount - (truth_j(&w, (double)w.end_ns) - truth_j(&w, (double)START_NS));
        double tick_j = fmax(w.from_w, w.to_w) * TICK_NS * 1e-9;
        found.covered += (fabs(error_j) <= 3 * s.amount_half) / (double)CASES;
        found.half += s.amount_half / tick_j / CASES;
        found.rms += error_j * error_j / tick_j / tick_j / CASES;
    }
    found.rms = sqrt(found.rms);
    return found;
}

static void test_power(void)
{
    static const struct {
        int line;
        const char *name;
        bool at_end;
        enum step step;
        double jitter_us;
        bool interrupted;
        double most_half; /* width when there is no reason to doubt the border */
    } rows[] = {
        {__LINE__, "constant", true, NOWHERE, 0, false, 0.0102},
        {__LINE__, "constant, ticks jitter", true, NOWHERE, 20, false, 0.0122},
        {__LINE__, "falls at the end", true, AT_THE_BORDER, 0, false, 0.0095},
        {__LINE__, "falls at the end, ticks jitter", true, AT_THE_BORDER, 20, false, 0.016},
        {__LINE__, "changes near the end", true, NEAR_THE_BORDER, 0, false, 0.45},
        {__LINE__, "changes near the end, ticks jitter", true, NEAR_THE_BORDER, 20, false, 0.45},
        {__LINE__, "falls at the start", false, AT_THE_BORDER, 0, false, 0.0095},
        {__LINE__, "falls at the start, ticks jitter", false, AT_THE_BORDER, 20, false, 0.015},
        {__LINE__, "changes near the start", false, NEAR_THE_BORDER, 0, false, 0.45},
        {__LINE__, "changes near the start, ticks jitter", false, NEAR_THE_BORDER, 20, false, 0.45},
        {__LINE__, "constant, a tick is missed", true, NOWHERE, 0, true, 2},
        {__LINE__, "changes near the end, a tick is missed", true, NEAR_THE_BORDER, 0, true, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct found f = many(rows[i].at_end, rows[i].step, rows[i].jitter_us, rows[i].interrupted);
        diag("%s: rms %.4f, half width %.4f of a tick's joules, covered %.4f", rows[i].name, f.rms,
             f.half, f.covered);
        /* For some phases all samples of 1 ms are too close to ticks to locate these before the
         * start. */
        double least = !rows[i].at_end && rows[i].jitter_us > 0 ? 0.98 : 0.995;
        ok(f.covered >= least, "%s: three half widths hold the truth", rows[i].name);
        ok(f.half <= rows[i].most_half, "%s: and are not wider for it", rows[i].name);
    }
    tap_line = 0;
}

/*
 * Another process had the CPU: the polls before the start end early or those after the end begin
 * late, and may then be interrupted during a tick. In that time the power falls from that of the
 * window, or rises to it.
 */
static void test_kept_waiting(void)
{
    static const struct {
        int line;
        bool at_end;
        unsigned ticks;
        bool interrupted;
    } rows[] = {
        {__LINE__, true, 0, true},   {__LINE__, true, 1, true},   {__LINE__, true, 2, true},
        {__LINE__, true, 4, true},   {__LINE__, true, 8, true},   {__LINE__, true, 1, false},
        {__LINE__, true, 4, false},  {__LINE__, false, 1, false}, {__LINE__, false, 2, false},
        {__LINE__, false, 4, false}, {__LINE__, false, 8, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned wrong = 0;
        double worst = 0;
        for (uint64_t n = 0; n < CASES / 5; n++) {
            uint64_t stream = wtl_random_bits(n, 77 + rows[i].ticks);
            struct world w = random_world(stream, 2);
            double low_w = 200 / pow(30, wtl_random_uniform(stream, 4));
            double away_ticks = wtl_random_uniform(stream, 5);
            w.end_ns += 20 * MS;
            w.every_ns = 20 * MS;
            w.from_w = rows[i].at_end ? 200 : low_w;
            w.to_w = rows[i].at_end ? low_w : 200;
            *(rows[i].at_end ? &w.late_ns : &w.early_ns) = (uint64_t)(rows[i].ticks * TICK_NS);
            w.interrupted = rows[i].interrupted;
            if (rows[i].at_end)
                w.step_ns = (double)w.end_ns +
                            TICK_NS * away_ticks * (rows[i].ticks + 1 + rows[i].interrupted);
            else
                w.step_ns = (double)START_NS - TICK_NS * away_ticks * rows[i].ticks;
            struct wtl_summary s = measure(&w);
            double error_j =
                s.amount - (truth_j(&w, (double)w.end_ns) - truth_j(&w, (double)START_NS));
            wrong += fabs(error_j) > 3 * s.amount_half;
            worst = fmax(worst, fabs(error_j) / s.amount_half);
        }
        tap_line = rows[i].line;
        diag("%u of %d beyond three half widths, the worst at %.1f", wrong, CASES / 5, worst);
        ok(wrong == 0, "polls %u ticks away from the %s%s: three half widths hold the truth",
           rows[i].ticks, rows[i].at_end ? "end" : "start",
           rows[i].interrupted ? ", and a tick is missed" : "");
    }
    tap_line = 0;
}

/* A window of less than a tick, of constant power, with late polls on either side: the borders may
 * contradict each other. */
static void test_short_window(void)
{
    unsigned wrong = 0, none = 0;
    for (uint64_t n = 0; n < CASES; n++) {
        uint64_t stream = wtl_random_bits(n, 78);
        struct world w = random_world(stream, 20 * wtl_random_uniform(stream, 6));
        w.every_ns = MS;
        w.end_ns = START_NS + (uint64_t)(TICK_NS * (0.05 + 0.6 * wtl_random_uniform(stream, 2)));
        w.early_ns = (uint64_t)(TICK_NS * 3 * wtl_random_uniform(stream, 4));
        w.late_ns = (uint64_t)(TICK_NS * 3 * wtl_random_uniform(stream, 5));
        w.interrupted = wtl_random_bits(stream, 7) % 2 == 0;
        struct wtl_summary s = measure(&w);
        double truth = truth_j(&w, (double)w.end_ns) - truth_j(&w, (double)START_NS);
        wrong += !(fabs(s.amount - truth) <= 3 * s.amount_half);
        none += s.amount == 0;
    }
    ok(wrong == 0,
       "%u of %d windows of a part of a tick, %u of them of 0 J, are beyond three half widths",
       wrong, CASES, none);
}

/* A burst over the last ms of the window ends within a tick after it: the mean power of the window
 * may be that after it. */
static void test_burst(void)
{
    static const double burst_ms[] = {3, 12, 21, 30}, out_w[] = {20, 50, 60, 70};
    unsigned wrong = 0, total = 0;
    double worst = 0;
    for (size_t i = 0; i < 16 * CASES / 5; i++) {
        uint64_t stream = wtl_random_bits(i, 99);
        struct world w = random_world(stream, 2);
        w.end_ns += 200 * MS;
        w.every_ns = 100 * MS;
        w.from_w = 50;
        w.burst_w = 200;
        w.to_w = out_w[i / 4 % 4];
        w.burst_ns = (double)w.end_ns - burst_ms[i % 4] * 1e6;
        w.step_ns = (double)w.end_ns + TICK_NS * wtl_random_uniform(stream, 5);
        struct wtl_summary s = measure(&w);
        double error_j = s.amount - (truth_j(&w, (double)w.end_ns) - truth_j(&w, (double)START_NS));
        wrong += fabs(error_j) > 3 * s.amount_half;
        worst = fmax(worst, fabs(error_j) / s.amount_half);
        total++;
    }
    diag("%u of %u beyond three half widths, the worst at %.1f", wrong, total, worst);
    ok(wrong == 0, "a burst that ends behind the end: three half widths hold the truth");
}

/* A short burst around the end, between two similar powers: within the tick that it makes larger it
 * may be on either side. */
static void test_short_burst(void)
{
    unsigned wrong = 0;
    double worst = 0;
    for (size_t i = 0; i < 4 * CASES / 5; i++) {
        uint64_t stream = wtl_random_bits(i, 98);
        struct world w = random_world(stream, 2);
        double length = 0.05 + 0.9 * wtl_random_uniform(stream, 5);
        w.end_ns += 200 * MS;
        w.every_ns = 10 * MS;
        w.from_w = w.to_w = 50;
        w.burst_w = 50 * (2 + 14 * wtl_random_uniform(stream, 6));
        w.burst_ns = (double)w.end_ns - TICK_NS * length * wtl_random_uniform(stream, 7);
        w.step_ns =
            fmin(w.burst_ns + TICK_NS * length, tick_ns(&w, last_tick(&w, (double)w.end_ns) + 1));
        struct wtl_summary s = measure(&w);
        double error_j = s.amount - (truth_j(&w, (double)w.end_ns) - truth_j(&w, (double)START_NS));
        wrong += fabs(error_j) > 3 * s.amount_half;
        worst = fmax(worst, fabs(error_j) / s.amount_half);
    }
    diag("%u of %d beyond three half widths, the worst at %.1f", wrong, 4 * CASES / 5, worst);
    ok(wrong == 0, "a short burst around the end: three half widths hold the truth");
}

/* What wattled shows of such a counter: each sample up to a millisecond old, none next to the borders of the job. Over
 * many phases of ticks and samples: no bias, and the truth is in the interval. */
static void test_relayed(void)
{
    const double tick_ns = 976000, unit_j = 1.0 / 16384, outside_w = 40, inside_w = 140;
    const uint64_t start_ns = 1000 * 1000000ull, end_ns = start_ns + 50 * 1000000ull;
    double bias_j = 0;
    unsigned within = 0, worlds = 0;
    struct wattle_channel channel = {.name = "test:package-0",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .flags = WATTLE_CHANNEL_RELAYED,
                                     .scale = unit_j,
                                     .refresh_ns = (uint64_t)tick_ns};
    double inside_j = inside_w * (double)(end_ns - start_ns) * 1e-9;
    for (unsigned phase = 0; phase < 400; phase++) {
        double tick_phase_ns = tick_ns * (phase % 20) / 20;
        uint64_t sample_phase_ns = 50000 * (phase / 20);
        struct wtl_tally tally;
        struct wtl_summary summary;
        bool begun = false, ended = false;
        wtl_tally_init(&tally, &channel);
        for (uint64_t t = start_ns - 20000000 + sample_phase_ns; t < end_ns + 3000000;
             t += 1000000) {
            double at_ns = floor(((double)t - tick_phase_ns) / tick_ns) * tick_ns + tick_phase_ns;
            double in_ns = fmin(fmax(at_ns - (double)start_ns, 0), (double)(end_ns - start_ns));
            double j = (outside_w * (at_ns - in_ns) + inside_w * in_ns) * 1e-9;
            if (!begun && t > start_ns)
                wtl_tally_begin(&tally, start_ns);
            if (!ended && t > end_ns)
                wtl_tally_end(&tally, end_ns);
            begun |= t > start_ns;
            ended |= t > end_ns;
            wtl_tally_sample(&tally, t, (uint64_t)(j / unit_j), false);
        }
        wtl_tally_summary(&tally, &summary);
        bias_j += summary.amount - inside_j;
        within += fabs(summary.amount - inside_j) <= summary.amount_half;
        worlds++;
    }
    ok(fabs(bias_j / worlds) < 0.004 * inside_j, "relayed: bias %g J of %g J", bias_j / worlds,
       inside_j);
    ok(within >= worlds * 95 / 100, "relayed: %u of %u within the interval", within, worlds);
}

int main(void)
{
    test_power();
    test_short_burst();
    test_kept_waiting();
    test_short_window();
    test_burst();
    test_relayed();
    return done_testing();
}
