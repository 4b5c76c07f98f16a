/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank in which MPI_Init was never called through this library has no MPI time and no aligned
 * clock. If this can be detected, rank 0 reports why at its end: another tool bypasses this
 * library, or MPI is linked into the program. (In a fully static program nothing is preloaded, so
 * nothing can be reported.)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"
#include "next.h"

static bool is_rank_0(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                            "MV2_COMM_WORLD_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *text = secure_getenv(variables[i]);

        if (text)
            return !strcmp(text, "0");
    }
    return false;
}

/* 1 = MPI was initialized, 0 = it was not, -1 = there is no MPI library. */
static int was_initialized(void)
{
    void *symbol = mpi_symbol("PMPI_Initialized");
    int (*function)(int *ret_flag);
    int flag = 0;

    memcpy(&function, &symbol, sizeof(function));
    if (!function)
        return -1;
    return function(&flag) == 0 && flag;
}

static bool has_mpi_inside(void)
{
    static const char name[] = "PMPI_Init";
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool found = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            found = memmem(bytes, (size_t)st.st_size, name, sizeof(name) - 1) != NULL;
            (void)munmap(bytes, (size_t)st.st_size);
        }
    }
    (void)close(fd); /* read only */
    return found;
}

static __attribute__((destructor)) void say_if_unseen(void)
{
    if (job_was_seen() || !is_rank_0())
        return;
    int initialized = was_initialized();

    if (initialized == 1)
        job_say("libwattle-mpi did not see MPI_Init because another tool bypasses it; load "
                "libwattle-mpi before that tool. MPI time is missing, and node clocks are aligned "
                "by wall clock time");
    else if (initialized < 0 && has_mpi_inside())
        job_say("MPI is linked into this program, so a preloaded library cannot see it; "
                "link the program with -lwattle-mpi -lwattle before the MPI library. MPI time is "
                "missing, and node clocks are aligned by wall clock time");
}
