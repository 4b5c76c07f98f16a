/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make_trace PROGRAM TRACE [KEY=VALUE]...: a trace of a program of the phase world (sim/phases/phase_world.h), with its
 * counters and power; prints the truth, a line for each phase: begin, end, letter, joules.
 *
 * Keys: host, id (of the run), command, seed, run, rows (at most), power=0 (no energy), platform=N (another one), counters=N (only the first N),
 * constant=1 (counters that never change), estimated=1 (power that a model computes),
 * also=N (N counters more in the set, which could not be counted), real=1 (not marked as simulated), gap=A-B (no energy is known in these rows), ns (length of a row).
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/meta_key.h"
#include "sim/phases/phase_world.h"
#include "trace/writer.h"

#define SECOND UINT64_C(1000000000)

struct wish {
    const char *host, *id, *command; /* command NULL: mpirun -n 16 ./PROGRAM */
    unsigned long seed, run, rows, counters, power, constant, estimated, real, gap_from, gap_to, ns,
        platform, also;
};

static struct wtl_trace_writer *w;

static void meta(const char *key, const char *value)
{
    if (value && wtl_trace_writer_meta(w, key, value) < 0)
        exit(1);
}

static struct wattle_channel counter_channel(const struct wish *wish, const char *label)
{
    struct wattle_channel c = {.sensor = "counters",
                               .domain = WATTLE_DOMAIN_NODE,
                               .sub = -1,
                               .quantity = strstr(label, "BYTES") ? WATTLE_BYTES : WATTLE_EVENTS,
                               .kind = WATTLE_COUNTER,
                               .flags = wish->real ? 0 : WATTLE_CHANNEL_SIMULATED,
                               .scale = 1};
    char lower[24];
    size_t i = 0;
    for (; label[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)(label[i] >= 'A' && label[i] <= 'Z' ? label[i] - 'A' + 'a' : label[i]);
    lower[i] = '\0';
    (void)snprintf(c.name, sizeof c.name, "counters:%s-0", lower);
    (void)snprintf(c.label, sizeof c.label, "%s", label);
    return c;
}

static struct wattle_channel energy_channel(const struct wish *wish)
{
    return (struct wattle_channel){.name = "powercap:psys-0",
                                   .sensor = "powercap",
                                   .domain = WATTLE_DOMAIN_PSYS,
                                   .sub = -1,
                                   .quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .flags = WATTLE_CHANNEL_PRIMARY |
                                            (wish->real ? 0 : WATTLE_CHANNEL_SIMULATED),
                                   .quality = wish->estimated ? WATTLE_ESTIMATED : WATTLE_MEASURED,
                                   .scale = 1e-6,
                                   .refresh_ns = 1000000};
}

static void describe(const struct wtl_phase_world_config *config,
                     const struct wish *wish,
                     const char *program)
{
    char command[64], columns[1024] = "";
    if (wish->command)
        (void)snprintf(command, sizeof command, "%s", wish->command);
    else
        (void)snprintf(command, sizeof command, "mpirun -n 16 ./%s", program);
    for (size_t i = 0; i < wish->counters; i++)
        (void)snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s%s=perf:%zu",
                       i ? ";" : "", config->names[i], i);
    for (size_t i = 0; i < wish->also; i++)
        (void)snprintf(columns + strlen(columns), sizeof columns - strlen(columns),
                       ";MORE_%zu=perf:%zu", i, 100 + i);
    meta(WTL_META_RUN_COMMAND, command);
    meta(WTL_META_RUN_TARGET, "command");
    meta(WTL_META_RUN_ID, wish->id);
    meta(WTL_META_HOST_NAME, wish->host);
    meta(WTL_META_NODE_NAME, wish->host);
    meta(WTL_META_NODE_KEY, wish->host);
    if (wish->counters == 0)
        return;
    meta(WTL_META_COUNTERS_SET, "paper");
    meta(WTL_META_COUNTERS_SCOPE, "machine");
    meta(WTL_META_COUNTERS_COLUMNS, columns);
    meta(WTL_META_COUNTERS_METRICS,
         "IPC=INSTRUCTIONS/CPU_CYCLES;missing_per_cycle=CACHE_MISSES/CPU_CYCLES");
}

/* The channels and groups: 0 = counters, or energy if there are none. */
static void channels(const struct wtl_phase_world_config *config, const struct wish *wish)
{
    uint32_t ids[WTL_SIM_COUNTERS];
    for (size_t i = 0; i < wish->counters; i++) {
        const struct wattle_channel c = counter_channel(wish, config->names[i]);
        ids[i] = (uint32_t)wtl_trace_writer_channel(w, &c);
    }
    if (wish->counters > 0)
        (void)wtl_trace_writer_group(w, ids, wish->counters, 0);
    if (wish->power) {
        const struct wattle_channel c = energy_channel(wish);
        ids[0] = (uint32_t)wtl_trace_writer_channel(w, &c);
        (void)wtl_trace_writer_group(w, ids, 1, 0);
    }
}

static void row(const struct wish *wish,
                uint64_t at_ns,
                const double *sums,
                double energy_j,
                bool missing)
{
    uint64_t values[WTL_SIM_COUNTERS];
    for (size_t i = 0; i < wish->counters; i++)
        values[i] = wish->constant ? 0 : (uint64_t)sums[i];
    if (wish->counters > 0)
        (void)wtl_trace_writer_row(w, 0, at_ns, values, NULL);
    values[0] = (uint64_t)llround(energy_j * 1e6);
    if (wish->power && !missing)
        (void)wtl_trace_writer_row(w, wish->counters > 0, at_ns, values, NULL);
}

static void write_rows(struct wtl_phase_world *world, const struct wish *wish)
{
    double sums[WTL_SIM_COUNTERS] = {0}, rates[WTL_SIM_COUNTERS], power_w, energy_j = 0;
    uint64_t at_ns = 1000 * SECOND, n = 0, rows = wtl_phase_world_rows(world);
    const uint32_t energy = (uint32_t)wish->counters;
    rows = wish->rows > 0 && wish->rows < rows ? wish->rows : rows;
    (void)wtl_trace_writer_clocks(
        w, &(struct wtl_clock_pair){at_ns, at_ns, UINT64_C(1700000000) * SECOND});
    (void)wtl_trace_writer_window_begin(w, at_ns);
    row(wish, at_ns, sums, 0, false);
    for (; n < rows && wtl_phase_world_next(world, rates, &power_w); n++) {
        double step_s = 1e-9 * (double)wish->ns;
        at_ns += wish->ns;
        energy_j += power_w * step_s;
        for (size_t i = 0; i < wish->counters; i++)
            sums[i] += rates[i] * step_s;
        if (n + 1 == rows)
            (void)wtl_trace_writer_window_end(w, at_ns);
        if (wish->gap_to > 0 && n + 1 == wish->gap_to)
            (void)wtl_trace_writer_gap(
                w, &(struct wtl_gap){.channel = energy,
                                     .begin_ns = at_ns - (wish->gap_to - wish->gap_from) * wish->ns,
                                     .end_ns = at_ns,
                                     .reason = WTL_GAP_SUSPENDED});
        row(wish, at_ns, sums, energy_j, n + 1 > wish->gap_from && n + 1 < wish->gap_to);
        (void)wtl_trace_writer_poll(w, at_ns);
    }
}

static void print_truth(const struct wtl_phase_world *world, double step_s)
{
    size_t count;
    const struct wtl_sim_segment *all = wtl_phase_world_segments(world, &count);
    for (size_t i = 0; i < count; i++)
        (void)printf("%.3f %.3f %s %.3f\n", (double)all[i].first * step_s,
                     (double)(all[i].first + all[i].rows) * step_s,
                     wtl_phase_world_config(world)->letters[all[i].letter].name, all[i].energy_j);
}

static void read_wish(struct wish *wish, int argc, char **argv)
{
    static const char *const names[] = {"seed",  "run",      "rows",      "counters",
                                        "power", "constant", "estimated", "real",
                                        "ns",    "platform", "also"};
    unsigned long *const places[] = {
        &wish->seed,      &wish->run,  &wish->rows, &wish->counters, &wish->power, &wish->constant,
        &wish->estimated, &wish->real, &wish->ns,   &wish->platform, &wish->also};
    for (int i = 3; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            exit(2);
        *value++ = '\0';
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(argv[i], names[k]) == 0)
                *places[k] = strtoul(value, NULL, 10);
        if (strcmp(argv[i], "host") == 0)
            wish->host = value;
        if (strcmp(argv[i], "id") == 0)
            wish->id = value;
        if (strcmp(argv[i], "command") == 0)
            wish->command = value;
        if (strcmp(argv[i], "gap") == 0) {
            wish->gap_from = strtoul(value, &value, 10);
            wish->gap_to = *value == '-' ? strtoul(value + 1, NULL, 10) : 0;
        }
    }
}

int main(int argc, char **argv)
{
    struct wish wish = {.host = "n1", .counters = 14, .power = 1, .seed = 1, .ns = SECOND};
    struct wtl_phase_world_config config;
    struct wtl_phase_world *world = NULL;
    struct wattle_error err = {""};
    if (argc < 3)
        return 2;
    read_wish(&wish, argc, argv);
    if (wtl_phase_world_program(argv[1], &config) < 0) {
        config = wtl_phase_world_random(5, 14, 4, wish.seed);
        config.rows = 600;
    }
    config.seed = wish.seed;
    config.step_s = 1e-9 * (double)wish.ns;
    config.run = wish.run;
    if (wish.platform)
        config.platform = wtl_phase_world_platform(wish.platform);
    struct wtl_trace_options options = {.force = true};
    if (wish.counters > config.columns || wtl_phase_world_create(&config, &world, &err) < 0 ||
        wtl_trace_writer_create(argv[2], &options, &w, &err) < 0) {
        (void)fprintf(stderr, "make_trace: %s\n", err.text);
        return 1;
    }
    describe(&config, &wish, argv[1]);
    channels(&config, &wish);
    write_rows(world, &wish);
    print_truth(world, 1e-9 * (double)wish.ns);
    wtl_phase_world_destroy(world);
    return wtl_trace_writer_finish(w, &err) < 0;
}
