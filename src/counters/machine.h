/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: where and under which conditions a trace was recorded, as keys and values. */
#ifndef WTL_COUNTERS_MACHINE_H
#define WTL_COUNTERS_MACHINE_H

#include "base/world/world.h"

/* Receives one pair; key and value are valid during the call only. */
typedef void (*wtl_machine_fn)(void *context, const char *key, const char *value);

/*
 * Emit what the world provides about the machine; missing values are not emitted. Keys:
 *
 *   cpu.model cpu.vendor cpu.family cpu.model_number cpu.stepping cpu.microcode cpu.sockets cpu.cores
 *   cpu.threads cpu.smt cpu.online cpu.governor cpu.driver cpu.epp cpu.turbo cpu.min_khz cpu.max_khz
 *   kernel.system kernel.release kernel.version kernel.machine kernel.cmdline kernel.clocksource
 *   host.name host.vendor host.product bios.vendor bios.version bios.date memory.bytes
 *   numa.nodes numa.cpus.<n> process.affinity process.mems process.cgroup system.load
 *   limit.<zone>.<constraint>_w temperature.<chip>.<label>_c virtual.machine virtual.container
 *   virtual.cpu_limit
 *
 * Values of the kernel command line that look like secrets are replaced by "(hidden)". Serial
 * numbers are never read.
 */
void wtl_machine_describe(const struct wtl_world *world, wtl_machine_fn emit, void *context);

#endif
