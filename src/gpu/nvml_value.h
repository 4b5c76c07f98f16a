/* SPDX-License-Identifier: BSD-3-Clause */
/* What NVML tells of a device: one table of channels, and their values. */
#ifndef WTL_GPU_NVML_VALUE_H
#define WTL_GPU_NVML_VALUE_H

#include "gpu/backend.h"
#include "gpu/nvml_api.h"

/* -errno of what a function of the library returned; 0 for success. */
int wtl_nvml_error(int status);

/* What it means, and what to do, for a message. */
const char *wtl_nvml_words(int status);

/* Add the channels that this device has, each of which has been read once. device: its number in the list. */
void wtl_nvml_add_channels(const struct wtl_nvml_api *api,
                           struct wtl_nvml_handle *handle,
                           int device,
                           struct wtl_gpu_list *list);

/* Add the one that a device will have once it is awake, which nothing can be asked of now. */
void wtl_nvml_add_presumed(const struct wtl_nvml_api *api, int device, struct wtl_gpu_list *list);

/* The raw value of a channel: 0 or -errno. */
int wtl_nvml_value(const struct wtl_nvml_api *api,
                   struct wtl_nvml_handle *handle,
                   const struct wtl_gpu_channel *channel,
                   uint64_t *ret_raw);

#endif
