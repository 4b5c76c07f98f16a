/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration that the running kernel was built with: /boot/config-RELEASE, else /proc/config.gz. */
#ifndef WTL_CLI_KERNEL_CONFIG_H
#define WTL_CLI_KERNEL_CONFIG_H

#include "base/world/world.h"

/* As text, malloc'ed for the caller: its length; -ENOENT when neither can be read; -EBADMSG when it cannot be
 * unpacked or is longer than 4 MiB; -ENOMEM. */
ssize_t wtl_kernel_config(const struct wtl_world *world, char **ret_text);

#endif
