/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "mpi/mpi_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

enum { MPICH_WORLD = 0x44000000 };

/* The variable that a launcher sets for each rank, and the libraries that belong to it, most likely
 * first. */
static const struct {
    const char *variable, *size; /* the rank; the number of ranks */
    const char *libraries[6];
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     {"libmpi.so.40", "libmpi.so.20", "libmpi.so.12"}},
    {"PMI_RANK",
     "PMI_SIZE",
     {"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", "libmpi_gnu.so.12", "libmpi.so.40"}},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"}},
};

static bool find(void *handle, const char *name, void *ret_function)
{
    void *symbol = dlsym(handle, name);
    memcpy(ret_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* The launcher's library; RTLD_GLOBAL, since Open MPI opens plugins that look for its symbols. */
static void *open_any(const char **ret_name, bool *ret_launched)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (!getenv(launchers[i].variable))
            continue;
        *ret_launched = true;
        for (const char *const *name = launchers[i].libraries; *name; name++) {
            void *handle = dlopen(*name, RTLD_NOW | RTLD_GLOBAL);
            *ret_name = *name;
            if (handle)
                return handle;
        }
    }
    return NULL;
}

int wtl_mpi_library_open(struct wtl_mpi_library *ret_library,
                         const char *name,
                         struct wattle_error *err)
{
    struct wtl_mpi_library library = {.name = name};
    bool launched = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        launched = launched || getenv(launchers[i].variable);
    if (!launched)
        return wtl_fail(
            err, -ENOENT,
            "not started by an MPI launcher; run it with mpirun -n RANKS, or srun --mpi=pmix");
    library.handle =
        name ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : open_any(&library.name, &launched);
    if (!library.handle)
        return wtl_fail(err, -ENOENT, "%s; give the library of the launcher with --mpi-library",
                        dlerror());
    (void)find(library.handle, "ompi_mpi_comm_world", &library.world);
    (void)find(library.handle, "ompi_mpi_byte", &library.byte);
    (void)find(library.handle, "MPI_Send", &library.send);
    (void)find(library.handle, "MPI_Recv", &library.receive);
    (void)find(library.handle, "MPI_Get_library_version", &library.version);
    if (find(library.handle, "MPI_Init_thread", &library.init_thread) &&
        find(library.handle, "MPI_Finalize", &library.finalize) &&
        find(library.handle, "MPI_Comm_rank", &library.comm_rank) &&
        find(library.handle, "MPI_Comm_size", &library.comm_size) &&
        find(library.handle, "MPI_Barrier", &library.barrier)) {
        *ret_library = library;
        return 0;
    }
    (void)dlclose(library.handle);
    return wtl_fail(err, -ELIBBAD,
                    "%s is not an MPI library: it has no MPI_Init_thread or MPI_Barrier",
                    library.name);
}

/* Call a function of (communicator, int *), or of a communicator only, in either ABI. */
static int call(const struct wtl_mpi_library *library, void *symbol, int *ret_value)
{
    union {
        void *symbol;
        int (*by_pointer)(void *comm, int *value);
        int (*by_number)(int comm, int *value);
    } function = {.symbol = symbol};
    return library->world ? function.by_pointer(library->world, ret_value)
                          : function.by_number(MPICH_WORLD, ret_value);
}

int wtl_mpi_rank(const struct wtl_mpi_library *library, int *ret_rank)
{
    return call(library, library->comm_rank, ret_rank);
}

int wtl_mpi_size(const struct wtl_mpi_library *library, int *ret_size)
{
    return call(library, library->comm_size, ret_size);
}

int wtl_mpi_barrier(const struct wtl_mpi_library *library)
{
    union {
        void *symbol;
        int (*by_pointer)(void *comm);
        int (*by_number)(int comm);
    } function = {.symbol = library->barrier};
    return library->world ? function.by_pointer(library->world) : function.by_number(MPICH_WORLD);
}

/* -1 = unset or invalid. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    uint64_t number;
    return text && wtl_parse_u64(text, &number) == 0 && number < 1u << 30 ? (int)number : -1;
}

int wtl_mpi_launched_size(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (getenv(launchers[i].variable))
            return number_of(launchers[i].size);
    }
    return -1;
}

/* The first of the variables that is a number; the list is terminated by NULL. */
static int first_number(const char *const *variables)
{
    int number = -1;
    for (; number < 0 && *variables; variables++)
        number = number_of(*variables);
    return number;
}

int wtl_mpi_local_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK",
                                            "MPI_LOCALRANKID",
                                            "PALS_LOCAL_RANKID",
                                            "SLURM_LOCALID",
                                            "PMI_LOCAL_RANK",
                                            NULL};
    return first_number(variables);
}

int wtl_mpi_local_size(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                            "PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE", NULL};
    return first_number(variables);
}
