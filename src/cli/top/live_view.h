/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live view: the data of "wattle top" and how to show it. A source (the machine, or a trace that is
 * being written) provides results, one per update; an output (the screen, or lines for programs)
 * shows the view. The view knows neither: top_loop.h combines the three. One thread.
 */
#ifndef WTL_CLI_LIVE_VIEW_H
#define WTL_CLI_LIVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/user_name.h"
#include "cli/top/live_history.h"
#include "cli/top/live_processes.h"
#include "model/result.h"

enum wtl_live_sort {
    WTL_SORT_POWER,
    WTL_SORT_ENERGY,
    WTL_SORT_CPU,
    WTL_SORT_NAME,
    WTL_SORT_PID,
    WTL_SORT_USER,
    WTL_SORT_COUNT
};

/* "power", "energy", "cpu", "name", "pid", "user", NULL. */
extern const char *const wtl_live_sort_names[];

/* State of a channel of the result, with the same index. */
struct wtl_live_channel {
    char name[WATTLE_NAME_MAX];
    struct wtl_history history;
    double base_j, base_half_j; /* at the last reset */
    int depth;                  /* number of channels that contain it */
};

/* Values of one quantity over all channels that have it. */
struct wtl_live_spread {
    size_t n; /* 0 = none */
    double mean, low, high;
};

struct wtl_live_view {
    /* What is watched. */
    const char *subject; /* "machine" or the path of a trace; borrowed */
    bool is_trace;
    bool ended;     /* no more data */
    char note[160]; /* state of the source, "" = nothing to report */
    struct wtl_result result;
    struct wtl_live_channel *channels; /* parallel to result.channels[0 .. energy_count-1] */
    size_t channel_count;
    size_t *order;            /* the same, each after the one that contains it */
    struct wtl_history total; /* only its power, history and maximum are used */
    struct wtl_live_spread frequency_hz, temperature_c, limit_w;
    double load;                          /* of all CPUs, 0 to 1; NaN = unknown */
    struct wtl_live_processes *processes; /* NULL = no list of them; borrowed */
    const char *no_processes;             /* why not, if one would be expected; or NULL */
    struct wtl_user_names users;
    uint64_t start_ns, now_ns, realtime_ns; /* of the source; now: of the last update */
    uint64_t base_ns;                       /* time of the last reset, or of the start */
    double own_load;                        /* wattle itself: part of one CPU; NaN = unknown */
    double own_cpu_s;
    double
        corrected_j; /* of the total: that updates have told of; see wtl_result_flag_corrected() */
    size_t looks;

    /* How it is shown. */
    uint64_t every_ns;
    enum wtl_live_sort sort;
    bool reverse, paused, show_help, hide_channels, hide_processes, hide_kernel, names_only;
    bool editing; /* the filter is being typed */
    char filter[64];
    size_t scroll; /* first process shown */
};

void wtl_live_view_init(struct wtl_live_view *view, uint64_t every_ns);
void wtl_live_view_fini(struct wtl_live_view *view);

/* Take over a result (owned by the view from now on) with the state at now_ns; from_start: the view
 * has seen this measurement from its start. 0 or -ENOMEM. */
int wtl_live_view_look(struct wtl_live_view *view,
                       struct wtl_result *result,
                       uint64_t now_ns,
                       bool from_start);

/* The recording is complete: power is its mean. */
void wtl_live_view_end(struct wtl_live_view *view);

/* The recorder seems to have died: there is no current power. */
void wtl_live_view_silence(struct wtl_live_view *view);

/* Reset energies, maximums and history. */
void wtl_live_view_reset(struct wtl_live_view *view);

/* Energy since the last reset, of energy channel i or (WTL_LIVE_TOTAL) of the total. */
#define WTL_LIVE_TOTAL SIZE_MAX
struct wtl_energy wtl_live_view_energy(const struct wtl_live_view *view, size_t i);

/* Relative error of an estimate: half of its 95 % interval, or 1 if the model does not specify one.
 * 0: not an estimate. */
double wtl_live_view_error(const struct wtl_live_view *view, size_t i);

/* Energy and power with their significant digits: "12.3 +- 1.1", "12 (7..21)"; "12.34", or why there is no power. Written to buf. */
char *wtl_live_view_energy_text(const struct wtl_live_view *view, size_t i, char *buf, size_t n);
char *wtl_live_view_power_text(const struct wtl_live_view *view, size_t i, char *buf, size_t n);

/* The instant up to which the energy of the total is known; 0 = none. */
uint64_t wtl_live_view_total_ns(const struct wtl_live_view *view);

/* The time since the start to which the energy belongs: that of the newest reading, before the update. NaN: there is none. */
double wtl_live_view_until_s(const struct wtl_live_view *view, size_t i);

/* Full scale of the bar of a channel: its power limit if it has one and stays below, otherwise the maximum
 * shown; 0 = none yet. *ret_is_limit may be NULL. */
double wtl_live_view_scale(const struct wtl_live_view *view, size_t i, bool *ret_is_limit);

/* "measured", "simulated", "estimated", ...: of channel i or the total. */
const char *wtl_live_view_quality(const struct wtl_live_view *view, size_t i);

/* The processes that match the filter, in the requested order: malloc'ed for the caller to free; NULL if
 * none. */
const struct wtl_process **wtl_live_view_processes(struct wtl_live_view *view, size_t *ret_count);

/* CPU time of a process between the last two updates, as a fraction of one CPU; NaN = unknown. */
double wtl_live_view_cpu(const struct wtl_live_view *view, const struct wtl_process *process);

/* What is shown of its command. */
const char *wtl_live_view_command(const struct wtl_live_view *view,
                                  const struct wtl_process *process);

/* ---- keys ---- */

/* Keys that are not characters. */
enum wtl_live_key {
    WTL_KEY_UP = 0x110000, /* after the last code point */
    WTL_KEY_DOWN,
    WTL_KEY_PAGE_UP,
    WTL_KEY_PAGE_DOWN,
    WTL_KEY_HOME,
    WTL_KEY_BACKSPACE,
    WTL_KEY_ESCAPE,
    WTL_KEY_ENTER,
    WTL_KEY_HELP,
    WTL_KEY_RESIZE
};

/* A key was pressed: false = quit. */
bool wtl_live_view_key(struct wtl_live_view *view, int key);

#endif
