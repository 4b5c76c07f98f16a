/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool for Kokkos: maps the callbacks of the Kokkos Tools interface (kokkosp_...) to wattle
 * regions.
 *
 *     KOKKOS_TOOLS_LIBS=libwattle-kokkos.so wattle run -- ./app
 *
 * parallel_for, parallel_reduce, parallel_scan and fences are regions with the name that Kokkos
 * passes; push and pop, start and stop of sections likewise; a deep copy is "deep_copy DESTINATION
 * <- SOURCE" with the names of the memory spaces; a marked event is a region of zero length, whose
 * count is the number of events. Names of more than 255 bytes (types of functors without a label)
 * keep their beginning, plus a number of 16 digits that makes them unique.
 *
 * Handles are ids of regions, and regions that end without a handle (pop, deep copies) use a stack
 * of 64 per thread: memory is bounded by the number of names. Deeper pushes are not recorded.
 *
 * Kokkos waits for its devices before and after each callback, so that asynchronous kernels are
 * inside their regions; WATTLE_KOKKOS_FENCES=no requests no fences, and regions then show only the
 * launch.
 *
 * Threads: all callbacks are safe from any thread that Kokkos calls them on.
 */
#ifndef KOKKOS_TOOL_H
#define KOKKOS_TOOL_H

#include <stdbool.h>
#include <stdint.h>

struct kokkos_space {
    char name[64];
};

/* The settings that a tool requests; the rest of its 256 bytes is Kokkos's own. */
struct kokkos_tool_settings {
    bool requires_global_fencing;
    bool padding[255];
};

void kokkosp_init_library(int load_sequence,
                          uint64_t interface_version,
                          uint32_t device_count,
                          void *devices);
void kokkosp_finalize_library(void);
void kokkosp_request_tool_settings(uint32_t count, struct kokkos_tool_settings *settings);

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *ret_handle);
void kokkosp_end_parallel_for(uint64_t handle);
void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *ret_handle);
void kokkosp_end_parallel_reduce(uint64_t handle);
void kokkosp_begin_parallel_scan(const char *name, uint32_t device, uint64_t *ret_handle);
void kokkosp_end_parallel_scan(uint64_t handle);
void kokkosp_begin_fence(const char *name, uint32_t device, uint64_t *ret_handle);
void kokkosp_end_fence(uint64_t handle);

void kokkosp_push_profile_region(const char *name);
void kokkosp_pop_profile_region(void);
void kokkosp_create_profile_section(const char *name, uint32_t *ret_section);
void kokkosp_start_profile_section(uint32_t section);
void kokkosp_stop_profile_section(uint32_t section);
void kokkosp_destroy_profile_section(uint32_t section);
void kokkosp_profile_event(const char *name);

void kokkosp_begin_deep_copy(struct kokkos_space destination,
                             const char *destination_name,
                             const void *destination_pointer,
                             struct kokkos_space source,
                             const char *source_name,
                             const void *source_pointer,
                             uint64_t bytes);
void kokkosp_end_deep_copy(void);

#endif
