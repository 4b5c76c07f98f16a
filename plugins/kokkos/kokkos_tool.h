/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool for Kokkos: the callbacks of the Kokkos Tools interface (kokkosp_...) as regions of wattle.
 *
 *     KOKKOS_TOOLS_LIBS=libwattle-kokkos.so wattle run -- ./app
 *
 * parallel_for, parallel_reduce, parallel_scan and fences are regions with the name that Kokkos gives them;
 * push and pop, start and stop of sections likewise; a deep copy is "deep_copy DESTINATION <- SOURCE" with the names of
 * the memory spaces; a marked event is a region of no length, whose count says how often it came. Names of more
 * than 255 bytes (types of functors without a label) keep their beginning, and a number of 16 digits that tells them apart.
 *
 * Handles are ids of regions, and what ends without a handle (pop, deep copies) has a stack of 64 for each thread:
 * memory is bounded by the names. What is pushed deeper is not recorded.
 *
 * Kokkos waits for its devices before and after each callback, so that kernels that run on their own are
 * inside of their regions; WATTLE_KOKKOS_FENCES=no asks it not to, and regions then show the launch only.
 *
 * Thread rule: as Kokkos calls them; all are safe from any thread.
 */
#ifndef KOKKOS_TOOL_H
#define KOKKOS_TOOL_H

#include <stdbool.h>
#include <stdint.h>

struct kokkos_space {
    char name[64];
};

/* What a tool asks for; the rest of its 256 bytes is Kokkos's own. */
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
