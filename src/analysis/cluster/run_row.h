/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run row: what a run needs about the trace of one node, read from its footer (or from its blocks
 * if it has none). Rows are small and self-contained: they can be sent to another process.
 */
#ifndef WTL_ANALYSIS_RUN_ROW_H
#define WTL_ANALYSIS_RUN_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run_clock.h"
#include "analysis/cluster/run_sum.h"
#include "model/result.h"
#include "trace/blocks/bytes.h"
#include "trace/reader.h"

/* The primary channels of a domain, or of a part of the machine, on a node, of one kind: an
 * estimate is never added to a measurement. A part is named as in channel names: "package" of
 * "powercap:package-0", "link_chip" of an import. */
struct wtl_run_domain {
    char name[WATTLE_NAME_MAX];   /* name of the part */
    char within[WATTLE_NAME_MAX]; /* the part that contains it, or "" */
    enum wattle_domain domain;
    bool estimated;
    struct wtl_run_part part;
};

/* The energy of a region on the channels of the node's total. */
struct wtl_run_region {
    char *name; /* "" = outside all regions; owned */
    uint64_t count, thread_time_ns, union_ns, exclusive_ns, unbalanced, crossing;
    struct wtl_energy inclusive, exclusive; /* for an estimate: half widths include its model's
                                             * error */
};

struct wtl_run_row {
    char *path;                                         /* as given; owned, like all texts */
    char *run_id, *name, *key, *host, *nodes, *command; /* "" = unknown; nodes: of the job */
    char *groups;            /* groups of ranks that were requested, "1-10,11-32"; "" = none */
    uint64_t offset, length; /* position of the trace in the file */
    struct wtl_run_clocks clocks;
    bool foreign_clock;        /* its times are not CLOCK_MONOTONIC */
    bool finished;             /* its footer and the end of its window exist */
    uint64_t begin_ns, end_ns; /* the window, or the sampled time; own clock */
    uint64_t start_ns;         /* first time in the trace */
    uint64_t interval_ns;      /* sampling interval; 0 = unknown */
    double gap_s;              /* in which a channel of its total is unknown */
    struct wtl_run_part total;
    char contains[128], excludes[128]; /* what the total contains, as text */
    char group[64];                    /* ranks of a run file of some ranks, on its first member; or
                                        * "" */
    struct wtl_run_domain *domains;    /* owned */
    uint32_t domain_count;
    struct wtl_run_domain *parts; /* in the order in which channels first name them; owned */
    uint32_t part_count;
    struct wtl_run_region *regions; /* owned */
    uint32_t region_count;
    struct wtl_result_flag *flags; /* owned */
    uint32_t flag_count;
    int32_t *ranks; /* MPI ranks, ascending; owned */
    uint32_t rank_count;
    uint32_t mpi_ranks; /* size of the whole job; 0 = unknown */
    double mpi_s;       /* time inside MPI, summed over the node's ranks; NaN = unknown */
};

/* Does a channel count for its domain on the node? It must be primary, and neither inside another
 * one of the same domain nor a second view of the whole machine. */
bool wtl_run_domain_counts(const struct wtl_result *result, size_t channel);
/* The same for its part. */
bool wtl_run_part_counts(const struct wtl_result *result, size_t channel);
/* Derives the part from a channel's name. */
void wtl_run_part_name(const char *channel, char ret_name[WATTLE_NAME_MAX]);

/* Does it have a time? Not if it was cut off before window and first sample. */
bool wtl_run_row_has_time(const struct wtl_run_row *row);

/* Fill a row from an open trace. part: where it is. ranks: also look for them in the process table,
 * which walks the file. 0; -ENOMEM; -EBADMSG, also for an impossible window (it ends before it
 * begins, is longer than a century, or does not fit into 64 bits of ns on one of its clocks); or
 * the reader's error; with a message. */
int wtl_run_row_read(struct wtl_trace_reader *reader,
                     const struct wtl_trace_part *part,
                     bool ranks,
                     struct wtl_run_row *ret_row,
                     struct wattle_error *err);
void wtl_run_row_fini(struct wtl_run_row *row);

/* Add a flag, unless present; 0 or -ENOMEM. */
int wtl_run_row_flag(struct wtl_run_row *row, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Serialise for another process of the same build, and back: 0, -EBADMSG, -ENOMEM. */
void wtl_run_row_put(struct wtl_bytes *bytes, const struct wtl_run_row *row);
int wtl_run_row_take(struct wtl_cursor *cursor, struct wtl_run_row *ret_row);

#endif
