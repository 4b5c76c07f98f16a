/* SPDX-License-Identifier: BSD-3-Clause */
/* read() of each driver of the registry does not allocate: allocations are counted while it runs,
 * on each recorded host that has something for the driver. */
#include "host.h"
#include "model/counters/counter_set.h"
#include "source/registry.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define OWN_ALLOCATOR 0
#    endif
#endif
#if !defined(OWN_ALLOCATOR) && defined(__GLIBC__)
#    define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR
static unsigned long allocations;

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t n);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    allocations++;
    return __libc_malloc(n);
}

void *calloc(size_t count, size_t n)
{
    allocations++;
    return __libc_calloc(count, n);
}

void *realloc(void *p, size_t n)
{
    allocations++;
    return __libc_realloc(p, n);
}

/* Channels read on one host. */
static size_t test_driver(const char *name, const struct wtl_driver *driver)
{
    struct wattle_reading out[64];
    struct host host = {.world = host_world(name)};
    static struct wtl_counter_set set;
    struct wtl_target target = {.pid = 0, .counters = &set};
    size_t count = 0;
    if (set.column_count == 0)
        is_int(wtl_counter_set_from_texts(&set, "test",
                                          "BYTES=net:received_bytes;READS=disk:reads;"
                                          "MEMORY=memory:used_bytes",
                                          NULL, NULL),
               0, "a set");
    if (wtl_source_open(&host.source, driver, host.world, NULL, &target, NULL) == 0) {
        count = host.source.count > 64 ? 64 : host.source.count;
        unsigned long before = allocations;
        for (int i = 0; i < 100; i++)
            driver->read(&host.source, 0, count, out);
        unsigned long after = allocations;
        is_int(after - before, 0, "100 reads of %s do not allocate on %s", driver->name, name);
    }
    host_close(&host, name);
    return count;
}

static void test_all(void)
{
    char **hosts;
    const struct wtl_world *real = wtl_world_real();
    int count = real->ops->list(real, HOSTS, &hosts);
    size_t channels[32] = {0};
    for (int i = 0; i < count; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, HOSTS "%s/root", hosts[i]);
        for (size_t k = 0; wtl_drivers[k] && real->ops->exists(real, path); k++)
            channels[k] += test_driver(hosts[i], wtl_drivers[k]);
    }
    for (size_t k = 0; wtl_drivers[k]; k++)
        ok(channels[k] > 0 || wtl_drivers[k]->flags & (WTL_DRIVER_RELAY | WTL_DRIVER_MANUAL),
           "a recorded host has something for %s", wtl_drivers[k]->name);
    ok(count > 0 && allocations > 0, "and allocations are counted");
    if (count >= 0)
        free(hosts);
}
#endif

int main(void)
{
#if OWN_ALLOCATOR
    test_all();
    return done_testing();
#else
    skip_all("the allocator cannot be counted in this build");
#endif
}
