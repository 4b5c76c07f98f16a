/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of a trace's metadata, shared by writers and readers. docs/format/trace.md describes their values;
 * scripts/check-docs compares the two. Families (label.KEY, flag.NAME, ...) have a prefix here.
 */
#ifndef WTL_MODEL_META_KEY_H
#define WTL_MODEL_META_KEY_H

#include <stddef.h>
#include <string.h>

#define WTL_META_WATTLE_VERSION         "wattle.version"
#define WTL_META_RUN_COMMAND            "run.command"
#define WTL_META_RUN_DIRECTORY          "run.directory"
#define WTL_META_RUN_EXIT_CODE          "run.exit_code"
#define WTL_META_RUN_GROUPS             "run.groups"
#define WTL_META_RUN_ID                 "run.id"
#define WTL_META_RUN_SENSORS            "run.sensors"
#define WTL_META_RUN_SERIES             "run.series"
#define WTL_META_RUN_SPOOL              "run.spool"
#define WTL_META_RUN_TARGET             "run.target"
#define WTL_META_NODE_KEY               "node.key"
#define WTL_META_NODE_NAME              "node.name"
#define WTL_META_CLOCK_NAME             "clock.name"
#define WTL_META_IMPORT_FILE_1_PROGRAM  "import.file.1.program"
#define WTL_META_IMPORT_FILE_1_ZERO_NS  "import.file.1.zero_ns"
#define WTL_META_IMPORT_FORMAT          "import.format"
#define WTL_META_IMPORT_QUALITY         "import.quality"
#define WTL_META_JOB_ID                 "job.id"
#define WTL_META_JOB_NODES              "job.nodes"
#define WTL_META_JOB_STEP               "job.step"
#define WTL_META_HOST_NAME              "host.name"
#define WTL_META_HOST_PRODUCT           "host.product"
#define WTL_META_HOST_VENDOR            "host.vendor"
#define WTL_META_BIOS_DATE              "bios.date"
#define WTL_META_BIOS_VENDOR            "bios.vendor"
#define WTL_META_BIOS_VERSION           "bios.version"
#define WTL_META_MEMORY_BYTES           "memory.bytes"
#define WTL_META_VIRTUAL_CONTAINER      "virtual.container"
#define WTL_META_VIRTUAL_CPU_LIMIT      "virtual.cpu_limit"
#define WTL_META_VIRTUAL_MACHINE        "virtual.machine"
#define WTL_META_KERNEL_CLOCKSOURCE     "kernel.clocksource"
#define WTL_META_KERNEL_CMDLINE         "kernel.cmdline"
#define WTL_META_KERNEL_MACHINE         "kernel.machine"
#define WTL_META_KERNEL_RELEASE         "kernel.release"
#define WTL_META_KERNEL_SYSTEM          "kernel.system"
#define WTL_META_KERNEL_VERSION         "kernel.version"
#define WTL_META_COUNTERS_COLUMNS       "counters.columns"
#define WTL_META_COUNTERS_INTERVAL_NS   "counters.interval_ns"
#define WTL_META_COUNTERS_METRICS       "counters.metrics"
#define WTL_META_COUNTERS_MISSING       "counters.missing"
#define WTL_META_COUNTERS_MULTIPLEXED   "counters.multiplexed"
#define WTL_META_COUNTERS_NOTE          "counters.note"
#define WTL_META_COUNTERS_SCOPE         "counters.scope"
#define WTL_META_COUNTERS_SET           "counters.set"
#define WTL_META_CONTROL_ASKED          "control.asked"
#define WTL_META_CONTROL_HIGH_HZ        "control.high_hz"
#define WTL_META_CONTROL_LOW_HZ         "control.low_hz"
#define WTL_META_CPU_CORES              "cpu.cores"
#define WTL_META_CPU_DRIVER             "cpu.driver"
#define WTL_META_CPU_EPP                "cpu.epp"
#define WTL_META_CPU_FAMILY             "cpu.family"
#define WTL_META_CPU_GOVERNOR           "cpu.governor"
#define WTL_META_CPU_MAX_KHZ            "cpu.max_khz"
#define WTL_META_CPU_MICROCODE          "cpu.microcode"
#define WTL_META_CPU_MIN_KHZ            "cpu.min_khz"
#define WTL_META_CPU_MODEL              "cpu.model"
#define WTL_META_CPU_MODEL_NUMBER       "cpu.model_number"
#define WTL_META_CPU_ONLINE             "cpu.online"
#define WTL_META_CPU_SMT                "cpu.smt"
#define WTL_META_CPU_SOCKETS            "cpu.sockets"
#define WTL_META_CPU_STEPPING           "cpu.stepping"
#define WTL_META_CPU_THREADS            "cpu.threads"
#define WTL_META_CPU_TURBO              "cpu.turbo"
#define WTL_META_CPU_VENDOR             "cpu.vendor"
#define WTL_META_NUMA_NODES             "numa.nodes"
#define WTL_META_SYSTEM_LOAD            "system.load"
#define WTL_META_MACHINE_CPU_S          "machine.cpu_s"
#define WTL_META_PROCESS_AFFINITY       "process.affinity"
#define WTL_META_PROCESS_CGROUP         "process.cgroup"
#define WTL_META_PROCESS_CPU_S          "process.cpu_s"
#define WTL_META_PROCESS_ENERGY_SHARE_J "process.energy_share_j"
#define WTL_META_PROCESS_GPU_SHARE_J    "process.gpu_share_j"
#define WTL_META_PROCESS_GPU_OTHERS_J   "process.gpu_others_j"
#define WTL_META_PROCESS_GPU_IDLE_J     "process.gpu_idle_j"
#define WTL_META_PROCESS_GPU_NOBODY_J   "process.gpu_unattributed_j"
#define WTL_META_PROCESS_IDLE_J         "process.idle_j"
#define WTL_META_PROCESS_MAX_RSS_BYTES  "process.max_rss_bytes"
#define WTL_META_PROCESS_MEMS           "process.mems"
#define WTL_META_PROCESS_OTHERS_J       "process.others_share_j"
#define WTL_META_PROCESS_SHARE_HALF_J   "process.share_half_j"
#define WTL_META_PROCESS_SHARE_QUALITY  "process.share_quality"
#define WTL_META_PROCESS_SHARE_RULE     "process.share_rule"
#define WTL_META_PROCESS_SHARE_COUNTERS "process.share_counters"
#define WTL_META_PROCESS_UNATTRIBUTED_J "process.unattributed_j"
#define WTL_META_ENV_OMP_NUM_THREADS    "env.OMP_NUM_THREADS"
#define WTL_META_ENV_OMP_PLACES         "env.OMP_PLACES"
#define WTL_META_ENV_OMP_PROC_BIND      "env.OMP_PROC_BIND"
#define WTL_META_SAMPLER_CPU            "sampler.cpu"
#define WTL_META_SAMPLER_DROPPED        "sampler.dropped"
#define WTL_META_SAMPLER_INTERVAL_NS    "sampler.interval_ns"
#define WTL_META_SAMPLER_LATE_MAX_NS    "sampler.late_max_ns"
#define WTL_META_SAMPLER_LATE_P50_NS    "sampler.late_p50_ns"
#define WTL_META_SAMPLER_LATE_P99_NS    "sampler.late_p99_ns"
#define WTL_META_SAMPLER_MISSED         "sampler.missed"
#define WTL_META_OWN_CPU_S              "own.cpu_s"
#define WTL_META_OWN_ENERGY_J           "own.energy_j"
#define WTL_META_MPI_RANKS              "mpi.ranks"
#define WTL_META_IDLE_ABOVE_J           "idle.above_j"
#define WTL_META_IDLE_AFTER_W           "idle.after_w"
#define WTL_META_IDLE_BEFORE_W          "idle.before_w"
#define WTL_META_TASKS_COMPLETE         "tasks.complete"
#define WTL_META_TASKS_CUT              "tasks.cut"
#define WTL_META_TASKS_LIMIT_BYTES      "tasks.limit_bytes"
#define WTL_META_TASKS_MARKS            "tasks.marks"
#define WTL_META_TASKS_RECORDING        "tasks.recording"
#define WTL_META_WORK_AMOUNT            "work.amount"
#define WTL_META_WORK_UNIT              "work.unit"

#define WTL_META_LABELS "label." /* KEY */
#define WTL_META_FLAGS  "flag."  /* NAME */
#define WTL_META_VISIBLE \
    "visible." /* P, of a rank: what the environment shows it of GPUs, as a spool has it */
#define WTL_META_RANKS "mpi.rank." /* R.process, .time_ns, .calls */

/* The part after the prefix of a family, or NULL: the key does not belong to it. */
static inline const char *wtl_meta_after(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(key, prefix, n) == 0 ? key + n : NULL;
}

#endif
