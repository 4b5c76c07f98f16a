/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the Slurm that loads a plugin. */
#ifndef WTL_SLURM_DAEMON_VERSION_H
#define WTL_SLURM_DAEMON_VERSION_H

#include <stdint.h>

/* As SLURM_VERSION_NUMBER, for example 0x160508; 0 = unknown. May be called while the plugin is loaded. */
uint32_t daemon_version(void);

#endif
