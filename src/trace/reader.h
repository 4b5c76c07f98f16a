/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a trace, complete, cut off, damaged or still being written, all through the same calls. With a
 * footer, opening reads the tail of the file only; without one it reads the blocks. Readers share nothing:
 * one thread per reader, any number of readers per file.
 *
 *     wtl_trace_reader_open(path, &r, err);
 *     for (size_t i = 0; i < wtl_trace_reader_channel_count(r); i++)
 *         if (wtl_trace_reader_summary(r, i, &summary) == 0) ...
 *     struct wtl_trace_range range = {.begin_ns = 0, .end_ns = UINT64_MAX};
 *     wtl_trace_samples_open(r, &range, &samples, err);
 *     while (wtl_trace_samples_next(samples, &chunk, err) > 0) ...
 *     wtl_trace_samples_close(samples);
 *     wtl_trace_reader_close(r);
 *
 * Damage is reported as data: an unreadable block is left out, counted in the status and shown as a gap
 * (WTL_GAP_DAMAGED) of each channel whose samples it may have held.
 */
#ifndef WTL_TRACE_READER_H
#define WTL_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "model/gap.h"
#include "model/tally/tally.h"
#include "trace/blocks/entries.h"
#include "trace/blocks/footer.h"
#include "trace/blocks/mark.h"

struct wtl_trace_reader;

struct wtl_trace_reader_status {
    uint16_t major, minor; /* version of the format */
    bool has_footer;       /* summaries come from the footer; else they are computed on demand */
    bool footer_came;      /* opened without a footer, and it has one now: reopen to use it */
    bool cut_off;          /* no footer, and the last block is not whole */
    uint64_t bytes;        /* of the file, as far as it was examined */
    uint64_t blocks;       /* good ones; with a footer: the number it gives */
    uint64_t unknown;      /* without a footer: those of a type unknown to this version */
    uint64_t not_shown;    /* of these, those marked as needed by every reader */
    uint64_t damaged; /* parts of the file that are not readable blocks; with a footer: of what was
                            * read so far */
    uint64_t damaged_bytes;
};

/*
 * Open a trace. Returns 0; -EBADMSG when it is empty or not a trace; -ENOTSUP for a newer major version; else
 * the errno of open(2) or read(2). Borrowed pointers returned by the calls below are valid until the next
 * wtl_trace_reader_refresh() or close.
 */
int wtl_trace_reader_open(const char *path,
                          struct wtl_trace_reader **ret_reader,
                          struct wattle_error *err);
void wtl_trace_reader_close(struct wtl_trace_reader *reader); /* accepts NULL */

/* A trace that is part of a file, like the nodes of a run file (run_file.h). Nothing outside the part is
 * read. */
struct wtl_trace_part {
    const char *path; /* of the file */
    const char *name; /* name in messages; NULL = path */
    uint64_t offset;
    uint64_t length; /* UINT64_MAX = up to the end of the file, which may grow */
};
int wtl_trace_reader_open_part(const struct wtl_trace_part *part,
                               struct wtl_trace_reader **ret_reader,
                               struct wattle_error *err);

/*
 * Follow a live trace: look for blocks added since the last call. Open iterators continue after their last
 * chunk. Returns the number of new blocks (may be 0), or -errno.
 */
int wtl_trace_reader_refresh(struct wtl_trace_reader *reader, struct wattle_error *err);

void wtl_trace_reader_status(const struct wtl_trace_reader *reader,
                             struct wtl_trace_reader_status *ret_status);

/* Metadata: the value of a key or NULL; entry i in order of the keys' first appearance. */
const char *wtl_trace_reader_meta(const struct wtl_trace_reader *reader, const char *key);
size_t wtl_trace_reader_meta_count(const struct wtl_trace_reader *reader);
int wtl_trace_reader_meta_at(const struct wtl_trace_reader *reader,
                             size_t i,
                             const char **ret_key,
                             const char **ret_value);

/* Channels and groups by id; NULL when out of range. The id for a channel name, or -ENOENT. */
size_t wtl_trace_reader_channel_count(const struct wtl_trace_reader *reader);
const struct wtl_trace_channel *wtl_trace_reader_channel(const struct wtl_trace_reader *reader,
                                                         size_t id);
int wtl_trace_reader_find_channel(const struct wtl_trace_reader *reader, const char *name);
size_t wtl_trace_reader_group_count(const struct wtl_trace_reader *reader);
const struct wtl_trace_group *wtl_trace_reader_group(const struct wtl_trace_reader *reader,
                                                     size_t id);

/* Clock pairs in time order (count, and *ret_pairs borrowed), and conversion of a time of the trace to the
 * wall clock by the nearest pair: 0, or -ENOENT when there is no pair. */
size_t wtl_trace_reader_clocks(const struct wtl_trace_reader *reader,
                               const struct wtl_clock_pair **ret_pairs);
int wtl_trace_reader_realtime(const struct wtl_trace_reader *reader,
                              uint64_t monotonic_ns,
                              uint64_t *ret_realtime_ns);

void wtl_trace_reader_window(const struct wtl_trace_reader *reader,
                             struct wtl_trace_window *ret_window);

/* The first and last time of any sample: 0, or -ENOENT when there are no samples. */
int wtl_trace_reader_span(const struct wtl_trace_reader *reader,
                          uint64_t *ret_first_ns,
                          uint64_t *ret_last_ns);

/* All gaps, including those of damaged blocks: their count, and *ret_gaps borrowed; or -errno. The first
 * call may read the whole file. */
int wtl_trace_reader_gaps(struct wtl_trace_reader *reader,
                          const struct wtl_gap **ret_gaps,
                          struct wattle_error *err);

/*
 * The tables used by marks. wtl_trace_reader_tables() must have succeeded: with a footer it walks the file
 * once, else it does nothing. Strings are numbered from 1, processes and threads from 0 below their count.
 * NULL when out of range.
 */
int wtl_trace_reader_tables(struct wtl_trace_reader *reader, struct wattle_error *err);
const char *wtl_trace_reader_string(const struct wtl_trace_reader *reader, size_t id);
size_t wtl_trace_reader_process_count(const struct wtl_trace_reader *reader);
const struct wtl_trace_process *wtl_trace_reader_process(const struct wtl_trace_reader *reader,
                                                         size_t id);
size_t wtl_trace_reader_thread_count(const struct wtl_trace_reader *reader);
const struct wtl_trace_thread *wtl_trace_reader_thread(const struct wtl_trace_reader *reader,
                                                       size_t id);

/* The summary of a channel over the window: from the footer, or computed from the blocks at the first
 * call. Returns 0, -EINVAL for a channel out of range, or -errno. */
int wtl_trace_reader_summary(struct wtl_trace_reader *reader,
                             size_t channel,
                             struct wtl_summary *ret_summary,
                             struct wattle_error *err);

/* The region summaries, untagged first, the others by their first mark: their count, *ret_regions
 * borrowed; or -errno. */
int wtl_trace_reader_regions(struct wtl_trace_reader *reader,
                             const struct wtl_region_summary **ret_regions,
                             struct wattle_error *err);

/* ---- samples ---- */

/* What to read. channels NULL = all. */
struct wtl_trace_range {
    uint64_t begin_ns, end_ns; /* rows with begin <= time <= end */
    const uint32_t *channels;  /* ids; borrowed until the iterator is closed */
    size_t channel_count;
    bool no_edges; /* leave out the groups of edges */
};

/* A requested channel of a chunk. */
struct wtl_trace_column {
    uint32_t channel;
    const uint64_t *values; /* [rows]; counters: ticks since the first reading */
    const uint8_t *missing; /* [rows], not 0 = no value (values[i] is then 0); NULL = none
                               missing */
};

/* Consecutive rows of one group. Borrowed until the next call with the same iterator. */
struct wtl_trace_chunk {
    uint32_t group;
    unsigned flags; /* enum wtl_trace_group_flags of the group */
    size_t rows;
    const uint64_t *time_ns; /* [rows], not decreasing, also from chunk to chunk of the same
                                group */
    const struct wtl_trace_column *columns;
    size_t column_count;
    size_t block; /* sequence number in the file, for messages */
};

struct wtl_trace_samples;

/*
 * Iterate over samples in file order: each group in time order; chunks of different groups overlap by at most
 * one block (1 s). next returns 1 with a chunk, 0 at the end (at present: see refresh), or -errno; chunks
 * without a requested row or channel are skipped.
 */
int wtl_trace_samples_open(struct wtl_trace_reader *reader,
                           const struct wtl_trace_range *range,
                           struct wtl_trace_samples **ret_samples,
                           struct wattle_error *err);
int wtl_trace_samples_next(struct wtl_trace_samples *samples,
                           struct wtl_trace_chunk *ret_chunk,
                           struct wattle_error *err);
void wtl_trace_samples_close(struct wtl_trace_samples *samples); /* accepts NULL */

/* ---- pictures ---- */

/* One point of the pyramid: power over [begin_ns, end_ns). NaN = no value. */
struct wtl_power_point {
    uint64_t begin_ns, end_ns;
    float min_w, max_w, mean_w;
};

/*
 * Power of a channel for a plot: the coarsest level that has at least `points` points in the range, or the
 * finest; below the finest level the samples themselves. min and max are those of the mean power over
 * stretches of at least *ret_stretch_ns (may be NULL). *ret_points is malloc'ed, freed by the caller. Returns
 * the count, -EINVAL when the channel is neither energy nor power, or -errno.
 */
int wtl_trace_reader_power(struct wtl_trace_reader *reader,
                           uint32_t channel,
                           const struct wtl_trace_range *range,
                           size_t points,
                           struct wtl_power_point **ret_points,
                           uint64_t *ret_stretch_ns,
                           struct wattle_error *err);

/* The number of rows, over the whole trace, of the pyramid level that wtl_trace_reader_power() would use;
 * 0: it would read the samples, and return one point per stretch. */
size_t wtl_trace_reader_power_rows(struct wtl_trace_reader *reader,
                                   uint32_t channel,
                                   const struct wtl_trace_range *range,
                                   size_t points);

/* ---- marks ---- */

struct wtl_trace_marks;

#define WTL_ALL_THREADS UINT32_MAX

#define WTL_MARKS_REGIONS UINT64_C(0x80)
#define WTL_MARKS_EVENTS  UINT64_C(0x100)
#define WTL_MARKS_TASKS   UINT64_C(0x200000000)
#define WTL_MARKS_ALL     (WTL_MARKS_REGIONS | WTL_MARKS_EVENTS | WTL_MARKS_TASKS)

/*
 * Iterate over the marks (regions and events; open_of: those chosen) of one thread or, merged in time order, of all
 * (WTL_ALL_THREADS); those of one thread keep their order. next returns 1, 0 at the end, or -errno. Memory:
 * one block for each one that overlaps the current time. Does not follow a live trace: reopen it after a
 * refresh.
 */
int wtl_trace_marks_open(struct wtl_trace_reader *reader,
                         uint32_t thread,
                         struct wtl_trace_marks **ret_marks,
                         struct wattle_error *err);
int wtl_trace_marks_open_of(struct wtl_trace_reader *reader,
                            uint64_t which,
                            uint32_t thread,
                            struct wtl_trace_marks **ret_marks,
                            struct wattle_error *err);
/* Whether the trace has such marks, without reading them. */
bool wtl_trace_marks_any(const struct wtl_trace_reader *reader, uint64_t which);
int wtl_trace_marks_next(struct wtl_trace_marks *marks,
                         struct wtl_mark *ret_mark,
                         struct wattle_error *err);
void wtl_trace_marks_close(struct wtl_trace_marks *marks); /* accepts NULL */

#endif
