/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Result: the outcome of a measurement, from which every output (table, JSON, CSV) is generated. "wattle run"
 * fills it from the live session, "wattle stats" from a trace; what cannot be computed from samples (exit
 * status, CPU time of the command) is stored in the trace as metadata. Unknown numbers are NaN, unknown
 * strings NULL.
 */
#ifndef WTL_MODEL_RESULT_H
#define WTL_MODEL_RESULT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "model/energy.h"
#include "model/shares/share_rule.h"
#include "model/tally/tally.h"
#include "model/total.h"

/* A flag on the result ("THROTTLED") and the sentence that explains it. */
struct wtl_result_flag {
    char name[24];
    char text[200];
};

struct wtl_result_channel {
    struct wattle_channel channel;
    struct wtl_summary summary;
    double known_j; /* for a sum over nodes, some of which are unknown: of the others; else 0 */
    double known_half_j;  /* half width of that */
    double passes_half_j; /* half width of the mean over passes at shifted phases; 0 = not of one */
};

struct wtl_result {
    const char *command; /* as typed, one line; NULL = a pid, a cgroup, the machine */
    const char *target;  /* "command", "pid 17", "cgroup /sys/..", "machine" */
    const char *node;    /* for a job of a launcher: the node it ran on; NULL = no job */
    int exit_code;       /* as in a shell: 128+N for a signal; -1 = does not apply */
    uint64_t start_monotonic_ns, end_monotonic_ns;
    uint64_t start_realtime_ns;
    double wall_time_s;
    uint64_t until_ns; /* during a run: up to when its energies are known; 0 = the end */
    bool cut_off;      /* of a trace: the window has no end; counted up to the last sample */

    struct wtl_result_channel *channels; /* energy and power first, then activity; owned */
    size_t channel_count;                /* all */
    size_t energy_count;                 /* number of energy and power channels among them */

    struct wtl_total total;    /* channels contained and left out, in words */
    struct wtl_energy energy;  /* of the total; unknown if there is no total */
    double total_w;            /* mean power */
    double passes_half_j;      /* likewise of the total; 0 = no channel of it is from passes */
    uint64_t total_unknown_ns; /* time left out of the total's energy: the maximum over its
                                  channels */

    /* The process tree. */
    double cpu_s;         /* user + system */
    double machine_cpu_s; /* of all processes on the machine; NaN = unknown */
    double max_rss_bytes;
    double energy_share_j; /* NaN = unknown */
    /* The rest of the total: of all other processes, the baseline, and unattributed. They add up to the total's energy. */
    double others_share_j, share_idle_j, unattributed_j;
    /* Of each of these, the part that is energy of GPUs, divided by the time that processes used them; unknown use is unattributed.
     * NaN = nothing of GPUs is divided. */
    double gpu_share_j, gpu_others_j, gpu_idle_j, gpu_unattributed_j;
    double
        share_half_j; /* of energy_share_j by counters: half width of its 95 % interval; NaN = unknown */
    enum wtl_share_rule share_rule;
    char share_counters[256]; /* why not by hardware counters; "" = nothing to say */
    enum wattle_quality share_quality;

    const char *cpu; /* model name of the processor, for a trace; NULL = unknown */
    /* Frequency settings at the start. */
    const char *governor, *epp; /* NULL = unknown */
    int turbo;                  /* 1 on, 0 off, -1 unknown */
    uint64_t min_khz, max_khz;  /* 0 = unknown */
    const char
        *control; /* settings held for the run: "freq=2.1GHz", or asked for by Slurm; NULL = none */
    double asked_low_hz, asked_high_hz; /* frequencies that were requested for it; NaN = none */

    struct wtl_result_flag *flags; /* owned */
    size_t flag_count;

    /* Above idle (--idle): power before and after, energy above the mean of both. */
    double idle_before_w, idle_after_w, above_idle_j;
    double work; /* --work N:UNIT; NaN = not given */
    const char *work_unit;
    const char *tasks; /* "all", "summary": recorded with --tasks; NULL = not asked for */
    uint64_t task_marks, tasks_complete; /* marks of tasks and states; tasks that were done */
    uint64_t tasks_cut;                  /* processes whose tasks reached the size limit */
    const char *labels;                  /* model/labels.h: "app=x,scale=4"; NULL = none */

    /* wattle itself. */
    double own_cpu_s; /* CPU time of wattle in the window */
    double own_j;     /* its share of the total, derived; NaN = unknown */
    uint64_t interval_ns;
    uint64_t late_p50_ns, late_p99_ns, late_max_ns;
    uint64_t missed, dropped;
    int sampler_cpu; /* -1 = not pinned */

    const char *trace; /* path, or NULL */
    const char *host;

    /* The strings above point into this block. */
    char *text; /* owned */
};

/* A result with everything unknown. */
struct wtl_result wtl_result_unknown(void);

/* A string for the result, and the member to point to it. */
struct wtl_result_text {
    const char *text; /* NULL: the member is unchanged */
    const char **place;
};

/* Copy the strings into one block owned by the result; call once per result. 0 or -ENOMEM. */
int wtl_result_texts(struct wtl_result *result, const struct wtl_result_text *texts, size_t n);

/* The channel of that name, or NULL. */
const struct wtl_result_channel *wtl_result_find(const struct wtl_result *result, const char *name);

/* During a run: up to here the energy of the channel is known. */
uint64_t wtl_result_known_ns(const struct wtl_result *result,
                             const struct wtl_result_channel *channel);

/* During a run: has an energy channel no good sample for longer than interval and collector explain? */
bool wtl_result_is_silent(const struct wtl_result *result,
                          const struct wtl_result_channel *channel,
                          uint64_t interval_ns);

/* During a run: up to here all channels of the total are known, except silent ones. */
uint64_t wtl_result_common_ns(const struct wtl_result *result, uint64_t interval_ns);

/*
 * During a run: the energy of the total up to a time near its newest samples. Some channels are ahead of it, without
 * whose mean power since then it is; others are behind. The interval allows for all of that power in either case. Silent
 * channels have unknown time instead.
 */
struct wtl_energy wtl_result_energy_at(const struct wtl_result *result, uint64_t time_ns);

/* Fill total, energy, total_*, the flags IN_TOTAL and the order of channels (energy first, primary first)
 * from the channels. 0 or -ENOMEM. */
int wtl_result_total(struct wtl_result *result);

/* The same with a total named by the user: the result of wtl_total_choose_named(), or -ENOMEM. On failure
 * the result is unchanged. */
int wtl_result_total_named(struct wtl_result *result, const char *name, struct wattle_error *err);

/* Flag what the total no longer has of an earlier result of the same measurement, which had told *told_j of such corrections. 0 or -ENOMEM. */
int wtl_result_flag_corrected(struct wtl_result *result, double *told_j);

/* Mean frequency over the window, of all cores whose frequency was read (*ret_cores, may be NULL); NaN = of none. */
double wtl_result_frequency(const struct wtl_result *result, size_t *ret_cores);

/* Mean power over the window of a package, over all packages that are measured (*ret_packages, may be NULL); NaN = of none. */
double wtl_result_package_power(const struct wtl_result *result, size_t *ret_packages);

/* The energy of one of its channels. */
struct wtl_energy wtl_result_energy(const struct wtl_result_channel *channel);

/* Whether any energy channel is simulated. */
bool wtl_result_is_simulated(const struct wtl_result *result);
/* Quality of the total, in words (quality.h). */
const char *wtl_result_quality_word(const struct wtl_result *result);
/* Over the totals of runs: the weakest quality, and whether any is simulated. False, with nothing changed:
 * none has a total. */
bool wtl_results_quality(const struct wtl_result *results,
                         size_t count,
                         enum wattle_quality *ret_quality,
                         bool *ret_simulated);

/* Add a flag, unless already present, after those that are worse (flag.h); 0 or -ENOMEM. */
int wtl_result_flag(struct wtl_result *result, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool wtl_result_has_flag(const struct wtl_result *result, const char *name);

/* The same for flags of other objects: *flags has *count of them, freed by the caller. */
int wtl_result_flags_add(struct wtl_result_flag **flags,
                         size_t *count,
                         const char *name,
                         const char *format,
                         va_list args) __attribute__((format(printf, 4, 0)));

/* Free what it owns and clear it. */
void wtl_result_fini(struct wtl_result *result);

#endif
