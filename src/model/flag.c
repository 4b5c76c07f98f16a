/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags and their meaning, worst first: those that take something from the number, that make it a different
 * one than intended, that make it hard to reproduce, and additional information. scripts/check-docs compares
 * wattle(1) with this table.
 */
#include "model/flag.h"

#include <string.h>

static const struct wtl_flag_kind kinds[] = {
    {WTL_FLAG_DAMAGED, "Parts of the trace are unreadable.", true},
    {WTL_FLAG_UNFINISHED,
     "The trace is incomplete: it was cut off, the disk was full, or it is still growing.", true},
    {WTL_FLAG_INCOMPLETE,
     "A channel of the total has no value for part of the window, or a part of the machine is not "
     "in it because it cannot be read.",
     false},
    {WTL_FLAG_CORRECTED,
     "Earlier lines of a running measurement had energy that later readings have shown to be "
     "wrong; it is not in this one.",
     false},
    {WTL_FLAG_PART_TIME,
     "A gauge sees a part of the time only: its energy is not known better than its interval.",
     false},
    {WTL_FLAG_STEP_UNKNOWN,
     "A gauge has shown a single, round power, and the steps in which it shows its power are not "
     "known.",
     false},
    {WTL_FLAG_CONTRADICTORY,
     "Channels contradict each other: a part has more energy than what contains it, or a counter "
     "and a gauge of one device differ.",
     false},
    {WTL_FLAG_MISSING, "Nodes of the job have no trace.", false},
    {WTL_FLAG_LEFT_OUT, "Some traces of the run are not in it: they were refused or missing.",
     false},
    {WTL_FLAG_FAILED_RUN, "A run of the series failed; it and later runs are not in the means.",
     false},
    {WTL_FLAG_INTERRUPTED,
     "A run of the series was interrupted by a signal; it and later runs are not in the means.",
     false},
    {WTL_FLAG_MIXED_RUNS,
     "Some runs were measured and others estimated, or their totals contain different parts; no "
     "mean energy is given.",
     false},
    {WTL_FLAG_MIXED,
     "The totals of the nodes of a run contain different parts because their sensors differ.",
     false},
    {WTL_FLAG_ESTIMATES_LEFT_OUT,
     "Some nodes of a run have only estimates, which are not added to the energy measured on the "
     "others.",
     false},
    {WTL_FLAG_RANKS, "A run file contains only the nodes of some ranks.", false},
    {WTL_FLAG_SEVERAL_TRACES,
     "A node has several consecutive traces in the run and none for the time between them.", false},
    {WTL_FLAG_ASSUMED, "Units or meanings of imported columns were assumed (--yes), not stated.",
     false},
    {WTL_FLAG_IMPORT_FAULTS, "The imported data has faults.", false},
    {WTL_FLAG_TAKEN_OVER, "Another process took over the measurement of the node.", false},
    {WTL_FLAG_REPLAYED, "The sensors are replayed from a recording, not read from this machine.",
     false},
    {WTL_FLAG_SUSPENDED, "The machine was suspended.", false},
    {WTL_FLAG_THROTTLED, "The processor was throttled by heat.", false},
    {WTL_FLAG_CAPPED, "A power limit was reached, or changed.", false},
    {WTL_FLAG_GOVERNOR_CHANGED, "Frequency settings differed before and after.", false},
    {WTL_FLAG_NOT_ALONE, "Other processes used the machine during the window.", false},
    {WTL_FLAG_NOT_CHECKED,
     "It is unknown whether other processes used the machine or frequency settings changed during "
     "the window.",
     false},
    {WTL_FLAG_EDGES_LOST,
     "The machine was too busy to catch counter updates at the start or end of the window.", false},
    {WTL_FLAG_SLOW_UPDATES,
     "A counter of the total updates more slowly than is usual for its kind.", false},
    {WTL_FLAG_END_LATE,
     "wattle was not scheduled when the command ended and may have detected its end late.", false},
    {WTL_FLAG_RANKS_WENT_ON,
     "The process that measured a job failed, and other processes of the job continued.", false},
    {WTL_FLAG_RANKS_WITHOUT_WORD,
     "Processes of the job on this node ended without reporting to the measuring process.", false},
    {WTL_FLAG_RANKS_MISSING,
     "Ranks of this node ended before the measurement began, or began after its end.", false},
    {WTL_FLAG_REGIONS_LOST, "Region calls could not be recorded or read, or had an invalid name.",
     false},
    {WTL_FLAG_NO_TASKS, "Tasks were to be recorded, but nothing in the command reported any.",
     false},
    {WTL_FLAG_TASKS_UNSEEN, "The task runtime of a process does not report some of what it does.",
     false},
    {WTL_FLAG_MERGED_TYPES,
     "A type of tasks is of several constructs of the program, which compiler or linker made one: "
     "energy and count are of all of them together.",
     false},
    {WTL_FLAG_TASKS_CUT,
     "The size limit of tasks was reached; later ones are recorded as a summary only.", false},
    {WTL_FLAG_PARTIAL, "A channel that is not in the total has no value for part of the window.",
     false},
    {WTL_FLAG_MULTIPLEXED,
     "Hardware counters were shared by more events than there are, and their counts scaled.",
     false},
    {WTL_FLAG_NO_TRACE, "A trace was requested but could not be created, or was removed.", false},
    {WTL_FLAG_NOT_SHOWN,
     "Blocks of the trace from a newer version contain data that this version cannot show.", true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct wtl_flag_kind *wtl_flag_kind(size_t i)
{
    return i < KINDS ? &kinds[i] : NULL;
}

size_t wtl_flag_rank(const char *name)
{
    size_t i = 0;
    while (i < KINDS && strcmp(kinds[i].name, name) != 0)
        i++;
    return i;
}

bool wtl_flag_is_of_trace(const char *name)
{
    const struct wtl_flag_kind *kind = wtl_flag_kind(wtl_flag_rank(name));
    return kind && kind->of_trace;
}
