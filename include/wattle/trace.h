/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading traces: recordings of "wattle run" that are complete, cut off by a crash or still
 * growing.
 *
 *     struct wattle_trace *trace;
 *     if (wattle_trace_open("run.wtl", &trace, &err) < 0)
 *         ... err.text says why ...
 *     for (size_t i = 0; i < wattle_trace_channel_count(trace); i++) {
 *         struct wattle_summary summary = {.size = sizeof summary};
 *         if (wattle_trace_summary(trace, i, &summary, &err) == 0)
 *             printf("%s %g J\n", wattle_trace_channel(trace, i)->name, summary.energy_j);
 *     }
 *     wattle_trace_close(trace);
 *
 * Times are nanoseconds of CLOCK_MONOTONIC on the recording machine. Unknown doubles are NaN.
 * Channels contain each other: add them up only through wattle_trace_total() and, for regions,
 * wattle_trace_region_total(); no other sum is safe. What is borrowed from a trace is valid until
 * the trace is closed or refreshed. Channels, regions and gaps are numbered from 0.
 *
 * Thread rule: one thread at a time per object, any number of objects per file.
 */
#ifndef WATTLE_TRACE_H
#define WATTLE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>
#include <wattle/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_trace;
struct wattle_trace_samples;
struct wattle_trace_marks;

/* The time of one region name. The caller sets size. */
struct wattle_region_summary {
    size_t size;                 /* sizeof(struct wattle_region_summary) */
    const char *name;            /* as given by the program, any bytes; borrowed; "" = untagged:
                                    the time outside all regions */
    uint64_t count;              /* number of times it was begun; for untagged, number of
                                    stretches */
    uint64_t thread_time_ns;     /* summed over threads; 0 for untagged */
    uint64_t union_ns;           /* time in which at least one thread was inside */
    uint64_t exclusive_union_ns; /* time in which it was the innermost region of at least one
                                    thread */
    uint64_t unbalanced;         /* begins without end, ends without begin */
    uint64_t crossing;           /* ends while another region was open inside */
};

/*
 * Energy of a region on one channel or in total, with half widths of 95 % intervals. NaN = unknown
 * (a gap), or a channel that is neither energy nor power. The caller sets size.
 */
struct wattle_region_energy {
    size_t size;        /* sizeof(struct wattle_region_energy) */
    double inclusive_j; /* of the machine while at least one thread was inside */
    double inclusive_interval_j;
    double exclusive_j; /* while it was the innermost region of at least one thread */
    double exclusive_interval_j;
    int inclusive_unresolved; /* not 0: too short for the sampling, so inclusive_j is only */
    int exclusive_unresolved; /* the middle of its interval; likewise exclusive_j */
};

/* One sample. Used in arrays, so its layout never changes. */
struct wattle_trace_sample {
    uint64_t time_ns;
    uint64_t raw; /* counters: ticks since the first reading; gauges: the raw reading */
    double value; /* in the channel's unit */
};

/* A time interval in which a channel has no reliable value. The caller sets size. */
struct wattle_gap {
    size_t size;        /* sizeof(struct wattle_gap) */
    size_t channel;     /* number of the channel */
    uint64_t begin_ns;  /* the last good sample before */
    uint64_t end_ns;    /* the first good sample after */
    const char *reason; /* "read failed", "stalled", ...: as in "wattle export --what gaps" */
    int error;          /* the errno of a failed read, else 0 */
};

/* Meaning of a mark. Values may be added. From 16 on: enum wattle_task_kind (<wattle/task.h>), in
 * traces of wattle run --tasks. */
enum wattle_mark_kind {
    WATTLE_MARK_BEGIN = 0,     /* of a region */
    WATTLE_MARK_END = 1,       /* of a region */
    WATTLE_MARK_EVENT = 2,     /* wattle_event() */
    WATTLE_MARK_THREAD_END = 3 /* the thread ended, and with it what it left open */
};

/* One region, event or task call of a program. Used in arrays, so its layout never changes. */
struct wattle_trace_mark {
    uint64_t time_ns;
    uint64_t value;   /* of an event, a task or a state; else 0 */
    const char *name; /* of a region, a type of tasks or a state, any bytes; borrowed until refresh
                       * or close; NULL for others */
    uint32_t kind;    /* enum wattle_mark_kind */
    uint32_t type;    /* of an event, from 0xffff0000 on reserved for wattle; of a detail, its enum
                       * wattle_task_key; else 0 */
    uint32_t thread;  /* number of the thread in the trace, over all processes */
    uint32_t pid, tid;
    int32_t rank; /* of the MPI process; -1 = unknown */
};

/*
 * Open a trace. The caller owns *ret_trace and frees it with wattle_trace_close(). Returns 0,
 * -EBADMSG when the file is not a trace, -ENOTSUP for a newer major version, or the errno of
 * open(2) or read(2). Since 0.1.
 */
int wattle_trace_open(const char *path, struct wattle_trace **ret_trace, struct wattle_error *err);

/* Close and free. Accepts NULL. Since 0.1. */
void wattle_trace_close(struct wattle_trace *trace);

/*
 * Check a trace that is still being written for new data. Open sample iterators continue after the
 * last sample returned; mark iterators do not, open them again. Summaries and regions then cover
 * all data present. Borrowed pointers become invalid. Returns the number of new blocks (may be 0),
 * or -EINVAL for NULL or the errno of reading. Since 0.1.
 */
int wattle_trace_refresh(struct wattle_trace *trace, struct wattle_error *err);

/*
 * 1 when the trace was finished or repaired; 0 for NULL and for a trace that was cut off or is
 * being written: calls then cover the data present, and "wattle repair" adds regions that a killed
 * program left behind. Since 0.1.
 */
int wattle_trace_is_complete(const struct wattle_trace *trace);

/* Number of unreadable parts of the file, as far as known without reading all of it; their
 * samples are missing in all results, as gaps. 0 for NULL. Since 0.1. */
uint64_t wattle_trace_damage_count(const struct wattle_trace *trace);

/* Number of blocks of a newer version that contain something these calls cannot show and that a
 * reader should not ignore silently. 0 for NULL. Since 0.1. */
uint64_t wattle_trace_not_shown_count(const struct wattle_trace *trace);

/* The value of a metadata key ("host.name"), borrowed until close; NULL if the key is missing.
 * Since 0.1. */
const char *wattle_trace_metadata(const struct wattle_trace *trace, const char *key);

/* Key and value number i, in file order, both borrowed. Returns 0, or -EINVAL when out of range,
 * which ends an enumeration. Since 0.1. */
int wattle_trace_metadata_at(const struct wattle_trace *trace,
                             size_t i,
                             const char **ret_key,
                             const char **ret_value);

/* Number of channels; 0 for NULL. Since 0.1. */
size_t wattle_trace_channel_count(const struct wattle_trace *trace);

/* Channel number `channel`, borrowed; NULL when out of range or lost to damage. Since 0.1. */
const struct wattle_channel *wattle_trace_channel(const struct wattle_trace *trace, size_t channel);

/* Begin and end of the measurement. Returns 0; -ENOENT when the trace has no window, because it
 * was cut off or is being written; -EINVAL for NULL. Since 0.1. */
int wattle_trace_window(const struct wattle_trace *trace,
                        uint64_t *ret_start_ns,
                        uint64_t *ret_end_ns);

/*
 * The summary of a channel over the window, or over its samples if there is no window. Returns 0;
 * -EINVAL for a channel out of range or a size that is not set; -ENOTSUP for the size of a newer
 * libwattle; or the negative errno of reading. Since 0.1.
 */
int wattle_trace_summary(struct wattle_trace *trace,
                         size_t channel,
                         struct wattle_summary *ret_summary,
                         struct wattle_error *err);

/*
 * The same for the sum over the channels that may be added up, with a description of what it
 * contains and leaves out ("" = nothing known), borrowed; either pointer may be NULL. The window is
 * the shortest of the channels, samples the fewest of any, gaps their sum, gap_ns and unknown_ns
 * the longest of any; min and max are NaN. Returns as wattle_trace_summary(), and -ENODATA when no
 * channel may be added up. Since 0.1.
 */
int wattle_trace_total(struct wattle_trace *trace,
                       struct wattle_summary *ret_summary,
                       const char **ret_contains,
                       const char **ret_excludes,
                       struct wattle_error *err);

/*
 * Number of region names, untagged first, the others by first appearance; 0 when the trace has no
 * regions; or -EINVAL for NULL, -ENOMEM, the errno of reading. If the trace is not complete, this
 * reads the whole file, once. Since 0.1.
 */
int wattle_trace_region_count(struct wattle_trace *trace, struct wattle_error *err);

/* Region number `region`. Returns 0; -EINVAL when out of range or the size is not set; -ENOTSUP
 * for the size of a newer libwattle; or as wattle_trace_region_count(). Since 0.1. */
int wattle_trace_region(struct wattle_trace *trace,
                        size_t region,
                        struct wattle_region_summary *ret_summary,
                        struct wattle_error *err);

/* The energy of a region on a channel. Returns as wattle_trace_region(). Since 0.1. */
int wattle_trace_region_energy(struct wattle_trace *trace,
                               size_t region,
                               size_t channel,
                               struct wattle_region_energy *ret_energy,
                               struct wattle_error *err);

/* The energy of a region, summed over the channels of wattle_trace_total(). Returns as
 * wattle_trace_region(), and -ENODATA when no channel may be added up. Since 0.1. */
int wattle_trace_region_total(struct wattle_trace *trace,
                              size_t region,
                              struct wattle_region_energy *ret_energy,
                              struct wattle_error *err);

/*
 * Iterate over the samples of a channel with begin_ns <= time <= end_ns (0 and UINT64_MAX: all), in
 * time order. Failed readings are left out, never returned as zero. The caller owns *ret_samples
 * and frees it with wattle_trace_samples_close() before the trace is closed. Returns 0; -EINVAL for
 * a channel out of range or an end before the beginning; -ENOMEM. Since 0.1.
 */
int wattle_trace_samples_open(struct wattle_trace *trace,
                              size_t channel,
                              uint64_t begin_ns,
                              uint64_t end_ns,
                              struct wattle_trace_samples **ret_samples,
                              struct wattle_error *err);

/* Fill ret_samples[0 .. n-1]. Returns the number filled, at most INT_MAX; 0 at the end; -EINVAL
 * for NULL or n = 0; or the negative errno of reading. Since 0.1. */
int wattle_trace_samples_next(struct wattle_trace_samples *samples,
                              struct wattle_trace_sample *ret_samples,
                              size_t n,
                              struct wattle_error *err);

/* Free. Accepts NULL. Since 0.1. */
void wattle_trace_samples_close(struct wattle_trace_samples *samples);

/* Number of gaps of all channels, including those in damaged blocks; or -EINVAL for NULL,
 * -ENOMEM, the errno of reading. The first call may read the whole file. Since 0.1. */
int wattle_trace_gap_count(struct wattle_trace *trace, struct wattle_error *err);

/* Gap number `gap`. Returns 0; -EINVAL when out of range or the size is not set; -ENOTSUP for
 * the size of a newer libwattle; or as wattle_trace_gap_count(). Since 0.1. */
int wattle_trace_gap(struct wattle_trace *trace,
                     size_t gap,
                     struct wattle_gap *ret_gap,
                     struct wattle_error *err);

/*
 * Iterate over the marks (regions, events and tasks) of all threads in time order; those of one thread
 * keep their order. The caller owns *ret_marks and frees it with wattle_trace_marks_close() before
 * the trace is closed or refreshed. Memory: one block for each one that overlaps the current time.
 * Returns 0; -EINVAL for NULL; -ENOMEM; the errno of reading. Since 0.1.
 */
int wattle_trace_marks_open(struct wattle_trace *trace,
                            struct wattle_trace_marks **ret_marks,
                            struct wattle_error *err);

/* Fill ret_marks[0 .. n-1]. Returns as wattle_trace_samples_next(). Since 0.1. */
int wattle_trace_marks_next(struct wattle_trace_marks *marks,
                            struct wattle_trace_mark *ret_marks,
                            size_t n,
                            struct wattle_error *err);

/* Free. Accepts NULL. Since 0.1. */
void wattle_trace_marks_close(struct wattle_trace_marks *marks);

#ifdef __cplusplus
}
#endif
#endif
