/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first process of an emulated ARM machine (scripts/check-guest counters): hardware counters of a loop whose
 * instructions are known, through perf_event_open as wattle uses it. By hand.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TURNS = 1000000, OF_A_TURN = 2 };

static int bad;

static void check(int right, const char *what, uint64_t value, uint64_t want)
{
    printf("%sok - %s: %llu, expected %llu\n", right ? "" : "not ", what, (unsigned long long)value,
           (unsigned long long)want);
    bad |= !right;
}

static int counter(uint64_t config, int group)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = config,
        .disabled = group < 0,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

struct reading {
    uint64_t value, enabled, running;
};

static struct reading read_counter(int fd)
{
    struct reading reading = {0, 0, 0};
    if (read(fd, &reading, sizeof reading) != (ssize_t)sizeof reading)
        bad = 1;
    return reading;
}

static void loop(uint64_t turns)
{
    /* Two instructions a turn. */
    __asm__ volatile("1: subs %0, %0, #1\n   b.ne 1b\n" : "+r"(turns) : : "cc");
}

int main(void)
{
    (void)mount("proc", "/proc", "proc", 0, NULL);
    int cycles = counter(PERF_COUNT_HW_CPU_CYCLES, -1);
    int instructions = cycles < 0 ? -1 : counter(PERF_COUNT_HW_INSTRUCTIONS, cycles);
    if (instructions < 0) {
        printf("not ok - counters: %s\n", strerror(errno));
        bad = 1;
    } else {
        for (uint64_t turns = TURNS; turns <= 4 * TURNS; turns *= 2) {
            (void)ioctl(cycles, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
            (void)ioctl(cycles, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
            loop(turns);
            (void)ioctl(cycles, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
            struct reading i = read_counter(instructions), c = read_counter(cycles);
            uint64_t want = turns * OF_A_TURN;
            /* The calls around the loop are some tens. */
            check(i.value >= want && i.value < want + 200, "instructions", i.value, want);
            check(c.value >= want / 2 && c.value < 4 * want, "cycles (some per instruction)",
                  c.value, want);
            check(i.running == i.enabled && i.running > 0, "time counted of time wanted, ns",
                  i.running, i.enabled);
        }
    }
    printf("guest: status %d\n", bad);
    (void)fflush(stdout);
    (void)reboot(LINUX_REBOOT_CMD_POWER_OFF);
    return 0;
}
