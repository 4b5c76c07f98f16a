/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases as stretches of energy: see phase_energy.h. */
#include "analysis/phases/phase_energy.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/cluster/run_result.h"
#include "analysis/power/paces.h"
#include "analysis/power/stretch_energy.h"
#include "base/fail.h"
#include "model/energy.h"

/* A phase as a stretch. */
struct weighed {
    double j, half_j; /* NaN = unknown */
    double reading_s; /* mean time between the readings in it, of the channel that has fewest */
    bool unresolved;  /* no two readings of a channel lie in it */
    bool partly;      /* some of its energy is unknown */
};

struct scale {
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    const struct wtl_counter_rows *rows;
    size_t count;                  /* channels of the total */
    uint32_t *ids;                 /* [count] */
    size_t *parts;                 /* [count], of the result */
    uint64_t *refresh_ns;          /* by id */
    struct wtl_summary *summaries; /* [count] */
};

static int choose(struct scale *s, struct wattle_error *err)
{
    size_t most = s->result.energy_count + 1;
    s->ids = calloc(most, sizeof *s->ids);
    s->parts = calloc(most, sizeof *s->parts);
    s->summaries = calloc(most, sizeof *s->summaries);
    s->refresh_ns = calloc(wtl_trace_reader_channel_count(s->reader) + 1, sizeof *s->refresh_ns);
    if (!s->ids || !s->parts || !s->summaries || !s->refresh_ns)
        return wtl_no_memory(err);
    for (size_t i = 0; i < s->result.energy_count; i++) {
        const struct wtl_result_channel *part = &s->result.channels[i];
        int id = part->channel.flags & WATTLE_CHANNEL_IN_TOTAL
                     ? wtl_trace_reader_find_channel(s->reader, part->channel.name)
                     : -1;
        if (id < 0)
            continue;
        s->ids[s->count] = (uint32_t)id;
        s->parts[s->count++] = i;
    }
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = s->ids, .channel_count = s->count};
    return s->count > 0 ? wtl_paces_read(s->reader, &range, s->refresh_ns, NULL, err) : 0;
}

/* Whether no whole interval between two readings of a channel lies in a stretch of this length. */
static bool is_shorter(const struct scale *s, size_t i, uint64_t length_ns)
{
    return s->summaries[i].samples < 2 || length_ns < s->refresh_ns[s->ids[i]];
}

static int weigh(struct scale *s,
                 const struct wtl_phase *phase,
                 struct weighed *ret,
                 struct wattle_error *err)
{
    uint64_t begin_ns = wtl_counter_rows_begin(s->rows, phase->first);
    uint64_t end_ns = wtl_counter_rows_end(s->rows, phase->last);
    struct wtl_energy_sum sum = {0};
    int rc =
        wtl_stretch_energy_read(s->reader, s->ids, s->count, begin_ns, end_ns, s->summaries, err);
    *ret = (struct weighed){.j = NAN, .half_j = NAN};
    for (size_t i = 0; rc == 0 && i < s->count; i++) {
        const struct wtl_summary *summary = &s->summaries[i];
        struct wtl_energy part = wtl_energy_on(&s->result.channels[s->parts[i]].channel,
                                               summary->amount, summary->amount_half);
        wtl_energy_add(&sum, &part);
        ret->unresolved |= is_shorter(s, i, end_ns - begin_ns);
        ret->reading_s = fmax(ret->reading_s, 1e-9 * (double)(end_ns - begin_ns) /
                                                  fmax((double)summary->samples, 1));
        ret->partly |= summary->unknown_ns > 0;
    }
    if (rc < 0 || sum.unknown > 0 || sum.known == 0)
        return rc;
    struct wtl_energy energy = wtl_energy_sum_of(&sum, false);
    ret->j = energy.j;
    ret->half_j = wtl_energy_half(&energy);
    return 0;
}

/*
 * If the power steps at the border of two phases, an even division of the energy between the two readings around it is wrong by
 * up to a quarter of the step times their distance. Readings leave open where in between it steps.
 */
static double step_j(const struct wtl_phase_list *phases, const struct weighed *list, size_t i)
{
    if (i == 0 || i >= phases->count)
        return 0;
    double step_w = fabs(phases->list[i].mean_w - phases->list[i - 1].mean_w);
    double reading_s = fmin(list[i].unresolved ? INFINITY : list[i].reading_s,
                            list[i - 1].unresolved ? INFINITY : list[i - 1].reading_s);
    return isfinite(step_w) && isfinite(reading_s) ? step_w * reading_s / 4 : 0;
}

static void widen(const struct wtl_phase_list *phases, struct weighed *list)
{
    for (size_t i = 0; i < phases->count; i++)
        if (isfinite(list[i].half_j))
            list[i].half_j =
                fmax(list[i].half_j, step_j(phases, list, i) + step_j(phases, list, i + 1));
}

/* Whether its energy may be another than that of its rows. */
static bool is_free(const struct weighed *one)
{
    return !one->partly && isfinite(one->j) && isfinite(one->half_j);
}

/* What the stretches lack of the energy of their rows, and the sum of the squares of what they leave open. */
static double lack(const struct wtl_phase_list *phases,
                   const struct weighed *list,
                   double *ret_open_j2)
{
    double lack_j = 0;
    *ret_open_j2 = 0;
    for (size_t i = 0; i < phases->count; i++) {
        if (!is_free(&list[i]))
            continue;
        lack_j += phases->list[i].energy_j - list[i].j;
        *ret_open_j2 += list[i].half_j * list[i].half_j;
    }
    return lack_j;
}

/* The phases move to their stretches, of which the sum is known. */
static void settle(struct wtl_phase_list *phases, const struct weighed *list)
{
    double open_j2, lack_j = lack(phases, list, &open_j2), all_j = 0;
    for (size_t i = 0; i < phases->count; i++)
        all_j += phases->list[i].energy_j;
    for (size_t i = 0; i < phases->count; i++) {
        struct wtl_phase *phase = &phases->list[i];
        const struct weighed *one = &list[i];
        double below_j = phase->energy_j - phase->energy_low_j;
        double above_j = phase->energy_high_j - phase->energy_j, half_j = one->half_j;
        phase->is_unresolved = one->unresolved;
        if (is_free(one) && open_j2 > 0) {
            double share_j = lack_j * one->half_j * one->half_j / open_j2;
            phase->energy_j = one->j + share_j;
            half_j += fabs(share_j);
        } else {
            /* What is known is a lower bound of a phase that is known in part: it has no interval. */
            half_j = one->partly ? (double)NAN : half_j + fabs(phase->energy_j - one->j);
        }
        phase->mean_w = phase->known_s > 0 ? phase->energy_j / phase->known_s : (double)NAN;
        phase->energy_low_j = phase->energy_j - below_j - half_j;
        phase->energy_high_j = phase->energy_j + above_j + half_j;
        if (phase->energy_low_j < 0) /* unless a total is a difference */
            phase->energy_low_j = fmin(phase->energy_j, 0);
        if (phase->energy_high_j > all_j)
            phase->energy_high_j = fmax(phase->energy_j, all_j);
    }
}

static void fini(struct scale *s)
{
    free(s->ids);
    free(s->parts);
    free(s->refresh_ns);
    free(s->summaries);
    wtl_result_fini(&s->result);
}

int wtl_phases_weigh(struct wtl_trace_reader *reader,
                     const struct wtl_counter_rows *rows,
                     struct wtl_phase_list *phases,
                     struct wattle_error *err)
{
    struct scale s = {.reader = reader, .rows = rows, .result = wtl_result_unknown()};
    struct weighed *list = calloc(phases->count + 1, sizeof *list);
    if (!list)
        return wtl_no_memory(err);
    int rc = wtl_run_result_read(reader, "", &s.result, err);
    rc = rc < 0 ? rc : choose(&s, err);
    for (size_t i = 0; rc == 0 && s.count > 0 && i < phases->count; i++)
        rc = weigh(&s, &phases->list[i], &list[i], err);
    if (rc == 0 && s.count > 0) {
        widen(phases, list);
        settle(phases, list);
    }
    fini(&s);
    free(list);
    return rc;
}
