/* SPDX-License-Identifier: BSD-3-Clause */
/* Paraver's numbers: see paraver_names.h. Those of MPI calls and states were taken from traces that Extrae wrote. */
#include "exchange/tracks/paraver_names.h"

#include <math.h>
#include <string.h>

#include "base/whole.h"

const struct wtl_paraver_state wtl_paraver_states[] = {
    {0, "Idle", "{117,195,255}"},
    {1, "Running", "{0,0,255}"},
    {2, "Not created", "{255,255,255}"},
    {3, "Waiting a message", "{255,0,0}"},
    {4, "Blocking Send", "{255,0,174}"},
    {5, "Synchronization", "{179,0,0}"},
    {6, "Test/Probe", "{0,255,0}"},
    {7, "Scheduling and Fork/Join", "{255,255,0}"},
    {8, "Wait/WaitAll", "{235,0,0}"},
    {9, "Blocked", "{0,162,0}"},
    {10, "Immediate Send", "{255,0,255}"},
    {11, "Immediate Receive", "{100,100,177}"},
    {12, "I/O", "{172,174,41}"},
    {13, "Group Communication", "{255,144,26}"},
    {14, "Tracing Disabled", "{2,255,177}"},
    {15, "Others", "{192,224,0}"},
    {16, "Send Receive", "{66,66,66}"},
    {17, "Memory transfer", "{255,0,96}"},
    {0, NULL, NULL}};

static const struct mpi_call {
    const char *name;
    uint16_t code, state;
    uint32_t type;
} mpi_calls[] = {{"MPI_Send", 1, 4, WTL_PARAVER_MPI_PEER},
                 {"MPI_Recv", 2, 3, WTL_PARAVER_MPI_PEER},
                 {"MPI_Isend", 3, 10, WTL_PARAVER_MPI_PEER},
                 {"MPI_Irecv", 4, 11, WTL_PARAVER_MPI_PEER},
                 {"MPI_Wait", 5, 8, WTL_PARAVER_MPI_PEER},
                 {"MPI_Waitall", 6, 8, WTL_PARAVER_MPI_PEER},
                 {"MPI_Bcast", 7, 13, WTL_PARAVER_MPI_GROUP},
                 {"MPI_Barrier", 8, 13, WTL_PARAVER_MPI_GROUP},
                 {"MPI_Reduce", 9, 13, WTL_PARAVER_MPI_GROUP},
                 {"MPI_Allreduce", 10, 13, WTL_PARAVER_MPI_GROUP},
                 {"MPI_Comm_rank", 19, 15, WTL_PARAVER_MPI_OTHER},
                 {"MPI_Comm_size", 20, 15, WTL_PARAVER_MPI_OTHER},
                 {"MPI_Init", 31, 15, WTL_PARAVER_MPI_OTHER},
                 {"MPI_Finalize", 32, 15, WTL_PARAVER_MPI_OTHER}};

static const struct mpi_call *find_call(const char *name)
{
    for (size_t i = 0; i < sizeof mpi_calls / sizeof *mpi_calls; i++) {
        if (strcmp(mpi_calls[i].name, name) == 0)
            return &mpi_calls[i];
    }
    return NULL;
}

unsigned wtl_paraver_state_of(const struct wtl_track_type *type)
{
    static const unsigned states[WTL_TRACK_CLASSES] = {
        [WTL_TRACK_REGION] = 1, [WTL_TRACK_TASK] = 1, [WTL_TRACK_PARALLEL] = 1,
        [WTL_TRACK_WORK] = 1,   [WTL_TRACK_SYNC] = 5, [WTL_TRACK_IDLE] = 0,
        [WTL_TRACK_MPI] = 15,   [WTL_TRACK_IO] = 12,  [WTL_TRACK_LOCK] = 9,
        [WTL_TRACK_JOIN] = 7,   [WTL_TRACK_GPU] = 15, [WTL_TRACK_FUNCTION] = 1,
        [WTL_TRACK_OTHER] = 15};
    const struct mpi_call *call = type->kind == WTL_TRACK_MPI ? find_call(type->name) : NULL;
    return call ? call->state : states[type->kind];
}

uint32_t wtl_paraver_event_of(const struct wtl_track_type *type, size_t index, uint64_t *ret_value)
{
    const struct mpi_call *call = type->kind == WTL_TRACK_MPI ? find_call(type->name) : NULL;
    /* Beyond Extrae's own codes. */
    *ret_value = call ? call->code : type->kind == WTL_TRACK_MPI ? index + 1000 : index + 1;
    if (type->kind == WTL_TRACK_MPI)
        return call ? call->type : WTL_PARAVER_MPI_OTHER;
    if (type->kind == WTL_TRACK_REGION || type->kind == WTL_TRACK_FUNCTION)
        return WTL_PARAVER_FUNCTION;
    return WTL_PARAVER_CLASS + (uint32_t)type->kind;
}

int64_t wtl_paraver_power_value(double watts)
{
    int64_t value = wtl_whole_i64(floor(watts * pow(10, WTL_PARAVER_DECIMALS) + 0.5));
    return value == WTL_PARAVER_UNKNOWN ? value - 1 : value;
}

const char *wtl_paraver_class_name(enum wtl_track_class kind)
{
    static const char *const names[WTL_TRACK_CLASSES] = {[WTL_TRACK_REGION] = "User function",
                                                         [WTL_TRACK_TASK] = "Task",
                                                         [WTL_TRACK_PARALLEL] = "Parallel region",
                                                         [WTL_TRACK_WORK] = "Worksharing",
                                                         [WTL_TRACK_SYNC] = "Synchronization",
                                                         [WTL_TRACK_IDLE] = "Idle",
                                                         [WTL_TRACK_MPI] = "MPI",
                                                         [WTL_TRACK_IO] = "I/O",
                                                         [WTL_TRACK_LOCK] = "Lock",
                                                         [WTL_TRACK_JOIN] = "Fork/Join",
                                                         [WTL_TRACK_GPU] = "GPU",
                                                         [WTL_TRACK_FUNCTION] = "User function",
                                                         [WTL_TRACK_OTHER] = "Other"};
    return names[kind];
}
