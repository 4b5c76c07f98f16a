/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two clocks of a spool. Reading the TSC costs a third of clock_gettime(), which matters when the call
 * itself should take 15 ns; cycles are converted to CLOCK_MONOTONIC by pairs of both, taken from time to time
 * and stored in the file, so that the frequency need not be known.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#    include <cpuid.h>
#    include <x86intrin.h>
#endif

#include "trace/spool/spool_clock.h"

/* The wall clock may have been adjusted slightly in the meantime. */
#define FOREIGN_NS INT64_C(1000000000)

/* Contents of a small file, without its final line break; "" when it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

    if (fd >= 0)
        (void)close(fd); /* read only */
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0'; /* the first line is sufficient */
}

bool wtl_spool_tsc_usable(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d = 0;
    char source[32];

    /* CPUID 80000007H EDX bit 8: constant rate in all P-, C- and T-states (Intel SDM 18.17.1). */
    if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & 1u << 8))
        return false;
    /* The kernel stops using the TSC as its clock source when cores disagree. */
    read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
              sizeof(source));
    return !strcmp(source, "tsc");
#else
    return false;
#endif
}

static uint64_t monotonic_ns(void)
{
    struct timespec ts = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* it exists */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct wtl_spool_pair wtl_spool_pair_take(bool tsc)
{
    struct wtl_spool_pair pair = {0, 0};
#if defined(__x86_64__)
    uint64_t narrow = UINT64_MAX;

    /* Use the narrowest of three brackets, in case one is interrupted. */
    for (int i = 0; tsc && i < 3; i++) {
        uint64_t before = __rdtsc();
        uint64_t ns = monotonic_ns();
        uint64_t after = __rdtsc();

        if (after - before < narrow) {
            narrow = after - before;
            pair = (struct wtl_spool_pair){before + narrow / 2, ns};
        }
    }
#endif
    if (!tsc)
        pair.time = pair.monotonic_ns = monotonic_ns();
    return pair;
}

/* "monotonic SECONDS NANOSECONDS", relative to the initial namespace. A kernel without time namespaces has
 * no such file. */
int wtl_spool_clock_offset(int64_t *ret_offset_ns)
{
    static const char word[] = "monotonic";
    char text[160], *end;

    *ret_offset_ns = 0;
    read_text("/proc/self/timens_offsets", text, sizeof(text));
    if (!text[0])
        return access("/proc/self/stat", F_OK) == 0 ? 0 : -ENOENT;
    if (strncmp(text, word, strlen(word)) != 0)
        return -EBADMSG;
    long long seconds = strtoll(text + strlen(word), &end, 10);
    long long nanoseconds = strtoll(end, NULL, 10);

    if (llabs(seconds) > INT64_MAX / 2000000000 || llabs(nanoseconds) > 999999999)
        return -EBADMSG;
    *ret_offset_ns = seconds * 1000000000 + nanoseconds;
    return 0;
}

uint64_t wtl_spool_shift_ns(const struct wtl_spool_header *header)
{
    int64_t own_ns;

    if (header->has_offset != 1)
        return 0;
    (void)wtl_spool_clock_offset(&own_ns); /* unknown: 0 */
    return (uint64_t)own_ns - (uint64_t)header->offset_ns;
}

bool wtl_spool_is_foreign(const struct wtl_spool_header *header)
{
    struct timespec ts = {0};
    char boot_id[sizeof(header->boot_id)];

    if (header->has_offset == 1 || header->realtime_ns == 0)
        return false;
    read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
    if (!boot_id[0] || strcmp(boot_id, header->boot_id) != 0)
        return false; /* recorded with an unrelated clock, like everything at that time */
    (void)clock_gettime(CLOCK_REALTIME, &ts); /* it exists */
    uint64_t now_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    int64_t ahead_ns = (int64_t)(header->realtime_ns - header->pair_ns - now_ns + monotonic_ns());

    return ahead_ns > FOREIGN_NS || ahead_ns < -FOREIGN_NS;
}

int wtl_spool_now_take(struct wtl_spool_now *ret_now)
{
    if (!wtl_spool_tsc_usable())
        return -ENOTSUP;
    read_text("/proc/sys/kernel/random/boot_id", ret_now->boot_id, sizeof(ret_now->boot_id));
    ret_now->pair = wtl_spool_pair_take(true);
    return 0;
}
