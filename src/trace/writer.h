/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer of a trace. It is used by one thread (the recorder's writer thread), never by the sampler: calls
 * may compress and write.
 *
 *     wtl_trace_writer_create(path, NULL, &w, err);
 *     wtl_trace_writer_meta(w, "host.name", "n1");
 *     int package = wtl_trace_writer_channel(w, &channel);
 *     int group = wtl_trace_writer_group(w, &id, 1, 0);
 *     wtl_trace_writer_origin(w, id, first_raw);
 *     wtl_trace_writer_row(w, group, time_ns, values, NULL);      repeatedly
 *     wtl_trace_writer_poll(w, now_ns);                           at least 4 times a second
 *     wtl_trace_writer_finish(w, err);                            footer, close, free
 *
 * Order. The summaries in the footer are computed as blocks are written, in file order, so that repair gets
 * the same ones. Three rules make this exact, and each is easy to follow:
 *   - the rows of a group come in time order;
 *   - a gap is given before the row that ends it;
 *   - the borders of the window are given before the first row that is later than they are.
 *
 * Disk failures. The call in which a write failed returns its negative errno; from then on every call returns
 * 0 and drops and counts its data; wtl_trace_writer_status() and wtl_trace_writer_finish() report this. Data
 * on disk stays readable. Misuse returns -EINVAL and changes nothing; out of memory returns -ENOMEM and is
 * otherwise treated like a failed write.
 */
#ifndef WTL_TRACE_WRITER_H
#define WTL_TRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "base/own_file.h"
#include "model/gap.h"
#include "trace/blocks/entries.h"
#include "trace/blocks/mark.h"
#include "trace/trace_options.h"

struct wtl_trace_writer;

struct wtl_trace_writer_status {
    int error;              /* 0, or the negative errno of the write that failed */
    uint64_t dropped_rows;  /* given after that */
    uint64_t dropped_marks; /* given after that */
    uint64_t bytes;         /* in the file so far */
    uint64_t blocks;
    uint64_t rows;
    bool regions_live; /* region energies are computed during the run */
};

/*
 * Create the file and its first block. options may be NULL. Returns 0, -EEXIST when it exists and force is
 * not set, or the errno of open(2) or write(2).
 */
int wtl_trace_writer_create(const char *path,
                            const struct wtl_trace_options *options,
                            struct wtl_trace_writer **ret_writer,
                            struct wattle_error *err);

/* Check whether a trace could be created there, without changing anything: for the traces of later runs.
 * Returns as wtl_trace_writer_create(). */
int wtl_trace_writer_check(const char *path, bool force, struct wattle_error *err);

/* Set metadata of the run: dotted key, UTF-8 value (docs/format/trace.md lists them). Setting a key again
 * replaces the earlier value. At most 65535 bytes each, and WTL_TRACE_META_MAX keys. */
int wtl_trace_writer_meta(struct wtl_trace_writer *writer, const char *key, const char *value);

/* Add a channel; returns its id (0, 1, 2 ..). -EINVAL when its name is taken or scale is not > 0. */
int wtl_trace_writer_channel(struct wtl_trace_writer *writer, const struct wattle_channel *channel);

/* The raw value of a counter's first reading, once known; at most once per channel. */
int wtl_trace_writer_origin(struct wtl_trace_writer *writer, uint32_t channel, uint64_t first_raw);

/* Add a group of channels; returns its id (0, 1, 2 ..). A channel may be in several groups (for example in
 * an edge group in addition to a common one). flags: enum wtl_trace_group_flags. */
int wtl_trace_writer_group(struct wtl_trace_writer *writer,
                           const uint32_t *channels,
                           size_t count,
                           unsigned flags);

/*
 * Add one row of a group: values[i] belongs to the group's i-th channel; counters are unwrapped ticks since
 * the channel's first reading, gauges the raw reading. missing is NULL or has one byte per channel, not 0 =
 * no value in this row (values[i] is ignored). time_ns must not decrease. Does not allocate after the first
 * row of the group.
 */
int wtl_trace_writer_row(struct wtl_trace_writer *writer,
                         uint32_t group,
                         uint64_t time_ns,
                         const uint64_t *values,
                         const uint8_t *missing);

/* Add a gap of a channel as soon as it is known, before the row that ends it. */
int wtl_trace_writer_gap(struct wtl_trace_writer *writer, const struct wtl_gap *gap);

int wtl_trace_writer_clocks(struct wtl_trace_writer *writer, const struct wtl_clock_pair *pair);

/* Set the borders of the window, each once, each before the first row later than it. */
int wtl_trace_writer_window_begin(struct wtl_trace_writer *writer, uint64_t start_monotonic_ns);
int wtl_trace_writer_window_end(struct wtl_trace_writer *writer, uint64_t end_monotonic_ns);

/* The id (1, 2 ..) of a string; the same string has the same id. At most 65535 bytes. */
int wtl_trace_writer_string(struct wtl_trace_writer *writer, const char *text);

/* Add a process or thread; returns its id (0, 1, 2 ..). The strings are copied. */
int wtl_trace_writer_process(struct wtl_trace_writer *writer,
                             const struct wtl_trace_process *process);
int wtl_trace_writer_thread(struct wtl_trace_writer *writer, const struct wtl_trace_thread *thread);

/*
 * Add marks of all kinds: threads in any order, those of one thread in time order. Their name is an id from
 * wtl_trace_writer_string(), their thread one from wtl_trace_writer_thread(). They may arrive long after the
 * rows of their time (from the processes' spools).
 */
int wtl_trace_writer_marks(struct wtl_trace_writer *writer, const struct wtl_mark *marks, size_t n);

/*
 * All marks before time_ns have been added, and later ones will be added in time order. If this is called
 * before the first mark and then a few times a second, region energies are computed during the run and
 * wtl_trace_writer_finish() has little left to do; a mark that is late nevertheless only forfeits that.
 */
void wtl_trace_writer_marked(struct wtl_trace_writer *writer, uint64_t time_ns);

/*
 * Write each block whose first entry would be older than 1 s at the next poll, assuming the same interval as
 * between the last two polls, at most 0.25 s. now_ns: CLOCK_MONOTONIC. Frequent regular polls make larger
 * blocks and therefore a smaller file.
 */
int wtl_trace_writer_poll(struct wtl_trace_writer *writer, uint64_t now_ns);

/* Write everything waiting. */
int wtl_trace_writer_flush(struct wtl_trace_writer *writer);

void wtl_trace_writer_status(const struct wtl_trace_writer *writer,
                             struct wtl_trace_writer_status *ret_status);

/*
 * Flush, add the footer, close and free. Returns 0, or the errno of the write that failed now or earlier,
 * with a message about what is lost and what is not.
 */
int wtl_trace_writer_finish(struct wtl_trace_writer *writer, struct wattle_error *err);

/* The file being written, whatever file now has its name. */
struct wtl_file_id wtl_trace_writer_file(const struct wtl_trace_writer *writer);

/* Close and free without flushing or footer, as a crash would leave it. Accepts NULL. */
void wtl_trace_writer_abandon(struct wtl_trace_writer *writer);

/* In the child of a fork: release the file, which the parent writes, so that the child does not keep it
 * locked. Nothing is freed. */
void wtl_trace_writer_forget(struct wtl_trace_writer *writer);

#endif
